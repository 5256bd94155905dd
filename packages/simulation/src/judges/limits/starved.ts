import type { Judge } from "../Judge.js"

/** Calls that others may overtake before one of them goes first, and a margin for calls that leave at the same instant. */
const overtakes = 10
const margin = 2

/** Of calls that wait for the same rate limits, one is overtaken by a limited number of later calls, whatever their priority. */
export const starved: Judge = {
  rule: "Starved",
  find: ({ of }) => {
    const waits = of("Queued")
    const sent = new Map(of("Sent").map(({ at, call }) => [call, at]))
    const gone = new Map([...of("Reported"), ...of("Lost")].map(({ at, call }) => [call, at]))
    return waits.flatMap((waiting) => {
      // The call that waits longest goes first when the overtakes are used up: the others of its line wait for it.
      const isLongest = waits.every(
        ({ at, call, line }) => line !== waiting.line || call === waiting.call || at > waiting.at
      )
      if (!isLongest) return []
      const until = sent.get(waiting.call) ?? gone.get(waiting.call) ?? Number.POSITIVE_INFINITY
      const overtaking = waits.filter(({ at, call, line }) => {
        const sentAt = sent.get(call)
        return line === waiting.line && at > waiting.at && sentAt !== undefined && sentAt < until
      })
      return overtaking.length <= overtakes + margin
        ? []
        : [{ call: waiting.call, detail: `is overtaken by ${overtaking.length} later calls` }]
    })
  }
}
