/**
 * Control commands: changes of the exchange that no API key can make. They open accounts, create keys and coins, move the market, make
 * requests go wrong, and save and restore the whole state. The sandbox's server accepts the same commands over HTTP.
 *
 * Every argument is a schema, checked before anything is done. Before a command the market is brought up to the present, as before
 * every request; a command that is refused changes nothing else.
 */
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Instant from "@effect-venue/schemas/Instant"
import type * as Credentials from "@effect-venue/signing/Credentials"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import type * as Faults from "../faults/Faults.js"
import type * as RequestLog from "../faults/RequestLog.js"
import { Reason } from "../engine/refusal.js"
import type * as State from "../state/State.js"
import type * as StateView from "./StateView.js"

export class SandboxControl extends Context.Tag("@effect-venue/sandbox/SandboxControl")<
  SandboxControl,
  SandboxControl.Shape
>() {}

export declare namespace SandboxControl {
  export interface Shape {
    /** Makes requests go wrong, and logs the outcome of each. */
    readonly faults: Faults.Control
    /**
     * Opens an account with a key. A test can have any number of them. `Conflict` for a `uid` that is an account already,
     * `NotFound` for `master` or a coin of `funds`, `NotPossible` for a master that is a sub-account or a `wallet` that such an
     * account does not have.
     */
    readonly openAccount: (
      options?: OpenAccount
    ) => Effect.Effect<Credentials.Credentials.Shape & { readonly uid: string }, ControlRefused>
    /** Opens an account, with a key, in a scenario that takes many steps to reach. `NotPossible` if the listing of its market was changed. */
    readonly openScenario: (
      options: OpenScenario
    ) => Effect.Effect<Credentials.Credentials.Shape & { readonly uid: string }, ControlRefused>
    /** A further key of an account. `NotFound` for `uid`. */
    readonly openKey: (
      options: OpenKey
    ) => Effect.Effect<Credentials.Credentials.Shape & { readonly uid: string }, ControlRefused>
    /**
     * Puts an account into isolated or cross margin, one-way or hedge mode: all its symbols, or one. `NotFound` for `uid` or `symbol`,
     * `NotPossible` for another position mode while a position or an order is open, and for insufficient margin.
     */
    readonly setModes: (options: SetModes) => Effect.Effect<void, ControlRefused>
    /** Bans an account, which then cannot trade, transfer or withdraw, or lifts the ban. `NotFound` for `uid`. */
    readonly banAccount: (options: BanAccount) => Effect.Effect<void, ControlRefused>
    /**
     * Adds a recipient to the address book of a master account, which can then withdraw to them. A recipient that is there already changes
     * nothing. `NotFound` for `uid`, `NotPossible` for a sub-account, `InvalidArgument` for a phone number without an `areaCode`.
     * (docs/reference/assets/withdrawInternal.md)
     */
    readonly addAddress: (options: AddAddress) => Effect.Effect<void, ControlRefused>
    /**
     * Coins from outside, into the funding wallet, with a record. `NotFound` for `uid`, `coin` or `chain`, `InvalidArgument` for an
     * `amount` that is not over 0, or finer than the coin.
     */
    readonly deposit: (options: Deposit) => Effect.Effect<Deposited, ControlRefused>
    /**
     * A bonus, which is held in the trading wallet, trades, and pays realised losses and fees first, or a coupon, which pays fees. Refused as
     * a deposit is.
     * (docs/reference/assets/bonusUsage.md)
     */
    readonly grant: (options: Grant) => Effect.Effect<void, ControlRefused>
    /**
     * Holds last, mark and index price of a symbol at a price until it is released. Triggers, fills and liquidations follow at
     * once, as in one step of the market. `NotFound` for `symbol`, `InvalidArgument` for a `price` off its ticks or bounds.
     */
    readonly setPrice: (options: SetPrice) => Effect.Effect<void, ControlRefused>
    /** Lets the price of a symbol move again, from the value that it would have if it had never been held. `NotFound` for `symbol`. */
    readonly releasePrice: (options: ReleasePrice) => Effect.Effect<void, ControlRefused>
    /**
     * Fills an open order as a maker, wholly or in part. One that waits for its trigger is triggered instead, and left to the
     * market. `NotFound` for `orderId` when it is not open, also because the market has filled it meanwhile; `InvalidArgument` for a
     * `qty` or `price` that the order or its symbol cannot have.
     */
    readonly fill: (options: Fill) => Effect.Effect<void, ControlRefused>
    /**
     * Takes a position over at its bankruptcy price, wherever the market stands, and cancels the orders of its symbol. In cross margin
     * the other side of a hedge is taken over with it. `NotFound` for `uid`, or for `symbol` without an open position.
     */
    readonly liquidate: (options: Liquidate) => Effect.Effect<void, ControlRefused>
    /**
     * Closes a position, wholly or in part, at the mark price, against a trader who went bankrupt, and cancels the orders of its symbol.
     * `NotFound` as for `liquidate`, `InvalidArgument` for a `qty` over the position's size or not in whole steps.
     */
    readonly deleverage: (options: Deleverage) => Effect.Effect<void, ControlRefused>
    /**
     * Marks the positions of a symbol: they can only be reduced until the holder is within the new risk limit and has confirmed
     * it. `NotFound` for `uid` or `symbol`. (docs/reference/rules.md#records-position)
     */
    readonly markReduceOnly: (options: MarkReduceOnly) => Effect.Effect<void, ControlRefused>
    /**
     * Changes the listing of a symbol: its status, an instant at which it goes offline, a delivery that makes a dated future
     * of a contract, its funding interval. `NotFound` for `symbol`, `NotPossible` for a property that a spot pair does not have.
     */
    readonly setInstrument: (options: SetInstrument) => Effect.Effect<void, ControlRefused>
    /**
     * Advances, stops or starts the clock, and returns it. Requests must then be signed by this clock, which every response states.
     * `InvalidArgument` for a `to` that has passed.
     */
    readonly setClock: (options: SetClock) => Effect.Effect<ClockReading, ControlRefused>
    /** Markets, balances, positions, orders and executions, by account and symbol. */
    readonly state: (options: StateView.Query) => Effect.Effect<StateView.StateView, ControlRefused>
    /** All accounts with their keys. */
    readonly accounts: Effect.Effect<ReadonlyArray<AccountEntry>>
    /** The clock of the sandbox. */
    readonly clock: Effect.Effect<ClockReading>
    /** The latest requests, in the order of their arrival: all, or those that match. `InvalidArgument` for a field that is off. */
    readonly requests: (query?: RequestLog.Query) => Effect.Effect<ReadonlyArray<RequestLog.Entry>, ControlRefused>
    /** Restarts the service: the open-orders query no longer returns orders that were closed before. (docs/reference/orders/open.md) */
    readonly restart: Effect.Effect<void>
    /** The present state of the exchange. */
    readonly snapshot: Effect.Effect<State.State>
    /**
     * Replaces the present state. The new state continues from its instant, without the time in between, and prices move on from their
     * last values. The counts of rate limits are kept.
     */
    readonly restore: (state: State.State) => Effect.Effect<void>
    /** Restores the state that the sandbox started from, as `restore` does. */
    readonly reset: Effect.Effect<void>
    /** Any command by its name, with JSON in and out, as the server's control path takes it. */
    readonly call: (name: string, json: unknown) => Effect.Effect<unknown, ControlRefused>
  }
}

/**
 * A command was not done.
 *
 * `InvalidArgument`: its `field` is invalid. `NotFound`: it names a missing thing. `Conflict`: the thing that it would create exists already.
 * `NotPossible`: the exchange's rules forbid it.
 */
export class ControlRefused extends Schema.TaggedError<ControlRefused>("@effect-venue/sandbox/ControlRefused")(
  "ControlRefused",
  {
    command: Schema.String,
    reason: Reason,
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

const modes = {
  /** Margin mode. */
  tradeMode: Schema.optional(Schema.Literal("cross", "isolated")),
  /** Position mode. */
  positionMode: Schema.optional(Schema.Literal("oneWay", "hedge"))
}

/** An account to be opened. */
export const OpenAccount = Schema.Struct({
  /** Its UID; defaults to a free one. */
  uid: Schema.optional(Uid),
  /** The UID of its master account; without one it is a master account itself. */
  master: Schema.optional(Uid),
  /** Amounts by coin, with the records of a deposit and a transfer. */
  funds: Schema.optional(Schema.Record({ key: Coin, value: Amount })),
  /** The wallet that holds the funds; defaults to the one that contracts are traded from. */
  wallet: Schema.optional(WalletType),
  /** A unified account; defaults to true. */
  unified: Schema.optional(Schema.Boolean),
  /** An institutional account; defaults to the master's, or false. */
  institutional: Schema.optional(Schema.Boolean),
  ...modes
})

export type OpenAccount = typeof OpenAccount.Type

/** The scenario of an account to be opened. */
export const OpenScenario = Schema.Struct({
  /**
   * About-to-be-liquidated: a long position that a fall of its price by 1 % liquidates, with the price held; 500-open-orders: as many
   * orders as a symbol can have; pre-upgrade: trades from before the account became a unified one.
   */
  name: Schema.Literal("about-to-be-liquidated", "500-open-orders", "pre-upgrade")
})

export type OpenScenario = typeof OpenScenario.Type

/** A key to be created. */
export const OpenKey = Schema.Struct({
  uid: Uid,
  /** Reads only; defaults to false. */
  readOnly: Schema.optional(Schema.Boolean),
  /** When it expires, milliseconds since 1970 or ISO text; never without it. */
  expiresAt: Schema.optional(At)
})

export type OpenKey = typeof OpenKey.Type

/** A key and its account. */
export const Opened = Schema.Struct({
  /** The UID of the account. */
  uid: Schema.String,
  /** The key. */
  apiKey: Schema.String,
  /** Its secret. */
  apiSecret: Schema.Redacted(Schema.String)
})

export type Opened = typeof Opened.Type

/** Whether an account is banned. */
export const BanAccount = Schema.Struct({
  uid: Uid /** Defaults to true. */,
  /** Defaults to true. */
  banned: Schema.optional(Schema.Boolean)
})

export type BanAccount = typeof BanAccount.Type

/** Milliseconds or text such as "5 seconds" in JSON; any duration in a program. */
const Lasting: Schema.Schema<Duration.DurationInput, number | string> = Schema.transformOrFail(
  Schema.Union(Schema.Number, Schema.String).annotations({ description: 'milliseconds, or text such as "5 seconds"' }),
  Schema.declare((input: unknown): input is Duration.DurationInput => Option.isSome(finite(input)), {
    message: () => "must be a finite length of time"
  }),
  {
    strict: true,
    // The declaration refuses values that are no duration.
    decode: (wire) => ParseResult.succeed(wire as Duration.DurationInput),
    encode: (input, _, ast) =>
      Option.match(finite(input), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, input)),
        onSome: (lasting) => ParseResult.succeed(Duration.toMillis(lasting))
      })
  }
)

/** A recipient of internal withdrawals. */
export const AddAddress = Schema.Struct({
  uid: Uid,
  /** 1 email, 2 phone, 3 UID. */
  addressType: Schema.Literal(1, 2, 3),
  /** The email address, phone number or UID of the recipient, who need not have an account. */
  address: Schema.NonEmptyString,
  /** Required for a phone number, and ignored otherwise. */
  areaCode: Schema.optional(Schema.Int)
})

export type AddAddress = typeof AddAddress.Type

/** A deposit. */
export const Deposit = Schema.Struct({
  uid: Uid,
  coin: Coin,
  /** Over 0, with no more decimals than the coin has. */
  amount: Amount,
  /** A chain of the coin; defaults to its first. */
  chain: Schema.optional(Schema.String),
  /** The UID of the sender of an off-chain deposit; without it the deposit is on chain. */
  from: Schema.optional(Uid),
  /** How long it is in progress, milliseconds or text such as "5 seconds"; defaults to 0. */
  takes: Schema.optional(Lasting),
  /** Whether it fails in the end; defaults to false. */
  fails: Schema.optional(Schema.Boolean)
})

export type Deposit = typeof Deposit.Type

/** The result of a deposit. */
export const Deposited = Schema.Struct({
  /** The id of the deposit's record. */
  transactionId: Schema.String
})

export type Deposited = typeof Deposited.Type

/** A bonus or a coupon to be granted, as an amount of a coin. */
export const Grant = Schema.Struct({
  uid: Uid,
  /** A bonus, which trades and pays losses and fees, or a coupon, which pays fees. */
  award: Schema.Literal("bonus", "coupon"),
  coin: Coin,
  /** Over 0, with no more decimals than the coin has. */
  amount: Amount
})

export type Grant = typeof Grant.Type

const MarketSymbol = Schema.String.annotations({ description: "symbol such as BTCUSDT" })

const listed = {
  /** Category of the symbol. */
  category: Schema.Literal("spot", "linear", "inverse"),
  symbol: MarketSymbol
}

/** The price at which a symbol's prices are to be held. */
export const SetPrice = Schema.Struct({
  ...listed,
  /** In the quote coin, on the ticks of the symbol and within its bounds. */
  price: Amount
})

export type SetPrice = typeof SetPrice.Type

/** A symbol whose prices are to be released. */
export const ReleasePrice = Schema.Struct(listed)

export type ReleasePrice = typeof ReleasePrice.Type

/** The fill of an order. */
export const Fill = Schema.Struct({
  /** Id of an open order. */
  orderId: Schema.String,
  /** In whole steps of the symbol; defaults to the remaining quantity. */
  qty: Schema.optional(Amount),
  /** Defaults to the price of the order, or to the last price if it has none. */
  price: Schema.optional(Amount)
})

export type Fill = typeof Fill.Type

const ofPosition = {
  uid: Uid,
  /** Category of the symbol. */
  category: Schema.Literal("linear", "inverse"),
  symbol: MarketSymbol
}

const ofSide = {
  /** 0 one-way mode, 1 and 2 the sides of hedge mode; defaults to 0. */
  positionIdx: Schema.optional(Schema.Literal(0, 1, 2))
}

/** The modes of an account's positions. A mode that is not given is not changed. */
export const SetModes = Schema.Struct({
  uid: Uid,
  ...modes,
  /** With symbol: one symbol; without both all symbols. */
  category: Schema.optional(Schema.Literal("linear", "inverse")),
  symbol: Schema.optional(MarketSymbol)
}).pipe(
  Schema.filter(({ category, symbol }) =>
    (category === undefined) === (symbol === undefined)
      ? undefined
      : { path: [category === undefined ? "category" : "symbol"], message: "category and symbol are given together" }
  )
)

export type SetModes = typeof SetModes.Type

/** The position to be taken over. */
export const Liquidate = Schema.Struct({ ...ofPosition, ...ofSide })

export type Liquidate = typeof Liquidate.Type

/** The position to be deleveraged. */
export const Deleverage = Schema.Struct({
  ...ofPosition,
  ...ofSide,
  /** In whole steps of the symbol; defaults to all of the position. */
  qty: Schema.optional(Amount)
})

export type Deleverage = typeof Deleverage.Type

/** The positions to be marked. */
export const MarkReduceOnly = Schema.Struct({
  ...ofPosition,
  /** The new risk limit, in the quote coin, of inverse contracts in the settle coin; none without it. */
  riskLimit: Schema.optional(Amount),
  /** When the service adjusts the maintenance rate; defaults to in one day. */
  adjustsAt: Schema.optional(At)
})

export type MarkReduceOnly = typeof MarkReduceOnly.Type

/** The changes of an instrument. A field that is not given is not changed. */
export const SetInstrument = Schema.Struct({
  ...listed,
  /** Only Trading is traded. */
  status: Schema.optional(Schema.String),
  /** When it goes offline. */
  offlineTime: Schema.optional(At),
  /** Makes it a dated future, which is not funded and is delivered at this time. */
  deliveryTime: Schema.optional(At),
  /** The fee of the delivery, 0.0005 is 0.05 %. */
  deliveryFeeRate: Schema.optional(Amount),
  /** Minutes between two payments of funding. */
  fundingInterval: Schema.optional(
    Schema.Int.pipe(Schema.between(1, 1440, { message: () => "must be 1 to 1440 minutes" }))
  )
})

export type SetInstrument = typeof SetInstrument.Type

/** A change of the sandbox's clock. Funding, deliveries, fills and the end of retention happen on the way. */
export const SetClock = Schema.Struct({
  /** How far it moves on, milliseconds or text such as "8 hours". */
  by: Schema.optional(Lasting),
  /** The instant that it moves on to, milliseconds since 1970 or ISO text; not beside by. */
  to: Schema.optional(At),
  /** Whether it stands still; it stays as it is by default. */
  stopped: Schema.optional(Schema.Boolean)
}).pipe(
  Schema.filter(({ by, to }) =>
    by === undefined || to === undefined ? undefined : { path: ["to"], message: "by and to are not given together" }
  )
)

export type SetClock = typeof SetClock.Type

/** The clock of a sandbox. */
export const ClockReading = Schema.Struct({
  /** Milliseconds since 1970. */
  now: Schema.Number,
  /** Whether it stands still. */
  stopped: Schema.Boolean
})

export type ClockReading = typeof ClockReading.Type

const Role = Schema.Literal("main", "sub", "customer", "readOnly", "expired", "classic")

/** An account and its keys. */
export const AccountEntry = Schema.Struct({
  /** Its UID. */
  uid: Schema.String,
  /** The UID of its master account; null for a master account. */
  master: Schema.NullOr(Schema.String),
  /** A unified account. */
  unified: Schema.Boolean,
  /** An institutional account. */
  institutional: Schema.Boolean,
  /** It cannot trade, transfer or withdraw. */
  banned: Schema.Boolean,
  /** Its keys. */
  keys: Schema.Array(
    Schema.Struct({
      /** The role of a seeded key; null for an opened key. */
      role: Schema.NullOr(Role),
      /** The key. */
      apiKey: Schema.String,
      /** Its secret: it opens nothing but this sandbox. */
      apiSecret: Schema.Redacted(Schema.String),
      /** It reads only. */
      readOnly: Schema.Boolean,
      /** When it expires, milliseconds since 1970; null if never. */
      expiresAt: Schema.NullOr(Schema.Number)
    })
  )
})

export type AccountEntry = typeof AccountEntry.Type
