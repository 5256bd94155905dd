import * as Effect from "effect/Effect"
import { canBeOne, joinWindows } from "../store/writePart.js"
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
  readonly digest: string
  readonly rejected: string
}

const hasRange = ({ first, past }: CommittedWindow, window: Manifest.Window | undefined): boolean =>
  Number(first) === window?.from && Number(past) === window.to

/** The windows of a part in the manifest, and for each the committed windows that it consists of. */
const arrange = (
  { files, windows }: Pick<Manifest.Part, "files" | "windows">,
  committed: ReadonlyArray<CommittedWindow>
) => {
  const before = files.reduce((sum, file) => sum + file.windows, 0)
  const last = windows.slice(before - 1, before)
  const added = windows.slice(before)
  const isOne = last.length > 0 && added.length > 0 && canBeOne([...last, ...added])
  const members = committed.slice(0, before).map((each) => [each])
  let next = 0
  for (const each of committed.slice(before)) {
    const window = added[next]
    const isKept = hasRange(each, window) && Number(each.row_count) + Number(each.moved) === window?.rows
    if (isKept) next++
    // One that is not in the manifest has no rows. The first window counts its rejected ones.
    const place = isKept ? (isOne ? before - 1 : before + next - 1) : 0
    members[place] = [...(members[place] ?? []), each]
  }
  return { members, windows: isOne ? [...windows.slice(0, before - 1), ...joinWindows([...last, ...added])] : windows }
}

/**
 * Gives the windows that a run committed the numbers that they have in the manifest. The manifest leaves out windows without rows (see `continueWindows`), and
 * the windows of runs of one day become one, so that it does not grow with every run. Returns the part with its windows.
 */
export const renumber = (session: SqlSession.Session, part: Manifest.Part) =>
  Effect.gen(function* () {
    const { name, prefix, sql } = session
    const table = sql(Tables.windowsTable(prefix))
    const rows = sql(Tables.rowsTable(part.dataset, prefix))
    const own = SqlSession.ofPart(session, part)
    const committed = yield* select<CommittedWindow>(
      sql,
      ["number", "first", "past", "row_count", "moved", "digest", "rejected"],
      sql`FROM ${table} WHERE ${own} ORDER BY number`
    )
    const { members, windows } = arrange(part, committed)
    for (const [number, those] of members.entries()) {
      const window = windows[number]
      const [first] = those
      const isAsItWas = those.length === 1 && Number(first?.number) === number
      if (first === undefined || window === undefined || (isAsItWas && hasRange(first, window))) continue
      const sum = (count: (each: CommittedWindow) => number | string) =>
        those.reduce((total, each) => total + Number(count(each)), 0)
      for (const each of those) {
        yield* sql`DELETE FROM ${table} WHERE ${own} AND number = ${Number(each.number)}`
        if (Number(each.number) === number || sum(({ row_count }) => row_count) === 0) continue
        yield* sql`UPDATE ${rows} SET venue_window = ${number} WHERE ${own} AND venue_window = ${Number(each.number)}`
      }
      yield* sql`INSERT INTO ${table} ${sql.insert({
        venue_export: name,
        venue_part: part.name,
        number,
        first: window.from,
        past: window.to,
        row_count: sum(({ row_count }) => row_count),
        moved: sum(({ moved }) => moved),
        digest: SqlDigest.sum(those.map(({ digest }) => digest)) ?? first.digest,
        rejected: SqlDigest.sum(those.map(({ rejected }) => rejected)) ?? first.rejected
      })}`
    }
    return { ...part, windows }
  })
