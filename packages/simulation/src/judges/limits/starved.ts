import type { Judge } from "../Judge.js"

/** Calls that others can overtake before one of them goes first, and a margin for calls that leave at the same instant. */
const overtakes = 10
const margin = 2

/** Of calls that wait for the same rate limits, one is overtaken by a limited number of later calls, of any priority. */
export const starved: Judge = {
  rule: "Starved",
  find: ({ of }) => {
    const waits = of("Queued")
    // A call that is sent again has left once.
    const sent = new Map(
      of("Sent")
        .map(({ at, call }) => [call, at] as const)
        .reverse()
    )
    const ended = new Map([...of("Reported"), ...of("Lost")].map(({ at, call }) => [call, at]))
    const gone = (call: string) => sent.get(call) ?? ended.get(call) ?? Number.POSITIVE_INFINITY
    return waits.flatMap((waiting) => {
      const line = waits.filter((other) => other.line === waiting.line && other.call !== waiting.call)
      // Only the call that waits longest goes first when the overtakes are used up.
      const earlier = line.filter(({ seq }) => seq < waiting.seq).map(({ call }) => gone(call))
      const from = Math.max(waiting.at, ...earlier)
      const until = gone(waiting.call)
      const overtaking = line.filter(({ call, seq }) => {
        const sentAt = sent.get(call)
        return seq > waiting.seq && sentAt !== undefined && sentAt > from && sentAt < until
      })
      return overtaking.length <= overtakes + margin
        ? []
        : [{ call: waiting.call, detail: `is overtaken by ${overtaking.length} later calls` }]
    })
  }
}
