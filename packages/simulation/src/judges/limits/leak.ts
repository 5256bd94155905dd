import type { Judge } from "../Judge.js"

/** Places of rate limits that were taken are settled, after any end of the call. */
export const leak: Judge = {
  rule: "Leak",
  find: ({ of }) => {
    const settled = new Set(of("Settled").map(({ reservation }) => reservation))
    return of("Reserved")
      .filter(({ reservation }) => !settled.has(reservation))
      .map(({ at, call, reservation }) => ({ call, detail: `${reservation}, taken at ${at}, was not settled` }))
  }
}
