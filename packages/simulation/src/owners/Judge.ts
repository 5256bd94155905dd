/**
 * What is wrong with a run of owners. It shares no code with the library, nor with the stand-ins for the database, the stores and the cluster.
 */
import type * as World from "../World.js"
import type { Export, Fact, Journal } from "./Journal.js"
import * as Plan from "./Plan.js"

export type Rule =
  | "Covered"
  | "Doubled"
  | "Fenced"
  | "Forgotten"
  | "Idle"
  | "Lease"
  | "Limit"
  | "Overlap"
  | "Released"
  | "Short"
  | "Stuck"

type Violation = World.Violation & { readonly rule: Rule }

/** How long an owner may make calls after the question to which the ledger answered that it is the owner, in milliseconds. */
const leaseFor = 9_000

/** How long an address may be idle when its machine was killed, and when it was frozen. */
const idleFor = { Killed: 25_000, Frozen: 30_000 } as const

/** How long it has to be calm before and after an event for an address to be back in that time. */
const calmBefore = 45_000
const calmAfter = 35_000

type Of<Tag extends Fact["_tag"]> = Extract<Fact, { readonly _tag: Tag }>

const of = <Tag extends Fact["_tag"]>(facts: ReadonlyArray<Fact>, tag: Tag): ReadonlyArray<Of<Tag>> =>
  facts.filter((fact): fact is Of<Tag> => fact._tag === tag)

/** Facts of a place in which a lower epoch follows a higher one. */
const behind = <F extends { readonly epoch: number }>(facts: ReadonlyArray<F>, placeOf: (fact: F) => string) => {
  const highest = new Map<string, number>()
  return facts.flatMap((fact) => {
    const before = highest.get(placeOf(fact)) ?? 0
    highest.set(placeOf(fact), Math.max(before, fact.epoch))
    return fact.epoch < before ? [{ fact, before }] : []
  })
}

const ofWrites = ({ facts }: Journal): ReadonlyArray<Violation> =>
  behind(of(facts, "Written"), ({ name }) => name).map(({ before, fact: { at, epoch, name, write } }) => ({
    rule: "Fenced",
    call: name,
    detail: `${write} of epoch ${epoch} at ${at}, after one of epoch ${before}`
  }))

const ofOverlap = ({ facts }: Journal): ReadonlyArray<Violation> =>
  behind(of(facts, "Begun"), ({ egress }) => egress).map(({ before, fact: { at, egress, epoch, machine } }) => ({
    rule: "Overlap",
    call: egress,
    detail: `a call of epoch ${epoch} on ${machine} at ${at}, after one of epoch ${before}`
  }))

const ofLeases = ({ facts }: Journal): ReadonlyArray<Violation> => {
  const heard = new Map<string, number>()
  return facts.flatMap((fact): ReadonlyArray<Violation> => {
    if (fact._tag !== "Begun" && fact._tag !== "Heard") return []
    const owner = `${fact.machine} ${fact.egress} ${fact.epoch}`
    const askedAt = heard.get(owner) ?? Number.NEGATIVE_INFINITY
    if (fact._tag === "Heard") {
      heard.set(owner, Math.max(askedAt, fact.askedAt))
      return []
    }
    // The deadline is in whole milliseconds.
    if (fact.at <= askedAt + leaseFor + 1) return []
    const detail = `a call of epoch ${fact.epoch} on ${fact.machine} at ${fact.at}, which last asked at ${askedAt}`
    return [{ rule: "Lease", call: fact.egress, detail }]
  })
}

const ofLimits = ({ facts }: Journal, { limit }: Plan.Plan): ReadonlyArray<Violation> =>
  of(facts, "Arrived")
    .filter(({ count }) => count > limit)
    .map(({ at, count, egress }) => ({
      rule: "Limit",
      call: egress,
      detail: `${count} calls in the window that ends at ${at}, of ${limit}`
    }))

const startOf = (event: Plan.Event): number => (event._tag === "FrozenAtWrite" ? Plan.eventful : event.at)

const endOf = (event: Plan.Event): number => startOf(event) + ("length" in event ? event.length : 0)

/** Whether nothing else happens around an event, and another machine is at work all that time. */
const isAlone = (plan: Plan.Plan, { at, event, machine }: Of<"Struck">): boolean => {
  const isFaultless = plan.database.faults.probability === 0 && plan.network.faults.probability === 0
  const others = plan.events.filter((other) => other !== event)
  // One that waits for a write may come at any time.
  const isCalm = others.every(
    (other) => other._tag !== "FrozenAtWrite" && (endOf(other) < at - calmBefore || startOf(other) > at + calmAfter)
  )
  const gone = new Set(
    others.flatMap((other) => (other._tag === "Killed" || other._tag === "Stopped" ? [other.machine] : []))
  )
  const isSteady = plan.machines.every(({ at: joins }) => joins < at - calmBefore / 3 || joins > at + calmAfter)
  const has = plan.machines.some(({ at: joins, id }) => id !== machine && !gone.has(id) && joins < at)
  return isFaultless && isCalm && isSteady && has
}

const ofIdleness = ({ facts }: Journal, plan: Plan.Plan): ReadonlyArray<Violation> =>
  of(facts, "Struck").flatMap((struck): ReadonlyArray<Violation> => {
    const { at, egress, epoch, event, machine, running } = struck
    const isLong = event._tag === "Killed" || (event._tag === "Frozen" && event.length > idleFor.Frozen)
    if (!isLong || running === 0 || !isAlone(plan, struck)) return []
    const isBack = facts.some(
      (fact) =>
        (fact._tag === "Begun" || fact._tag === "Written") &&
        fact.egress === egress &&
        fact.epoch > epoch &&
        fact.at <= at + idleFor[event._tag]
    )
    if (isBack) return []
    const detail = `${idleFor[event._tag]} ms after ${machine} was ${event._tag} at ${at} no other owner is at work`
    return [{ rule: "Idle", call: egress, detail }]
  })

/** How long before its end a machine has to have reached the database for what it wrote to have come in. */
const reachedBefore = 20_000

/** A machine that ends as planned, and reaches the database meanwhile, has released what it ran. */
const ofReleases = ({ facts }: Journal, plan: Plan.Plan): ReadonlyArray<Violation> =>
  of(facts, "Left").flatMap(({ at, machine, running }): ReadonlyArray<Violation> => {
    const isReached = plan.events.every((event) => {
      if (event._tag === "Outage") return endOf(event) < at - reachedBefore || startOf(event) > at
      if (!("length" in event) || event.machine !== machine) return true
      return event._tag !== "FrozenAtWrite" && (endOf(event) < at - reachedBefore || startOf(event) > at)
    })
    if (plan.database.faults.probability > 0 || !isReached) return []
    const detail = `is running still when ${machine} has ended at ${at}`
    return running.map((name) => ({ rule: "Released", call: name, detail }))
  })

const ofRows = ({ expected, name, newer, rows }: Export): ReadonlyArray<Violation> => {
  const found = new Set(rows)
  const wanted = new Set(expected)
  const missing = expected.filter((id) => !found.has(id))
  const surplus = [...rows, ...newer].filter(
    (id, index, all) => all.indexOf(id) !== index || (index < rows.length && !wanted.has(id))
  )
  return [
    ...(missing.length === 0 ? [] : [{ rule: "Short", call: name, detail: `lacks ${missing.join(" ")}` } as const]),
    ...(surplus.length === 0 ? [] : [{ rule: "Doubled", call: name, detail: surplus.join(" ") } as const])
  ]
}

/** What is finished, or complete, is so for the range that was declared last. */
const ofRange = ({ covered, declared, isFinished, name }: Export): ReadonlyArray<Violation> => {
  if (covered === undefined)
    return isFinished ? [{ rule: "Covered", call: name, detail: "is finished, and covers nothing" }] : []
  const isWhole = covered.from <= declared.from && (declared.to === undefined || covered.to >= declared.to)
  if (isWhole) return []
  const detail = `is complete from ${covered.from} to ${covered.to}, of ${declared.from} to ${declared.to ?? "now"}`
  return [{ rule: "Covered", call: name, detail }]
}

const ofDue = ({ facts, settledAt }: Journal, { doneBy, name, state }: Export): ReadonlyArray<Violation> => {
  if (doneBy === undefined) return []
  const isDone = of(facts, "Done").some((done) => done.name === name && done.at >= settledAt && done.at <= doneBy)
  return isDone ? [] : [{ rule: "Forgotten", call: name, detail: `is not done by ${doneBy}; it is ${state}` }]
}

export const violations = (journal: Journal, plan: Plan.Plan): ReadonlyArray<Violation> => [
  ...(journal.end === "Done" ? [] : [{ rule: "Stuck", call: "", detail: journal.end } as const]),
  ...ofWrites(journal),
  ...ofOverlap(journal),
  ...ofLeases(journal),
  ...ofLimits(journal, plan),
  ...ofIdleness(journal, plan),
  ...ofReleases(journal, plan),
  ...journal.exports.flatMap((each) => [...ofRows(each), ...ofRange(each), ...ofDue(journal, each)])
]
