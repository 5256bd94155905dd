import type { Judge } from "../Judge.js"

/** The failures of calls that were not sent because their store of limits or their journal failed. */
const causes = new Set(["ConnectionFailed RateLimitStore", "ConnectionFailed WriteJournal", "StoreUnreachable"])

/** No call fails because of its store of limits or its journal while both work. */
export const unserved: Judge = {
  rule: "Unserved",
  find: ({ conditions, of }) =>
    conditions.isServed === true
      ? of("Reported")
          .filter(({ tag }) => causes.has(tag))
          .map(({ call, tag }) => ({ call, detail: `fails with ${tag}, although the store and the journal work` }))
      : []
}
