import * as Tables from "@effect-venue/history/siblings/Tables"
import * as Stream from "effect/Stream"
import * as Column from "@effect-venue/history/siblings/Column"
import { plain } from "../accounts/fields.js"
import type { Format, RenderOptions, Transaction } from "./Books.js"

const columns: ReadonlyArray<Column.Column> = Column.make([
  ["time", "millis"],
  ["account", "text"],
  ["wallet", "text"],
  ["currency", "text"],
  ["kind", "text"],
  ["change", "decimal"],
  ["balance", "decimal"],
  ["symbol", "text"],
  ["record", "text"],
  ["reference", "text"]
])

/** The lines of a transaction, one for each change. */
const linesOf = ({ account, at, changes, record, reference, symbol }: Transaction): ReadonlyArray<string> =>
  changes.map(({ amount, balance, currency, kind, wallet }) =>
    JSON.stringify({
      ...{ time: at, account: account ?? "", wallet, currency, kind, change: plain(amount) },
      ...{ balance: balance === undefined ? "" : plain(balance), symbol, record, reference }
    })
  )

/** The log as a file. */
export const render = <E>(
  transactions: Stream.Stream<Transaction, E>,
  format: Format,
  { spreadsheetSafe }: RenderOptions = {}
): Stream.Stream<Uint8Array, unknown> =>
  Tables.render({ name: "log", columns, lines: Stream.mapConcat(transactions, linesOf) }, format, spreadsheetSafe)
