/** Verifies an export in tables. */
import * as SqlClient from "@effect/sql/SqlClient"
import type * as SqlError from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type * as Dataset from "../../Dataset.js"
import * as FindDataset from "../model/findDataset.js"
import * as CheckpointFile from "../store/checkpointFile.js"
import { select } from "./sqlSelect.js"
import * as Tables from "./sqlTables.js"
import * as Manifest from "../../Manifest.js"
import * as SqlDigest from "./sqlDigest.js"
import type { ReadOptions } from "../../SqlSink.js"
import * as Verify from "../../Verify.js"

/** A count, which some databases return as text. */
type Count = number | string

interface Written extends Readonly<Record<string, unknown>> {
  readonly number: Count
  readonly first: Count
  readonly past: Count
  readonly row_count: Count
  readonly moved: Count
  readonly digest: string
}

/** The location of the rows of a part. */
interface Place {
  readonly sql: SqlClient.SqlClient
  readonly name: string
  readonly prefix: string
  readonly part: Manifest.Part
  readonly dataset: Dataset.Dataset<never, unknown>
}

/** The condition that selects the rows of a part. */
const ofPart = ({ name, part, sql }: Place) => sql`venue_export = ${name} AND venue_part = ${part.name}`

/** Counts and digests the rows of a window. Reads at most one page more than were written, since keys of a damaged file can be unordered. */
const readWindow = (place: Place, number: number, expected: number) => {
  const { dataset, prefix, sql } = place
  const condition = sql`${ofPart(place)} AND venue_window = ${number}`
  return Stream.runFoldWhile(
    Tables.pagesByKey(sql, dataset, prefix, condition),
    { rows: 0, digest: "0" },
    ({ rows }) => rows <= expected,
    ({ digest, rows }, found) => ({
      rows: rows + found.length,
      digest: SqlDigest.digest(dataset, found, digest)
    })
  )
}

/** Compares a window of the manifest with the record of its commit, and with its rows. */
const auditWindow = (place: Place, number: number, window: Manifest.Window, written: Written | undefined) =>
  Effect.gen(function* () {
    const { dataset, part, prefix } = place
    const { from, to } = window
    const file = Tables.rowsTable(dataset.name, prefix)
    if (written === undefined || Number(written.first) !== from || Number(written.past) !== to) {
      return [new Verify.MissingWindow({ where: Tables.windowsTable(prefix), from, to })]
    }
    const expected = Number(written.row_count)
    if (expected + Number(written.moved) !== window.rows) {
      const because = `a window of ${part.name} has ${window.rows} rows, and had ${expected} when it was written`
      return [new Verify.ChangedManifest({ because })]
    }
    const { digest, rows } = yield* readWindow(place, number, expected)
    if (rows < expected) {
      return rows === 0
        ? [new Verify.MissingWindow({ where: file, from, to })]
        : [new Verify.RemovedRows({ file, from, to, rows, expected })]
    }
    return rows === expected && digest !== written.digest ? [new Verify.ChangedRows({ file, from, to })] : []
  })

const auditPart = (place: Place) =>
  Effect.gen(function* () {
    const { dataset, part, prefix, sql } = place
    const file = Tables.rowsTable(dataset.name, prefix)
    const notes = yield* select<Written>(
      sql,
      ["number", "first", "past", "row_count", "moved", "digest"],
      sql`FROM ${sql(Tables.windowsTable(prefix))} WHERE ${ofPart(place)}`
    )
    const written = new Map(notes.map((note) => [Number(note.number), note]))
    const found: Array<Verify.Finding> = []
    for (const [number, window] of part.windows.entries()) {
      found.push(...(yield* auditWindow(place, number, window, written.get(number))))
    }
    const [all] = yield* sql<{ readonly n: Count }>`SELECT count(*) AS n FROM ${sql(file)} WHERE ${ofPart(place)}`
    const rows = Number(all?.n ?? 0)
    const expected = notes.reduce((sum, { row_count }) => sum + Number(row_count), 0)
    if (rows > expected && found.length === 0) found.push(new Verify.AddedRows({ file, rows, expected }))
    return found
  })

/** The finding about a table that cannot be read. */
const unreadable = (file: string, error: SqlError.SqlError): Verify.Finding => {
  const because = error.cause instanceof Error ? error.cause.message : error.message
  return /no such table|does not exist/.test(because)
    ? new Verify.MissingFile({ file })
    : new Verify.ChangedFile({ file, because })
}

/** See `SqlSink.verify`. */
export const verify = (
  options: ReadOptions = {}
): Effect.Effect<Verify.Report, Verify.NotAnExport, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const { location = "database", name = Tables.defaultName, prefix = "venue_" } = options
    const refuse = (detail: string) => new Verify.NotAnExport({ location, detail })
    const sql = yield* SqlClient.SqlClient

    const [row] = yield* Effect.mapError(
      select<{ readonly manifest: string | null; readonly checkpoint: string | null }>(
        sql,
        ["manifest", "checkpoint"],
        sql`FROM ${sql(`${prefix}exports`)} WHERE name = ${name}`
      ),
      ({ cause }) =>
        refuse(`there is no ${prefix}exports that can be read${cause instanceof Error ? ` (${cause.message})` : ""}`)
    )
    if (row === undefined || row.manifest === null) {
      const text = row?.checkpoint ?? undefined
      const begun = text === undefined ? Option.none() : yield* Effect.option(Tables.readSaved(sql, prefix, name, text))
      return yield* Option.isSome(begun)
        ? Verify.unfinished(location, CheckpointFile.checkpointOf(begun.value.head, begun.value.states))
        : refuse("the export is unfinished, or in another place")
    }
    const manifest = Either.getOrUndefined(Manifest.decode(row.manifest))
    if (manifest === undefined) return yield* refuse(`the manifest in ${prefix}exports cannot be read`)

    const findings: Array<Verify.Finding> = [...Verify.inspect(manifest, row.manifest)]
    for (const part of manifest.parts) {
      const dataset = FindDataset.find(part.dataset, options)
      if (dataset === undefined) continue
      const audited = yield* Effect.either(auditPart({ sql, name, prefix, part, dataset }))
      findings.push(
        ...Either.getOrElse(audited, (error) => [unreadable(Tables.rowsTable(dataset.name, prefix), error)])
      )
    }
    return { manifest, findings }
  })
