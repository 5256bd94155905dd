/** The postings of a row: its changes of the balances of an account. */
import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as BigDecimal from "effect/BigDecimal"
import type * as Coins from "./coins.js"
import * as fields from "./fields.js"
import { type Kind, type Lack, type Posting, trading } from "./Kinds.js"

/** A rebate of a spot trade. Its record does not name the coin: it is one of the two of the symbol. */
export interface Rebate {
  readonly wallet: string
  /** The coin that was received in the trade. */
  readonly received: string
  readonly paid: string
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
  readonly lacks: ReadonlyArray<Lack>
  readonly rebate: Rebate | undefined
  /** What the postings may lack although the row was read, in words. */
  readonly doubts: ReadonlyArray<string>
  /** The amount of a bonus that was used: it is in the fees already. */
  readonly bonusUsed: { readonly coin: string; readonly amount: BigDecimal.BigDecimal } | undefined
  /** The size that a closed profit of the symbol closed; under zero: that an execution closed. */
  readonly closed: BigDecimal.BigDecimal | undefined
  /** The other account of a transfer with a sub-account: its UIDs. */
  readonly between: { readonly master: string; readonly sub: string } | undefined
}

const minus = BigDecimal.negate

const makeRow = (at: number | undefined, reference: string, more: Partial<BookedRow> = {}): BookedRow => ({
  at,
  reference,
  symbol: "",
  postings: [],
  lacks: [],
  rebate: undefined,
  doubts: [],
  bonusUsed: undefined,
  closed: undefined,
  between: undefined,
  ...more
})

const lack = (kind: Kind, currency: string | undefined, because: string): Lack => ({ kind, currency, because })

type Read = (category: string, row: Dataset.Row, coins: Coins.Coins) => BookedRow

/** The wallet of trading before the account became a unified one, too. */
const walletOf = (isBefore: boolean, category: string): string =>
  !isBefore ? trading : category === "spot" ? "SPOT" : "CONTRACT"

const readClosedPnl =
  (isBefore: boolean): Read =>
  (category, row, coins) => {
    const symbol = fields.text(row, "symbol")
    const pnl = fields.decimal(row, "closedPnl")
    const [entry, exit] = [fields.decimal(row, "cumEntryValue"), fields.decimal(row, "cumExitValue")]
    const found = coins.find(category, symbol)
    const kind = fields.text(row, "execType") === "BustTrade" ? "liquidation" : "realisedPnl"
    const of = (more: Partial<BookedRow>) =>
      makeRow(fields.instant(row, "updatedTime"), fields.text(row, "orderId"), {
        symbol,
        closed: fields.decimal(row, "closedSize"),
        ...more
      })
    if (found._tag === "Unknown") return of({ lacks: [lack(kind, undefined, found.because)] })
    const coin = found.coins.settle
    const isContract = category === "linear" || category === "inverse"
    if (pnl === undefined || entry === undefined || exit === undefined || !isSide(row.side) || !isContract) {
      return of({ lacks: [lack(kind, coin, "closed profits whose amounts or side cannot be read")] })
    }
    const rise = BigDecimal.subtract(exit, entry)
    const isLong = row.side === "Sell"
    return of({
      postings: [
        {
          ...{ wallet: walletOf(isBefore, category), coin, kind },
          amount: isLong === (category === "linear") ? rise : minus(rise)
        }
      ],
      doubts:
        kind === "liquidation"
          ? ["liquidations: a loss beyond the margin of an isolated position is not charged, and not listed"]
          : []
    })
  }

const isSide = (side: unknown): side is "Buy" | "Sell" => side === "Buy" || side === "Sell"

const readSpot = (
  wallet: string,
  row: Dataset.Row,
  found: Coins.Found
): Pick<BookedRow, "lacks"> & Partial<BookedRow> => {
  if (found._tag === "Unknown") {
    return { lacks: [lack("trade", undefined, found.because), lack("fee", undefined, found.because)] }
  }
  const { base, quote } = found.coins
  const [fee, value] = [fields.decimal(row, "execFee"), fields.decimal(row, "execValue")]
  const [price, qty] = [fields.decimal(row, "execPrice"), fields.decimal(row, "execQty")]
  // Spot executions from before a unified account have no value.
  const isPriced = value === undefined && wallet !== trading && price !== undefined && qty !== undefined
  const paid = isPriced ? BigDecimal.multiply(price, qty) : value
  const { side } = row
  const isBuy = side === "Buy"
  const isRead = paid !== undefined && qty !== undefined && isSide(side)
  const because = "spot trades whose amounts or side cannot be read"
  const trades: ReadonlyArray<Posting> = !isRead
    ? []
    : [
        { wallet, coin: base, kind: "trade", amount: isBuy ? qty : minus(qty) },
        { wallet, coin: quote, kind: "trade", amount: isBuy ? minus(paid) : paid }
      ]
  const lacks = isRead ? [] : [lack("trade", base, because), lack("trade", quote, because)]
  if (fee === undefined || !isSide(side)) {
    const feeLacks = [base, quote].map((coin) => lack("fee", coin, "executions whose fee or side cannot be read"))
    return { postings: trades, lacks: [...lacks, ...feeLacks] }
  }
  const [received, given] = isBuy ? [base, quote] : [quote, base]
  return BigDecimal.isNegative(fee)
    ? { postings: trades, lacks, rebate: { wallet, received, paid: given, amount: minus(fee) } }
    : { postings: [...trades, { wallet, coin: received, kind: "fee", amount: minus(fee) }], lacks }
}

const readExecution =
  (isBefore: boolean): Read =>
  (category, row, coins) => {
    const symbol = fields.text(row, "symbol")
    const wallet = walletOf(isBefore, category)
    const found = coins.find(category, symbol)
    const of = (more: Partial<BookedRow>) =>
      makeRow(fields.instant(row, "execTime"), fields.text(row, "execId"), { symbol, ...more })
    if (category === "spot") return of(readSpot(wallet, row, found))
    const size = fields.decimal(row, "closedSize")
    const closed = size === undefined ? undefined : minus(size)
    const fee = fields.decimal(row, "execFee")
    const kind = fields.text(row, "execType") === "Funding" ? "funding" : "fee"
    if (found._tag === "Unknown") return of({ closed, lacks: [lack(kind, undefined, found.because)] })
    const coin = found.coins.settle
    return fee === undefined
      ? of({ closed, lacks: [lack(kind, coin, "executions whose fee cannot be read")] })
      : of({ closed, postings: [{ wallet, coin, kind, amount: minus(fee) }] })
  }

const coinOf = (row: Dataset.Row): string | undefined => {
  const coin = fields.text(row, "coin")
  return coin === "" ? undefined : coin
}

const readTransfer: Read = (_category, row) => {
  const status = fields.text(row, "status")
  const amount = fields.decimal(row, "amount")
  const coin = coinOf(row)
  const of = (more: Partial<BookedRow>) =>
    makeRow(fields.instant(row, "timestamp", "instant"), fields.text(row, "transferId"), more)
  if (status === "PENDING" || status === "STATUS_UNKNOWN") {
    return of({ lacks: [lack("transfer", coin, "transfers that are in progress")] })
  }
  if (status !== "SUCCESS") return of({})
  if (amount === undefined || coin === undefined) {
    return of({ lacks: [lack("transfer", coin, "transfers whose amount or coin cannot be read")] })
  }
  return of({
    postings: [
      { wallet: fields.text(row, "fromAccountType"), coin, kind: "transfer", amount: minus(amount) },
      { wallet: fields.text(row, "toAccountType"), coin, kind: "transfer", amount }
    ]
  })
}

const readDeposit: Read = (_category, row) => {
  const amount = fields.decimal(row, "amount")
  const coin = coinOf(row)
  // It is booked when it succeeds, which is when the record was last updated.
  const of = (more: Partial<BookedRow>) =>
    makeRow(fields.instant(row, "time", "seconds"), fields.text(row, "transaction_id"), more)
  if (String(row.status) !== "1") return of({})
  return amount === undefined || coin === undefined
    ? of({ lacks: [lack("deposit", coin, "deposits whose amount or coin cannot be read")] })
    : of({ postings: [{ wallet: undefined, coin, kind: "deposit", amount }] })
}

const readSubAccountTransfer: Read = (_category, row) => {
  const amount = fields.decimal(row, "amount")
  const coin = coinOf(row)
  const between = { master: String(row.user_id), sub: String(row.sub_user_id) }
  const of = (more: Partial<BookedRow>) =>
    makeRow(fields.instant(row, "timestamp", "instant"), fields.text(row, "transfer_id"), { between, ...more })
  const status = fields.text(row, "status")
  if (status === "PENDING" || status === "STATUS_UNKNOWN") {
    return of({ lacks: [lack("transfer", coin, "transfers that are in progress")] })
  }
  if (status !== "SUCCESS") return of({})
  if (amount === undefined || coin === undefined || (row.type !== "IN" && row.type !== "OUT")) {
    return of({
      lacks: [lack("transfer", coin, "transfers with sub-accounts whose amount, coin or direction cannot be read")]
    })
  }
  return of({
    postings: [{ wallet: undefined, coin, kind: "transfer", amount: row.type === "OUT" ? amount : minus(amount) }]
  })
}

const readAward: Read = (_category, row) => {
  const amount = fields.decimal(row, "amount")
  const coin = coinOf(row)
  const of = (more: Partial<BookedRow>) =>
    makeRow(fields.instant(row, "time", "seconds"), fields.text(row, "order_id"), {
      symbol: fields.text(row, "symbol"),
      ...more
    })
  if (amount === undefined || coin === undefined) {
    return of({ lacks: [lack("bonus", coin, "uses of bonuses whose amount or coin cannot be read")] })
  }
  return String(row.award_type) === "2"
    ? of({ postings: [{ wallet: trading, coin, kind: "bonus", amount }] })
    : of({ bonusUsed: { coin, amount } })
}

const readers: ReadonlyMap<string, Read> = new Map([
  ["executions", readExecution(false)],
  ["closed-pnl", readClosedPnl(false)],
  ["pre-upgrade-executions", readExecution(true)],
  ["pre-upgrade-closed-pnl", readClosedPnl(true)],
  ["transfers", readTransfer],
  ["deposits", readDeposit],
  ["sub-account-transfers", readSubAccountTransfer],
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
  row: Dataset.Row,
  coins: Coins.Coins
): BookedRow | undefined => readers.get(dataset)?.(parameters.category ?? "", row, coins)
