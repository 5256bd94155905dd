import type { Judge } from "../../world/Judge.js"
import { byProcess, findKnownBans, rounding } from "./knownBans.js"
import { lastReplies } from "./probes.js"

/** Nothing is sent by a process while it knows of a ban. */
export const intoBan: Judge = {
  rule: "IntoBan",
  find: (journal) => {
    const known = findKnownBans(journal)
    const margin = journal.of("Entered").length > 0 ? rounding : 0
    return [...byProcess(journal, journal.of("Sent"))].flatMap(([process, sent]) =>
      sent.flatMap(({ at, call }) => {
        // What happens at one instant is concurrent.
        const ban = known.get(process)?.find(({ from, until }) => at > from && at < until - margin)
        return ban === undefined ? [] : [{ call, detail: `sent at ${at}, banned from ${ban.from} to ${ban.until}` }]
      })
    )
  }
}

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
