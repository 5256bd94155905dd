/**
 * Checks every write before it waits for a rate limit, is journalled or sent: allowed operations and symbols, caps by notional and coin, a kill switch, a dry
 * run. A write that the guard refuses fails with `Blocked`, and nothing is sent. Reads pass.
 *
 * Provide a guard to the layer of the transport. Transports that share a guard share its totals. By default no guard is used, which costs nothing.
 *
 * **Details**
 *
 * - An order counts at the most that it can cost: a limit order at its price, a sell at `marketPrice` if that is higher, a market order at `marketPrice` or
 *   its trigger price, an order of inverse contracts at its quantity, in USD. A write whose cost is unknown is refused while a cap is set.
 * - An amount counts from the check until an hour and a day after the minute in which its call ended. It no longer counts if the call proves that it was not
 *   executed. An unknown outcome counts.
 * - Calls with one id count once, at the largest amount. Each amendment counts in full.
 * - If any cap of orders is set, an order in a currency without a cap is refused; so is a transfer of a coin without a cap.
 * - Cancels pass the kill switch and the dry run; orders that only reduce a position do not.
 */
import * as Decimal from "@effect-venue/schemas/Decimal"
import { nearest, suggest } from "@effect-venue/schemas/siblings/Words"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BigDecimal from "effect/BigDecimal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as guarding from "./guarding.js"
import { type DecimalCaps, Ledger } from "./ledger.js"
import { Guard, type GuardJournal, type Hook } from "./GuardHook.js"
import { restore } from "./earlierWrites.js"
import { takeSteps } from "../journal/journalEffects.js"
import * as monotonic from "../time/monotonic.js"
import type { WriteJournalFailed } from "../journal/WriteJournal.js"
import { WriteJournal } from "../journal/WriteJournal.js"

export { Guard, type Used } from "./GuardHook.js"

/** The caps of a currency or coin, in its unit, as `"50000"` or a `BigDecimal`. An omitted cap does not limit. */
export interface Caps {
  /** The largest single order or transfer. */
  readonly largest?: Decimal.Input | undefined
  /** The largest total of an hour. */
  readonly perHour?: Decimal.Input | undefined
  /** The largest total of a day. */
  readonly perDay?: Decimal.Input | undefined
}

export interface Options {
  /**
   * The allowed operations, such as `orders.create`. Defaults to all. An operation whose cost is unknown, such as `positions.addMargin`, is refused while a cap
   * is set, unless it is in this list.
   */
  readonly operations?: ReadonlyArray<string> | undefined
  /** The allowed symbols of writes. Defaults to all. If set, a new or amended order without a symbol is refused. */
  readonly symbols?: ReadonlyArray<string> | undefined
  /** Caps of the notional of orders, by the quote coin, such as `USDT`; `USD` for inverse contracts. Defaults to none. */
  readonly orders?: Readonly<Record<string, Caps>> | undefined
  /** Caps of transfers and withdrawals, by coin. Defaults to none. */
  readonly transfers?: Readonly<Record<string, Caps>> | undefined
  /** Refuses every write that passed the other rules. Defaults to false. */
  readonly dryRun?: boolean | undefined
  /**
   * The kill switch: while it is true, no write except a cancel leaves, whether it is new, waits for a limit or a ban, or is repeated. It is read in the last
   * step before the bytes leave. If that dies, or takes longer than `AttemptTimeout`, the write is refused. Defaults to never. `stopFile`, `stopRef` and
   * `stopSignal` create a kill switch.
   */
  readonly isStopped?: Effect.Effect<boolean> | undefined
  /**
   * The market price of an instrument that the application knows, in quote coin per base coin, for market orders and sells. It is called for each of them, so it
   * cannot wait: keep the prices in a `Map`. Anything but a decimal above 0 counts as unknown. Defaults to none.
   */
  readonly marketPrice?: ((symbol: string, category: string) => Decimal.Input | undefined) | undefined
}

/** A field is not a rule, or a cap is not decimal text or is negative. */
export class InvalidGuard extends Schema.TaggedError<InvalidGuard>()("InvalidGuard", {
  /** The path of the field: `orders.USDT.perDay`. */
  field: Schema.String,
  rule: Schema.String
}) {
  override get message(): string {
    return `guard: ${this.field} ${this.rule}`
  }
}

const capNames = Object.keys({ largest: 0, perHour: 0, perDay: 0 } satisfies Record<keyof Caps, 0>)

const optionNames = Object.keys({
  ...{ operations: 0, symbols: 0, orders: 0, transfers: 0, dryRun: 0, isStopped: 0, marketPrice: 0 }
} satisfies Record<keyof Options, 0>)

/** A misspelt cap would limit nothing. */
const checkNames = (prefix: string, input: object, names: ReadonlyArray<string>): Effect.Effect<void, InvalidGuard> => {
  const [unknown] = Object.keys(input).filter((name) => !names.includes(name))
  if (unknown === undefined) return Effect.void
  const close = nearest(unknown, names)
  const remedy = close.length === 0 ? `use ${names.join(", ")}` : suggest(close)
  return new InvalidGuard({ field: `${prefix}${unknown}`, rule: `is not a rule: ${remedy}` })
}

const decimalOf = (input: unknown): Option.Option<BigDecimal.BigDecimal> =>
  typeof input === "string" || BigDecimal.isBigDecimal(input) ? Decimal.fromInput(input) : Option.none()

const capOf = (field: string, input: Decimal.Input | undefined) => {
  if (input === undefined) return Effect.succeed(undefined)
  const value = Option.filter(decimalOf(input), ({ value }) => value >= 0n)
  return Effect.mapError(value, () => new InvalidGuard({ field, rule: "must be decimal text, not negative" }))
}

const capsOf = (
  kind: string,
  inputs: Options["orders"]
): Effect.Effect<Readonly<Record<string, DecimalCaps>>, InvalidGuard> =>
  Effect.map(
    Effect.forEach(Object.entries(inputs ?? {}), ([unit, input]) =>
      Effect.all({
        names: checkNames(`${kind}.${unit}.`, input, capNames),
        largest: capOf(`${kind}.${unit}.largest`, input.largest),
        perHour: capOf(`${kind}.${unit}.perHour`, input.perHour),
        perDay: capOf(`${kind}.${unit}.perDay`, input.perDay)
      }).pipe(Effect.map((caps) => [unit, caps] as const))
    ),
    (entries): Readonly<Record<string, DecimalCaps>> => Object.fromEntries(entries)
  )

const ledgerOf = (options: Options): Effect.Effect<Ledger, InvalidGuard> =>
  Effect.all({
    names: checkNames("", options, optionNames),
    orders: capsOf("orders", options.orders),
    transfers: capsOf("transfers", options.transfers)
  }).pipe(Effect.map((caps) => new Ledger(caps)))

const makeWith = (options: Options, ledger: Ledger, journal: GuardJournal | undefined): Guard.Shape => {
  const operations = options.operations === undefined ? undefined : new Set(options.operations)
  const hook: Hook = {
    journal,
    ...guarding.make(ledger, {
      operations,
      symbols: options.symbols === undefined ? undefined : new Set(options.symbols),
      isDryRun: options.dryRun === true,
      isStopped: options.isStopped,
      measures: {
        currencies: options.orders === undefined ? undefined : Object.keys(options.orders),
        coins: options.transfers === undefined ? undefined : Object.keys(options.transfers),
        marketPrice: (symbol, category) =>
          Option.getOrUndefined(
            Option.filter(decimalOf(options.marketPrice?.(symbol, category)), BigDecimal.isPositive)
          ),
        named: operations
      }
    })
  }
  return { used: (kind, unit) => Effect.map(monotonic.millis, (now) => ledger.used(kind, unit, now)), "~hook": hook }
}

/** A guard whose totals begin at 0. */
export const make = (options: Options): Effect.Effect<Guard.Shape, InvalidGuard> =>
  Effect.map(ledgerOf(options), (ledger) => makeWith(options, ledger, undefined))

/**
 * A guard that also counts the writes in a journal, so that the totals survive a killed process, as a context with the guard and its journal: neither can be
 * provided without the other. It counts the writes of all accounts in the journal. The transports with this guard record their writes in this journal, and
 * `OpenWrites.reconcile` settles in it what the guard has counted.
 */
export const makeJournalled = (
  options: Options
): Effect.Effect<Context.Context<Guard | WriteJournal>, InvalidGuard | WriteJournalFailed, WriteJournal> =>
  Effect.gen(function* () {
    const source = yield* WriteJournal
    const ledger = yield* ledgerOf(options)
    yield* takeSteps(restore(ledger, yield* source.guarded))
    const journal: WriteJournal.Shape = {
      ...source,
      end: (id, outcome) =>
        Effect.tap(source.end(id, outcome), () =>
          Effect.sync(() => {
            guarding.conclude(ledger, id, outcome)
          })
        )
    }
    const isOf = (other: WriteJournal.Shape) => other === journal || other === source
    const guard = makeWith(options, ledger, { journal, isOf })
    return Context.make(Guard, guard).pipe(Context.add(WriteJournal, journal))
  })

/** A guard whose totals begin at 0. */
export const layer = (options: Options): Layer.Layer<Guard, InvalidGuard> => Layer.effect(Guard, make(options))

/** A guard that also counts the writes in a journal, and that journal. */
export const layerJournalled = (
  options: Options
): Layer.Layer<Guard | WriteJournal, InvalidGuard | WriteJournalFailed, WriteJournal> =>
  Layer.effectContext(makeJournalled(options))

/** A kill switch that is on while a file exists. While the file system fails, writes are refused. */
export const stopFile = (path: string): Effect.Effect<Effect.Effect<boolean>, never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (fs) => Effect.orDie(fs.exists(path)))

/** A kill switch that the application sets. */
export const stopRef = (ref: SubscriptionRef.SubscriptionRef<boolean>): Effect.Effect<boolean> =>
  SubscriptionRef.get(ref)

/** A kill switch that a signal to this process turns on, such as `SIGUSR2`. It stays on. */
export const stopSignal = (signal: NodeJS.Signals): Effect.Effect<Effect.Effect<boolean>, never, Scope.Scope> =>
  Effect.gen(function* () {
    let isStopped = false
    const stop = () => {
      isStopped = true
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => process.on(signal, stop)),
      () => Effect.sync(() => process.off(signal, stop))
    )
    return Effect.sync(() => isStopped)
  })
