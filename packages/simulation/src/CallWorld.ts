/**
 * Calls of one account through the services, over a network with faults, on the sandbox.
 */
import * as Venue from "@effect-venue/services/Venue"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Callers from "./Callers.js"
import * as Draws from "./Draws.js"
import * as Exchange from "./Exchange.js"
import type * as Journal from "./Journal.js"
import * as Judge from "./Judge.js"
import * as Network from "./Network.js"
import * as Plan from "./Plan.js"
import * as Recorder from "./Recorder.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

/** Longer than a ban and every retry. */
const limit = 1_800_000

export interface Run {
  readonly journal: Journal.Journal
  readonly expectations: Judge.Expectations
  readonly events: ReadonlyArray<string>
  readonly hash: string
  /** What was reached, by name: `fault x phase` and the like. */
  readonly coverage: ReadonlyArray<string>
}

export const expectationsOf = (calls: ReadonlyArray<Plan.Call>, isLimitOurs: boolean): Judge.Expectations => {
  const kinds = new Map(calls.map(({ id, kind }) => [id, kind]))
  return {
    banLength: Exchange.banLength,
    isRepeatable: (wish) => ["read", "transfer"].includes(kinds.get(wish) ?? ""),
    isWrite: (wish) => kinds.get(wish) !== "read",
    isLimitOurs
  }
}

/** Runs a plan. */
export const run = (plan: Plan.Plan): Run => {
  const draws = Draws.make(plan.seed)
  const sim = Sim.make(draws, plan.mode)
  const recorder = Recorder.make(sim)
  const exchange = Exchange.make(sim, plan, recorder)
  const callers = Callers.make({
    sim,
    recorder,
    plan,
    secret: exchange.credentials.apiSecret
  })
  const client = Network.make(sim, draws, plan, exchange.judge, callers)

  const program = Effect.flatMap(
    Layer.build(
      Callers.services(exchange.credentials, draws, plan).pipe(
        Layer.provide(Venue.layerShared),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
      )
    ),
    (services) => Effect.provide(callers.run(plan.calls), services)
  )

  const local = sim.makeClock(Exchange.epoch)
  for (const { at, by } of plan.jumps) {
    sim.after(at, () => {
      sim.trace(`jump     ${by}`)
      local.jump(by)
    })
  }
  const end = sim.run(
    program.pipe(
      Effect.scoped,
      Effect.provideService(CallOptions.TransformClient, Callers.transforming(plan.isRetrying)),
      Effect.provide(callers.logger),
      Effect.withRandom(Random.make(plan.seed)),
      Effect.withClock(local.clock)
    ),
    { limit }
  )
  sim.trace(`end      ${end._tag}`)
  // A copy, or a request that arrives when its call has ended, uses a place that the library cannot count.
  const isLimitOurs =
    !plan.faults.kinds.some((kind) => kind === "doubled" || kind === "lateRequest") || plan.faults.probability === 0
  return {
    journal: { facts: recorder.facts, end: end._tag, open: [...callers.open], leaks: callers.leaks },
    expectations: expectationsOf(plan.calls, isLimitOurs),
    events: sim.events(),
    hash: sim.hash(),
    coverage: recorder.coverage()
  }
}

export const world: World.World = World.make({
  name: "call",
  plan: Plan.make,
  run: (plan) => {
    const { coverage, events, expectations, hash, journal } = run(plan)
    return {
      violations: Judge.violations(journal, expectations),
      coverage,
      events,
      hash,
      calls: plan.calls.length,
      virtual: journal.facts.at(-1)?.at ?? 0
    }
  },
  without: Plan.without
})
