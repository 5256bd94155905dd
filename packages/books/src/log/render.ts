import * as Stream from "effect/Stream"
import * as Column from "../model/Column.js"
import * as Csv from "../formats/csv.js"
import type * as Formats from "../formats/format.js"
import { encode } from "../formats/lines.js"
import * as Ndjson from "../formats/ndjson.js"
import * as Parquet from "../formats/parquet.js"
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

const formatsByName = ({ spreadsheetSafe = false }: RenderOptions): Readonly<Record<Format, Formats.Format>> => ({
  csv: spreadsheetSafe ? Csv.spreadsheetSafe : Csv.format,
  ndjson: Ndjson.plain,
  parquet: Parquet.format(5000)
})

/** The log as a file. */
export const render = <E>(
  transactions: Stream.Stream<Transaction, E>,
  format: Format,
  options: RenderOptions = {}
): Stream.Stream<Uint8Array, unknown> =>
  formatsByName(options)[format].render({
    labels: undefined,
    dataset: { columns },
    bytes: Stream.map(Stream.grouped(Stream.mapConcat(transactions, linesOf), 1000), (lines) => encode([...lines])),
    metadata: { export: "log", version: "1" },
    onUnfit: () => undefined,
    onEscapedSurrogate: () => undefined
  })
