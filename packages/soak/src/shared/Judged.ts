import * as Judges from "@effect-venue/simulation/judges/Judges"
import * as Journal from "@effect-venue/simulation/world/Journal"

/** A fact, with its instant in milliseconds if that matters. */
export type Fact = Journal.Happening & { readonly at?: number }

/** What the judges of the simulation find in the facts of a run, which are in their order. */
export const problems = (facts: ReadonlyArray<Fact>, conditions: Journal.Conditions = {}): ReadonlyArray<string> =>
  Judges.violations(Journal.make(Journal.numberFacts(facts), "Done", conditions)).map(
    ({ call, detail, rule }) => `${rule} ${call}: ${detail}`
  )
