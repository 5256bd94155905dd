/**
 * Checks every write before it waits for a rate limit, is journalled or sent: allowed operations and symbols, caps by notional and coin, a kill switch, a dry
 * run. A write that the guard refuses fails with `Blocked`, and nothing is sent. Reads pass.
 *
 * Provide a guard to the layer of the transport. Transports that share a guard share its totals. By default no guard is used, which costs nothing.
 *
 * **Details**
 *
 * - The notional of an order is its quantity times its price; for inverse contracts its quantity, in USD; for a spot market order in quote coin its quantity.
 *   A conditional market order counts at its trigger price. Any other order without a price counts at `marketPrice`, and is refused if that is unknown. An
 *   amended order counts again, in full.
 * - An amount counts from the check until an hour and a day after the end of its call. It no longer counts if the call proves that it was not executed. An
 *   unknown outcome counts.
 * - A transfer that is repeated with its request id replaces the first one.
 * - If any cap of orders is set, an order in a currency without a cap is refused; so is a transfer of a coin without a cap.
 * - Cancels pass the kill switch and the dry run.
 */
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as BigDecimal from "effect/BigDecimal"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as SubscriptionRef from "effect/SubscriptionRef"
import * as guarding from "./guarding.js"
import { type Caps as TotalCaps, day, Totals } from "./totals.js"
import * as monotonic from "../time/monotonic.js"
import type { RecordedEntry, WriteJournalFailed } from "../journal/WriteJournal.js"
import { WriteJournal } from "../journal/WriteJournal.js"

export class Guard extends Context.Tag("@effect-venue/transport/Guard")<Guard, Guard.Shape>() {}

export declare namespace Guard {
  /** A guard for transports. `make` creates it. */
  export interface Shape {
    /** The totals of a currency of orders or a coin of transfers, including calls in flight. */
    readonly used: (kind: "orders" | "transfers", unit: string) => Effect.Effect<Used>
    /** Used by transports. */
    readonly "~hook": unknown
  }
}

/** Totals of the last hour and the last day. */
export interface Used {
  readonly hour: BigDecimal.BigDecimal
  readonly day: BigDecimal.BigDecimal
}

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
  /** The allowed operations, such as `orders.create`. Defaults to all. */
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
   * The kill switch: while it is true, every write except a cancel is refused. It is read for each write; if that dies, the write is refused. Defaults to
   * never. `stopFile`, `stopRef` and `stopSignal` create a kill switch.
   */
  readonly isStopped?: Effect.Effect<boolean> | undefined
  /** The market price of an instrument, in quote coin per base coin, for orders without a price. Defaults to none. */
  readonly marketPrice?: ((symbol: string, category: string) => BigDecimal.BigDecimal | undefined) | undefined
}

/** A cap is not decimal text, or is negative. */
export class InvalidGuard extends Schema.TaggedError<InvalidGuard>()("InvalidGuard", {
  /** The path of the cap: `orders.USDT.perDay`. */
  field: Schema.String,
  rule: Schema.String
}) {
  override get message(): string {
    return `guard: ${this.field} ${this.rule}`
  }
}

const capOf = (field: string, input: Decimal.Input | undefined) => {
  if (input === undefined) return Effect.succeed(undefined)
  const value = Option.filter(Decimal.fromInput(input), (value) => value.value >= 0n)
  return Effect.mapError(value, () => new InvalidGuard({ field, rule: "must be decimal text, not negative" }))
}

const capsOf = (
  kind: string,
  inputs: Options["orders"]
): Effect.Effect<Readonly<Record<string, TotalCaps>>, InvalidGuard> =>
  Effect.map(
    Effect.forEach(Object.entries(inputs ?? {}), ([unit, input]) =>
      Effect.map(
        Effect.all({
          largest: capOf(`${kind}.${unit}.largest`, input.largest),
          perHour: capOf(`${kind}.${unit}.perHour`, input.perHour),
          perDay: capOf(`${kind}.${unit}.perDay`, input.perDay)
        }),
        (caps) => [unit, caps] as const
      )
    ),
    (entries): Readonly<Record<string, TotalCaps>> => Object.fromEntries(entries)
  )

const makeWith = (options: Options, earlier: ReadonlyArray<RecordedEntry>): Effect.Effect<Guard.Shape, InvalidGuard> =>
  Effect.gen(function* () {
    const caps = {
      orders: yield* capsOf("orders", options.orders),
      transfers: yield* capsOf("transfers", options.transfers)
    }
    const totals = new Totals(caps)
    const now = yield* monotonic.millis
    guarding.restore(totals, earlier, yield* Clock.currentTimeMillis, now)
    return {
      used: (kind, unit) => Effect.map(monotonic.millis, (now) => totals.used(kind, unit, now)),
      "~hook": guarding.make(totals, {
        operations: options.operations === undefined ? undefined : new Set(options.operations),
        symbols: options.symbols === undefined ? undefined : new Set(options.symbols),
        isDryRun: options.dryRun === true,
        isStopped: options.isStopped,
        measures: {
          currencies: options.orders === undefined ? undefined : Object.keys(options.orders),
          coins: options.transfers === undefined ? undefined : Object.keys(options.transfers),
          marketPrice: options.marketPrice ?? (() => undefined)
        }
      })
    }
  })

/** A guard whose totals begin at 0. */
export const make = (options: Options): Effect.Effect<Guard.Shape, InvalidGuard> => makeWith(options, [])

/**
 * A guard that also counts the writes of the last day in a journal, so that the totals survive a killed process. It counts the writes of all accounts in the
 * journal. Provide the same journal to the transport.
 */
export const makeJournalled = (
  options: Options
): Effect.Effect<Guard.Shape, InvalidGuard | WriteJournalFailed, WriteJournal> =>
  Effect.gen(function* () {
    const journal = yield* WriteJournal
    const now = yield* Clock.currentTimeMillis
    return yield* makeWith(options, yield* journal.guarded(now - day))
  })

/** A guard whose totals begin at 0. */
export const layer = (options: Options): Layer.Layer<Guard, InvalidGuard> => Layer.effect(Guard, make(options))

/** A guard that also counts the writes of the last day in a journal. */
export const layerJournalled = (
  options: Options
): Layer.Layer<Guard, InvalidGuard | WriteJournalFailed, WriteJournal> => Layer.effect(Guard, makeJournalled(options))

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
