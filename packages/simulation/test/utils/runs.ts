import type * as World from "../../src/World.js"

/** A run takes no turn of the event loop, which the runner of the tests needs now and then. */
export const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Runs seeds of a world. Gives what was reached, and what was wrong with which seed. */
export const runs = async (world: World.World, from: number, count: number, isAnywhere = false) => {
  const coverage = new Set<string>()
  const violations: Array<string> = []
  for (let seed = from; seed < from + count; seed++) {
    const outcome = world.run(seed, { isAnywhere })
    for (const name of outcome.coverage) coverage.add(name)
    for (const { call, detail, rule } of outcome.violations) violations.push(`seed ${seed}: ${rule} ${call}: ${detail}`)
    await turn()
  }
  return { coverage: [...coverage].sort(), violations }
}
