/**
 * Control commands: changes of the exchange that no API key can make. They open accounts, create keys and coins, move the market, make
 * requests go wrong, and save and restore the whole state. The sandbox's server accepts the same commands over HTTP.
 *
 * Every argument is a schema, checked before anything is done. Before a command the market is brought up to the present, as before
 * every request; a command that is refused changes nothing else.
 *
 * @since 0.1.0
 */
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Instant from "@effect-venue/schemas/Instant"
import type * as Credentials from "@effect-venue/signing/Credentials"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as Faults from "./Faults.js"
import type * as State from "./State.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class SandboxControl extends Context.Tag("@effect-venue/sandbox/SandboxControl")<
  SandboxControl,
  SandboxControl.Shape
>() {}

/**
 * @since 0.1.0
 */
export declare namespace SandboxControl {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** Makes requests go wrong, and logs the outcome of each. */
    readonly faults: Faults.Control
    /**
     * A new account with a key of its own: a test may have any number of them. `Conflict` for a `uid` that is an account already,
     * `NotFound` for `master` or a coin of `funds`, `NotPossible` for a master that is a sub-account or a `wallet` that such an
     * account does not have.
     */
    readonly openAccount: (
      options?: OpenAccount
    ) => Effect.Effect<Credentials.Credentials.Shape & { readonly uid: string }, ControlRefused>
    /**
     * Puts an account into isolated or cross margin, one-way or hedge mode: all its symbols, or one. `NotFound` for `uid` or `symbol`,
     * `NotPossible` for another position mode while a position or an order is open, and for insufficient margin.
     */
    readonly setModes: (options: SetModes) => Effect.Effect<void, ControlRefused>
    /** A further key of an account. `NotFound` for `uid`. */
    readonly openKey: (
      options: OpenKey
    ) => Effect.Effect<Credentials.Credentials.Shape & { readonly uid: string }, ControlRefused>
    /** Bans an account, which then cannot trade, transfer or withdraw, or lifts the ban. `NotFound` for `uid`. */
    readonly banAccount: (options: BanAccount) => Effect.Effect<void, ControlRefused>
    /**
     * Coins from outside, into the funding wallet, with a record. `NotFound` for `uid`, `coin` or `chain`, `InvalidArgument` for an
     * `amount` that is not over 0, or finer than the coin.
     */
    readonly deposit: (options: Deposit) => Effect.Effect<Deposited, ControlRefused>
    /**
     * A bonus, which is held in the trading wallet and trades, or a coupon, which pays fees. Refused as a deposit is.
     * (docs/reference/assets.md#bonususage)
     */
    readonly grant: (options: Grant) => Effect.Effect<void, ControlRefused>
    /**
     * Holds last, mark and index price of a symbol at a price until it is released. Triggers, fills and liquidations follow at
     * once, as in one step of the market. `NotFound` for `symbol`, `InvalidArgument` for a `price` off its ticks or bounds.
     */
    readonly setPrice: (options: SetPrice) => Effect.Effect<void, ControlRefused>
    /** Lets the price of a symbol move again, from where it would be had it never been held. `NotFound` for `symbol`. */
    readonly releasePrice: (options: ReleasePrice) => Effect.Effect<void, ControlRefused>
    /**
     * Fills an open order as a maker, wholly or in part. One that waits for its trigger is triggered instead, and left to the
     * market. `NotFound` for `orderId` when it is not open, also because the market has filled it meanwhile; `InvalidArgument` for a
     * `qty` or `price` that the order or its symbol cannot have.
     */
    readonly fill: (options: Fill) => Effect.Effect<void, ControlRefused>
    /**
     * Takes a position over at its bankruptcy price, wherever the market stands, and cancels the orders of its symbol. `NotFound`
     * for `uid`, or for `symbol` without an open position.
     */
    readonly liquidate: (options: Liquidate) => Effect.Effect<void, ControlRefused>
    /**
     * Closes a position, wholly or in part, at the mark price, against a trader who went bankrupt, and cancels the orders of its symbol.
     * `NotFound` as for `liquidate`, `InvalidArgument` for a `qty` over the position's size or not in whole steps.
     */
    readonly deleverage: (options: Deleverage) => Effect.Effect<void, ControlRefused>
    /**
     * Marks the positions of a symbol: they may only be reduced until the holder is within the new risk limit and has confirmed
     * it. `NotFound` for `uid` or `symbol`. (docs/reference/rules.md#records-position)
     */
    readonly markReduceOnly: (options: MarkReduceOnly) => Effect.Effect<void, ControlRefused>
    /**
     * Changes the listing of a symbol: its status, an instant at which it goes offline, a delivery that makes a dated future
     * of a contract, its funding interval. `NotFound` for `symbol`, `NotPossible` for what a spot pair does not have.
     */
    readonly setInstrument: (options: SetInstrument) => Effect.Effect<void, ControlRefused>
    /** Restarts the service: the open-orders query no longer returns orders that were closed before. (docs/reference/orders.md#open) */
    readonly restart: Effect.Effect<void>
    /** The present state of the exchange. */
    readonly snapshot: Effect.Effect<State.State>
    /**
     * Replaces the present state. The new one goes on from its own instant: the time in between has not happened to it, and
     * prices move on from where they stood. What was counted against limits stays counted.
     */
    readonly restore: (state: State.State) => Effect.Effect<void>
    /** Restores the state that the sandbox started from, as `restore` does. */
    readonly reset: Effect.Effect<void>
    /** Any command by its name, with JSON in and out, as the server's control path takes it. */
    readonly call: (name: string, json: unknown) => Effect.Effect<unknown, ControlRefused>
  }
}

/**
 * Why a command was not done. `InvalidArgument`: its `field` is invalid. `NotFound`: it names a missing thing. `Conflict`: what it
 * would create exists already. `NotPossible`: the exchange's rules forbid it.
 *
 * @since 0.1.0
 * @category failures
 */
export class ControlRefused extends Schema.TaggedError<ControlRefused>("@effect-venue/sandbox/ControlRefused")(
  "ControlRefused",
  {
    command: Schema.String,
    reason: Schema.Literal("InvalidArgument", "NotFound", "Conflict", "NotPossible"),
    /** The invalid field of the argument; empty for all of it. */
    field: Schema.String,
    detail: Schema.String
  }
) {
  override get message(): string {
    return `${this.command}: ${this.field === "" ? "" : `${this.field} `}${this.detail}`
  }
}

const Uid = Schema.String.pipe(
  Schema.pattern(/^\d{1,20}$/, { message: () => "must be a UID: 1 to 20 digits" }),
  Schema.annotations({ description: "UID of an account" })
)

const Coin = Schema.String.pipe(
  Schema.pattern(/^[A-Z0-9]{1,20}$/, { message: () => "must be a coin such as USDT" }),
  Schema.annotations({ description: "coin such as USDT" })
)

const Amount = Decimal.DecimalInput.pipe(
  Schema.filter((input) => Option.exists(Decimal.fromInput(input), ({ value }) => value >= 0n), {
    message: () => "must be a decimal of at least 0, as text"
  })
)

/** Milliseconds or ISO text in JSON; any instant in a program. */
const At: Schema.Schema<Instant.Input, number | string> = Schema.transformOrFail(
  Schema.Union(Schema.Number, Schema.String).annotations({ description: "milliseconds since 1970, or ISO text" }),
  Schema.declare((input: unknown): input is Instant.Input => Option.isSome(Instant.millis(input)), {
    message: () => "must be an instant"
  }),
  {
    strict: true,
    decode: ParseResult.succeed<Instant.Input>,
    encode: (input, _, ast) =>
      Option.match(Instant.millis(input), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, input)),
        onSome: ParseResult.succeed
      })
  }
)

const finite = (input: unknown): Option.Option<Duration.Duration> =>
  Option.filter(Duration.decodeUnknown(input), Duration.isFinite)

const WalletType = Schema.Literal("UNIFIED", "FUND", "SPOT", "CONTRACT")

const tradeMode = Schema.optional(Schema.Literal("cross", "isolated"))
const positionMode = Schema.optional(Schema.Literal("oneWay", "hedge"))

/**
 * An account to be opened. `uid`: default a free one. `master`: the UID of its master account; by default it is a master account
 * itself. `funds`: amounts by coin, with the records of a deposit and a transfer. `wallet`: the wallet that holds the funds, default
 * the one that contracts are traded from. `unified`: default true. `institutional`: defaults to the master's, or false.
 * `tradeMode` defaults to `cross`, `positionMode` to `oneWay`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const OpenAccount = Schema.Struct({
  uid: Schema.optional(Uid),
  master: Schema.optional(Uid),
  funds: Schema.optional(Schema.Record({ key: Coin, value: Amount })),
  wallet: Schema.optional(WalletType),
  unified: Schema.optional(Schema.Boolean),
  institutional: Schema.optional(Schema.Boolean),
  tradeMode,
  positionMode
})

/**
 * @since 0.1.0
 * @category models
 */
export type OpenAccount = typeof OpenAccount.Type

/**
 * A key to be created. By default it reads and writes, and never expires.
 *
 * @since 0.1.0
 * @category schemas
 */
export const OpenKey = Schema.Struct({
  uid: Uid,
  readOnly: Schema.optional(Schema.Boolean),
  expiresAt: Schema.optional(At)
})

/**
 * @since 0.1.0
 * @category models
 */
export type OpenKey = typeof OpenKey.Type

/**
 * A key and its account.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Opened = Schema.Struct({
  uid: Schema.String,
  apiKey: Schema.String,
  apiSecret: Schema.Redacted(Schema.String)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Opened = typeof Opened.Type

/**
 * Whether an account is banned. Defaults to true.
 *
 * @since 0.1.0
 * @category schemas
 */
export const BanAccount = Schema.Struct({ uid: Uid, banned: Schema.optional(Schema.Boolean) })

/**
 * @since 0.1.0
 * @category models
 */
export type BanAccount = typeof BanAccount.Type

/** Milliseconds or text such as "5 seconds" in JSON; any duration in a program. */
const Lasting: Schema.Schema<Duration.DurationInput, number | string> = Schema.transformOrFail(
  Schema.Union(Schema.Number, Schema.String).annotations({ description: 'milliseconds, or text such as "5 seconds"' }),
  Schema.declare((input: unknown): input is Duration.DurationInput => Option.isSome(finite(input)), {
    message: () => "must be a finite length of time"
  }),
  {
    strict: true,
    // What it is no duration of is found by the declaration.
    decode: (wire) => ParseResult.succeed(wire as Duration.DurationInput),
    encode: (input, _, ast) =>
      Option.match(finite(input), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, input)),
        onSome: (lasting) => ParseResult.succeed(Duration.toMillis(lasting))
      })
  }
)

/**
 * A deposit. `chain`: one of the coin's, default the first. `from`: the UID of the sender of an off-chain deposit; by default it is
 * on chain. `takes`: for how long it is in progress, default zero. `fails`: whether it fails then, default false.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Deposit = Schema.Struct({
  uid: Uid,
  coin: Coin,
  amount: Amount,
  chain: Schema.optional(Schema.String),
  from: Schema.optional(Uid),
  takes: Schema.optional(Lasting),
  fails: Schema.optional(Schema.Boolean)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Deposit = typeof Deposit.Type

/**
 * @since 0.1.0
 * @category schemas
 */
export const Deposited = Schema.Struct({ transactionId: Schema.String })

/**
 * @since 0.1.0
 * @category models
 */
export type Deposited = typeof Deposited.Type

/**
 * A bonus or a coupon to be granted, as an amount of a coin.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Grant = Schema.Struct({
  uid: Uid,
  award: Schema.Literal("bonus", "coupon"),
  coin: Coin,
  amount: Amount
})

/**
 * @since 0.1.0
 * @category models
 */
export type Grant = typeof Grant.Type

const MarketSymbol = Schema.String.annotations({ description: "symbol such as BTCUSDT" })

const listed = { category: Schema.Literal("spot", "linear", "inverse"), symbol: MarketSymbol }

/**
 * The price at which a symbol's prices are to be held: on its ticks and within its bounds, in the quote coin.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SetPrice = Schema.Struct({ ...listed, price: Amount })

/**
 * @since 0.1.0
 * @category models
 */
export type SetPrice = typeof SetPrice.Type

/**
 * A symbol whose prices are to be released.
 *
 * @since 0.1.0
 * @category schemas
 */
export const ReleasePrice = Schema.Struct(listed)

/**
 * @since 0.1.0
 * @category models
 */
export type ReleasePrice = typeof ReleasePrice.Type

/**
 * What is to be filled. `qty`: in whole steps of the symbol, default the remaining quantity. `price`: default the order's own, or
 * the last price where it has none.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Fill = Schema.Struct({
  orderId: Schema.String,
  qty: Schema.optional(Amount),
  price: Schema.optional(Amount)
})

/**
 * @since 0.1.0
 * @category models
 */
export type Fill = typeof Fill.Type

const held = { uid: Uid, category: Schema.Literal("linear", "inverse"), symbol: MarketSymbol }

const positionIdx = Schema.optional(Schema.Literal(0, 1, 2))

/**
 * The modes of an account's positions. A mode that is not given is not changed. `category` and `symbol` name one symbol; without them all
 * symbols are meant, also those that have no position yet.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SetModes = Schema.Struct({
  uid: Uid,
  tradeMode,
  positionMode,
  category: Schema.optional(Schema.Literal("linear", "inverse")),
  symbol: Schema.optional(MarketSymbol)
}).pipe(
  Schema.filter(({ category, symbol }) =>
    (category === undefined) === (symbol === undefined)
      ? undefined
      : { path: [category === undefined ? "category" : "symbol"], message: "category and symbol are given together" }
  )
)

/**
 * @since 0.1.0
 * @category models
 */
export type SetModes = typeof SetModes.Type

/**
 * The position to be taken over. `positionIdx`: 0 is one-way mode, 1 and 2 are the sides of hedge mode; default 0.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Liquidate = Schema.Struct({ ...held, positionIdx })

/**
 * @since 0.1.0
 * @category models
 */
export type Liquidate = typeof Liquidate.Type

/**
 * The position to be deleveraged. `qty`: in whole steps of the symbol, default all of it. `positionIdx` as in `Liquidate`.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Deleverage = Schema.Struct({ ...held, positionIdx, qty: Schema.optional(Amount) })

/**
 * @since 0.1.0
 * @category models
 */
export type Deleverage = typeof Deleverage.Type

/**
 * The positions to be marked. `riskLimit`: the new limit, in the quote coin for linear and in the settle coin for inverse; default
 * none. `adjustsAt`: when the service would adjust the maintenance rate; default in one day.
 *
 * @since 0.1.0
 * @category schemas
 */
export const MarkReduceOnly = Schema.Struct({
  ...held,
  riskLimit: Schema.optional(Amount),
  adjustsAt: Schema.optional(At)
})

/**
 * @since 0.1.0
 * @category models
 */
export type MarkReduceOnly = typeof MarkReduceOnly.Type

/**
 * The changes of an instrument; a field that is not given is not changed. `status`: only Trading is traded. `offlineTime`: when it goes
 * offline. `deliveryTime` and `deliveryFeeRate`: it becomes a dated future, which is not funded, and is delivered at that time. `fundingInterval`: minutes.
 *
 * @since 0.1.0
 * @category schemas
 */
export const SetInstrument = Schema.Struct({
  ...listed,
  status: Schema.optional(Schema.String),
  offlineTime: Schema.optional(At),
  deliveryTime: Schema.optional(At),
  deliveryFeeRate: Schema.optional(Amount),
  fundingInterval: Schema.optional(
    Schema.Int.pipe(Schema.between(1, 1440, { message: () => "must be 1 to 1440 minutes" }))
  )
})

/**
 * @since 0.1.0
 * @category models
 */
export type SetInstrument = typeof SetInstrument.Type

/**
 * The control of a sandbox whose exchange is reached at another address: its credentials are for that address.
 *
 * @since 0.1.0
 * @category combinators
 */
export const at = (control: SandboxControl.Shape, baseUrl: string): SandboxControl.Shape => ({
  ...control,
  openAccount: (options) => Effect.map(control.openAccount(options), (credentials) => ({ ...credentials, baseUrl })),
  openKey: (options) => Effect.map(control.openKey(options), (credentials) => ({ ...credentials, baseUrl }))
})
