import type * as Failure from "@effect-venue/transport/Failure"
import * as Effect from "effect/Effect"
import type * as Dataset from "../Dataset.js"

/** How often one page is asked for again before its whole list is. */
const pageRereads = 2

/** Pages without rows that may follow each other. A list that goes on for longer is taken to have no end. */
const maxEmptyPages = 100

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

/** What identifies a page, and what was made of its rows; the rows themselves are not kept until the next page is there. */
interface Seen<P> {
  readonly count: number
  /** A checksum of each row, where rows are compared. */
  readonly sums: ReadonlyArray<number>
  /** A checksum of its ends. */
  readonly sign: number
  readonly next: string
  readonly problem: string | undefined
  readonly prepared: P | undefined
}

const seen = <P>(
  page: Dataset.Page,
  cursor: string | undefined,
  cursors: ReadonlySet<number>,
  given: ReadonlySet<number>,
  { comparesRows, prepare }: Pick<Options<P, never, never, never, never>, "comparesRows" | "prepare">
): Seen<P> => {
  const { next, rows } = page
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
    sums: comparesRows ? rows.map((row) => sumOf(JSON.stringify(row))) : [],
    sign,
    next: typeof next === "string" ? next : "",
    problem,
    prepared: problem === undefined ? prepare(page) : undefined
  }
}

/** What came of a walk; `problem`: why it ended before the last page. */
export interface Walked {
  readonly rows: number
  readonly requests: number
  readonly rereads: number
  /** Pages that have a row of the page before. */
  readonly overlaps: number
  /** Equal for readings that have the same rows, in any order. */
  readonly digest: number
  readonly problem: string | undefined
}

interface Options<P, E, R, E2, R2> {
  readonly page: (cursor: string | undefined) => Effect.Effect<Dataset.Page, Failure.ReadFailure | E, R>
  /** Whether rows are compared with those of the page before: of records without id, a row that is there twice may be one record. */
  readonly comparesRows: boolean
  readonly prepare: (page: Dataset.Page) => P
  readonly take: (prepared: P, rows: number) => Effect.Effect<void, E2, R2>
  readonly count: (anomaly: string) => void
}

/** Sums of checksums, which stay whole numbers. */
const digestRange = 2 ** 52

/** Rows nested deeper than this process can look at. */
const isTooDeep = (error: unknown): boolean => error instanceof RangeError

/**
 * From the first page of a list to the last, or to one that cannot be. `prepare` makes what is needed of the rows of a page, once
 * nothing is wrong with it; `take` does something with that.
 */
export const walk = <P, E, R, E2, R2>(
  options: Options<P, E, R, E2, R2>
): Effect.Effect<Walked, Failure.ReadFailure | E | E2, R | R2> =>
  Effect.suspend(() => {
    const { count, page, take } = options
    const cursors = new Set<number>()
    const given = new Set<number>()
    let before: ReadonlySet<number> = new Set()
    let rows = 0
    let requests = 0
    let rereads = 0
    let overlaps = 0
    let digest = 0
    let emptyPages = 0

    const look = (found: Dataset.Page, cursor: string | undefined): Seen<P> => {
      try {
        return seen(found, cursor, cursors, given, options)
      } catch (error) {
        if (isTooDeep(error)) return unreadable
        throw error
      }
    }

    const read = (cursor: string | undefined, attempt: number): Effect.Effect<Seen<P>, Failure.ReadFailure | E, R> =>
      Effect.matchEffect(page(cursor), {
        onSuccess: (found) => Effect.sync(() => look(found, cursor)),
        onFailure: (failure) => (isUnexpected(failure) ? Effect.succeed(unreadable) : Effect.fail(failure))
      }).pipe(
        Effect.flatMap((found) => {
          requests++
          if (found.problem === undefined) return Effect.succeed(found)
          count(found.problem)
          rereads++
          return attempt < pageRereads ? read(cursor, attempt + 1) : Effect.succeed(found)
        })
      )

    const note = ({ count, next, sign, sums }: Seen<P>): void => {
      emptyPages = count === 0 ? emptyPages + 1 : 0
      if (count > 0) {
        if (sums.some((sum) => before.has(sum))) overlaps++
        before = new Set(sums)
        given.add(sign)
      }
      for (const sum of sums) digest = (digest + sum) % digestRange
      rows += count
      if (next !== "") cursors.add(sumOf(next))
    }

    const ended = (problem: string | undefined): Walked => ({ rows, requests, rereads, overlaps, digest, problem })

    const from = (cursor: string | undefined): Effect.Effect<Walked, Failure.ReadFailure | E | E2, R | R2> =>
      Effect.flatMap(read(cursor, 0), (found) => {
        if (found.problem !== undefined || found.prepared === undefined) return Effect.succeed(ended(found.problem))
        note(found)
        const { next } = found
        return Effect.flatMap(take(found.prepared, found.count), () => {
          if (next === "") return Effect.succeed(ended(undefined))
          if (emptyPages < maxEmptyPages) return from(next)
          count("emptyPages")
          return Effect.succeed(ended("emptyPages"))
        })
      })

    return from(undefined)
  })

const unreadable: Seen<never> = {
  count: 0,
  sums: [],
  sign: 0,
  next: "",
  problem: "unreadableAnswer",
  prepared: undefined
}

const isUnexpected = (failure: unknown): boolean =>
  typeof failure === "object" && failure !== null && "_tag" in failure && failure._tag === "UnexpectedResponse"
