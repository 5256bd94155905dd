import type { Judge } from "../../world/Judge.js"

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
