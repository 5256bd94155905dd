/** Whether tests repeat themselves in full: `npm run accept -- large`. In `npm test` they repeat a part. */
export const isLong = process.env.VENUE_TESTS === "long"

/** Returns how often a test repeats itself. */
export const repeats = (inFull: number, usual: number): number => (isLong ? inFull : usual)

/**
 * Returns the rows of a table for which a law is tested: all in full, otherwise every `step`-th one, beginning with the one whose turn it is. Laws over the
 * same table have different turns, so that each row is tested.
 */
export const some = <A>(rows: ReadonlyArray<A>, step: number, turn: number): ReadonlyArray<A> =>
  isLong ? rows : rows.filter((_, index) => index % step === turn % step)
