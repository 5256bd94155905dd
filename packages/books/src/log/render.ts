import * as Tables from "@effect-venue/history/siblings/Tables"
import type * as BigDecimal from "effect/BigDecimal"
import * as Stream from "effect/Stream"
import * as Column from "@effect-venue/history/siblings/Column"
import { countNoun } from "@effect-venue/schemas/siblings/Words"
import { plain } from "../accounts/fields.js"
import type { Format, Log, RenderOptions, Transaction, Undated } from "./Books.js"

const columns: ReadonlyArray<Column.Column> = Column.make([
  ["time", "millis"],
  ["account", "text"],
  ["wallet", "text"],
  ["currency", "text"],
  ["kind", "text"],
  ["change", "decimal"],
  ["balance", "decimal"],
  ["derivedBalance", "decimal"],
  ["symbol", "text"],
  ["record", "text"],
  ["reference", "text"],
  ["notBooked", "text"]
])

type Cells = Readonly<Record<(typeof columns)[number]["name"], string | number>>

const none = { time: "", account: "", wallet: "", currency: "", kind: "", change: "", balance: "", derivedBalance: "" }

const orEmpty = (amount: BigDecimal.BigDecimal | undefined): string => (amount === undefined ? "" : plain(amount))

const lineOf = (cells: Cells): string => JSON.stringify({ ...none, symbol: "", ...cells })

/** The lines of a transaction: one for each change, and one for each amount that is not booked. */
const linesOf = ({ account, at, changes, lacks, record, reference, symbol }: Transaction): ReadonlyArray<string> => {
  const common = { time: at, account: account ?? "", symbol, record, reference }
  return [
    ...changes.map(({ amount, balance, currency, derivedBalance, kind, wallet }) =>
      lineOf({
        ...{ ...common, wallet, currency, kind, change: plain(amount), notBooked: "" },
        ...{ balance: orEmpty(balance), derivedBalance: orEmpty(derivedBalance) }
      })
    ),
    ...lacks.map(({ because, currency, kind }) =>
      lineOf({ ...common, currency: currency ?? "", kind, notBooked: because })
    )
  ]
}

const undatedLine = ({ account, lack: { because, currency, kind }, record, rows }: Undated): string =>
  lineOf({
    ...{ account: account ?? "", currency: currency ?? "", kind, record, reference: "" },
    notBooked: `${countNoun(rows, "row")}: ${because}`
  })

/** The log as a file. */
export const render = <E>(
  { transactions, undated }: Pick<Log<E>, "transactions" | "undated">,
  format: Format,
  { spreadsheetSafe }: RenderOptions = {}
): Stream.Stream<Uint8Array, unknown> =>
  Tables.render(
    {
      ...{ name: "log", columns },
      lines: Stream.concat(Stream.mapConcat(transactions, linesOf), Stream.fromIterable(undated.map(undatedLine)))
    },
    format,
    spreadsheetSafe
  )
