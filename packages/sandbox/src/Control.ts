/**
 * The hand behind the exchange: what no API key can do. It opens accounts, gives keys and coins, makes requests go wrong, and puts
 * the whole world away and back. The sandbox's server takes the same commands over HTTP, for tests in other languages.
 *
 * Every argument is a schema, checked before anything is done; a command that is refused changes nothing.
 *
 * @since 0.1.0
 */
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Instant from "@effect-venue/schemas/Instant"
import type * as Credentials from "@effect-venue/signing/Credentials"
import * as Context from "effect/Context"
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
    /** Makes requests go wrong, and tells what became of each. */
    readonly faults: Faults.Control
    /** A new account with a key of its own: a test may have as many as it likes. */
    readonly openAccount: (
      options?: OpenAccount
    ) => Effect.Effect<Credentials.Credentials.Shape & { readonly uid: string }, ControlRefused>
    /** A further key of an account. */
    readonly openKey: (
      options: OpenKey
    ) => Effect.Effect<Credentials.Credentials.Shape & { readonly uid: string }, ControlRefused>
    /** Bans an account, or lifts the ban: it cannot transfer then. */
    readonly banAccount: (options: BanAccount) => Effect.Effect<void, ControlRefused>
    /** Coins from outside, into the funding wallet, with a record. */
    readonly deposit: (options: Deposit) => Effect.Effect<Deposited, ControlRefused>
    /** All that the exchange knows at present. */
    readonly snapshot: Effect.Effect<State.State>
    /** Puts a state in the place of the present one. What was counted against limits stays counted. */
    readonly restore: (state: State.State) => Effect.Effect<void>
    /** Goes back to the state that the sandbox started from. */
    readonly reset: Effect.Effect<void>
    /** Any command by its name, with JSON in and out, as the server's control path takes it. */
    readonly call: (name: string, json: unknown) => Effect.Effect<unknown, ControlRefused>
  }
}

/**
 * Why a command was not done. `InvalidArgument`: `field` of it is off. `NotFound`: it names what is not there. `Conflict`: it would
 * make what is there already. `NotPossible`: the exchange's rules forbid it.
 *
 * @since 0.1.0
 * @category errors
 */
export class ControlRefused extends Schema.TaggedError<ControlRefused>("@effect-venue/sandbox/ControlRefused")(
  "ControlRefused",
  {
    command: Schema.String,
    reason: Schema.Literal("InvalidArgument", "NotFound", "Conflict", "NotPossible"),
    /** The field of the argument that is to blame; empty for all of it. */
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

const WalletType = Schema.Literal("UNIFIED", "FUND", "SPOT", "CONTRACT")

/**
 * An account to be opened. `uid`: a free one unless told. `master`: the UID of its master account; a master account itself unless
 * told. `funds`: amounts by coin, which the account then has records of. `wallet`: where the funds lie, the wallet that contracts are traded from unless told. `unified`: yes
 * unless told. `institutional`: as the master is, otherwise no, unless told.
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
  institutional: Schema.optional(Schema.Boolean)
})

/**
 * @since 0.1.0
 * @category models
 */
export type OpenAccount = typeof OpenAccount.Type

/**
 * A key to be given. It reads and writes, and never expires, unless told.
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
 * A key, and whose it is.
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
 * Whether an account is banned; yes unless told.
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

/**
 * A deposit. `chain`: one of the coin's, the first unless told.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Deposit = Schema.Struct({ uid: Uid, coin: Coin, amount: Amount, chain: Schema.optional(Schema.String) })

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
 * The control of a sandbox whose exchange is reached at another address: the credentials that it gives are for there.
 *
 * @since 0.1.0
 * @category combinators
 */
export const at = (control: SandboxControl.Shape, baseUrl: string): SandboxControl.Shape => ({
  ...control,
  openAccount: (options) => Effect.map(control.openAccount(options), (credentials) => ({ ...credentials, baseUrl })),
  openKey: (options) => Effect.map(control.openKey(options), (credentials) => ({ ...credentials, baseUrl }))
})
