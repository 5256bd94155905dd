import type { Judge } from "../Judge.js"

/** Calls that others can overtake before one of them goes without leaving places for others. */
const overtakes = 10

/** A call leaves as many places of a rate limit free as its priority is to. */
export const spare: Judge = {
  rule: "Spare",
  find: ({ of }) => {
    const queued = new Map(of("Queued").map((wait) => [wait.call, wait.spare]))
    return of("Reserved").flatMap(({ call, spare: places }, earlier) => {
      const expected = queued.get(call)
      const mayBeOverdue = earlier >= overtakes && places.every((place) => place === 0)
      return expected === undefined || mayBeOverdue || places.every((place) => place === expected)
        ? []
        : [{ call, detail: `left ${places.join(" and ")} free, expected ${expected}` }]
    })
  }
}
