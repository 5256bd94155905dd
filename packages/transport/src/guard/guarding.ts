import * as Account from "@effect-venue/schemas/Account"
import * as BigDecimal from "effect/BigDecimal"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Failure from "../model/Failure.js"
import * as CallOptions from "../model/CallOptions.js"
import type { Outcome } from "../journal/WriteJournal.js"
import type { Call, Pass } from "../attempt/callState.js"
import * as sendings from "../attempt/sending.js"
import { isDefinite, partsOf, textOf } from "../journal/batchParts.js"
import { mostAhead } from "../journal/guardedTotals.js"
import type { Writer } from "../journal/JournalHook.js"
import * as monotonic from "../time/monotonic.js"
import * as TimeLimit from "../time/TimeLimit.js"
import type { Amount } from "../attempt/callState.js"
import { costOf, type Measures, ordersOf, symbolsOf, type Write } from "./cost.js"
import type { Hook } from "./GuardHook.js"
import type { Breach, Execution, Ledger, Reservation } from "./ledger.js"

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
  const { movesFunds, name } = write.endpoint
  if (operations?.has(name) === false) {
    return { rule: "operation", detail: `it is not one of ${[...operations].join(", ")}` }
  }
  if (symbols === undefined) return undefined
  const named = symbolsOf(write)
  const [disallowed] = named.filter((symbol) => !symbols.has(symbol))
  if (disallowed !== undefined)
    return { rule: "symbol", detail: `${disallowed} is not one of ${[...symbols].join(", ")}` }
  const needsSymbol = movesFunds !== true && !cancels.has(name) && name.startsWith("orders.")
  return named.length === 0 && needsSymbol
    ? { rule: "symbol", detail: `it names none of ${[...symbols].join(", ")}` }
    : undefined
}

const spans = { largest: "for a single amount", perHour: "per hour", perDay: "per day" }

const refuseBreach = ({ amount, index, limit, rule, unit, used }: Breach, isBatch: boolean, doubt: string): Refusal => {
  const total = rule === "largest" ? "" : `, of which ${BigDecimal.format(used)} ${unit} are used${doubt}`
  const place = isBatch ? ` of order ${index}` : ""
  return {
    rule,
    detail: `${BigDecimal.format(amount)} ${unit}${place} would exceed the cap of ${BigDecimal.format(limit)} ${unit} ${spans[rule]}${total}`,
    figures: { unit, amount, limit, used }
  }
}

const placesOrders = new Set(["orders.create", "orders.createBatch"])

/** The id under which the service executes a part of a write at most once, with its account. */
const idOf = ({ endpoint, parameters }: Call, { host, key, uid }: Writer, index: number): string | undefined => {
  const id = placesOrders.has(endpoint.name)
    ? textOf(ordersOf(parameters)[index], "orderLinkId")
    : endpoint.safety === "idempotent"
      ? textOf(parameters, "requestId")
      : undefined
  if (id === undefined) return undefined
  return `${host} ${uid ?? key} ${placesOrders.has(endpoint.name) ? "orders" : endpoint.name} ${id}`
}

const stopped: Refusal = { rule: "stopped", detail: "the kill switch is on" }
const unreadable: Refusal = { rule: "stopped", detail: "the kill switch cannot be read, so no write is sent" }
const dryRun: Refusal = { rule: "dryRun", detail: "it passed every other rule, and nothing is sent" }

/** Fails while the kill switch is on or cannot be read within the limit of an attempt, and in a dry run. */
const mayDepart = (checks: Checks, call: Call): Effect.Effect<void, Failure.Blocked> => {
  const operation = call.endpoint.name
  if (cancels.has(operation)) return Effect.void
  const block = (refusal: Refusal) => Effect.fail(new Failure.Blocked({ ...refusal, operation }))
  const passed = () => (checks.isDryRun ? block(dryRun) : Effect.void)
  if (checks.isStopped === undefined) return passed()
  const limit: Duration.Duration = Context.get(call.around.references, CallOptions.AttemptTimeout)
  const read = TimeLimit.within(checks.isStopped, limit, () => "unreadable" as const)
  return Effect.flatMap(Effect.exit(read), (exit) => {
    if (Exit.isSuccess(exit)) return exit.value ? block(stopped) : passed()
    if (Cause.isInterrupted(exit.cause)) return Effect.interrupt
    return block(unreadable)
  })
}

/** Whether each part of a call was executed. `refused`: the parts that its response refused. */
const executionOf = (call: Call, isClear: boolean, refused: ReadonlySet<number>) => {
  const possible = call.sendings.filter((sending) => sendings.mayBeExecuted([sending]))
  const isExecuted = possible.some(sendings.isExecuted) && (isClear || call.endpoint.extended !== true)
  return (index: number): Execution => {
    if (possible.length === 0 || (possible.length === 1 && refused.has(index))) return "none"
    return isExecuted && !refused.has(index) ? "executed" : "doubt"
  }
}

/** The pass of a write whose amounts are reserved. */
const passOf = (
  ledger: Ledger,
  checks: Checks,
  {
    amounts,
    recvWindow,
    reservation
  }: { amounts: ReadonlyArray<Amount>; recvWindow: number; reservation: Reservation },
  entering: Call
): Pass => {
  let refused: ReadonlySet<number> = new Set()
  let isClear = false
  return {
    amounts,
    mayDepart: Effect.suspend(() => mayDepart(checks, entering)),
    answered: (attempt, answer) => {
      const codes = Context.get(attempt.call.around.references, CallOptions.ReturnCodeTable)
      const parts = partsOf(attempt.call, answer, isDefinite(attempt, codes))
      isClear = parts.isClear
      refused = new Set(isClear ? parts.codes.flatMap((code, index) => (code === 0 ? [] : [index])) : [])
    },
    end: (call) => {
      const now = monotonic.unsafeMillis(call.around.time)
      const execution = executionOf(call, isClear, refused)
      const isInDoubt = amounts.some(({ index }) => execution(index) === "doubt")
      // Until then the service accepts a request that was lost on its way.
      const from = isInDoubt ? now + recvWindow + mostAhead : now
      ledger.settle(reservation, execution, { from, id: call.entry?.id, now })
    }
  }
}

const undatedDoubt = "; amounts of earlier processes count until a response contains the time of the service"

/** Checks a write and reserves its amounts, in one step. */
const check = (ledger: Ledger, checks: Checks, call: Call, writer: Writer): Either.Either<Pass, Refusal> => {
  const { endpoint, parameters } = call
  const write: Write = { endpoint, parameters }
  const refusal = refusalOf(checks, write)
  if (refusal !== undefined) return Either.left(refusal)
  const isBatch = Array.isArray(parameters.request)
  const cost = costOf(write, checks.measures)
  if (Either.isLeft(cost)) {
    const { detail, index } = cost.left
    return Either.left({ rule: "unmeasured", detail: isBatch ? `order ${index}: ${detail}` : detail })
  }
  const amounts = cost.right.map((amount): Amount => ({ ...amount, id: idOf(call, writer, amount.index) }))
  const now = monotonic.unsafeMillis(call.around.time)
  const reservation = ledger.reserve(amounts, now)
  return Either.mapBoth(reservation, {
    onLeft: (breach) =>
      refuseBreach(
        breach,
        isBatch,
        ledger.canAge(writer.host, call.around.time.unsafeCurrentTimeMillis()) ? undatedDoubt : ""
      ),
    onRight: (reservation) => passOf(ledger, checks, { amounts, recvWindow: writer.recvWindow, reservation }, call)
  })
}

export const make = (ledger: Ledger, checks: Checks): Omit<Hook, "journal"> => ({
  needsTime: (host) => ledger.isUndated(host),
  learnTime: (host, hostTime, now) => {
    ledger.date(host, hostTime, now)
  },
  gainsByTime: ({ rule }, host, wallClock) =>
    (rule === "perHour" || rule === "perDay") && ledger.canAge(host, wallClock),
  timeCall: { endpoint: Account.walletBalance, request: { accountType: "UNIFIED" } },
  enter: (call, writer, hostTime) => {
    if (hostTime !== undefined) ledger.date(writer.host, hostTime, monotonic.unsafeMillis(call.around.time))
    const operation = call.endpoint.name
    return Either.mapLeft(
      check(ledger, checks, call, writer),
      (refusal) => new Failure.Blocked({ ...refusal, operation })
    )
  }
})

/** Settles a write in doubt by the result of its look-up. */
export const conclude = (ledger: Ledger, id: string, outcome: Outcome): void => {
  if (outcome._tag === "Reconciled") ledger.conclude(id, () => (outcome.executed === "no" ? "none" : "executed"))
}
