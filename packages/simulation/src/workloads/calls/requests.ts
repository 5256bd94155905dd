/** The calls of the services that callers make, and their outcomes. */
import * as Assets from "@effect-venue/services/Assets"
import * as Instruments from "@effect-venue/services/Instruments"
import * as Orders from "@effect-venue/services/Orders"
import type * as Failure from "@effect-venue/transport/Failure"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import type * as Exchange from "../../models/Exchange.js"
import * as Callers from "../../world/Callers.js"
import type * as Journal from "../../world/Journal.js"
import type * as World from "../../world/World.js"
import type * as Plan from "./Plan.js"

const batchSize = 3

/** The wishes of a call, each under the name by which the exchange finds it in a request. */
export const wishesOf = ({ id, kind }: Pick<Plan.PlannedCall, "id" | "kind">): ReadonlyArray<string> =>
  kind === "batch" ? Array.from({ length: batchSize }, (_, index) => `${id}-${index}`) : [id]

const symbol = "BTCUSDT"

export type Services = Assets.Assets | Instruments.Instruments | Orders.Orders

const decimal = (text: string) => BigDecimal.unsafeFromString(text)

/** The name of a failure: with its reason, if that is of the operation, or of what the call needs beside the service. */
const tagOf = (failure: Failure.Failure): string => {
  const { _tag } = failure
  if (_tag === "Blocked") return `${_tag} ${failure.rule}`
  const isNamed =
    _tag === "Rejected" || (_tag === "ConnectionFailed" && /^(RateLimitStore|WriteJournal)$/.test(failure.reason))
  return isNamed ? `${_tag} ${failure.reason}` : _tag
}

const refusal = (failure: Failure.Failure): Pick<Callers.CallerOutcome, "outcome" | "tag"> => ({
  outcome: failure._tag === "OutcomeUnknown" ? "unknown" : "refused",
  tag: tagOf(failure)
})

/** The request id of a transfer. */
export const requestIdOf = (id: string) => `00000000-0000-4000-8000-${id.padStart(12, "0").replaceAll("c", "0")}`

export const safetyOf = (kind: Plan.Kind): Journal.Safety =>
  kind === "read" ? "read" : kind === "transfer" ? "idempotent" : "write"

/** A call as the exchange finds it in a request. */
export const exchangeCallOf = ({ id, kind }: Pick<Plan.PlannedCall, "id" | "kind">): Exchange.ExchangeCall => ({
  id,
  isBatch: kind === "batch",
  requestId: kind === "transfer" ? requestIdOf(id) : undefined
})

/** The order that a cancellation names: that of the call before it. */
const cancelTargetOf = (id: string) => `c${Math.max(0, Number(id.slice(1)) - 1)}`

/** The ids in the request of a write, by which it is looked up. */
export const idsOf = (call: Pick<Plan.PlannedCall, "id" | "kind">): ReadonlyArray<string> =>
  call.kind === "transfer"
    ? [requestIdOf(call.id)]
    : call.kind === "cancel"
      ? [cancelTargetOf(call.id)]
      : wishesOf(call)

const order = (orderLinkId: string, qty = "0.01") =>
  ({ symbol, side: "Buy", orderType: "Limit", qty, price: decimal("20000"), orderLinkId }) as const

/** The orders that a call creates. The sandbox refuses the last one of each second batch, which is too large. */
const ordersOf = (call: Pick<Plan.PlannedCall, "id" | "kind">) => {
  if (call.kind === "create") return [order(call.id)]
  if (call.kind !== "batch") return []
  const isPartly = Number(call.id.slice(1)) % 2 === 1
  return wishesOf(call).map((wish, index, { length }) =>
    order(wish, isPartly && index === length - 1 ? "5000" : "0.01")
  )
}

const transferred = "1.5"

/** What each order of a call, or its transfer, is worth, in USDT. */
export const worthsOf = (call: Pick<Plan.PlannedCall, "id" | "kind">): Readonly<Record<string, number>> =>
  call.kind === "transfer"
    ? { [call.id]: Number(transferred) }
    : Object.fromEntries(ordersOf(call).map(({ orderLinkId, qty }) => [orderLinkId, Number(qty) * 20_000]))

/** Whether the exchange has executed a wish. */
export const isExecuted = ({ facts }: World.World, wish: string): boolean =>
  facts.some((fact) => fact._tag === "Arrived" && fact.executed.includes(wish))

/** Compares what an interrupted call reports as accepted with what the exchange has executed. */
export const reportFailure = (
  world: World.World,
  call: Pick<Plan.PlannedCall, "id" | "kind">,
  failure: Failure.OutcomeUnknown
): void => {
  const { add, inspect } = world
  inspect(JSON.stringify(failure))
  add({ _tag: "Abandoned", call: call.id })
  const accepted = (failure.accepted ?? []).flatMap((identifiers) => Object.values(identifiers))
  const ids = idsOf(call)
  const wrong = wishesOf(call).filter((wish, index) => accepted.includes(ids[index] ?? "") && !isExecuted(world, wish))
  add({ _tag: "Compared", call: call.id, rule: "Identified", got: wrong.join(), expected: "" })
}

/** Makes a call, and returns the outcome of each of its wishes. */
export const send = (
  call: Pick<Plan.PlannedCall, "id" | "kind">
): Effect.Effect<ReadonlyArray<Callers.CallerOutcome>, Failure.Failure, Services> => {
  const done = Effect.as([{ wish: call.id, outcome: "done", tag: "" } as const])
  switch (call.kind) {
    case "create":
      return done(Effect.flatMap(Orders.Orders, (orders) => orders.create({ ...order(call.id), category: "linear" })))
    case "cancel":
      return done(
        Effect.flatMap(Orders.Orders, (orders) =>
          orders.cancel({ category: "linear", symbol, orderLinkId: cancelTargetOf(call.id) })
        )
      )
    case "batch":
      return Effect.map(
        Effect.flatMap(Orders.Orders, (orders) => orders.createBatch({ category: "linear", request: ordersOf(call) })),
        (outcomes) =>
          outcomes.map((outcome, index) => {
            const wish = wishesOf(call)[index] ?? ""
            return Either.match(outcome, {
              onLeft: (failure) => ({ wish, ...refusal(failure) }),
              onRight: () => ({ wish, outcome: "done" as const, tag: "" })
            })
          })
      )
    case "transfer":
      return done(
        Effect.flatMap(Assets.Assets, (assets) =>
          assets.transfer({
            requestId: requestIdOf(call.id),
            coin: "USDT",
            amount: decimal(transferred),
            fromAccountType: "FUND",
            toAccountType: "UNIFIED"
          })
        )
      )
    case "read":
      return done(
        Effect.flatMap(Instruments.Instruments, (instruments) => instruments.list({ category: "linear", symbol }))
      )
  }
}

/** The outcome of each wish of a call. */
export const outcomesOf =
  (call: Pick<Plan.PlannedCall, "id" | "kind">) =>
  (exit: Exit.Exit<ReadonlyArray<Callers.CallerOutcome>, Failure.Failure>): ReadonlyArray<Callers.CallerOutcome> =>
    Exit.isSuccess(exit) ? exit.value : wishesOf(call).map((wish) => Callers.outcomeOf(wish, exit, refusal))
