/** The postings of a row: its changes of the balances of an account. */
import * as BigDecimal from "effect/BigDecimal"
import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as currencies from "./currencies.js"
import * as fields from "./fields.js"

/**
 * The kind of a posting. All except `pnl` and `bonusUsed` are signed changes of a balance.
 *
 * - `pnl`: `closedPnl`, which contains fees. `gross`: exit value minus entry value of the same record, before fees.
 * - `contractFees`: fees of contract executions, without funding.
 * - `coupons`: fees refunded by coupons. `bonusUsed`: amounts paid by bonuses, already included in the fees.
 * - `deposits`, `subAccounts`: their records do not name the wallet. `subAccounts` is signed as for the master account.
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

export type PostingKind = (typeof kinds)[number]

/** The wallet of the trading account. An export has snapshots of it. */
export const trading = "UNIFIED"

/** The wallet of deposits and of transfers with sub-accounts, unless balances show that it is the trading wallet. */
export const funding = "FUND"

export interface Posting {
  /** The account type; `undefined` if the record does not name it. */
  readonly wallet: string | undefined
  readonly coin: string
  readonly kind: PostingKind
  readonly amount: BigDecimal.BigDecimal
}

/** A row as postings. */
export interface BookedRow {
  /** When the balances changed, in milliseconds; `undefined` if the row has no such time that can be read. */
  readonly at: number | undefined
  /** The id of the record, or of its order. */
  readonly reference: string
  readonly symbol: string
  readonly postings: ReadonlyArray<Posting>
  /** Why the postings can be wrong or incomplete, in words. */
  readonly doubts: ReadonlyArray<string>
  /** The size that a closed profit of the symbol closed; under zero: that an execution closed. */
  readonly closed: BigDecimal.BigDecimal | undefined
  readonly isLiquidation: boolean
  /** The other account of a transfer with a sub-account: its UIDs. */
  readonly between: { readonly master: string; readonly sub: string } | undefined
}

const minus = BigDecimal.negate

const reading = (at: number | undefined, reference: string, more: Partial<BookedRow> = {}): BookedRow => ({
  at,
  reference,
  symbol: "",
  postings: [],
  doubts: [],
  closed: undefined,
  isLiquidation: false,
  between: undefined,
  ...more
})

type Read = (category: string, row: Dataset.Row) => BookedRow

/** The wallet of trading before the account became a unified one, too. */
const walletOf = (isBefore: boolean, category: string): string =>
  !isBefore ? trading : category === "spot" ? "SPOT" : "CONTRACT"

const readClosedPnl =
  (isBefore: boolean): Read =>
  (category, row) => {
    const symbol = fields.text(row, "symbol")
    const pnl = fields.decimal(row, "closedPnl")
    const [entry, exit] = [fields.decimal(row, "cumEntryValue"), fields.decimal(row, "cumExitValue")]
    const { isKnown, name: coin } = currencies.ofValue(category, symbol)
    const of = (more: Partial<BookedRow>) =>
      reading(fields.instant(row, "updatedTime"), fields.text(row, "orderId"), { symbol, ...more })
    if (pnl === undefined || entry === undefined || exit === undefined || !isKnown) {
      return of({ doubts: ["closed profits whose amounts or currency cannot be read"] })
    }
    const rise = BigDecimal.subtract(exit, entry)
    const isLong = fields.text(row, "side") === "Sell"
    const isLiquidation = fields.text(row, "execType") === "BustTrade"
    const wallet = walletOf(isBefore, category)
    return of({
      postings: [
        { wallet, coin, kind: "pnl", amount: pnl },
        { wallet, coin, kind: "gross", amount: isLong === (category === "linear") ? rise : minus(rise) }
      ],
      doubts: isLiquidation
        ? ["liquidations: a loss beyond the margin of an isolated position is not charged, and not listed"]
        : [],
      closed: fields.decimal(row, "closedSize"),
      isLiquidation
    })
  }

const spot = (wallet: string, symbol: string, row: Dataset.Row): Pick<BookedRow, "doubts" | "postings"> => {
  const market = currencies.market(symbol)
  const [fee, value] = [fields.decimal(row, "execFee"), fields.decimal(row, "execValue")]
  const [price, qty] = [fields.decimal(row, "execPrice"), fields.decimal(row, "execQty")]
  // Spot executions from before a unified account have no value.
  const isPriced = value === undefined && wallet !== trading && price !== undefined && qty !== undefined
  const paid = isPriced ? BigDecimal.multiply(price, qty) : value
  if (market === undefined || fee === undefined || paid === undefined || qty === undefined) {
    return { postings: [], doubts: ["spot trades whose coins or amounts cannot be read"] }
  }
  const isBuy = row.side === "Buy"
  return {
    postings: [
      { wallet, coin: market.base, kind: "spotTrades", amount: isBuy ? qty : minus(qty) },
      { wallet, coin: market.quote, kind: "spotTrades", amount: isBuy ? minus(paid) : paid },
      { wallet, coin: isBuy ? market.base : market.quote, kind: "spotFees", amount: minus(fee) }
    ],
    doubts: []
  }
}

const readExecution =
  (isBefore: boolean): Read =>
  (category, row) => {
    const symbol = fields.text(row, "symbol")
    const wallet = walletOf(isBefore, category)
    const of = (more: Partial<BookedRow>) =>
      reading(fields.instant(row, "execTime"), fields.text(row, "execId"), { symbol, ...more })
    if (category === "spot") return of(spot(wallet, symbol, row))
    const size = fields.decimal(row, "closedSize")
    const closed = size === undefined ? undefined : minus(size)
    const fee = fields.decimal(row, "execFee")
    const { isKnown, name: coin } = currencies.ofValue(category, symbol)
    if (fee === undefined || !isKnown) {
      return of({ closed, doubts: ["executions whose fee or currency cannot be read"] })
    }
    const kind = fields.text(row, "execType") === "Funding" ? "funding" : "contractFees"
    return of({ closed, postings: [{ wallet, coin, kind, amount: minus(fee) }] })
  }

const readTransfer: Read = (_category, row) => {
  const at = fields.instant(row, "timestamp", "instant")
  const reference = fields.text(row, "transferId")
  const status = fields.text(row, "status")
  const amount = fields.decimal(row, "amount")
  const doubts = status === "PENDING" || status === "STATUS_UNKNOWN" ? ["transfers that are in progress"] : []
  if (status !== "SUCCESS" || amount === undefined) return reading(at, reference, { doubts })
  const coin = fields.text(row, "coin")
  return reading(at, reference, {
    postings: [
      { wallet: fields.text(row, "fromAccountType"), coin, kind: "transfersOut", amount: minus(amount) },
      { wallet: fields.text(row, "toAccountType"), coin, kind: "transfersIn", amount }
    ]
  })
}

const readDeposit: Read = (_category, row) => {
  const amount = fields.decimal(row, "amount")
  const coin = fields.text(row, "coin")
  // It is booked when it succeeds, which is when the record was last updated.
  return reading(fields.instant(row, "time", "seconds"), fields.text(row, "transaction_id"), {
    postings:
      String(row.status) === "1" && amount !== undefined ? [{ wallet: undefined, coin, kind: "deposits", amount }] : []
  })
}

const ofSubAccounts: Read = (_category, row) => {
  const amount = fields.decimal(row, "amount")
  const coin = fields.text(row, "coin")
  const isBooked = fields.text(row, "status") === "SUCCESS" && amount !== undefined
  return reading(fields.instant(row, "timestamp", "instant"), fields.text(row, "transfer_id"), {
    postings: isBooked
      ? [{ wallet: undefined, coin, kind: "subAccounts", amount: row.type === "OUT" ? amount : minus(amount) }]
      : [],
    between: { master: String(row.user_id), sub: String(row.sub_user_id) }
  })
}

const readAward: Read = (_category, row) => {
  const amount = fields.decimal(row, "amount")
  const coin = fields.text(row, "coin")
  const kind = String(row.award_type) === "2" ? "coupons" : "bonusUsed"
  return reading(fields.instant(row, "time", "seconds"), fields.text(row, "order_id"), {
    symbol: fields.text(row, "symbol"),
    postings: amount === undefined ? [] : [{ wallet: trading, coin, kind, amount }]
  })
}

const readers: ReadonlyMap<string, Read> = new Map([
  ["executions", readExecution(false)],
  ["closed-pnl", readClosedPnl(false)],
  ["pre-upgrade-executions", readExecution(true)],
  ["pre-upgrade-closed-pnl", readClosedPnl(true)],
  ["transfers", readTransfer],
  ["deposits", readDeposit],
  ["sub-account-transfers", ofSubAccounts],
  ["bonus-usage", readAward]
])

/** The datasets whose rows change a balance. */
export const datasets: ReadonlyArray<string> = [...readers.keys()]

/** Whether the rows of a dataset are from before the account became a unified one: they change other wallets. */
export const isPreUpgrade = ({ dataset }: Pick<Manifest.Subject, "dataset">): boolean =>
  dataset.startsWith("pre-upgrade-")

/** Reads the postings of a row; `undefined` if rows of its dataset change no balance. */
export const read = (
  { dataset, parameters }: Pick<Manifest.Subject, "dataset" | "parameters">,
  row: Dataset.Row
): BookedRow | undefined => readers.get(dataset)?.(parameters.category ?? "", row)
