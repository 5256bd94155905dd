import type * as Journal from "../../world/Journal.js"
import type { Judge } from "../../world/Judge.js"

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
