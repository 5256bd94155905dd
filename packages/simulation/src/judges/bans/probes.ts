import type * as Journal from "../../world/Journal.js"
import type { Finding, Judge } from "../../world/Judge.js"
import { byProcess, findKnownBans, type Period } from "./knownBans.js"

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
      if (end !== undefined && end.seq < sending.seq) {
        // A probe without an answer says nothing: the next call is one.
        probe = end.answer === "left" || end.answer === "unsent" ? sending : undefined
      } else if (sending.call !== call) {
        findings.push({ call: sending.call, detail: `sent while ${call} was probing` })
      }
    }
    return findings
  })

/** After a ban one call is sent, and the others wait for its answer. In processes that share their bans, the store chooses it. */
export const probes: Judge = {
  rule: "Probes",
  find: (journal) => {
    if (journal.of("Entered").length > 0) {
      return lastReplies(journal).flatMap(({ call, reply }) =>
        reply === "Probing" ? [{ call, detail: "is sent beside the probe" }] : []
      )
    }
    const known = findKnownBans(journal)
    const ended = byProcess(journal, journal.of("Ended"))
    return [...byProcess(journal, journal.of("Sent"))].flatMap(([process, sent]) =>
      ofProcess(sent, ended.get(process) ?? [], known.get(process) ?? [])
    )
  }
}

/** The last reply of the shared store to each call before one of its sendings; `undefined` if the store received no request. */
export const lastReplies = ({ facts }: Journal.Journal) => {
  const replies = new Map<string, Journal.Of<"Entered">["reply"]>()
  const sendings: Array<{ readonly call: string; readonly reply: Journal.Of<"Entered">["reply"] | undefined }> = []
  for (const fact of facts) {
    if (fact._tag === "Entered") replies.set(fact.call, fact.reply)
    if (fact._tag !== "Sent") continue
    sendings.push({ call: fact.call, reply: replies.get(fact.call) })
    // It asks again when it is sent again.
    replies.delete(fact.call)
  }
  return sendings
}
