import type { Judge } from "../Judge.js"

/** Failures of a call that does not leave because something else does not work. */
const causes = new Set(["ConnectionFailed RateLimitStore", "ConnectionFailed WriteJournal", "StoreUnreachable"])

/** No call fails because of its store of limits or its journal while both work. */
export const unserved: Judge = {
  rule: "Unserved",
  find: ({ conditions, of }) =>
    conditions.isServed === true
      ? of("Reported")
          .filter(({ tag }) => causes.has(tag))
          .map(({ call, tag }) => ({ call, detail: `fails with ${tag}, and nothing is wrong there` }))
      : []
}
