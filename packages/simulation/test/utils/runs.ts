import type * as Workload from "../../src/run/Workload.js"

/** A run takes no turn of the event loop, which the runner of the tests needs now and then. */
export const turn = () => new Promise((resolve) => setImmediate(resolve))

interface Options {
  readonly isAnywhere?: boolean
  /** One more seed, of which a rare thing is known to be reached. */
  readonly also?: number
}

/** Runs seeds of a workload. Returns the things that were reached, and the violations of each seed. */
export const runs = async (
  workload: Workload.Workload,
  from: number,
  count: number,
  { also, isAnywhere = false }: Options = {}
) => {
  const seeds = Array.from({ length: count }, (_, index) => from + index)
  const coverage = new Set<string>()
  const violations: Array<string> = []
  for (const seed of also === undefined ? seeds : [...seeds, also]) {
    const outcome = workload.run(seed, { isAnywhere })
    for (const name of outcome.coverage) coverage.add(name)
    for (const { call, detail, rule } of outcome.violations) violations.push(`seed ${seed}: ${rule} ${call}: ${detail}`)
    await turn()
  }
  return { coverage: [...coverage].sort(), violations }
}
