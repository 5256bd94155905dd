import type * as Journal from "../../world/Journal.js"
import type { Judge } from "../../world/Judge.js"

const day = 86_400_000

const kindOf = ({ safety }: Pick<Journal.Of<"Requested">, "safety">): "orders" | "transfers" =>
  safety === "idempotent" ? "transfers" : "orders"

/** The orders that are executed within a day stay within the cap of the guard, and so do the transfers. (What it refuses: `transport/test/guardPromise.test.ts`.) */
export const capped: Judge = {
  rule: "Capped",
  find: ({ conditions: { caps }, of, requestOf }) => {
    if (caps === undefined) return []
    const arrived = of("Arrived").flatMap(({ at, call, executed }) => {
      const request = requestOf(call)
      return executed.flatMap((wish) =>
        request === undefined ? [] : [{ at, call, wish, kind: kindOf(request), worth: request.worths?.[wish] ?? 0 }]
      )
    })
    // A transfer that is repeated with its request id is executed once.
    const executed = arrived.filter((fact, index) => arrived.findIndex(({ wish }) => wish === fact.wish) === index)
    const tooMany = executed.filter(({ at, kind }, index) => {
      const recent = executed.slice(0, index + 1).filter((each) => each.kind === kind && each.at > at - day)
      return recent.reduce((sum, { worth }) => sum + worth, 0) > caps[kind]
    })
    return tooMany.map(({ call, kind }) => ({ call, detail: `is executed above the cap of ${caps[kind]}` }))
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
