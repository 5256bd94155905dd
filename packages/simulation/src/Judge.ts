/**
 * Compares what the library reported with what the world knows. Pure.
 */
import type * as Journal from "./Journal.js"

/**
 * `Twice`: a write arrived again after it had been executed. `Denied`: executed, and reported as refused. `Invented`: reported as done,
 * and not executed. `Silent`: executed, the caller interrupted, and nothing reported. `Stuck`: a call has no outcome. `Spinning`: time
 * stands still. `IntoBan`: sent to an address while its ban was known. `Probes`: more than one call at once after a ban. `Limit`: the
 * service refused a call for a limit that no other client uses, and could have been spared it. `Leak`: places of rate limits that were taken and not settled.
 * `Order`: a call went before one that waited longer for the same and had at least its priority. `Secret`: a secret in a log line or a
 * failure. `Defect`: a call died.
 */
export const rules = [
  "Twice",
  "Denied",
  "Invented",
  "Silent",
  "Stuck",
  "Spinning",
  "IntoBan",
  "Probes",
  "Limit",
  "Leak",
  "Order",
  "Secret",
  "Defect"
] as const

export type Rule = (typeof rules)[number]

export interface Violation {
  readonly rule: Rule
  /** The call, where it is about one. */
  readonly call: string
  readonly detail: string
}

export interface Expectations {
  /** How long the service bans an address, in milliseconds. */
  readonly banLength: number
  /** Wishes whose execution may be repeated: of reads and idempotent writes. */
  readonly isRepeatable: (wish: string) => boolean
  /** Wishes that change something: of writes and idempotent writes. */
  readonly isWrite: (wish: string) => boolean
  /** Whether the service has no reason to refuse a call for a limit. */
  readonly isLimitOurs: boolean
}

const ofTag = <T extends Journal.Fact["_tag"]>(facts: ReadonlyArray<Journal.Fact>, tag: T) =>
  facts.filter((fact): fact is Extract<Journal.Fact, { readonly _tag: T }> => fact._tag === tag)

const twice = (facts: ReadonlyArray<Journal.Fact>, { isRepeatable }: Expectations): ReadonlyArray<Violation> => {
  const executed = new Set<string>()
  const violations: Array<Violation> = []
  for (const { call, executed: now, isCopy, wishes } of ofTag(facts, "Arrived")) {
    for (const wish of wishes) {
      if (executed.has(wish) && !isRepeatable(wish) && !isCopy) {
        violations.push({ rule: "Twice", call, detail: `${wish} arrived again after it had been executed` })
      }
    }
    // The library cannot know what a copy does that the network made.
    if (!isCopy) for (const wish of now) executed.add(wish)
  }
  return violations
}

const outcomes = (facts: ReadonlyArray<Journal.Fact>, { isWrite }: Expectations): ReadonlyArray<Violation> => {
  const arrived = ofTag(facts, "Arrived")
  const executed = new Set(arrived.flatMap((fact) => fact.executed))
  // The library cannot know what a copy does that the network made after the request itself was refused.
  const executedAsSent = new Set(arrived.filter(({ isCopy }) => !isCopy).flatMap((fact) => fact.executed))
  const abandoned = new Set(ofTag(facts, "Abandoned").map(({ call }) => call))
  return ofTag(facts, "Reported").flatMap(({ call, outcome, tag, wish }): ReadonlyArray<Violation> => {
    if (outcome === "died") return [{ rule: "Defect", call, detail: tag }]
    if (!isWrite(wish)) return []
    const isExecuted = executed.has(wish)
    switch (outcome) {
      case "done":
        return isExecuted
          ? []
          : [{ rule: "Invented", call, detail: `${wish} is reported as done, and was not executed` }]
      case "refused":
        return executedAsSent.has(wish)
          ? [{ rule: "Denied", call, detail: `${wish} was executed, and is reported as ${tag}` }]
          : []
      case "interrupted":
        return isExecuted && !abandoned.has(call)
          ? [{ rule: "Silent", call, detail: `${wish} was executed, its caller interrupted, and nothing reported` }]
          : []
      case "unknown":
        return []
    }
  })
}

/** The instants from which, and until which, a ban is known here. */
const bans = (facts: ReadonlyArray<Journal.Fact>, { banLength }: Expectations) =>
  ofTag(facts, "Ended")
    .filter(({ isBan }) => isBan)
    .map(({ at }) => ({ from: at, until: at + banLength }))

const intoBan = (facts: ReadonlyArray<Journal.Fact>, expectations: Expectations): ReadonlyArray<Violation> => {
  const periods = bans(facts, expectations)
  return ofTag(facts, "Sent").flatMap(({ at, call }) => {
    // What happens at one instant is concurrent.
    const ban = periods.find(({ from, until }) => at > from && at < until)
    return ban === undefined
      ? []
      : [{ rule: "IntoBan", call, detail: `sent at ${at}, banned from ${ban.from} to ${ban.until}` }]
  })
}

/** Times in which bans are known, without overlaps. */
const banned = (facts: ReadonlyArray<Journal.Fact>, expectations: Expectations) => {
  const periods: Array<{ readonly from: number; readonly until: number }> = []
  for (const { from, until } of bans(facts, expectations)) {
    const last = periods.at(-1)
    if (last !== undefined && from < last.until) periods[periods.length - 1] = { from: last.from, until }
    else periods.push({ from, until })
  }
  return periods
}

/** After a ban one call goes first, and the others wait for its answer. */
const probes = (facts: ReadonlyArray<Journal.Fact>, expectations: Expectations): ReadonlyArray<Violation> =>
  banned(facts, expectations).flatMap(({ until }, index, periods) => {
    const next = periods[index + 1]?.from ?? Number.POSITIVE_INFINITY
    const after = ofTag(facts, "Sent").filter(({ at }) => at >= until && at <= next)
    const first = after[0]
    if (first === undefined) return []
    const end = ofTag(facts, "Ended").find(({ call, sending }) => call === first.call && sending === first.sending)
    return after
      .filter(({ call, seq }) => seq > first.seq && seq < (end?.seq ?? Number.POSITIVE_INFINITY) && call !== first.call)
      .map(({ call }) => ({ rule: "Probes" as const, call, detail: `sent while ${first.call} was probing` }))
  })

const limits = (facts: ReadonlyArray<Journal.Fact>, { isLimitOurs }: Expectations): ReadonlyArray<Violation> =>
  isLimitOurs
    ? ofTag(facts, "Arrived")
        .filter(({ code, isInherent }) => code === 10006 && isInherent !== true)
        .map(({ at, call }) => ({ rule: "Limit", call, detail: `refused at ${at}` }))
    : []

const leaks = (facts: ReadonlyArray<Journal.Fact>): ReadonlyArray<Violation> => {
  const settled = new Set(ofTag(facts, "Settled").map(({ reservation }) => reservation))
  return ofTag(facts, "Reserved")
    .filter(({ reservation }) => !settled.has(reservation))
    .map(({ at, call, reservation }) => ({
      rule: "Leak",
      call,
      detail: `${reservation}, taken at ${at}, was not settled`
    }))
}

/** What happens at one instant is concurrent: a call overtakes another if it left at an earlier instant, and came at a later one. */
const overtaking = (facts: ReadonlyArray<Journal.Fact>): ReadonlyArray<Violation> => {
  const waits = ofTag(facts, "Queued")
  const sent = new Map(ofTag(facts, "Sent").map(({ at, call }) => [call, at]))
  const reported = new Map(ofTag(facts, "Reported").map(({ at, call }) => [call, at]))
  const leftAt = (call: string) => sent.get(call) ?? reported.get(call) ?? Number.POSITIVE_INFINITY
  return waits.flatMap((later) => {
    const at = sent.get(later.call)
    if (at === undefined) return []
    const overtaken = waits.find(
      (earlier) =>
        earlier.line === later.line && earlier.rank <= later.rank && earlier.at < later.at && leftAt(earlier.call) > at
    )
    return overtaken === undefined
      ? []
      : [{ rule: "Order", call: later.call, detail: `sent at ${at}, before ${overtaken.call}` }]
  })
}

/** What is wrong with a run. */
export const violations = (journal: Journal.Journal, expectations: Expectations): ReadonlyArray<Violation> => [
  ...(journal.end === "Spinning" ? [{ rule: "Spinning" as const, call: "", detail: "time stands still" }] : []),
  ...(journal.end === "Done"
    ? []
    : journal.open.map((call) => ({ rule: "Stuck" as const, call, detail: journal.end }))),
  ...twice(journal.facts, expectations),
  ...outcomes(journal.facts, expectations),
  ...intoBan(journal.facts, expectations),
  ...probes(journal.facts, expectations),
  ...limits(journal.facts, expectations),
  ...leaks(journal.facts),
  ...overtaking(journal.facts),
  ...journal.leaks.map((detail) => ({ rule: "Secret" as const, call: "", detail }))
]
