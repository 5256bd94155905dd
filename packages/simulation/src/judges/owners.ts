import type * as Journal from "../world/Journal.js"
import type { Finding, Judge } from "../world/Judge.js"

/** An export that is finished, or complete, is so for the range that was declared last. */
export const covered: Judge = {
  rule: "Covered",
  find: ({ of }) =>
    of("Covered").flatMap(({ call, covered, declared, isFinished }): ReadonlyArray<Finding> => {
      if (covered === undefined) return isFinished ? [{ call, detail: "is finished, and covers nothing" }] : []
      const isWhole = covered.from <= declared.from && (declared.to === undefined || covered.to >= declared.to)
      const range = `from ${covered.from} to ${covered.to}, of ${declared.from} to ${declared.to ?? "now"}`
      return isWhole ? [] : [{ call, detail: `is complete ${range}` }]
    })
}

/** After the faults every export that is due is done. */
export const forgotten: Judge = {
  rule: "Forgotten",
  find: ({ of }) =>
    of("Covered").flatMap(({ call, due, state }) => {
      if (due === undefined) return []
      const isDone = of("Done").some((done) => done.call === call && done.at >= due.from && done.at <= due.by)
      return isDone ? [] : [{ call, detail: `is not done by ${due.by}; it is ${state}` }]
    })
}

/** The calls of an address stay within its limit as the exchange counts them, over changes of its owner. */
export const crowded: Judge = {
  rule: "Crowded",
  find: ({ of }) =>
    of("Counted")
      .filter(({ count, limit }) => count > limit)
      .map(({ at, count, egress, limit }) => ({
        call: egress,
        detail: `${count} calls in the window that ends at ${at}, of ${limit}`
      }))
}

/** Another owner is at work some time after a machine was killed or frozen, if nothing else goes wrong. */
export const idle: Judge = {
  rule: "Idle",
  find: ({ of }) => {
    const work = [...of("Begun"), ...of("Written")]
    return of("Struck").flatMap(({ backBy, egress, epoch, machine, running }) => {
      if (backBy === undefined || running === 0) return []
      const isBack = work.some((fact) => fact.egress === egress && fact.epoch > epoch && fact.at <= backBy)
      return isBack ? [] : [{ call: egress, detail: `by ${backBy} no owner after ${machine} is at work` }]
    })
  }
}

/** A machine that ends as planned, and reaches the database meanwhile, has released the exports that it ran. */
export const released: Judge = {
  rule: "Released",
  find: ({ of }) =>
    of("Left").flatMap(({ at, isReached, machine, running }) =>
      isReached ? running.map((call) => ({ call, detail: `is running still when ${machine} has ended at ${at}` })) : []
    )
}

/** Facts of a place in which a lower epoch follows a higher one. */
const behind = <F extends { readonly epoch: number }>(facts: ReadonlyArray<F>, placeOf: (fact: F) => string) => {
  const highest = new Map<string, number>()
  return facts.flatMap((fact) => {
    const before = highest.get(placeOf(fact)) ?? 0
    highest.set(placeOf(fact), Math.max(before, fact.epoch))
    return fact.epoch < before ? [{ fact, before }] : []
  })
}

/** No store accepts a write of an earlier owner after the ledger has named a later one, or after a write of that one. */
export const fenced: Judge = {
  rule: "Fenced",
  find: ({ facts }) => {
    const owning = facts.flatMap((fact) => (fact._tag === "Written" || fact._tag === "Owned" ? [fact] : []))
    return behind(owning, ({ egress }) => egress).flatMap(({ before, fact }) =>
      fact._tag === "Written"
        ? [{ call: fact.call, detail: `${fact.write} of epoch ${fact.epoch} at ${fact.at}, after epoch ${before}` }]
        : []
    )
  }
}

/** No call of an earlier owner begins after the first call of a later one. */
export const overlap: Judge = {
  rule: "Overlap",
  find: ({ of }) =>
    behind(of("Begun"), ({ egress }) => egress).map(({ before, fact: { at, egress, epoch, machine } }) => ({
      call: egress,
      detail: `a call of epoch ${epoch} on ${machine} at ${at}, after one of epoch ${before}`
    }))
}

/** How long an owner can make calls after the question to which the ledger answered that it is the owner, in milliseconds. */
const leaseFor = 9_000

const ownerOf = ({ egress, epoch, machine }: Journal.Of<"Begun"> | Journal.Of<"Heard">) =>
  `${machine} ${egress} ${epoch}`

/** An owner begins no call later than 9 seconds after it requested the ledger's confirmation that it is the owner. */
export const lease: Judge = {
  rule: "Lease",
  find: ({ facts }) => {
    const heard = new Map<string, number>()
    return facts.flatMap((fact) => {
      if (fact._tag !== "Begun" && fact._tag !== "Heard") return []
      const askedAt = heard.get(ownerOf(fact)) ?? Number.NEGATIVE_INFINITY
      if (fact._tag === "Heard") {
        heard.set(ownerOf(fact), Math.max(askedAt, fact.askedAt))
        return []
      }
      // The deadline is in whole milliseconds.
      if (fact.at <= askedAt + leaseFor + 1) return []
      const detail = `a call of epoch ${fact.epoch} on ${fact.machine} at ${fact.at}, which last asked at ${askedAt}`
      return [{ call: fact.egress, detail }]
    })
  }
}
