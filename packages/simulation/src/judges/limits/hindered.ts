import type { Judge } from "../Judge.js"

/** Longer than any place stays taken after its settlement: a window, and the way of a request that was given up. */
const longest = 30_000

/** A call leaves at once if each of its rate limits has room for it beside all calls that wait for that limit or have used it. */
export const hindered: Judge = {
  rule: "Hindered",
  find: ({ conditions, of }) => {
    if (conditions.isPrompt !== true) return []
    const gone = new Map([...of("Reported"), ...of("Sent")].map(({ at, call }) => [call, at]))
    const settled = new Map(of("Settled").map(({ at, call }) => [call, at]))
    const waits = of("Queued")
    return waits.flatMap(({ at, call, costs, spare }) => {
      const taken = (key: string) =>
        waits
          .filter((other) => other.call !== call && other.at <= at && (settled.get(other.call) ?? at) > at - longest)
          .reduce((sum, other) => sum + (other.costs.find((each) => each.key === key)?.cost ?? 0), 0)
      const hasRoom = costs.every(({ cost, key, limit }) => taken(key) + cost + spare <= limit)
      return hasRoom && (gone.get(call) ?? Number.POSITIVE_INFINITY) > at + 1
        ? [{ call, detail: `waits from ${at}, though its limits have room` }]
        : []
    })
  }
}
