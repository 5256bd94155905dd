import type * as Failure from "@effect-venue/transport/Failure"
import * as Effect from "effect/Effect"
import type * as Dataset from "../Dataset.js"

/** How often one page is asked for again before its whole list is. */
const pageRereads = 2

/** Two checksums of 26 bits, as one number: tells texts apart, and keeps none of them. */
export const sumOf = (text: string): number => {
  let one = 0x811c9dc5
  let other = 0x01000193
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    one = Math.imul(one ^ code, 0x01000193)
    other = Math.imul(other + code, 0x85ebca6b) ^ (other >>> 13)
  }
  return (one >>> 6) * 0x4000000 + (other >>> 6)
}

/** What a page is told by: its ends say enough. */
const signOf = (rows: ReadonlyArray<unknown>): number =>
  sumOf(`${rows.length} ${JSON.stringify(rows[0])} ${JSON.stringify(rows.at(-1))}`)

const problemOf = (
  page: Dataset.Page,
  cursor: string | undefined,
  cursors: ReadonlySet<number>,
  given: ReadonlySet<number>
): string | undefined => {
  const { next } = page
  // Not there is not empty: it says nothing of whether there is more.
  if (next === undefined || (next !== null && typeof next !== "string")) return "missingCursor"
  if (next !== null && next !== "" && (cursors.has(sumOf(next)) || next === cursor)) return "repeatedCursor"
  // It stands in the place of another page, whose rows would be missing without a trace.
  return page.rows.length > 0 && given.has(signOf(page.rows)) ? "repeatedPage" : undefined
}

/** What came of a walk; `problem`: why it ended before the last page. */
export interface Walked {
  readonly rows: number
  readonly requests: number
  readonly rereads: number
  /** Pages that began with the row that the one before ended in. */
  readonly overlaps: number
  readonly problem: string | undefined
}

/** From the first page of a list to the last, or to one that cannot be. Of the pages that were given nothing is kept here. */
export const walk = <E, R, E2, R2>(options: {
  readonly page: (cursor: string | undefined) => Effect.Effect<Dataset.Page, Failure.ReadFailure | E, R>
  readonly take: (rows: ReadonlyArray<unknown>) => Effect.Effect<void, E2, R2>
  readonly count: (anomaly: string) => void
}): Effect.Effect<Walked, Failure.ReadFailure | E | E2, R | R2> =>
  Effect.gen(function* () {
    const { count, page, take } = options
    const cursors = new Set<number>()
    const given = new Set<number>()
    let cursor: string | undefined
    let last: string | undefined
    let rows = 0
    let requests = 0
    let rereads = 0
    let overlaps = 0
    for (;;) {
      let found: Dataset.Page = { rows: [], next: "" }
      let problem: string | undefined
      for (let attempt = 0; attempt <= pageRereads; attempt++) {
        const answered = yield* Effect.either(page(cursor))
        requests++
        if (answered._tag === "Left") {
          const failure = answered.left
          if (!isUnexpected(failure)) return yield* Effect.fail(failure)
          problem = "unreadableAnswer"
        } else {
          found = answered.right
          problem = problemOf(found, cursor, cursors, given)
        }
        if (problem === undefined) break
        count(problem)
        rereads++
      }
      if (problem !== undefined) return { rows, requests, rereads, overlaps, problem }
      if (found.rows.length > 0) {
        if (last !== undefined && last === JSON.stringify(found.rows[0])) overlaps++
        last = JSON.stringify(found.rows.at(-1))
        given.add(signOf(found.rows))
      } else {
        last = undefined
      }
      rows += found.rows.length
      yield* take(found.rows)
      const { next } = found
      if (typeof next !== "string" || next === "") return { rows, requests, rereads, overlaps, problem }
      cursors.add(sumOf(next))
      cursor = next
    }
  })

const isUnexpected = (failure: unknown): boolean =>
  typeof failure === "object" && failure !== null && "_tag" in failure && failure._tag === "UnexpectedResponse"
