import type { Judge } from "../Judge.js"

/** Calls that others can overtake before one of them goes without leaving places for others. */
const overtakes = 10

/** A call leaves as many places of a rate limit free as its priority is to, and none when many later calls have overtaken it. */
export const spare: Judge = {
  rule: "Spare",
  find: ({ conditions, of }) => {
    const queued = new Map(of("Queued").map((wait) => [wait.call, wait]))
    const reserved = of("Reserved")
    // A store that is shared is asked again for a call whose reply was lost.
    const most = conditions.isPrompt === true ? overtakes : Number.POSITIVE_INFINITY
    return reserved.flatMap(({ call, spare: places }, index) => {
      const wait = queued.get(call)
      if (wait === undefined) return []
      // Calls of its line that went before it: only those since the last one that was earlier have overtaken it.
      const before = reserved.slice(0, index).flatMap((earlier) => queued.get(earlier.call) ?? [])
      const line = before.filter((other) => other.line === wait.line)
      const overtaken = line.length - 1 - line.findLastIndex((other) => other.seq < wait.seq)
      const isEach = (count: number) => places.every((place) => place === count)
      const isMeant = isEach(wait.spare) && (wait.spare === 0 || overtaken < most)
      if (isMeant || (isEach(0) && index >= overtakes)) return []
      const detail = `left ${places.join(" and ")} free, expected ${wait.spare}, overtaken by ${overtaken} calls`
      return [{ call, detail }]
    })
  }
}
