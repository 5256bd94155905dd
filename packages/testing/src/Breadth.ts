/** Whether tests repeat themselves in full: `npm run accept -- large`. In `npm test` they repeat a part. */
export const isLong = process.env.VENUE_TESTS === "long"

/** Returns how often a test repeats itself. */
export const repeats = (inFull: number, usual: number): number => (isLong ? inFull : usual)
