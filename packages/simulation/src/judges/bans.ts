/** The promises about bans of the address. Each process knows of those that it met itself. */
import type * as Journal from "../world/Journal.js"
import type { Finding, Judge } from "../world/Judge.js"

interface Period {
  readonly from: number
  readonly until: number
}

/** The bans that each process knows of, in the order in which it learns of them. */
const findKnownBans = ({ conditions, of, requestOf }: Journal.Journal): ReadonlyMap<string, ReadonlyArray<Period>> => {
  const { banLength = 0 } = conditions
  const known = new Map<string, Array<Period>>()
  for (const fact of of("Ended").filter(({ isBan }) => isBan)) {
    const process = requestOf(fact.call)?.process ?? ""
    const periods = known.get(process) ?? []
    known.set(process, periods)
    periods.push({ from: fact.at, until: fact.at + banLength })
  }
  return known
}

/** The processes of a run, each with its facts of one kind. */
const byProcess = <F extends { readonly call: string }>(
  { requestOf }: Journal.Journal,
  facts: ReadonlyArray<F>
): ReadonlyMap<string, ReadonlyArray<F>> => {
  const processes = new Map<string, Array<F>>()
  for (const fact of facts) {
    const process = requestOf(fact.call)?.process ?? ""
    const own = processes.get(process)
    if (own === undefined) processes.set(process, [fact])
    else own.push(fact)
  }
  return processes
}

/** The difference of one instant, by fractions of a millisecond. */
const rounding = 1.5

/** Nothing is sent by a process while it knows of a ban. */
export const intoBan: Judge = {
  rule: "IntoBan",
  find: (journal) => {
    const known = findKnownBans(journal)
    return [...byProcess(journal, journal.of("Sent"))].flatMap(([process, sent]) =>
      sent.flatMap(({ at, call }) => {
        // What happens at one instant is concurrent.
        const ban = known.get(process)?.find(({ from, until }) => at > from && at < until)
        return ban === undefined ? [] : [{ call, detail: `sent at ${at}, banned from ${ban.from} to ${ban.until}` }]
      })
    )
  }
}

/** Periods without overlaps. */
const mergePeriods = (periods: ReadonlyArray<Period>): ReadonlyArray<Period> => {
  const result: Array<Period> = []
  for (const { from, until } of periods) {
    const last = result.at(-1)
    if (last !== undefined && from < last.until) result[result.length - 1] = { from: last.from, until }
    else result.push({ from, until })
  }
  return result
}

/** The calls of one process that were sent after a ban while a call was on its way that had to be answered first. */
const ofProcess = (
  sent: ReadonlyArray<Journal.Of<"Sent">>,
  ended: ReadonlyArray<Journal.Of<"Ended">>,
  bans: ReadonlyArray<Period>
): ReadonlyArray<Finding> =>
  mergePeriods(bans).flatMap(({ until }, index, periods) => {
    const next = periods[index + 1]?.from ?? Number.POSITIVE_INFINITY
    const after = sent.filter(({ at }) => at >= until && at <= next)
    let [probe] = after
    const findings: Array<Finding> = []
    for (const sending of after.slice(1)) {
      if (probe === undefined) break
      const { call, sending: number } = probe
      const end = ended.find((end) => end.call === call && end.sending === number)
      // What happens at one instant is concurrent: the lease of a probe can end with its attempt.
      if (end !== undefined && (end.seq < sending.seq || end.at === sending.at)) {
        // A probe without an answer says nothing: the next call is one.
        probe = end.answer === "left" || end.answer === "unsent" ? sending : undefined
      } else if (sending.call !== call) {
        findings.push({ call: sending.call, detail: `sent while ${call} was probing` })
      }
    }
    return findings
  })

/** After a ban one call is sent, and the others wait for its answer. */
export const probes: Judge = {
  rule: "Probes",
  find: (journal) => {
    const known = findKnownBans(journal)
    const ended = byProcess(journal, journal.of("Ended"))
    return [...byProcess(journal, journal.of("Sent"))].flatMap(([process, sent]) =>
      ofProcess(sent, ended.get(process) ?? [], known.get(process) ?? [])
    )
  }
}

/**
 * No call is reported as banned while its process knows of no ban, or if it is to wait for the end of one that another call met. A client that hedges can
 * return the ban that its first request met when its second one has failed, after the end of the ban.
 */
export const barred: Judge = {
  rule: "Barred",
  find: (journal) => {
    const known = findKnownBans(journal)
    return journal
      .of("Reported")
      .filter(({ at, call, tag }) => {
        if (tag !== "Banned") return false
        const request = journal.requestOf(call)
        const bans = known.get(request?.process ?? "") ?? []
        const isOwn = journal.of("Ended").some((end) => end.call === call && end.isBan)
        const isKept = isOwn && journal.conditions.isHedging === true
        const isKnown = bans.some(({ from, until }) => from <= at && (isKept || at < until + rounding))
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
