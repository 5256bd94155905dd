import * as Effect from "effect/Effect"
import type * as Part from "../model/Part.js"
import type * as Sink from "../store/Sink.js"
import * as CheckpointFile from "../files/checkpointFile.js"
import { forEach } from "../platform/forEach.js"
import { recordsOf, toStoredKey } from "./sqlRecords.js"
import * as SqlDigest from "./sqlDigest.js"
import { isPostgres, select } from "./sqlSelect.js"
import * as SqlSession from "./sqlSession.js"
import * as Tables from "./sqlTables.js"
import * as Verbatim from "../model/verbatim.js"

/** Maximum number of values in a statement, about a page of rows. SQLite takes 32,766 since version 3.32, Postgres 65,535. */
const valuesAtOnce = 3600

/** The window that is being written: its number, and the count and digest of its rows. */
interface WindowProgress {
  readonly number: number
  rows: number
  digest: string
  /** The digest of the rejected rows. */
  rejected: string
}

const tableOf = ({ prefix, sql }: SqlSession.Place, { dataset }: Part.Part<unknown, unknown>) =>
  sql(Tables.rowsTable(dataset.name, prefix))

/** Subtracts rows that are about to be replaced from the window that counts them. */
const release = (
  place: SqlSession.Place,
  part: Part.Part<unknown, unknown>,
  written: WindowProgress,
  keys: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const { prefix, sql } = place
    const windows = sql(Tables.windowsTable(prefix))
    const own = SqlSession.ofPart(place, part)
    const there = yield* select(
      sql,
      Tables.rowColumns(part.dataset),
      sql`FROM ${tableOf(place, part)} WHERE ${own} AND ${sql.in("venue_key", keys)}`
    )
    for (const record of there) {
      const number = Number(record.venue_window)
      if (number === written.number) {
        written.rows--
        written.digest = SqlDigest.digest(sql, part.dataset, [record], written.digest, -1n)
        continue
      }
      const [before] = yield* sql<{
        readonly digest: string
      }>`SELECT digest FROM ${windows} WHERE ${own} AND number = ${number}`
      yield* sql`UPDATE ${windows} SET row_count = row_count - 1, moved = moved + 1,
        digest = ${SqlDigest.digest(sql, part.dataset, [record], before?.digest, -1n)} WHERE ${own} AND number = ${number}`
    }
  })

/** Writes the rows of a window, new and replaced ones. */
const writeRows = (
  place: SqlSession.Place,
  part: Part.Part<unknown, unknown>,
  written: WindowProgress,
  rows: Sink.RowChunk["rows"]
) =>
  Effect.gen(function* () {
    const { name, sql } = place
    const table = tableOf(place, part)
    const columns = [
      ...part.dataset.columns.map((column) => column.name),
      ...["venue_extra", "venue_window", "venue_account", "venue_category"]
    ]
    const set = sql.csv(columns.map((column) => sql`${sql(column)} = ${sql.literal("excluded.")}${sql(column)}`))
    const recordOf = recordsOf({ name, part, window: written.number }, isPostgres(sql))
    const size = Math.max(1, Math.floor(valuesAtOnce / (columns.length + 3)))
    for (const { key, replaces } of rows) {
      if (replaces === undefined || replaces === key) continue
      const replaced = toStoredKey(replaces)
      yield* release(place, part, written, [replaced])
      yield* sql`DELETE FROM ${table} WHERE ${SqlSession.ofPart(place, part)} AND venue_key = ${replaced}`
    }
    for (let start = 0; start < rows.length; start += size) {
      const records = rows.slice(start, start + size).map(({ key, text }) => recordOf(key, Verbatim.line(text)))
      yield* release(
        place,
        part,
        written,
        records.map(({ venue_key }) => venue_key)
      )
      yield* sql`INSERT INTO ${table} ${sql.insert(records)} ON CONFLICT (venue_export, venue_part, venue_key) DO UPDATE SET ${set}`
      written.rows += records.length
      written.digest = SqlDigest.digest(sql, part.dataset, records, written.digest)
    }
  })

/** Writes the rows of a window, the window itself, and the checkpoint after it: in one transaction. */
const write = (session: SqlSession.Session, { checkpoint, chunks, part }: Sink.WindowRows) =>
  Effect.gen(function* () {
    const { name, prefix, sql } = session
    const windows = sql(Tables.windowsTable(prefix))
    const rejected = sql(Tables.nameOfRejected(prefix))
    const [counted] = yield* sql<{
      readonly n: number | string
    }>`SELECT count(*) AS n FROM ${windows} WHERE ${SqlSession.ofPart(session, part)}`
    const written: WindowProgress = { number: Number(counted?.n ?? 0), rows: 0, digest: "0", rejected: "0" }
    yield* forEach(chunks, ({ rejectedRows, rows }) =>
      Effect.gen(function* () {
        yield* writeRows(session, part, written, rows)
        written.rejected = SqlDigest.digestTexts(rejectedRows, written.rejected)
        for (const line of rejectedRows) {
          yield* sql`INSERT INTO ${rejected} ${sql.insert({ venue_export: name, venue_part: part.name, line })}`
        }
      })
    )
    const reached = yield* checkpoint
    const index = reached.plan.parts.findIndex(({ name }) => name === part.name)
    const window = reached.parts[index]?.windows.at(-1)
    yield* sql`INSERT INTO ${windows} ${sql.insert({
      venue_export: name,
      venue_part: part.name,
      number: written.number,
      first: window?.from ?? 0,
      past: window?.to ?? 0,
      row_count: written.rows,
      moved: 0,
      digest: written.digest,
      rejected: written.rejected
    })}`
    const steps = CheckpointFile.steps(session.states, reached, index, CheckpointFile.noJournals)
    for (const { index, line } of steps) {
      const part = reached.plan.parts[index]?.name ?? ""
      yield* Tables.appendLine(sql, prefix, { name, part, line })
    }
    // Also without a change: a run that has lost its lock must not commit.
    yield* SqlSession.update(
      session,
      reached.starts === session.starts
        ? { runner: session.runner }
        : { checkpoint: CheckpointFile.encode(CheckpointFile.headOf(reached)) }
    )
    return { steps, starts: reached.starts }
  })

export const append = (session: SqlSession.Session, batch: Sink.WindowRows) =>
  Effect.map(SqlSession.transaction(session, write(session, batch)), ({ starts, steps }) => {
    for (const { index, state } of steps) session.states[index] = state
    session.starts = starts
  })
