import type { Judge } from "../Judge.js"

/** The executed orders stay within the cap of the guard, and none is refused if all requested orders fit. */
export const capped: Judge = {
  rule: "Capped",
  find: ({ conditions: { cap }, of, requestOf }) => {
    if (cap === undefined) return []
    const requested = of("Requested")
    const total = requested.reduce((sum, { worth = 0 }) => sum + worth, 0)
    const orders = of("Arrived").flatMap(({ call, executed, wishes }) => {
      const worth = requestOf(call)?.worth ?? 0
      return executed.map(() => ({ call, worth: worth / wishes.length }))
    })
    let ordered = 0
    const tooMany = orders.filter(({ worth }) => (ordered += worth) > cap)
    const refused = total <= cap ? of("Reported").filter(({ tag }) => tag === "Blocked") : []
    return [
      ...tooMany.map(({ call }) => ({ call, detail: `is executed above the cap of ${cap}` })),
      ...refused.map(({ call }) => ({ call, detail: `is refused by the guard, and the cap of ${cap} has room` }))
    ]
  }
}
