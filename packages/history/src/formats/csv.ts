import * as FileSystem from "@effect/platform/FileSystem"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Column from "../model/Column.js"
import type * as Dataset from "../model/Dataset.js"
import * as Cell from "./cell.js"
import * as DuckDb from "./duckdb.js"
import { type Format, labelNames, namesOf, type Source } from "./format.js"
import { recordLines } from "./ndjson.js"
import type * as Verbatim from "../model/verbatim.js"

const utf8 = new TextEncoder()

const rowsPerWrite = 1000

const quote = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

const record = (cells: ReadonlyArray<string>): string => `${cells.map(quote).join(",")}\r\n`

/** Parses records from chunks of text. An unterminated last record is emitted at the end. */
const records = <E, R>(text: Stream.Stream<string, E, R>): Stream.Stream<ReadonlyArray<string>, E | Error, R> =>
  Stream.suspend(() => {
    let cells: Array<string> = []
    let cell = ""
    let state: "plain" | "quoted" | "quote" = "plain"
    let isEmpty = true
    const take = (piece: string): ReadonlyArray<ReadonlyArray<string>> => {
      const done: Array<ReadonlyArray<string>> = []
      for (const char of piece) {
        isEmpty = false
        if (state === "quoted") {
          if (char === '"') state = "quote"
          else cell += char
          continue
        }
        if (char === '"') {
          if (state === "quote") cell += char
          state = "quoted"
        } else if (char === ",") {
          cells.push(cell)
          cell = ""
          state = "plain"
        } else if (char === "\n") {
          cells.push(cell)
          done.push(cells)
          cells = []
          cell = ""
          state = "plain"
          isEmpty = true
        } else if (char !== "\r") {
          cell += char
        }
      }
      return done
    }
    return Stream.concat(
      Stream.mapConcat(text, take),
      Stream.suspend(() => (isEmpty ? Stream.empty : Stream.fail(new Error("the last record is not ended"))))
    )
  })

/** The characters, of any width, at which a spreadsheet begins to evaluate a cell as a formula. */
const starts = "=+@＝＋－＠\\t\\r\\n-"

// Text that already has a quote gets another one, so that removing one restores the original.
const formula = new RegExp(`^'*[${starts}]`)
const number = /^-?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/

const guarded = (cell: string): string => (formula.test(cell) && !number.test(cell) ? `'${cell}` : cell)

const unguard = (cell: string): string => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)

const verbatim = (cell: string): string => cell

/** Builds a row from its cells by the names in the header. */
const rowOf = (
  columns: ReadonlyArray<Column.Column>,
  header: ReadonlyArray<string>,
  cells: ReadonlyArray<string>,
  plain: (cell: string) => string
) =>
  cells.length === header.length
    ? Effect.try((): Dataset.Row => ({
        ...Object.fromEntries(
          columns.map((column) => [column.name, Cell.wire(column, plain(cells[header.indexOf(column.name)] ?? ""))])
        ),
        ...Cell.extraFields(plain(cells[header.indexOf(Cell.extra)] ?? ""))
      }))
    : Effect.fail(new Error(`expected ${header.length} cells`))

const query =
  (isGuarded: boolean): Format["query"] =>
  ({ columns, files }) => {
    const cells = columns.map((column) => {
      const cell = DuckDb.name(column.name)
      const isInstant = Column.isInstant(column.kind)
      return `${isInstant ? `TRY_CAST(${cell} AS TIMESTAMP)` : DuckDb.castColumn(column, `nullif(${cell}, '')`)} AS ${cell}`
    })
    const others = [...labelNames, Cell.extra]
    const selected = [
      ...labelNames.map(DuckDb.name),
      ...cells,
      DuckDb.name(Cell.extra),
      ...DuckDb.selectFromFiles(files)
    ]
    const read = `read_csv(${DuckDb.list(files)}, all_varchar = true, ${DuckDb.together(files)})`
    if (!isGuarded) return `SELECT ${selected.join(", ")} FROM ${read}`
    const plain = [...others, ...columns.map(({ name }) => name)].map(DuckDb.name).map((cell) => {
      const original = String.raw`regexp_replace(${cell}, '^''(''*[${starts}])', '\1')`
      return `${original} AS ${cell}`
    })
    return `SELECT ${selected.join(", ")} FROM (SELECT * REPLACE (${plain.join(", ")}) FROM ${read})`
  }

/** A cell is "" for nothing. Decimals have the notation of the row. */
const cellOf = (column: Column.Column, value: unknown, line: Verbatim.Line): string => {
  if (Cell.isNothing(value)) return ""
  const { kind } = column
  if (kind === "integer") return String(Cell.toInteger(value))
  if (Column.isInstant(kind)) return new Date(Cell.toMillis(kind, value) ?? 0).toISOString()
  return Cell.textOf(column, value, line)
}

/** The records of rows, without the header. */
const recordsOf = ({ bytes, dataset, labels }: Source, isGuarded: boolean) => {
  const guard = isGuarded ? guarded : verbatim
  const split = Cell.splitter(dataset.columns, "", cellOf)
  const first = namesOf(labels).map((name) => guard(labels?.[name] ?? ""))
  return Stream.map(recordLines(bytes), (line) => {
    const { cells, extra } = split(line)
    return record([...first, ...cells.map(guard), guard(extra)])
  })
}

const toBytes = <E, R>(records: Stream.Stream<string, E, R>): Stream.Stream<Uint8Array, E, R> =>
  Stream.map(Stream.grouped(records, rowsPerWrite), (some) => utf8.encode(Chunk.join(some, "")))

const make = (isGuarded: boolean): Format => ({
  name: isGuarded ? "csv.safe" : "csv",
  extension: "csv",
  toleratesDamage: true,
  render: (source) => {
    const header = [...namesOf(source.labels), ...source.dataset.columns.map(({ name }) => name), Cell.extra]
    return toBytes(Stream.concat(Stream.make(record(header)), recordsOf(source, isGuarded)))
  },
  append: (file, source) => Stream.concat(file, toBytes(recordsOf(source, isGuarded))),
  query: query(isGuarded),
  rows: (file, { columns }, skipped = 0) =>
    records(Stream.decodeText(Stream.unwrap(Effect.map(FileSystem.FileSystem, (fs) => fs.stream(file))))).pipe(
      Stream.mapAccum<ReadonlyArray<string> | undefined, ReadonlyArray<string>, ReadonlyArray<ReadonlyArray<string>>>(
        undefined,
        (header, cells) => [header ?? cells, header === undefined ? [] : [header, cells]]
      ),
      Stream.filter((pair) => pair.length > 0),
      Stream.drop(skipped),
      Stream.mapEffect(([header = [], cells = []]) => rowOf(columns, header, cells, isGuarded ? unguard : verbatim))
    )
})

export const format: Format = make(false)

/** CSV with a quote before cells that a spreadsheet would evaluate as a formula. */
export const spreadsheetSafe: Format = make(true)
