/**
 * A kind of world, as what runs and judges seeds sees it.
 */
import * as Shrink from "./Shrink.js"

export interface Options {
  /** Fibers yield before any operation, not only where the default scheduler makes them. */
  readonly isAnywhere: boolean
}

/** A rule that a run broke. */
export interface Violation {
  readonly rule: string
  /** The call, where it is about one. */
  readonly call: string
  readonly detail: string
}

/** What one run showed. */
export interface Outcome {
  readonly violations: ReadonlyArray<Violation>
  /** What was reached, by name: `fault x phase` and the like. */
  readonly coverage: ReadonlyArray<string>
  /** What happened, in order, each with its instant. */
  readonly events: ReadonlyArray<string>
  /** Differs when anything in the run differs. */
  readonly hash: string
  /** Calls that were made: of the library's operations, or of the component. */
  readonly calls: number
  /** How long it took in the world, in milliseconds. */
  readonly virtual: number
}

/** A world whose plans are values of one type. */
export interface Definition<Plan, Name extends string> {
  readonly name: Name
  readonly plan: (seed: number, options: Options) => Plan
  readonly run: (plan: Plan) => Outcome
  /** Smaller plans, each without one thing, by the name of what is left out. Those that leave out most come first. */
  readonly without: (plan: Plan) => ReadonlyArray<readonly [name: string, plan: Plan]>
}

/** The smallest plan that shows a violation of a rule, and the features without which the whole plan does not show it. */
export interface Shown {
  readonly plan: unknown
  readonly outcome: Outcome
  readonly causes: ReadonlyArray<string>
}

export interface World<Name extends string = string> {
  readonly name: Name
  readonly planned: (seed: number, options: Options) => unknown
  readonly run: (seed: number, options: Options) => Outcome
  readonly show: (seed: number, options: Options, rule: string) => Shown
}

export const make = <Plan, const Name extends string>({
  name,
  plan,
  run,
  without
}: Definition<Plan, Name>): World<Name> => ({
  name,
  planned: plan,
  run: (seed, options) => run(plan(seed, options)),
  show: (seed, options, rule) => {
    const shows = (candidate: Plan) => run(candidate).violations.some((violation) => violation.rule === rule)
    const whole = plan(seed, options)
    const smallest = Shrink.shrink(whole, without, shows)
    return { plan: smallest, outcome: run(smallest), causes: Shrink.causes(whole, without, shows) }
  }
})
