/**
 * The state of a sandbox for a reader in any language: markets, and by account balances, positions, orders and executions, as records of the
 * wire. Histories are cut to their latest records. `SandboxControl.snapshot` is the whole state.
 */
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import * as Schema from "effect/Schema"
import * as Faults from "./Faults.js"
import * as State from "./shared/State.js"
import { described, optional } from "./internal/described.js"
import { latest } from "./internal/wholeNumber.js"

/** Which part of the state is returned. Defaults to all accounts and symbols. */
export const Query = Schema.Struct({
  /** Only the account with this UID. */
  account: optional(Schema.String, "only the account with this UID"),
  /** Only this symbol, in every category. */
  symbol: optional(Schema.String, "only this symbol, in every category"),
  /** How many closed orders and executions of an account are returned; defaults to 20. */
  last: optional(latest, "how many closed orders and executions of an account are returned; defaults to 20")
})

export interface Query extends Schema.Schema.Type<typeof Query> {}

/** A symbol and its prices. */
export const Market = Schema.Struct({
  /** Category of the symbol. */
  category: described(State.Category, "category of the symbol"),
  /** The symbol. */
  symbol: described(Schema.String, "the symbol"),
  /** Only Trading is traded. */
  status: described(Schema.String, "only Trading is traded"),
  /** Last price. */
  lastPrice: described(Decimal.Decimal, "last price"),
  /** Mark price. */
  markPrice: described(Decimal.Decimal, "mark price"),
  /** Index price. */
  indexPrice: described(Decimal.Decimal, "index price"),
  /** Whether setPrice holds its prices. */
  isHeld: described(Schema.Boolean, "whether setPrice holds its prices")
})

export interface Market extends Schema.Schema.Type<typeof Market> {}

/** The balance of a coin in a wallet. */
export const Balance = Schema.Struct({
  /** The wallet. */
  wallet: described(Schema.Literal("UNIFIED", "FUND", "SPOT", "CONTRACT"), "the wallet"),
  /** The coin. */
  coin: described(Schema.String, "the coin"),
  /** The balance. */
  balance: described(Decimal.Decimal, "the balance"),
  /** The balance without the part that positions, orders and bonuses hold. */
  free: described(Decimal.Decimal, "the balance without the part that positions, orders and bonuses hold")
})

export interface Balance extends Schema.Schema.Type<typeof Balance> {}

const category = Schema.Struct({
  /** Category of the symbol. */
  category: described(State.Category, "category of the symbol")
})

/** A record with its category. Its fields are described at the operation that returns it. */
const recordOf = <A, I>(schema: Schema.Schema<A, I>, operation: string) =>
  Schema.extend(schema, category).annotations({
    jsonSchema: { type: "object", description: `a record as ${operation} returns it, with its category` }
  })

const Position = recordOf(Positions.Position, "positions.list")
const Order = recordOf(Orders.Order, "orders.history")
const Execution = recordOf(Executions.Execution, "executions.list")

const listOf = <A, I>(schema: Schema.Schema<A, I>, description: string) => described(Schema.Array(schema), description)

/** The state of an account. */
export const Account = Schema.Struct({
  /** Its UID. */
  uid: described(Schema.String, "its UID"),
  balances: listOf(Balance, "balances that are not zero"),
  positions: listOf(Position, "open positions"),
  openOrders: listOf(Order, "open orders, newest first"),
  closedOrders: listOf(Order, "the latest closed orders, newest first"),
  executions: listOf(Execution, "the latest executions, newest first")
})

export interface Account extends Schema.Schema.Type<typeof Account> {}

/** A part of the state. */
export const StateView = Schema.Struct({
  /** The instant of the state, milliseconds since 1970. */
  at: described(Schema.Number, "the instant of the state, milliseconds since 1970"),
  rules: listOf(Faults.Rule, "the rules that make requests go wrong"),
  markets: listOf(Market, "the markets"),
  accounts: listOf(Account, "the accounts")
})

export interface StateView extends Schema.Schema.Type<typeof StateView> {}
