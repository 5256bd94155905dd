import * as Books from "@effect-venue/books/siblings/BookParts"
import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as BigDecimal from "effect/BigDecimal"

/** The amounts of a line; amounts without rows are absent. */
export const amounts = ["pnl", "fees", "funding", "volume"] as const

export type Amount = (typeof amounts)[number]

/** The figures of a symbol in a month and currency. */
export interface Line extends Readonly<Partial<Record<Amount, BigDecimal.BigDecimal>>> {
  readonly month: string
  readonly account: string | null
  readonly category: string
  readonly symbol: string
  readonly currency: string
}

/** Adds rows one after the other, in constant memory. */
export interface Tally {
  readonly add: (part: Manifest.Subject, row: Dataset.Row) => void
  readonly lines: () => ReadonlyArray<Line>
  /** The number of rows beyond the most lines. */
  readonly leftOut: () => number
}

/** The number of lines that are kept: hundreds of symbols over two years. */
const mostLines = 20_000

/** The kind of an execution that is neither a trade nor costs a trading fee. */
const funding = "Funding"

/** Executions that are no trades: their values are no volume. */
export const untraded: ReadonlySet<string> = new Set([funding, "Settle", "Delivery", "MovePosition", "CorporateAction"])

const order = (line: Line): string =>
  [line.month, line.account ?? "", line.category, line.symbol, line.currency].join("\n")

/** Adds rows up by month, account, symbol and currency. `instant` is the field by which a closed profit belongs to a month. */
const make = (
  monthOf: (at: number) => string,
  read: (
    category: string,
    row: Dataset.Row
  ) => ReadonlyArray<readonly [Amount, currency: string, BigDecimal.BigDecimal | undefined]>,
  instant: string
): Tally => {
  const lines = new Map<string, Line>()
  let leftOut = 0
  const post = (line: Line, kind: Amount, amount: BigDecimal.BigDecimal): void => {
    const key = order(line)
    const before = lines.get(key)
    if (before === undefined && lines.size >= mostLines) {
      leftOut++
      return
    }
    const sum = before?.[kind]
    lines.set(key, { ...(before ?? line), [kind]: sum === undefined ? amount : BigDecimal.sum(sum, amount) })
  }
  return {
    add: ({ account, parameters }, row) => {
      const at = Books.fieldInstant(row, instant)
      if (at === undefined) return
      const category = parameters.category ?? ""
      const symbol = Books.fieldText(row, "symbol")
      const month = monthOf(at)
      for (const [kind, currency, amount] of read(category, row)) {
        if (amount !== undefined) post({ month, account, category, symbol, currency }, kind, amount)
      }
    },
    lines: () => [...lines.values()],
    leftOut: () => leftOut
  }
}

/** Closed profits, under the instant by which the service lists them. */
export const tallyClosed = (monthOf: (at: number) => string, instant: "createdTime" | "updatedTime"): Tally =>
  make(
    monthOf,
    (category, row) => [
      [
        "pnl",
        Books.currencyOfValue(category, Books.fieldText(row, "symbol")).name,
        Books.fieldDecimal(row, "closedPnl")
      ]
    ],
    instant
  )

/** Fees, funding and volume of executions. */
export const tallyExecuted = (monthOf: (at: number) => string): Tally =>
  make(
    monthOf,
    (category, row) => {
      const type = Books.fieldText(row, "execType")
      const symbol = Books.fieldText(row, "symbol")
      const fee = Books.fieldDecimal(row, "execFee")
      const feeIn = Books.currencyOfFee(category, symbol, row.side).name
      if (type === funding) return [["funding", feeIn, fee]]
      const value = untraded.has(type) ? undefined : Books.fieldDecimal(row, "execValue")
      return [
        ["fees", feeIn, fee],
        ["volume", Books.currencyOfValue(category, symbol).name, value]
      ]
    },
    "execTime"
  )

/** Lines of several tallies as one table, in order. */
export const mergeTallies = (tallies: ReadonlyArray<ReadonlyArray<Line>>): ReadonlyArray<Line> => {
  const lines = new Map<string, Line>()
  for (const line of tallies.flat()) {
    const before = lines.get(order(line))
    const sums = amounts.flatMap((kind): ReadonlyArray<readonly [Amount, BigDecimal.BigDecimal]> => {
      const [earlier, added] = [before?.[kind], line[kind]]
      if (earlier === undefined || added === undefined) {
        const only = earlier ?? added
        return only === undefined ? [] : [[kind, only]]
      }
      return [[kind, BigDecimal.sum(earlier, added)]]
    })
    lines.set(order(line), { ...line, ...Object.fromEntries(sums) })
  }
  return [...lines].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, line]) => line)
}
