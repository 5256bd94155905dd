/**
 * Calls of one account through the services, over a network with faults, on the sandbox or on a small exchange.
 */
import * as Venue from "@effect-venue/services/Venue"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as CallJudge from "./CallJudge.js"
import * as Callers from "./Callers.js"
import * as Draws from "./Draws.js"
import * as Exchange from "./Exchange.js"
import type * as Journal from "./Journal.js"
import type * as Judge from "./Judge.js"
import * as Network from "./Network.js"
import * as Plan from "./Plan.js"
import * as Recorder from "./Recorder.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

/** Longer than a ban and every retry. */
const limit = 1_800_000

export interface Run {
  readonly journal: Journal.Journal
  readonly expectations: CallJudge.Promises
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

/** The instant by which the caller has left. */
const deadlineOf = ({ at, interruptedAfter, timeout }: Plan.Call): number | undefined =>
  interruptedAfter === undefined && timeout === undefined
    ? undefined
    : at + Math.min(interruptedAfter ?? Number.POSITIVE_INFINITY, timeout ?? Number.POSITIVE_INFINITY)

/** What can be promised in a plan. */
const promisesOf = (plan: Plan.Plan): CallJudge.Promises => {
  const calls = new Map(plan.calls.map((call) => [call.id, call]))
  const { bannedAt, jumps, latency, signing } = plan
  const mayFail = (fault: Plan.Fault) => plan.faults.probability > 0 && plan.faults.kinds.includes(fault)
  const isCalm = plan.faults.probability === 0 && bannedAt === undefined && plan.orderLimit === undefined
  const isUncut = plan.calls.every((call) => deadlineOf(call) === undefined)
  return {
    // A copy, or a request that arrives when its call has ended, uses a place that the library cannot count.
    ...expectationsOf(plan.calls, plan.orderLimit === undefined && !mayFail("doubled") && !mayFail("lateRequest")),
    deadlineOf: (id) => {
      const call = calls.get(id)
      return call === undefined ? undefined : deadlineOf(call)
    },
    doneBy: (id) => {
      const call = calls.get(id)
      if (call === undefined || !isCalm || !isUncut) return undefined
      const rounds = plan.calls.filter(({ kind }) => kind === call.kind).length + 2
      return call.at + rounds * (1_001 + 2 * latency + signing)
    },
    isClockLearnable: latency + signing <= 2_000 && !mayFail("lateRequest"),
    isSteady: jumps.length === 0,
    // Slots that contradict their places say nothing.
    isClear: plan.isShuffling !== true,
    isWaiting: plan.isWaiting
  }
}

/** Runs a plan. */
export const run = (plan: Plan.Plan): Run => {
  const draws = Draws.make(plan.seed)
  const sim = Sim.make(draws, plan.mode)
  const recorder = Recorder.make(sim)
  const exchange = Exchange.make(sim, draws, plan, recorder)
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

  const local = sim.makeClock(Sim.epoch)
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
  return {
    journal: { facts: recorder.facts, end: end._tag, open: [...callers.open], leaks: callers.leaks },
    expectations: promisesOf(plan),
    events: sim.events(),
    hash: sim.hash(),
    coverage: recorder.coverage()
  }
}

export const world = World.make({
  name: "call",
  plan: Plan.make,
  run: (plan) => {
    const { coverage, events, expectations, hash, journal } = run(plan)
    return {
      violations: CallJudge.violations(journal, expectations),
      coverage,
      events,
      hash,
      calls: plan.calls.length,
      virtual: journal.facts.at(-1)?.at ?? 0
    }
  },
  without: Plan.without
})
