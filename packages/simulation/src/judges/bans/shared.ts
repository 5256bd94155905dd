import type { Judge } from "../Judge.js"
import { lastReplies } from "./probes.js"

/** A call is not sent if the store has reported that the address is banned, by any process. */
export const shared: Judge = {
  rule: "Shared",
  find: (journal) =>
    lastReplies(journal).flatMap(({ call, reply }) =>
      reply === "Closed" ? [{ call, detail: "is sent, and the store had reported that the address is banned" }] : []
    )
}

/** No call is sent without asking the store, if processes share one. */
export const unasked: Judge = {
  rule: "Unasked",
  find: (journal) =>
    journal.conditions.isShared === true
      ? lastReplies(journal).flatMap(({ call, reply }) =>
          reply === undefined ? [{ call, detail: "is sent, and the store was not asked" }] : []
        )
      : []
}
