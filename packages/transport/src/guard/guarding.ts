import * as BigDecimal from "effect/BigDecimal"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Failure from "../model/Failure.js"
import * as CallOptions from "../model/CallOptions.js"
import type { RecordedEntry } from "../journal/WriteJournal.js"
import type { Call, Pass } from "../attempt/callState.js"
import * as sendings from "../attempt/sending.js"
import { isDefinite, partsOf } from "../journal/batchParts.js"
import * as monotonic from "../time/monotonic.js"
import type { Amount } from "../attempt/callState.js"
import { amountsOf, type Measures, symbolsOf, type Write } from "./amounts.js"
import type { Hook } from "./guardHook.js"
import type { Breach, Totals } from "./totals.js"

export interface Checks {
  readonly operations: ReadonlySet<string> | undefined
  readonly symbols: ReadonlySet<string> | undefined
  readonly isDryRun: boolean
  readonly isStopped: Effect.Effect<boolean> | undefined
  readonly measures: Measures
}

const cancels = new Set(["orders.cancel", "orders.cancelBatch", "orders.cancelAll"])

type Refusal = Omit<ConstructorParameters<typeof Failure.Blocked>[0], "operation">

/** Checks the rules that need no totals. */
const refusalOf = ({ operations, symbols }: Checks, write: Write): Refusal | undefined => {
  if (operations?.has(write.operation) === false) {
    return { rule: "operation", detail: `it is not one of ${[...operations].join(", ")}` }
  }
  if (symbols === undefined) return undefined
  const named = symbolsOf(write)
  const [disallowed] = named.filter((symbol) => !symbols.has(symbol))
  if (disallowed !== undefined)
    return { rule: "symbol", detail: `${disallowed} is not one of ${[...symbols].join(", ")}` }
  const needsSymbol = !write.movesFunds && !cancels.has(write.operation) && write.operation.startsWith("orders.")
  return named.length === 0 && needsSymbol
    ? { rule: "symbol", detail: `it names none of ${[...symbols].join(", ")}` }
    : undefined
}

const names = { largest: "the largest single amount", perHour: "the total of an hour", perDay: "the total of a day" }

const refuseBreach = ({ amount, index, limit, rule, unit, used }: Breach, isBatch: boolean): Refusal => {
  const total = rule === "largest" ? "" : `, ${BigDecimal.format(used)} ${unit} are used`
  const place = isBatch ? ` of order ${index}` : ""
  return {
    rule,
    detail: `${BigDecimal.format(amount)} ${unit}${place} exceed ${names[rule]}, ${BigDecimal.format(limit)} ${unit}${total}`,
    figures: { unit, amount, limit, used }
  }
}

const requestIdOf = ({ endpoint, parameters }: Call): string | undefined =>
  endpoint.safety === "idempotent" && typeof parameters.requestId === "string"
    ? `${endpoint.name} ${parameters.requestId}`
    : undefined

/** The pass of a write whose amounts are reserved. */
const passOf = (totals: Totals, amounts: ReadonlyArray<Amount>, reservation: Parameters<Totals["settle"]>[0]): Pass => {
  let refused: ReadonlySet<number> = new Set()
  return {
    amounts,
    answered: (attempt, answer) => {
      const codes = Context.get(attempt.call.around.references, CallOptions.ReturnCodeTable)
      const parts = partsOf(attempt.call, answer, isDefinite(attempt, codes))
      if (parts.isClear) refused = new Set(parts.codes.flatMap((code, index) => (code === 0 ? [] : [index])))
    },
    end: (call) => {
      const mayBeExecuted = sendings.mayBeExecuted(call.sendings)
      totals.settle(
        reservation,
        (index) => !mayBeExecuted || refused.has(index),
        monotonic.unsafeMillis(call.around.time)
      )
    }
  }
}

/** Checks a write and reserves its amounts, in one step. */
const check = (totals: Totals, checks: Checks, call: Call): Either.Either<Pass, Refusal> => {
  const { endpoint, parameters } = call
  const write: Write = { operation: endpoint.name, parameters, movesFunds: endpoint.movesFunds === true }
  const refusal = refusalOf(checks, write)
  if (refusal !== undefined) return Either.left(refusal)
  const isBatch = Array.isArray(parameters.request)
  const amounts = amountsOf(write, checks.measures)
  if (Either.isLeft(amounts)) {
    const { detail, index } = amounts.left
    return Either.left({ rule: "unmeasured", detail: isBatch ? `order ${index}: ${detail}` : detail })
  }
  const now = monotonic.unsafeMillis(call.around.time)
  const reservation = totals.reserve(amounts.right, requestIdOf(call), now)
  if (Either.isLeft(reservation)) return Either.left(refuseBreach(reservation.left, isBatch))
  if (!checks.isDryRun || cancels.has(endpoint.name))
    return Either.right(passOf(totals, amounts.right, reservation.right))
  totals.settle(reservation.right, () => true, now)
  return Either.left({ rule: "dryRun", detail: "it passed every other rule, and nothing is sent" })
}

const stopped: Refusal = { rule: "stopped", detail: "the kill switch is on" }

export const make = (totals: Totals, checks: Checks): Hook => ({
  enter: (call, restore) => {
    const operation = call.endpoint.name
    const block = (refusal: Refusal) => new Failure.Blocked({ ...refusal, operation })
    const checked = Effect.suspend(() => Either.mapLeft(check(totals, checks, call), block))
    if (checks.isStopped === undefined || cancels.has(operation)) return checked
    return Effect.flatMap(Effect.exit(restore(checks.isStopped)), (exit) => {
      if (Exit.isSuccess(exit)) return exit.value ? Effect.fail(block(stopped)) : checked
      if (Cause.isInterrupted(exit.cause)) return Effect.failCause(exit.cause)
      return Effect.fail(block({ rule: "stopped", detail: "the kill switch cannot be read, so no write is sent" }))
    })
  }
})

/** Whether a part of an earlier write was provably not executed. */
const isReleased = ({ outcome }: RecordedEntry, index: number): boolean => {
  switch (outcome?._tag) {
    case "NotSent":
    case "Refused":
      return true
    case "Reconciled":
      return outcome.executed === "no"
    case "Done":
      return (outcome.codes?.[index] ?? 0) !== 0
    default:
      return false
  }
}

/** Counts the writes of earlier processes by their age. */
export const restore = (
  totals: Totals,
  entries: ReadonlyArray<RecordedEntry>,
  wallClock: number,
  now: number
): void => {
  for (const entry of entries.toSorted((left, right) => left.intent.at - right.intent.at)) {
    const { amounts = [], at, operation, parameters } = entry.intent
    const counted = amounts
      .filter(({ index }) => !isReleased(entry, index))
      .map((amount): Amount => ({ ...amount, value: BigDecimal.unsafeFromString(amount.value) }))
    const requestId = typeof parameters.requestId === "string" ? `${operation} ${parameters.requestId}` : undefined
    totals.restore(counted, requestId, now - Math.max(wallClock - at, 0))
  }
}
