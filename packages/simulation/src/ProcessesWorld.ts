/**
 * Several processes with clocks of their own, each with the services over the connections for Node, on one exchange.
 */
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Connections from "@effect-venue/transport/Connections"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Callers from "./Callers.js"
import * as CallWorld from "./CallWorld.js"
import * as Draws from "./Draws.js"
import * as Exchange from "./Exchange.js"
import type * as Journal from "./Journal.js"
import * as Judge from "./Judge.js"
import type * as LimiterPlan from "./limiter/Plan.js"
import * as Store from "./limiter/Store.js"
import * as Network from "./Network.js"
import * as Dispatcher from "./processes/Dispatcher.js"
import * as Plan from "./processes/Plan.js"
import * as Recorder from "./Recorder.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

/** Longer than a ban and every retry. */
const limit = 1_800_000

const noFaults: LimiterPlan.Sharing["faults"] = { probability: 0, kinds: [] }

/** Requests to the server of the limits and its replies are lost. */
const losing: LimiterPlan.Sharing["faults"] = { probability: 0.1, kinds: ["lost", "replyLost"] }

/** A server of the limits that knows of all calls: the world `limiter` has one that forgets. */
const steady = { outages: [], losses: [], settings: [], isFresh: false, timeout: 1_000, lease: 60_000 } as const

/** The rate limits of the processes: each has its own, or all share those of one store. */
const limiters = (plan: Plan.Plan, sim: Sim.Sim, draws: Draws.Draws, recorder: Recorder.Recorder) => {
  const ignore = () => undefined
  const shared = Store.shared({
    sim,
    draws,
    plan: { ...steady, faults: plan.isLosing ? losing : noFaults, latency: plan.latency / 10 },
    recorder,
    listener: { granted: ignore, replied: ignore, failed: ignore }
  })
  return {
    ...shared,
    rested: plan.isSharing ? shared.rested : Effect.void,
    of: (process: number) =>
      plan.isSharing
        ? RateLimiter.layer.pipe(Layer.provide(Layer.effect(RateLimitStore.RateLimitStore, shared.of(process))))
        : RateLimiter.layerMemory
  }
}

/** The connections for Node, whose requests name their calls. */
const connections = (dispatcher: Layer.Layer<NodeHttpClient.Dispatcher>) => {
  const layer = NodeConnections.layerDispatcher(dispatcher)
  const named = Layer.effect(
    Connections.Connections,
    Effect.map(Connections.Connections, (connections) => ({
      ...connections,
      use: (call) =>
        connections.use((client) =>
          call(
            HttpClient.mapRequestEffect(client, (request) =>
              Effect.map(Network.CurrentCall, (id) => HttpClientRequest.setHeader(request, Dispatcher.callHeader, id))
            )
          )
        )
    }))
  )
  return Layer.merge(layer, named.pipe(Layer.provide(layer)))
}

/** Each process is judged by what it could know: by the bans that were reported to it, and by its own calls. */
const judged = (plan: Plan.Plan, recorder: Recorder.Recorder, end: Sim.End["_tag"], callers: Callers.Callers) => {
  // A request that arrives when its call has ended uses a place that the library cannot count.
  const isLimitOurs =
    plan.isSharing &&
    plan.orderLimit === undefined &&
    (plan.faults.probability === 0 || !plan.faults.kinds.some((kind) => kind === "lateRequest"))
  const expectations = CallWorld.expectationsOf(plan.calls, isLimitOurs)
  const [first, ...others] = plan.clocks.map((_, process) => {
    const calls = new Set(plan.calls.filter((call) => call.process === process).map(({ id }) => id))
    const facts = recorder.facts.filter(({ call }) => calls.has(call) || (call === "" && process === 0))
    const open = [...callers.open].filter((call) => calls.has(call))
    return Judge.violations({ facts, end, open, leaks: process === 0 ? callers.leaks : [] }, expectations)
  })
  return [...(first ?? []), ...others.flat()]
}

/** Runs a plan. */
export const run = (plan: Plan.Plan): World.Outcome & { readonly facts: ReadonlyArray<Journal.Fact> } => {
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
  const shared = limiters(plan, sim, draws, recorder)

  const begun = plan.clocks.map((shift, index) => {
    const process = sim.makeProcess()
    const local = sim.makeClock(Sim.epoch + shift)
    const { faults, latency } = plan
    const dispatcher = Dispatcher.make({
      sim,
      draws,
      process,
      latency,
      faults,
      judge: exchange.judge,
      listener: callers
    })
    const program = Effect.flatMap(
      Layer.build(
        Callers.services(exchange.credentials, draws, plan).pipe(
          Layer.provide([
            shared.of(index),
            BanGate.layer,
            ServerClock.layer,
            connections(Layer.effect(NodeHttpClient.Dispatcher, Effect.sync(dispatcher)))
          ])
        )
      ),
      (services) => Effect.provide(callers.run(plan.calls.filter((call) => call.process === index)), services)
    ).pipe(
      Effect.scoped,
      Effect.provideService(CallOptions.TransformClient, Callers.transforming(plan.isRetrying)),
      Effect.provideService(NodeConnections.AttemptTimer, (milliseconds, fire) =>
        sim.after(milliseconds, () => {
          if (!process.isDead()) fire()
        })
      ),
      Effect.withClock(local.clock)
    )
    return { process, local, run: process.run(program) }
  })

  for (const { at, by, process } of plan.jumps) {
    sim.after(at, () => {
      sim.trace(`jump     ${process} ${by}`)
      begun[process]?.local.jump(by)
    })
  }
  for (const { at, process } of plan.deaths) {
    sim.after(at, () => {
      sim.trace(`death    ${process}`)
      for (const call of plan.calls) if (call.process === process) callers.forget(call.id)
      shared.died(process)
      begun[process]?.process.kill()
    })
  }
  const end = sim.run(
    Effect.forEach(begun, ({ run }) => run, { concurrency: "unbounded", discard: true }).pipe(
      Effect.zipRight(shared.rested),
      Effect.provide(callers.logger),
      Effect.withRandom(Random.make(plan.seed))
    ),
    { limit }
  )
  sim.trace(`end      ${end._tag}`)
  return {
    facts: recorder.facts,
    violations: [...judged(plan, recorder, end._tag, callers), ...shared.violations()],
    coverage: recorder.coverage(),
    events: sim.events(),
    hash: sim.hash(),
    calls: plan.calls.length,
    virtual: recorder.facts.at(-1)?.at ?? 0
  }
}

export const world = World.make({ name: "processes", plan: Plan.make, run, without: Plan.without })
