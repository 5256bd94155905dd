/**
 * The log of an export as files for tax programs.
 */
import { formatInstant } from "@effect-venue/schemas/siblings/Words"
import * as Stream from "effect/Stream"
import type * as Books from "../log/Books.js"
import { plain } from "../accounts/fields.js"
import { joinRecords } from "./groups.js"
import { fromLack, type MovedAmount, type Movement, movementsOf } from "./movements.js"

const quote = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

const record = (cells: ReadonlyArray<string>): string => `${cells.map(quote).join(",")}\r\n`

const cellsOf = (amount: MovedAmount | undefined): readonly [string, string] =>
  amount === undefined ? ["", ""] : [plain(amount.amount), amount.currency]

const koinlyHeader = [
  ...["Date", "Sent Amount", "Sent Currency", "Received Amount", "Received Currency", "Fee Amount", "Fee Currency"],
  ...["Net Worth Amount", "Net Worth Currency", "Label", "Description", "TxHash"]
]

const koinlyLabel = ({ isLacking, kind, received }: Movement): string => {
  if (isLacking) return ""
  if (kind === "realisedPnl" || kind === "liquidation" || kind === "funding") return "realized gain"
  if (kind === "fee") return received === undefined ? "margin fee" : "fee refund"
  if (kind === "bonus") return received === undefined ? "cost" : "reward"
  return ""
}

const koinlyRecord = (movement: Movement): string => {
  const { at, description, fee, received, reference, sent } = movement
  const date = `${formatInstant(at)} UTC`
  return record([
    ...[date, ...cellsOf(sent), ...cellsOf(received), ...cellsOf(fee), "", ""],
    ...[koinlyLabel(movement), description, reference]
  ])
}

/** A log without its balances. */
type Transactions<E> = Pick<Books.Log<E>, "transactions" | "undated">

/** Movements, and at the end rows without a time that can be read, at the time of the last one. */
const movements = <E>({ transactions, undated }: Transactions<E>): Stream.Stream<Movement, E> =>
  Stream.suspend(() => {
    let at = 0
    const dated = Stream.map(Stream.mapConcat(joinRecords(transactions), movementsOf), (movement) => {
      at = movement.at
      return movement
    })
    const rest = Stream.suspend(() =>
      Stream.fromIterable(
        undated.map(({ lack, record, rows }) =>
          fromLack({ ...lack, because: `${rows} of ${record}: ${lack.because}` }, { at, reference: "", symbol: "" })
        )
      )
    )
    return Stream.concat(dated, rest)
  })

/** The universal template of Koinly. An amount that is not booked has a line of zero with the reason in its description. */
export const koinly = <E>(log: Transactions<E>): Stream.Stream<string, E> =>
  Stream.concat(Stream.make(record(koinlyHeader)), Stream.map(movements(log), koinlyRecord))

const isSwap = ({ received, sent }: Movement): boolean => received !== undefined && sent !== undefined

const rotkiType = ({ kind, received }: Movement): string => {
  const isIn = received !== undefined
  if (kind === "deposit" || kind === "transfer" || kind === "opening") return isIn ? "Deposit" : "Withdrawal"
  return isIn ? "Income" : kind === "fee" || kind === "funding" ? "Spend" : "Loss"
}

/** The two files of generic imports of rotki, by name. An amount that is not booked has an event of zero with the reason in its description. */
export const rotki = <E>(log: Transactions<E>): Readonly<Record<string, Stream.Stream<string, E>>> => {
  const trades = [
    ...["Spend Currency", "Receive Currency", "Spend Amount", "Receive Amount", "Fee", "Fee Currency", "Description"],
    ...["Timestamp", "Location"]
  ]
  const events = ["Type", "Location", "Currency", "Amount", "Fee", "Fee Currency", "Description", "Timestamp"]
  const trade = ({ at, description, fee, received, reference, sent }: Movement) => {
    const [[spent, spentIn], [got, gotIn]] = [cellsOf(sent), cellsOf(received)]
    return record([
      spentIn,
      gotIn,
      spent,
      got,
      ...cellsOf(fee),
      `${description} ${reference}`.trim(),
      String(at),
      "external"
    ])
  }
  const event = (movement: Movement) => {
    const { at, description, received, reference, sent } = movement
    const [amount, currency] = cellsOf(received ?? sent)
    return record([
      rotkiType(movement),
      "external",
      currency,
      amount,
      "",
      "",
      `${description} ${reference}`.trim(),
      String(at)
    ])
  }
  const all = movements(log)
  const file = (
    header: ReadonlyArray<string>,
    of: (movement: Movement) => boolean,
    line: (movement: Movement) => string
  ) => Stream.concat(Stream.make(record(header)), Stream.map(Stream.filter(all, of), line))
  return {
    "rotki_trades.csv": file(trades, isSwap, trade),
    "rotki_events.csv": file(events, (movement) => !isSwap(movement), event)
  }
}
