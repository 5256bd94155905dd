import * as SqlClient from "@effect/sql/SqlClient"
import * as SqlError from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Checkpoint from "../model/Checkpoint.js"
import * as Datasets from "../requests/Datasets.js"
import type * as Manifest from "../model/Manifest.js"
import { decodeWritten } from "../files/folderFiles.js"
import type * as Part from "../model/Part.js"
import * as ProcessIdentity from "../platform/ProcessIdentity.js"
import * as CheckpointFile from "../files/checkpointFile.js"
import { Refused, SinkFailure } from "../model/ExportFailure.js"
import { isPostgres, select } from "./sqlSelect.js"
import * as Tables from "./sqlTables.js"
import { newToken } from "../platform/token.js"

/** The longest idle time within a transaction with a fence, in milliseconds, because others wait for its locks. */
const silentFor = 5000

const decodeIdentity = Schema.decodeOption(Schema.parseJson(ProcessIdentity.ProcessIdentity))
/** The token distinguishes two runs of one process. */
const encodeIdentity = Schema.encodeSync(
  Schema.parseJson(Schema.Struct({ ...ProcessIdentity.ProcessIdentity.fields, token: Schema.String }))
)

/** The location of an export, and its fence. */
export interface Place {
  readonly sql: SqlClient.SqlClient
  readonly name: string
  readonly prefix: string
  /** The location in messages. */
  readonly location: string
  readonly fence: Effect.Effect<void, SinkFailure> | undefined
  readonly alone: boolean
  /** The identity of this run, as stored in the lock. */
  readonly runner: string
}

/** An open export of one run, until its scope ends. */
export interface Session extends Place {
  readonly parts: ReadonlyArray<Part.Part<unknown, unknown>>
  readonly checkpoint: Option.Option<Checkpoint.Checkpoint>
  readonly manifest: Option.Option<Manifest.Manifest>
  states: Array<CheckpointFile.PartState>
  starts: number
}

export const toFailure =
  ({ location }: Pick<Place, "location">) =>
  ({ cause, message }: SqlError.SqlError): SinkFailure =>
    new SinkFailure({ location, detail: cause instanceof Error ? cause.message : message })

export const failing = <A, R>(
  place: Pick<Place, "location">,
  effect: Effect.Effect<A, SqlError.SqlError | SinkFailure, R>
) => Effect.mapError(effect, (error) => (error._tag === "SqlError" ? toFailure(place)(error) : error))

export const transaction = <A, E, R>({ fence, sql }: Place, writes: Effect.Effect<A, E, R>) => {
  const fenced =
    fence === undefined
      ? Effect.void
      : Effect.zipRight(
          isPostgres(sql)
            ? sql`SELECT set_config('idle_in_transaction_session_timeout', ${String(silentFor)}, true)`
            : Effect.void,
          fence
        )
  // A lost connection is a defect: nothing can be rolled back.
  return Effect.catchSomeDefect(sql.withTransaction(Effect.zipRight(fenced, writes)), (defect) =>
    defect instanceof SqlError.SqlError ? Option.some(Effect.fail(defect)) : Option.none()
  )
}

const exportsOf = ({ prefix, sql }: Place) => sql(`${prefix}exports`)

/** The condition that selects what belongs to a part. */
export const ofPart = ({ name, sql }: Pick<Place, "name" | "sql">, part: { readonly name: string }) =>
  sql`venue_export = ${name} AND venue_part = ${part.name}`

/** Locks the export for this run, unless a live process has the lock. */
const lock = (place: Place, parts: ReadonlyArray<Part.Part<unknown, unknown>>) =>
  Effect.gen(function* () {
    const { alone, fence, location, name, prefix, runner, sql } = place
    const exports = exportsOf(place)
    const processes = yield* ProcessIdentity.Processes
    yield* Tables.prepare(prefix, parts)
    yield* sql`INSERT INTO ${exports} (name) VALUES (${name}) ON CONFLICT (name) DO UPDATE SET name = excluded.name`
    const [row] = yield* select<{ readonly runner: string | null }>(
      sql,
      ["runner"],
      sql`FROM ${exports} WHERE name = ${name}`
    )
    const holder = row?.runner === null || row === undefined ? Option.none() : decodeIdentity(row.runner)
    const isFree =
      alone || fence !== undefined || Option.isNone(holder) || (yield* processes.isAlive(holder.value)) === false
    if (!isFree && Option.isSome(holder)) {
      return yield* new Refused({
        location,
        reason: "Locked",
        detail: `another export is running here (process ${holder.value.pid}); if that process does not exist, set runner to NULL in ${prefix}exports`
      })
    }
    yield* sql`UPDATE ${exports} SET runner = ${runner} WHERE name = ${name}`
  })

/** The existing export: its checkpoint and its manifest. Unreadable ones count as absent if they are about to be overwritten. */
const inspect = (place: Place, overwrite: boolean) =>
  Effect.gen(function* () {
    const { location, name, prefix, sql } = place
    const [row] = yield* failing(
      place,
      select<{ readonly checkpoint: string | null; readonly manifest: string | null }>(
        sql,
        ["checkpoint", "manifest"],
        sql`FROM ${exportsOf(place)} WHERE name = ${name}`
      )
    )
    const refuse = (detail: string) =>
      new SinkFailure({ location, detail: `${detail}: overwrite it, or export elsewhere` })
    const read = <A>(text: string | null | undefined, decode: (text: string) => Effect.Effect<A, SinkFailure>) =>
      text === null || text === undefined
        ? Effect.succeedNone
        : overwrite
          ? Effect.option(decode(text))
          : Effect.asSome(decode(text))
    const saved = yield* read(row?.checkpoint, (text) =>
      Effect.mapError(Tables.readSaved(sql, prefix, name, text), (error) =>
        typeof error === "string" ? refuse(error) : toFailure(place)(error)
      )
    )
    const manifest = yield* read(row?.manifest, (text) =>
      Either.mapLeft(decodeWritten(text), (detail) => refuse(`the manifest in ${prefix}exports ${detail}`))
    )
    return { manifest, saved }
  })

/** Opens the export for one run until the scope ends. */
export const open = (
  unnamed: Omit<Place, "runner" | "sql">,
  parts: ReadonlyArray<Part.Part<unknown, unknown>>,
  overwrite: boolean
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const own = yield* Effect.flatMap(ProcessIdentity.Processes, ({ self }) => self)
    const place: Place = { ...unnamed, sql, runner: encodeIdentity({ ...own, token: yield* newToken }) }
    const { name, runner } = place
    yield* Effect.acquireRelease(
      Effect.catchTag(transaction(place, lock(place, parts)), "SqlError", (error) =>
        Effect.fail(toFailure(place)(error))
      ),
      () => Effect.ignore(sql`UPDATE ${exportsOf(place)} SET runner = NULL WHERE name = ${name} AND runner = ${runner}`)
    )
    const { manifest, saved } = yield* inspect(place, overwrite)
    const session: Session = {
      ...place,
      parts,
      manifest,
      checkpoint: Option.map(saved, ({ head, states }) => CheckpointFile.toCheckpoint(head, states)),
      states: Option.match(saved, { onNone: () => [], onSome: ({ states }) => [...states] }),
      starts: Option.match(saved, { onNone: () => 0, onSome: ({ head }) => head.starts })
    }
    return session
  })

/** Run it in the transaction of the rows, so that a run that has lost its lock writes none of them. */
export const update = (
  place: Place,
  state: { readonly checkpoint?: string | null; readonly manifest?: string | null; readonly runner?: string }
) => {
  const { location, name, runner, sql } = place
  return Effect.filterOrFail(
    sql`UPDATE ${exportsOf(place)} SET ${sql.update(state)} WHERE name = ${name} AND runner = ${runner} RETURNING name`,
    (rows) => rows.length > 0,
    () => new SinkFailure({ location, detail: `another process took over the export ${name}` })
  )
}

export const clearCheckpoint = ({ name, prefix, sql }: Place) =>
  sql`DELETE FROM ${sql(Tables.checkpointsTable(prefix))} WHERE venue_export = ${name}`

/** Rewrites the checkpoint of each part as one line, and their head. */
const writeCheckpoint = (
  place: Place,
  head: CheckpointFile.Head,
  lines: ReadonlyArray<CheckpointFile.PartState>,
  more: { readonly manifest?: null }
) =>
  Effect.gen(function* () {
    const { name, prefix, sql } = place
    yield* clearCheckpoint(place)
    for (const [index, { name: part }] of head.plan.parts.entries()) {
      const state = lines[index]
      if (state === undefined) continue
      yield* Tables.appendLine(sql, prefix, { name, part, line: CheckpointFile.lineOf(state) })
    }
    yield* update(place, { checkpoint: CheckpointFile.encode(head), ...more })
  })

/** Deletes the rows of this export, including those of earlier parts. */
const clear = ({ checkpoint, manifest, name, parts, prefix, sql }: Session) =>
  Effect.gen(function* () {
    const had = [
      ...Option.match(manifest, { onNone: () => [], onSome: ({ parts }) => parts }),
      ...Option.match(checkpoint, { onNone: () => [], onSome: ({ plan }) => plan.parts })
    ]
    const datasets = new Set([
      // If the checkpoint is unreadable, clear every dataset.
      ...Datasets.datasets.map(({ name }) => name),
      ...had.map(({ dataset }) => dataset),
      ...parts.map(({ dataset }) => dataset.name)
    ])
    for (const dataset of datasets) {
      const table = Tables.rowsTable(dataset, prefix)
      const columns = yield* Tables.columnsOf(sql, table)
      if (columns.length > 0) yield* sql`DELETE FROM ${sql(table)} WHERE venue_export = ${name}`
    }
    yield* sql`DELETE FROM ${sql(Tables.nameOfRejected(prefix))} WHERE venue_export = ${name}`
    yield* sql`DELETE FROM ${sql(Tables.windowsTable(prefix))} WHERE venue_export = ${name}`
  })

/** Starts the export with a checkpoint. Unless it continues a finished export, existing rows are deleted. */
export const begin = (session: Session, checkpoint: Checkpoint.Checkpoint) =>
  Effect.gen(function* () {
    const begun = CheckpointFile.begun(checkpoint)
    const isNew = checkpoint.plan.since === null
    const head = CheckpointFile.headOf(checkpoint)
    yield* transaction(
      session,
      Effect.zipRight(
        isNew ? clear(session) : Effect.void,
        writeCheckpoint(session, head, begun, isNew ? { manifest: null } : {})
      )
    )
    session.states = begun
    session.starts = checkpoint.starts
  })
