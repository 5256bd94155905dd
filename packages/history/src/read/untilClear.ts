import type * as Pages from "@effect-venue/transport/siblings/Pages"
import * as Effect from "effect/Effect"

/** One reading of a list. */
export interface Reading<out A, out E> {
  readonly content: A
  readonly walked: Pages.Walked<E>
}

/** The best reading of a list, and its problem, if any. */
export interface Settled<out A, out E> extends Reading<A, E> {
  /** Why rows can be missing or repeated. */
  readonly problem: Pages.Problem<E> | typeof changing | undefined
  /** How often the list was read. */
  readonly readings: number
}

/** How often a list is read whose rows cannot be distinguished. */
const maxReadings = 4

const changing = { kind: "changingList" } as const

/**
 * Reads a list until a reading is clear. A reading with a problem is repeated once, since the cursor of an earlier page can be the cause;
 * of two with problems the longer one counts. A reading whose pages repeat rows of the page before is repeated up to three times, until
 * no row repeats or two readings agree: either the list shifted, or the rows are equal records. Keeps the previous reading while the list
 * is read again.
 */
export const untilClear = <A, E, E2, R>(
  read: Effect.Effect<Reading<A, E>, E2, R>,
  /** Called for every reading that is not clear although it has no problem. */
  onOverlap: () => void = () => undefined
): Effect.Effect<Settled<A, E>, E2, R> =>
  Effect.gen(function* () {
    let before: Reading<A, E> | undefined
    for (let readings = 1; ; readings++) {
      const reading: Reading<A, E> = yield* read
      const { digest, overlaps, problem, rows } = reading.walked
      const earlier = before?.walked
      if (problem === undefined) {
        const agrees = earlier?.problem === undefined && earlier?.digest === digest
        if (overlaps === 0 || agrees) return { ...reading, problem, readings }
        onOverlap()
        if (readings === maxReadings) return { ...reading, problem: changing, readings }
      } else if (before === undefined && problem.kind === "endlessList") {
        return { ...reading, problem, readings }
      } else if (before !== undefined) {
        const isBetter = earlier?.problem !== undefined && rows >= earlier.rows
        return { ...(isBetter ? reading : before), problem, readings }
      }
      before = reading
    }
  })
