import type { Judge } from "../Judge.js"

/**
 * Of calls that wait for the same rate limits, none overtakes one of its priority or a higher one. What happens at one instant is
 * concurrent: a call overtakes another if it left at an earlier instant, and began to wait at a later one.
 */
export const order: Judge = {
  rule: "Order",
  find: ({ of }) => {
    const waits = of("Queued")
    // A call that is sent again has left once.
    const sent = new Map(
      of("Sent")
        .map(({ at, call }) => [call, at] as const)
        .reverse()
    )
    const reported = new Map(of("Reported").map(({ at, call }) => [call, at]))
    const leftAt = (call: string) => sent.get(call) ?? reported.get(call) ?? Number.POSITIVE_INFINITY
    return waits.flatMap((later) => {
      const at = sent.get(later.call)
      if (at === undefined) return []
      const overtaken = waits.find(
        (earlier) =>
          earlier.line === later.line &&
          earlier.rank <= later.rank &&
          earlier.at < later.at &&
          leftAt(earlier.call) > at
      )
      return overtaken === undefined ? [] : [{ call: later.call, detail: `sent at ${at}, before ${overtaken.call}` }]
    })
  }
}
