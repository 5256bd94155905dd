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

/** What is told of a page, and what was made of its rows; the rows themselves are not kept until the next one is there. */
interface Seen<P> {
  readonly count: number
  readonly first: string
  readonly last: string
  /** What it is told by: its ends say enough. */
  readonly sign: number
  readonly next: string
  readonly problem: string | undefined
  readonly prepared: P | undefined
}

const seen = <P>(
  { next, rows }: Dataset.Page,
  cursor: string | undefined,
  cursors: ReadonlySet<number>,
  given: ReadonlySet<number>,
  prepare: (rows: ReadonlyArray<unknown>) => P
): Seen<P> => {
  const [first = "", last = ""] = rows.length === 0 ? [] : [JSON.stringify(rows[0]), JSON.stringify(rows.at(-1))]
  const sign = sumOf(`${rows.length} ${first} ${last}`)
  const problem =
    // Not there is not empty: it says nothing of whether there is more.
    next === undefined || (next !== null && typeof next !== "string")
      ? "missingCursor"
      : next !== null && next !== "" && (next === cursor || cursors.has(sumOf(next)))
        ? "repeatedCursor"
        : // It stands in the place of another page, whose rows would be missing without a trace.
          rows.length > 0 && given.has(sign)
          ? "repeatedPage"
          : undefined
  return {
    count: rows.length,
    first,
    last,
    sign,
    next: typeof next === "string" ? next : "",
    problem,
    prepared: problem === undefined ? prepare(rows) : undefined
  }
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

/**
 * From the first page of a list to the last, or to one that cannot be. `prepare` makes what is needed of the rows of a page, once
 * nothing is wrong with it; `take` does something with that.
 */
export const walk = <P, E, R, E2, R2>(options: {
  readonly page: (cursor: string | undefined) => Effect.Effect<Dataset.Page, Failure.ReadFailure | E, R>
  readonly prepare: (rows: ReadonlyArray<unknown>) => P
  readonly take: (prepared: P, rows: number) => Effect.Effect<void, E2, R2>
  readonly count: (anomaly: string) => void
}): Effect.Effect<Walked, Failure.ReadFailure | E | E2, R | R2> =>
  Effect.suspend(() => {
    const { count, page, prepare, take } = options
    const cursors = new Set<number>()
    const given = new Set<number>()
    let last = ""
    let rows = 0
    let requests = 0
    let rereads = 0
    let overlaps = 0

    const one = (cursor: string | undefined, attempt: number): Effect.Effect<Seen<P>, Failure.ReadFailure | E, R> =>
      Effect.matchEffect(page(cursor), {
        onSuccess: (found) => Effect.succeed(seen(found, cursor, cursors, given, prepare)),
        onFailure: (failure) => (isUnexpected(failure) ? Effect.succeed(unreadable) : Effect.fail(failure))
      }).pipe(
        Effect.flatMap((found) => {
          requests++
          if (found.problem === undefined) return Effect.succeed(found)
          count(found.problem)
          rereads++
          return attempt < pageRereads ? one(cursor, attempt + 1) : Effect.succeed(found)
        })
      )

    const from = (cursor: string | undefined): Effect.Effect<Walked, Failure.ReadFailure | E | E2, R | R2> =>
      Effect.flatMap(one(cursor, 0), (found) => {
        const ended: Walked = { rows: rows + found.count, requests, rereads, overlaps, problem: undefined }
        if (found.problem !== undefined || found.prepared === undefined)
          return Effect.succeed({ ...ended, rows, problem: found.problem })
        if (found.count > 0) {
          if (last === found.first) overlaps++
          given.add(found.sign)
        }
        last = found.last
        rows += found.count
        if (found.next !== "") cursors.add(sumOf(found.next))
        const { next } = found
        return Effect.flatMap(take(found.prepared, found.count), () =>
          next === "" ? Effect.succeed({ ...ended, overlaps }) : from(next)
        )
      })

    return from(undefined)
  })

const unreadable: Seen<never> = {
  count: 0,
  first: "",
  last: "",
  sign: 0,
  next: "",
  problem: "unreadableAnswer",
  prepared: undefined
}

const isUnexpected = (failure: unknown): boolean =>
  typeof failure === "object" && failure !== null && "_tag" in failure && failure._tag === "UnexpectedResponse"
