import * as Effect from "effect/Effect"
import type * as Manifest from "../model/Manifest.js"
import * as SqlDigest from "./sqlDigest.js"
import { select } from "./sqlSelect.js"
import * as SqlSession from "./sqlSession.js"
import * as Tables from "./sqlTables.js"

/** A window as its commit recorded it. */
interface CommittedWindow extends Readonly<Record<string, unknown>> {
  readonly number: number | string
  readonly first: number | string
  readonly past: number | string
  readonly row_count: number | string
  readonly moved: number | string
  readonly rejected: string
}

const hasRange = ({ first, past }: CommittedWindow, window: Manifest.Window | undefined): boolean =>
  Number(first) === window?.from && Number(past) === window.to

/**
 * Gives the windows that a run committed the numbers that they have in the manifest, and the windows before it their ranges there. The manifest leaves out
 * windows without rows (see `continueWindows`); the digests of their rejected rows are added to the window before.
 */
export const renumber = (session: SqlSession.Session, { dataset, files, name, windows }: Manifest.Part) =>
  Effect.gen(function* () {
    const { prefix, sql } = session
    const table = sql(Tables.windowsTable(prefix))
    const own = SqlSession.ofPart(session, { name })
    const committed = yield* select<CommittedWindow>(
      sql,
      ["number", "first", "past", "row_count", "moved", "rejected"],
      sql`FROM ${table} WHERE ${own} ORDER BY number`
    )
    const before = files.reduce((sum, file) => sum + file.windows, 0)
    let next = 0
    let rejected = "0"
    for (const each of committed) {
      const number = Number(each.number)
      const window = windows[next]
      if (number < before) {
        if (!hasRange(each, window)) {
          yield* sql`UPDATE ${table} SET first = ${window?.from}, past = ${window?.to} WHERE ${own} AND number = ${number}`
        }
      } else if (!hasRange(each, window) || Number(each.row_count) + Number(each.moved) !== window?.rows) {
        yield* sql`DELETE FROM ${table} WHERE ${own} AND number = ${number}`
        rejected = SqlDigest.sum([rejected, each.rejected]) ?? rejected
        continue
      } else if (number !== next) {
        yield* sql`UPDATE ${sql(Tables.rowsTable(dataset, prefix))} SET venue_window = ${next} WHERE ${own} AND venue_window = ${number}`
        yield* sql`UPDATE ${table} SET number = ${next} WHERE ${own} AND number = ${number}`
      }
      next++
    }
    if (rejected === "0") return
    const [last] = committed
    yield* sql`UPDATE ${table} SET rejected = ${SqlDigest.sum([rejected, last?.rejected ?? "0"]) ?? rejected}
      WHERE ${own} AND number = 0`
  })
