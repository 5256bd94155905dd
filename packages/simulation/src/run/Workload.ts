/** A workload: plans generated from seeds, and the program that runs in the world by such a plan. */
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Scheduler from "../kernel/Scheduler.js"
import * as Shrink from "../kernel/Shrink.js"
import * as Sim from "../kernel/Sim.js"
import type * as Judge from "../world/Judge.js"
import * as Judges from "../judges/Judges.js"
import * as Journal from "../world/Journal.js"
import * as World from "../world/World.js"

export interface Options {
  /** Fibers yield before any operation, not only when the default scheduler makes them. */
  readonly isAnywhere: boolean
}

/** What every plan has. */
export interface WorkloadPlan {
  readonly seed: number
  readonly mode: Scheduler.Mode
}

export interface RunOutcome {
  readonly violations: ReadonlyArray<Judge.Violation>
  /** The things that were reached, by name: `fault x phase` and the like. */
  readonly coverage: ReadonlyArray<string>
  readonly journal: Journal.Journal
  /** The trace, in order, each event with its instant. */
  readonly events: ReadonlyArray<string>
  /** Differs when anything in the run differs. */
  readonly hash: string
  /** How long it took in the world, in milliseconds. */
  readonly virtual: number
}

/** A program, and the conditions under which it is judged, which it can change until it ends. */
export interface Started {
  readonly program: Effect.Effect<unknown>
  readonly conditions?: Journal.Conditions
}

export interface Definition<P extends WorkloadPlan, Name extends string> {
  readonly name: Name
  readonly plan: (seed: number, options: Options) => P
  /** The fields of a plan in which nothing goes wrong: a violation is shrunk towards it. */
  readonly calm: Partial<P>
  /** Fields of calls, starts and the like that can be left out. */
  readonly optional?: ReadonlyArray<string>
  /** Longer than everything in a run takes, in milliseconds. */
  readonly limit: number
  readonly start: (world: World.World, plan: P) => Started
}

/** The smallest plan that shows a violation of a rule, and the features without which the whole plan does not show it. */
export interface Shown {
  readonly plan: unknown
  readonly outcome: RunOutcome
  readonly causes: ReadonlyArray<string>
}

export interface Workload<P = unknown, Name extends string = string> {
  readonly name: Name
  readonly plan: (seed: number, options?: Options) => P
  // A method: a list of workloads has plans of every type.
  runPlan(plan: P): RunOutcome
  readonly run: (seed: number, options?: Options) => RunOutcome
  readonly show: (seed: number, options: Options, rule: string) => Shown
}

const lawful: Options = { isAnywhere: false }

export const make = <P extends WorkloadPlan, const Name extends string>(
  definition: Definition<P, Name>
): Workload<P, Name> => {
  const { calm, limit, name, optional, plan, start } = definition

  const runPlan = (planned: P): RunOutcome => {
    const world = World.make(planned.seed, planned.mode)
    const { conditions, program } = start(world, planned)
    const { sim } = world
    const end = sim.run(
      program.pipe(
        Effect.provide(world.logger),
        Effect.withRandom(Random.make(planned.seed)),
        Effect.withClock(sim.makeClock(Sim.epoch).clock)
      ),
      { limit }
    )
    sim.trace(`end       ${end}`)
    const journal = Journal.make(world.facts, end, conditions)
    return {
      violations: Judges.violations(journal),
      coverage: world.covered(),
      journal,
      events: sim.events(),
      hash: sim.hash(),
      virtual: sim.now()
    }
  }

  const without = Shrink.without<P>(calm, optional)

  return {
    name,
    plan: (seed, options = lawful) => plan(seed, options),
    runPlan,
    run: (seed, options = lawful) => runPlan(plan(seed, options)),
    show: (seed, options, rule) => {
      const shows = (candidate: P) => runPlan(candidate).violations.some((violation) => violation.rule === rule)
      const whole = plan(seed, options)
      const smallest = Shrink.shrink(whole, without, shows)
      return { plan: smallest, outcome: runPlan(smallest), causes: Shrink.causes(whole, without, shows) }
    }
  }
}
