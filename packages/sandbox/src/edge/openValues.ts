import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Refusal from "../handling/refusal.js"

// The schemas of requests accept all values of a parameter whose values the service's document does not show. The sandbox knows some of them.

/** What the sandbox requires of the values of a parameter. */
interface Requirement {
  readonly rule: string
  readonly holds: (value: unknown) => boolean
}

const decimal = (rule: string, holds: (value: BigDecimal.BigDecimal) => boolean): Requirement => ({
  rule: `must be a decimal ${rule}`,
  holds: (value) =>
    (typeof value === "string" || BigDecimal.isBigDecimal(value)) && Option.exists(Decimal.fromInput(value), holds)
})

const positive = decimal("greater than 0", BigDecimal.isPositive)
const notNegative = decimal("of at least 0", (value) => !BigDecimal.isNegative(value))

const priceKind: Requirement = {
  rule: `must be one of ${Enumerations.TriggerBy.known.filter((value) => value !== "UNKNOWN").join(", ")}`,
  holds: (value) => typeof value === "string" && value !== "UNKNOWN" && Enumerations.TriggerBy.isKnown(value)
}

const atLeastOne: Requirement = {
  rule: "must be a whole number of at least 1",
  holds: (value) => typeof value === "number" && value >= 1
}

const requirements: ReadonlyMap<string, Requirement> = new Map([
  ...["triggerBy", "tpTriggerBy", "slTriggerBy"].map((name) => [name, priceKind] as const),
  ...["orderIv", "activePrice", "tpSize", "slSize"].map((name) => [name, positive] as const),
  ...["takeProfit", "stopLoss"].map((name) => [name, notNegative] as const),
  ...["rate", "limit"].map((name) => [name, atLeastOne] as const)
])

// Only an existing stop can be removed with 0.
const ofNewOrders: ReadonlyMap<string, Requirement> = new Map(
  ["takeProfit", "stopLoss"].map((name) => [name, positive])
)

const failures = (
  value: unknown,
  requirementOf: (name: string) => Requirement | undefined,
  path: ReadonlyArray<string> = []
): ReadonlyArray<string> => {
  const requirement = requirementOf(path.at(-1) ?? "")
  if (requirement !== undefined && value !== undefined && !requirement.holds(value)) {
    return [`${path.join(".")} ${requirement.rule}`]
  }
  return Array.isArray(value) || (Predicate.isRecord(value) && Object.getPrototypeOf(value) === Object.prototype)
    ? Object.entries(value).flatMap(([name, inner]) => failures(inner, requirementOf, [...path, name]))
    : []
}

/** Refuses a request with a value that the sandbox does not know, of a parameter whose values are not shown. */
export const check = <Req>(operation: string, request: Req): Either.Either<Req, Refusal.Refusal> => {
  const isNew = operation.startsWith("orders.create")
  const [first] = failures(request, (name) => (isNew ? ofNewOrders.get(name) : undefined) ?? requirements.get(name))
  return first === undefined ? Either.right(request) : Refusal.parameter(first)
}
