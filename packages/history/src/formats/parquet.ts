import * as sha256 from "#sha256"
import * as Json from "@effect-venue/schemas/siblings/Json"
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as FileSystem from "@effect/platform/FileSystem"
import * as BigDecimal from "effect/BigDecimal"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { AsyncBuffer, SchemaElement } from "hyparquet"
import type { ByteWriter, ParquetWriter } from "hyparquet-writer"
import * as Column from "../model/Column.js"
import * as Cell from "./cell.js"
import * as DuckDb from "./duckdb.js"
import { type Format, labelNames, namesOf } from "./format.js"
import { recordLines } from "./ndjson.js"
import type * as Verbatim from "../model/verbatim.js"

// Loaded with the first file, because most programs use none, and because `require` cannot load ES modules on every Node.
const hyparquet = Effect.promise(() => import("hyparquet"))
const hyparquetWriter = Effect.promise(() => import("hyparquet-writer"))

const { precision, scale } = Cell
const decimalBytes = 16

/** The Parquet form of a column: its schema element and its values. */
interface Physical {
  readonly element: SchemaElement
  readonly value: (value: unknown, line: Verbatim.Line) => unknown
}

/** The values of a column can be absent. */
const optional = (name: string, element: Omit<SchemaElement, "name">, value: Physical["value"]): Physical => ({
  element: { name, ...element, repetition_type: "OPTIONAL" },
  value
})

const texts = (column: Column.Column): Physical =>
  optional(
    column.name,
    { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
    (value, line) => Cell.textOf(column, value, line)
  )

const decimal = { type: "DECIMAL", precision, scale } as const

const timestamp = { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" } as const

const physical = (column: Column.Column): Physical => {
  const { kind, name } = column
  if (kind === "decimal") {
    const type = { type: "FIXED_LEN_BYTE_ARRAY", type_length: decimalBytes, converted_type: "DECIMAL" } as const
    return optional(name, { ...type, logical_type: decimal, precision, scale }, Cell.toUnits)
  }
  if (Column.isInstant(kind)) {
    const type = { type: "INT64", converted_type: "TIMESTAMP_MILLIS", logical_type: timestamp } as const
    return optional(name, type, (value) => BigInt(Cell.toMillis(kind, value) ?? 0))
  }
  if (kind === "integer") return optional(name, { type: "INT64" }, Cell.toInteger)
  if (kind === "boolean") return optional(name, { type: "BOOLEAN" }, Cell.toBoolean)
  return texts(column)
}

/** Removes the bytes written so far from the writer, which keeps its offset. */
const take = (pieces: ByteWriter): Uint8Array => {
  const bytes = pieces.getBytes().slice()
  pieces.index = 0
  return bytes
}

/** The Parquet cell of a value, `null` for nothing. */
const cellOf =
  (columns: ReadonlyMap<string, Physical>) =>
  ({ name }: Column.Column, value: unknown, line: Verbatim.Line): unknown =>
    Cell.isNothing(value) ? null : columns.get(name)?.value(value, line)

const group = Effect.fn(function* (
  rows: ReadonlyArray<ReadonlyArray<unknown>>,
  columns: ReadonlyArray<Physical>,
  writer: ParquetWriter,
  pieces: ByteWriter
) {
  const columnData = columns.map(({ element: { name } }, index) => ({
    name,
    data: rows.map((cells) => cells[index]),
    offsetIndex: false
  }))
  yield* Effect.tryPromise(async () => {
    await writer.write({ columnData, rowGroupSize: rows.length })
  })
  return take(pieces)
})

/** Reads ranges of a file. */
const bufferOf = (fs: FileSystem.FileSystem, file: string, size: number): AsyncBuffer => ({
  byteLength: size,
  slice: (start, end = size) =>
    Effect.runPromise(
      Effect.map(Stream.runCollect(fs.stream(file, { offset: start, bytesToRead: end - start })), (chunks) => {
        const bytes = new Uint8Array(end - start)
        Chunk.reduce(chunks, 0, (offset, chunk) => {
          bytes.set(chunk, offset)
          return offset + chunk.length
        })
        return bytes.buffer
      })
    )
})

const toSigned = (bytes: Uint8Array): bigint => {
  const units = bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n)
  return BigInt.asIntN(bytes.length * 8, units)
}

/** Converts a value from Parquet to the wire side. */
const wireOf = (column: Column.Column, value: unknown): unknown => {
  if (value === null || value === undefined) return ""
  if (value instanceof Uint8Array) return Decimal.format(BigDecimal.normalize(BigDecimal.make(toSigned(value), scale)))
  if (value instanceof Date) return Cell.inWireUnit(column.kind, value.getTime())
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  return column.kind === "json" && typeof value === "string" ? Json.parseVerbatim(value) : value
}

const query: Format["query"] = ({ columns, files }) => {
  const cells = columns.map(({ kind, name }) => {
    const cell = DuckDb.name(name)
    return Column.isInstant(kind) ? `epoch_ms(epoch_ms(${cell})) AS ${cell}` : cell
  })
  const selected = [...labelNames.map(DuckDb.name), ...cells, DuckDb.name(Cell.extra), ...DuckDb.selectFromFiles(files)]
  return `SELECT ${selected.join(", ")} FROM read_parquet(${DuckDb.list(files)}, ${DuckDb.together(files)})`
}

const render = (
  rowGroup: number,
  { bytes, dataset, labels, metadata }: Parameters<Format["render"]>[0]
): ReturnType<Format["render"]> =>
  Stream.unwrap(
    Effect.gen(function* () {
      // Types depend only on the dataset. If a type cannot represent a value exactly, `extra` contains its text.
      const declared = dataset.columns.map(physical)
      const columns = [
        ...namesOf(labels).map((name) => texts({ name, kind: "text" })),
        ...declared,
        texts({ name: Cell.extra, kind: "json" })
      ]
      const { ByteWriter, ParquetWriter } = yield* hyparquetWriter
      const pieces = new ByteWriter()
      const described = { ...metadata, ...labels, columns: JSON.stringify(Column.describe(dataset.columns)) }
      // The writer reads these when it writes the end of the file.
      const kvMetadata = Object.entries(described).map(([key, value]) => ({ key, value }))
      const digest = sha256.begin()
      const writer = new ParquetWriter({
        writer: pieces,
        schema: [{ name: "root", num_children: columns.length }, ...columns.map(({ element }) => element)],
        createdBy: "effect-venue",
        kvMetadata
      })
      const byName = new Map(declared.map((column) => [column.element.name, column]))
      const split = Cell.splitter(dataset.columns, null, cellOf(byName))
      const textOrNull = (text: string | undefined) => (Cell.isNothing(text) ? null : text)
      const labelled = namesOf(labels).map((name) => textOrNull(labels?.[name]))
      const cellsOf = (line: Verbatim.Line): ReadonlyArray<unknown> => {
        const { cells, extra } = split(line)
        return [...labelled, ...cells, textOrNull(extra)]
      }
      const hashed = Stream.tap(bytes, (chunk) => Effect.sync(() => digest.update(chunk)))
      const groups = recordLines(hashed).pipe(
        // Keep only the cells of a row group in memory.
        Stream.map(cellsOf),
        Stream.grouped(rowGroup),
        Stream.mapEffect((rows) => group(Chunk.toReadonlyArray(rows), columns, writer, pieces))
      )
      const end = Effect.tryPromise(async () => {
        kvMetadata.push({ key: "digest", value: digest.hex() })
        await writer.finish()
      })
      return Stream.concat(groups, Stream.fromEffect(Effect.map(end, () => take(pieces))))
    })
  )

const rows: Format["rows"] = (file, { columns }) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const { parquetMetadataAsync, parquetReadObjects } = yield* hyparquet
      const { size } = yield* fs.stat(file)
      const buffer = bufferOf(fs, file, Number(size))
      const metadata = yield* Effect.tryPromise(() => parquetMetadataAsync(buffer))
      // Read the stored integers, because hyparquet would convert decimals to rounded numbers.
      const schema = metadata.schema.map(({ converted_type, logical_type, ...element }): SchemaElement => ({
        ...element,
        ...(converted_type === undefined || converted_type === "DECIMAL" ? {} : { converted_type }),
        ...(logical_type === undefined || logical_type.type === "DECIMAL" ? {} : { logical_type })
      }))
      let start = 0
      const groups = metadata.row_groups.map(({ num_rows }) => {
        const rowStart = start
        start += Number(num_rows)
        return { rowStart, rowEnd: start }
      })
      return Stream.fromIterable(groups).pipe(
        Stream.mapEffect((range) =>
          Effect.tryPromise(() => parquetReadObjects({ file: buffer, metadata: { ...metadata, schema }, ...range }))
        ),
        Stream.mapConcat((rows) =>
          rows.map((row) => ({
            ...Object.fromEntries(columns.map((column) => [column.name, wireOf(column, row[column.name])])),
            ...Cell.extraFields(row[Cell.extra])
          }))
        )
      )
    })
  )

export const format = (rowGroup: number): Format => ({
  name: "parquet",
  extension: "parquet",
  // One changed byte can make hyparquet read for minutes, or cause unhandled rejections.
  toleratesDamage: false,
  render: (options) => render(rowGroup, options),
  query,
  rows
})
