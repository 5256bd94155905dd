import type { Judge } from "../Judge.js"
import { byProcess, knownBans, rounding } from "./knownBans.js"

/** Nothing is sent by a process while it knows of a ban. */
export const intoBan: Judge = {
  rule: "IntoBan",
  find: (journal) => {
    const known = knownBans(journal)
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
