/**
 * The state of a sandbox for a reader in any language: markets, and by account balances, positions, orders and executions, as records of the
 * wire. Histories are cut to their latest records. `SandboxControl.snapshot` is the whole state.
 */
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import * as Schema from "effect/Schema"
import * as Faults from "../faults/Faults.js"
import * as Exchange from "../state/Exchange.js"
import { latest } from "../faults/wholeNumber.js"

/** Which part of the state is returned. Defaults to all accounts and symbols. */
export const Query = Schema.Struct({
  /** Only the account with this UID. */
  account: Schema.optional(Schema.String),
  /** Only this symbol, in every category. */
  symbol: Schema.optional(Schema.String),
  /** How many closed orders and executions of an account are returned; defaults to 20. */
  last: Schema.optional(latest)
})

export interface Query extends Schema.Schema.Type<typeof Query> {}

/** A symbol and its prices. */
export const Market = Schema.Struct({
  /** Category of the symbol. */
  category: Exchange.Category,
  /** The symbol. */
  symbol: Schema.String,
  /** Only Trading is traded. */
  status: Schema.String,
  /** Last price. */
  lastPrice: Decimal.Decimal,
  /** Mark price. */
  markPrice: Decimal.Decimal,
  /** Index price. */
  indexPrice: Decimal.Decimal,
  /** Whether setPrice holds its prices. */
  isHeld: Schema.Boolean
})

export interface Market extends Schema.Schema.Type<typeof Market> {}

/** The balance of a coin in a wallet. */
export const Balance = Schema.Struct({
  /** The wallet. */
  wallet: Schema.Literal("UNIFIED", "FUND", "SPOT", "CONTRACT"),
  /** The coin. */
  coin: Schema.String,
  /** The balance. */
  balance: Decimal.Decimal,
  /** The balance without the part that positions, orders and bonuses hold. */
  free: Decimal.Decimal
})

export interface Balance extends Schema.Schema.Type<typeof Balance> {}

const category = Schema.Struct({
  /** Category of the symbol. */
  category: Exchange.Category
})

/** A record with its category. Its fields are described at the operation that returns it. */
const recordOf = <A, I>(schema: Schema.Schema<A, I>, operation: string) =>
  Schema.extend(schema, category).annotations({
    jsonSchema: { type: "object", description: `a record as ${operation} returns it, with its category` }
  })

const Position = recordOf(Positions.Position, "positions.list")
const Order = recordOf(Orders.Order, "orders.history")
const Execution = recordOf(Executions.Execution, "executions.list")

/** The state of an account. */
export const Account = Schema.Struct({
  /** Its UID. */
  uid: Schema.String,
  /** Balances that are not zero. */
  balances: Schema.Array(Balance),
  /** Open positions. */
  positions: Schema.Array(Position),
  /** Open orders, newest first. */
  openOrders: Schema.Array(Order),
  /** The latest closed orders, newest first. */
  closedOrders: Schema.Array(Order),
  /** The latest executions, newest first. */
  executions: Schema.Array(Execution)
})

export interface Account extends Schema.Schema.Type<typeof Account> {}

/** A part of the state. */
export const StateView = Schema.Struct({
  /** The instant of the state, milliseconds since 1970. */
  at: Schema.Number,
  /** The rules that make requests go wrong. */
  rules: Schema.Array(Faults.Rule),
  /** The markets. */
  markets: Schema.Array(Market),
  /** The accounts. */
  accounts: Schema.Array(Account)
})

export interface StateView extends Schema.Schema.Type<typeof StateView> {}
