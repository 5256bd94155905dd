import type { Judge } from "../../world/Judge.js"

const day = 86_400_000

/** The orders that are executed within a day stay within the cap of the guard, and none is refused if it fits beside all others of its day. */
export const capped: Judge = {
  rule: "Capped",
  find: ({ conditions: { cap }, of, requestOf }) => {
    if (cap === undefined) return []
    const orders = of("Arrived").flatMap(({ at, call, executed, wishes }) => {
      const worth = requestOf(call)?.worth ?? 0
      return executed.map(() => ({ at, call, worth: worth / wishes.length }))
    })
    const tooMany = orders.filter(({ at }, index) => {
      const recent = orders.slice(0, index + 1).filter((order) => order.at > at - day)
      return recent.reduce((sum, { worth }) => sum + worth, 0) > cap
    })
    const seenAt = new Map([...of("Recorded"), ...of("Arrived"), ...of("Reported")].map(({ at, call }) => [call, at]))
    const fits = (now: number) => {
      const others = of("Requested").filter(({ call }) => (seenAt.get(call) ?? now) >= now - day)
      return others.reduce((sum, { worth = 0 }) => sum + worth, 0) <= cap
    }
    const refused = of("Reported").filter(({ at, tag }) => tag === "Blocked" && fits(at))
    return [
      ...tooMany.map(({ call }) => ({ call, detail: `is executed above the cap of ${cap}` })),
      ...refused.map(({ call }) => ({ call, detail: `is refused by the guard, and the cap of ${cap} has room` }))
    ]
  }
}
