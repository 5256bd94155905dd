/**
 * Reads an export in tables and compares it with what was written. Imported by its name, since it needs `@effect/sql`.
 *
 * @since 0.1.0
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Dataset from "./Dataset.js"
import * as Datasets from "./Datasets.js"
import * as CheckpointFile from "./internal/checkpointFile.js"
import * as Tables from "./internal/sqlTables.js"
import * as Manifest from "./Manifest.js"
import * as SqlSink from "./SqlSink.js"
import * as Verify from "./Verify.js"

/** Rows that are in memory at once. */
const atOnce = 1000

/** A count, which some databases return as text. */
type Count = number | string

interface Written {
  readonly number: Count
  readonly first: Count
  readonly past: Count
  readonly row_count: Count
  readonly moved: Count
  readonly digest: string
}

/**
 * Compares the tables of an export, as `SqlSink` writes them, with its manifest and the digests of its windows. Their key prevents
 * duplicate rows.
 *
 * @since 0.1.0
 * @category running
 */
export const verify = (
  options: Omit<SqlSink.Options, "spool"> & {
    readonly datasets?: ReadonlyArray<Dataset.Dataset<never, unknown>> | undefined
  } = {}
): Effect.Effect<Verify.Report, Verify.NotAnExport, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const { location = "database", name = Tables.defaultName, prefix = "venue_" } = options
    const refuse = (detail: string) => new Verify.NotAnExport({ location, detail })
    const datasets: ReadonlyArray<Dataset.Dataset<never, unknown>> = [...Datasets.datasets, ...(options.datasets ?? [])]
    const sql = yield* SqlClient.SqlClient
    const windowsTable = SqlSink.windowsTable(prefix)

    const [row] = yield* Effect.mapError(
      sql<{
        readonly manifest: string | null
        readonly checkpoint: string | null
      }>`SELECT manifest, checkpoint FROM ${sql(`${prefix}exports`)} WHERE name = ${name}`,
      () => refuse(`there is no ${prefix}exports that can be read`)
    )
    if (row === undefined || row.manifest === null) {
      const text = row?.checkpoint ?? undefined
      const begun = text === undefined ? Option.none() : yield* Effect.option(Tables.readSaved(sql, prefix, name, text))
      return yield* Option.isSome(begun)
        ? Verify.unfinished(location, CheckpointFile.checkpointOf(begun.value.head, begun.value.states))
        : refuse("the export was not finished, or it is elsewhere")
    }
    const manifest = Either.getOrUndefined(Manifest.decode(row.manifest))
    if (manifest === undefined) return yield* refuse(`the manifest in ${prefix}exports cannot be read`)

    const findings: Array<Verify.Finding> = []
    for (const part of manifest.parts) {
      const own = Verify.contradictions(manifest, part)
      findings.push(...own)
      const file = SqlSink.tableOf({ name: part.dataset }, prefix)
      const dataset = datasets.find((one) => one.name === part.dataset)
      if (dataset === undefined) continue
      const table = sql(file)
      const ofPart = sql`venue_export = ${name} AND venue_part = ${part.name}`

      const read = (number: number) =>
        Effect.gen(function* () {
          let rows = 0
          let digest = "0"
          let after = ""
          for (;;) {
            const found = yield* sql<Readonly<Record<string, unknown>>>`SELECT * FROM ${table}
              WHERE ${ofPart} AND venue_window = ${number} AND venue_key > ${after} ORDER BY venue_key LIMIT ${atOnce}`
            if (found.length === 0) return { rows, digest }
            rows += found.length
            digest = SqlSink.digest(dataset, found, digest)
            after = String(found.at(-1)?.venue_key)
          }
        })

      const looked = yield* Effect.either(
        Effect.gen(function* () {
          const found: Array<Verify.Finding> = []
          const written = new Map(
            (yield* sql<Written>`SELECT * FROM ${sql(windowsTable)} WHERE ${ofPart}`).map((one) => [
              Number(one.number),
              one
            ])
          )
          let expected = 0
          for (const [number, { from, rows: told, to }] of part.windows.entries()) {
            const window = written.get(number)
            if (window === undefined || Number(window.first) !== from || Number(window.past) !== to) {
              found.push(new Verify.MissingWindow({ where: windowsTable, from, to }))
              continue
            }
            const rows = Number(window.row_count)
            expected += rows
            if (rows + Number(window.moved) !== told) {
              found.push(
                new Verify.ChangedManifest({
                  because: `a window of ${part.name} has ${told} rows, and had ${rows} when it was written`
                })
              )
              continue
            }
            const there = yield* read(number)
            if (there.rows < rows) {
              found.push(
                there.rows === 0
                  ? new Verify.MissingWindow({ where: file, from, to })
                  : new Verify.RemovedRows({ file, from, to, rows: there.rows, expected: rows })
              )
            } else if (there.rows === rows && there.digest !== window.digest) {
              found.push(new Verify.ChangedRows({ file, from, to }))
            }
          }
          const [all] = yield* sql<{ readonly n: Count }>`SELECT count(*) AS n FROM ${table} WHERE ${ofPart}`
          const rows = Number(all?.n ?? 0)
          if (rows > expected && found.length === 0) found.push(new Verify.AddedRows({ file, rows, expected }))
          return found
        })
      )
      if (Either.isLeft(looked)) findings.push(new Verify.MissingFile({ file }))
      else findings.push(...looked.right)
    }
    return { manifest, findings }
  })
