import type { Judge } from "../../world/Judge.js"

const day = 86_400_000

/**
 * The orders that are executed within a day stay within the cap of the guard, and so do the transfers. None is refused if it fits beside all others of its
 * day.
 */
export const capped: Judge = {
  rule: "Capped",
  find: ({ conditions: { caps, isTimeInDoubt = false }, of, requestOf }) => {
    if (caps === undefined) return []
    const kindOf = (call: string): "orders" | "transfers" =>
      requestOf(call)?.safety === "idempotent" ? "transfers" : "orders"
    const arrived = of("Arrived").flatMap(({ at, call, executed, wishes }) => {
      const worth = requestOf(call)?.worth ?? 0
      return executed.map((wish) => ({ at, call, wish, kind: kindOf(call), worth: worth / wishes.length }))
    })
    // A transfer that is repeated with its request id is executed once.
    const executed = arrived.filter((fact, index) => arrived.findIndex(({ wish }) => wish === fact.wish) === index)
    const tooMany = executed.filter(({ at, kind }, index) => {
      const recent = executed.slice(0, index + 1).filter((each) => each.kind === kind && each.at > at - day)
      return recent.reduce((sum, { worth }) => sum + worth, 0) > caps[kind]
    })
    const seenAt = new Map([...of("Recorded"), ...of("Arrived"), ...of("Reported")].map(({ at, call }) => [call, at]))
    const fits = (call: string, now: number) => {
      const kind = kindOf(call)
      const others = of("Requested").filter(
        (request) => kindOf(request.call) === kind && (isTimeInDoubt || (seenAt.get(request.call) ?? now) >= now - day)
      )
      return others.reduce((sum, { worth = 0 }) => sum + worth, 0) <= caps[kind]
    }
    const refused = of("Reported").filter(({ at, call, tag }) => tag === "Blocked perDay" && fits(call, at))
    return [
      ...tooMany.map(({ call, kind }) => ({ call, detail: `is executed above the cap of ${caps[kind]}` })),
      ...refused.map(({ call }) => ({ call, detail: `is refused by the guard, and the cap has room` }))
    ]
  }
}

/** While the kill switch is on, nothing leaves that creates something; and it refuses nothing if it was never on while the call was made. */
export const halted: Judge = {
  rule: "Halted",
  find: ({ of, requestOf }) => {
    const switched = of("Switched")
    const isOnAt = (at: number, seq: number) => {
      const last = switched.findLast((fact) => fact.seq < seq)
      return last?.isOn === true && last.at < at
    }
    const sent = of("Sent").filter(({ at, call, seq }) => requestOf(call)?.isCreating === true && isOnAt(at, seq))
    const refused = of("Reported").filter(
      ({ at, tag }) => tag === "Blocked stopped" && !switched.some((fact) => fact.isOn && fact.at <= at)
    )
    return [
      ...sent.map(({ call }) => ({ call, detail: "leaves while the kill switch is on" })),
      ...refused.map(({ call }) => ({ call, detail: "is stopped, and the kill switch was never on" }))
    ]
  }
}
