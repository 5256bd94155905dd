/**
 * Keeps what happens in a run: the facts for the judge, and what was reached.
 */
import type * as Journal from "./Journal.js"
import type * as Sim from "./Sim.js"

type Unnumbered<F> = F extends Journal.Fact ? Omit<F, "at" | "seq"> : never

export interface Recorder {
  /** Adds a fact, and a line to the trace. */
  readonly add: (fact: Unnumbered<Journal.Fact>, text: string) => void
  readonly cover: (name: string) => void
  readonly facts: ReadonlyArray<Journal.Fact>
  readonly coverage: () => ReadonlyArray<string>
}

export const make = (sim: Sim.Sim): Recorder => {
  const facts: Array<Journal.Fact> = []
  const coverage = new Set<string>()
  return {
    add: (fact, text) => {
      facts.push({ ...fact, seq: facts.length, at: sim.now() })
      sim.trace(text)
    },
    cover: (name) => void coverage.add(name),
    facts,
    coverage: () => [...coverage]
  }
}
