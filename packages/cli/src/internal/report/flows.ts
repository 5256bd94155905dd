/**
 * What rows of an export do to the trading wallet of an account between two instants: the entries of its statement.
 */
import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as BigDecimal from "effect/BigDecimal"
import * as currencies from "./currencies.js"
import * as fields from "./fields.js"
import * as money from "./money.js"

/**
 * What an entry is. All are signed as they change the wallet, but for those of `aside`.
 *
 * - `pnl`: `closedPnl`. `gross`: exit less entry value of the same rows, before any fee.
 * - `contractFees`: fees of contract executions but funding.
 * - `coupons`: fees that coupons gave back. `bonusUsed`: what bonuses paid; it is in the fees already.
 * - `deposits`, `subAccounts`: their records do not say which wallet of the account they belong to.
 */
export const kinds = [
  "transfersIn",
  "transfersOut",
  "pnl",
  "gross",
  "contractFees",
  "spotTrades",
  "spotFees",
  "funding",
  "coupons",
  "bonusUsed",
  "deposits",
  "subAccounts"
] as const

export type Kind = (typeof kinds)[number]

export type Amounts = Readonly<Partial<Record<Kind, BigDecimal.BigDecimal>>>

/** The time between two snapshots: half-open, milliseconds. */
export interface Between {
  readonly from: number
  readonly to: number
}

export interface Flows {
  readonly coins: ReadonlyMap<string, Amounts>
  /** What may keep the statement from adding up, and in how many rows. */
  readonly doubts: ReadonlyMap<string, number>
  /** What of the closed profits is not of this time, or is not there, in words. */
  readonly unmatched: ReadonlyArray<string>
}

export interface Tally {
  readonly add: (part: Manifest.Subject, row: Dataset.Row) => void
  readonly result: () => Flows
}

const wallet = "UNIFIED"

/** A row this close to a snapshot may belong to its other side: clocks differ, and some instants are whole seconds. */
const closest = 1000

type Post = (coin: string, kind: Kind, amount: BigDecimal.BigDecimal) => void

interface Ledger {
  readonly post: Post
  readonly doubt: (what: string) => void
  /** Whether an instant is between the snapshots. */
  readonly isBetween: (at: number | undefined) => boolean
  readonly between: Between
  /** A size that was closed by the closed profits of a symbol; under zero by its executions. */
  readonly closed: (symbol: string, size: BigDecimal.BigDecimal | undefined) => void
}

const minus = BigDecimal.negate

const closed = (ledger: Ledger, category: string, row: Dataset.Row): void => {
  if (!ledger.isBetween(fields.instant(row, "updatedTime"))) return
  const pnl = fields.decimal(row, "closedPnl")
  const [entry, exit] = [fields.decimal(row, "cumEntryValue"), fields.decimal(row, "cumExitValue")]
  const { isKnown, name } = currencies.ofValue(category, fields.text(row, "symbol"))
  if (pnl === undefined || entry === undefined || exit === undefined || !isKnown) {
    ledger.doubt("closed profits whose amounts or currency cannot be read")
    return
  }
  ledger.closed(fields.text(row, "symbol"), fields.decimal(row, "closedSize"))
  if (fields.text(row, "execType") === "BustTrade") {
    ledger.doubt("liquidations: a loss beyond the margin of an isolated position is not charged, and not listed")
  }
  const rise = BigDecimal.subtract(exit, entry)
  const isLong = fields.text(row, "side") === "Sell"
  ledger.post(name, "pnl", pnl)
  ledger.post(name, "gross", isLong === (category === "linear") ? rise : minus(rise))
}

const spot = ({ doubt, post }: Ledger, row: Dataset.Row): void => {
  const market = currencies.market(fields.text(row, "symbol"))
  const [fee, value] = [fields.decimal(row, "execFee"), fields.decimal(row, "execValue")]
  const qty = fields.decimal(row, "execQty")
  if (market === undefined || fee === undefined || value === undefined || qty === undefined) {
    doubt("spot trades whose coins or amounts cannot be read")
    return
  }
  const isBuy = row.side === "Buy"
  post(market.base, "spotTrades", isBuy ? qty : minus(qty))
  post(market.quote, "spotTrades", isBuy ? minus(value) : value)
  post(isBuy ? market.base : market.quote, "spotFees", minus(fee))
}

const executed = (ledger: Ledger, category: string, row: Dataset.Row): void => {
  if (!ledger.isBetween(fields.instant(row, "execTime"))) return
  if (category === "spot") spot(ledger, row)
  else traded(ledger, category, row)
}

const traded = (ledger: Ledger, category: string, row: Dataset.Row): void => {
  const size = fields.decimal(row, "closedSize")
  ledger.closed(fields.text(row, "symbol"), size === undefined ? undefined : minus(size))
  const fee = fields.decimal(row, "execFee")
  const { isKnown, name } = currencies.ofValue(category, fields.text(row, "symbol"))
  if (fee === undefined || !isKnown) ledger.doubt("executions whose fee or currency cannot be read")
  else ledger.post(name, fields.text(row, "execType") === "Funding" ? "funding" : "contractFees", minus(fee))
}

const transferred = (ledger: Ledger, row: Dataset.Row): void => {
  if (!ledger.isBetween(fields.instant(row, "timestamp", "instant"))) return
  const status = fields.text(row, "status")
  if (status === "PENDING" || status === "STATUS_UNKNOWN") ledger.doubt("transfers that are in progress")
  const amount = fields.decimal(row, "amount")
  if (status !== "SUCCESS" || amount === undefined) return
  const coin = fields.text(row, "coin")
  if (row.toAccountType === wallet) ledger.post(coin, "transfersIn", amount)
  if (row.fromAccountType === wallet) ledger.post(coin, "transfersOut", minus(amount))
}

const deposited = (ledger: Ledger, row: Dataset.Row): void => {
  // It is booked when it succeeds, which is when the record was last updated.
  if (!ledger.isBetween(fields.instant(row, "time", "seconds"))) return
  const amount = fields.decimal(row, "amount")
  if (String(row.status) === "1" && amount !== undefined) ledger.post(fields.text(row, "coin"), "deposits", amount)
}

const ofSubAccounts = (ledger: Ledger, row: Dataset.Row): void => {
  if (!ledger.isBetween(fields.instant(row, "timestamp", "instant"))) return
  const amount = fields.decimal(row, "amount")
  if (fields.text(row, "status") !== "SUCCESS" || amount === undefined) return
  ledger.post(fields.text(row, "coin"), "subAccounts", row.type === "OUT" ? amount : minus(amount))
}

const awarded = (ledger: Ledger, row: Dataset.Row): void => {
  if (!ledger.isBetween(fields.instant(row, "time", "seconds"))) return
  const amount = fields.decimal(row, "amount")
  if (amount === undefined) return
  ledger.post(fields.text(row, "coin"), String(row.award_type) === "2" ? "coupons" : "bonusUsed", amount)
}

type Reader = (ledger: Ledger, category: string, row: Dataset.Row) => void

const readers: ReadonlyMap<string, Reader> = new Map(
  Object.entries<Reader>({
    executions: executed,
    "closed-pnl": closed,
    transfers: (ledger, _, row) => transferred(ledger, row),
    deposits: (ledger, _, row) => deposited(ledger, row),
    "sub-account-transfers": (ledger, _, row) => ofSubAccounts(ledger, row),
    "bonus-usage": (ledger, _, row) => awarded(ledger, row)
  })
)

/** The datasets that change a wallet. */
export const datasets: ReadonlyArray<string> = [...readers.keys()]

/** Closed profits and executions of a symbol that do not close the same size. */
const unmatched = ([symbol, size]: readonly [string, BigDecimal.BigDecimal]): ReadonlyArray<string> =>
  BigDecimal.isZero(size)
    ? []
    : BigDecimal.isPositive(size)
      ? [
          `${symbol}: closed profits of ${money.text(size)} more than was executed between the balances. An order that was filled before the opening balance too is counted whole.`
        ]
      : [
          `${symbol}: executions closed ${money.text(minus(size))} whose closed profits are not in this export. The service lists them when the order was placed, before the rows of this export begin.`
        ]

/** Adds up what rows of any of the datasets do to the trading wallet of one account. */
export const make = (between: Between): Tally => {
  const coins = new Map<string, Partial<Record<Kind, BigDecimal.BigDecimal>>>()
  const doubts = new Map<string, number>()
  const doubt = (what: string) => void doubts.set(what, (doubts.get(what) ?? 0) + 1)
  const post: Post = (coin, kind, amount) => {
    const amounts = coins.get(coin) ?? {}
    amounts[kind] = BigDecimal.sum(amounts[kind] ?? money.zero, amount)
    coins.set(coin, amounts)
  }
  const isClose = (at: number) =>
    Math.abs(at - between.from) < closest || (Math.abs(at - between.to) < closest && between.to > between.from)
  const isBetween = (at: number | undefined): boolean => {
    if (at === undefined) return false
    if (isClose(at)) doubt("rows within a second of a snapshot, which may belong to its other side")
    return at >= between.from && at < between.to
  }
  const sizes = new Map<string, BigDecimal.BigDecimal>()
  const closed: Ledger["closed"] = (symbol, size) => {
    if (size !== undefined) sizes.set(symbol, BigDecimal.sum(sizes.get(symbol) ?? money.zero, size))
  }
  const ledger = { between, closed, doubt, isBetween, post }
  return {
    add: ({ dataset, parameters }, row) => readers.get(dataset)?.(ledger, parameters.category ?? "", row),
    result: () => ({ coins, doubts, unmatched: Array.from(sizes).flatMap(unmatched) })
  }
}
