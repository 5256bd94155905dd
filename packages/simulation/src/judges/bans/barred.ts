import type { Judge } from "../../world/Judge.js"
import { findKnownBans, rounding } from "./knownBans.js"

/**
 * No call is reported as banned while its process knows of no ban, or if it is to wait for the end of one that another call met. A client that hedges can
 * return the ban that its first request met when its second one has failed, after the end of the ban.
 */
export const barred: Judge = {
  rule: "Barred",
  find: (journal) => {
    const known = findKnownBans(journal)
    // The gate of one process measures its bans by one clock.
    const margin = journal.conditions.isShared === false ? 0 : rounding
    return journal
      .of("Reported")
      .filter(({ at, call, tag }) => {
        if (tag !== "Banned") return false
        const request = journal.requestOf(call)
        const bans = known.get(request?.process ?? "") ?? []
        const isOwn = journal.of("Ended").some((end) => end.call === call && end.isBan)
        const isKept = isOwn && journal.conditions.isHedging === true
        const isKnown = bans.some(({ from, until }) => from <= at && (isKept || at < until + margin))
        return !isKnown || (request?.isWaiting === true && !isOwn)
      })
      .map(({ at, call }) => ({ call, detail: `reported as banned at ${at}` }))
  }
}

/** A call that is not to wait for the end of a ban fails at once if its process knows of one when it begins. */
export const stopped: Judge = {
  rule: "Stopped",
  find: (journal) => {
    // Behind the application's client another attempt can be the first that a ban stops; a batch reads its limit first, which a shared store has.
    if (journal.conditions.isDirect === false || journal.conditions.isLocal === false) return []
    const known = findKnownBans(journal)
    const sent = new Set(journal.of("Sent").map(({ call }) => call))
    return journal.of("Reported").flatMap(({ at, call, tag }) => {
      const { begins = at, isWaiting = true, process = "" } = journal.requestOf(call) ?? {}
      const isKnown = known.get(process)?.some(({ from, until }) => from < begins && begins < until) === true
      return tag === "Banned" && !isWaiting && isKnown && !sent.has(call) && at > begins + 1
        ? [{ call, detail: `fails at ${at}, and its ban was known at ${begins}` }]
        : []
    })
  }
}
