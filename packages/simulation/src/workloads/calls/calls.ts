/**
 * Calls of one account through the services, in one process over a client of the platform, or in several with separate clocks over the
 * connections for Node; on the sandbox or on a small exchange, over a network with faults.
 */
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as SentWrites from "@effect-venue/transport/siblings/SentWrites"
import * as Transport from "@effect-venue/transport/Transport"
import type * as Failure from "@effect-venue/transport/Failure"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Function from "effect/Function"
import * as Layer from "effect/Layer"
import * as Exchange from "../../models/Exchange.js"
import * as Callers from "../../world/Callers.js"
import * as Dispatcher from "../../world/Dispatcher.js"
import * as Faults from "../../world/Faults.js"
import * as Network from "../../world/Network.js"
import * as SharedLimits from "../../models/SharedLimits.js"
import * as World from "../../world/World.js"
import * as Workload from "../../run/Workload.js"
import * as Plan from "./Plan.js"
import * as Requests from "./requests.js"
import * as promises from "./promises.js"
import * as wrappers from "./wrappers.js"

/** The connections for Node. */
const layerDispatcher = (world: World.World, options: Network.Options, { process }: World.Local) => {
  const dispatcher = Dispatcher.make({ ...options, world, process })
  return NodeConnections.layerDispatcher(Layer.effect(NodeHttpClient.Dispatcher, Effect.sync(dispatcher)))
}

/** A server of the limits that can be reached: the workload `limits` has one that has outages. */
const sharing = ({ latency, sharing }: Plan.CallsPlan): SharedLimits.Sharing => ({
  outages: [],
  timeout: 1_000,
  faults: sharing === "lossy" ? { probability: 0.1, kinds: ["lost", "replyLost"] } : Faults.none,
  latency: latency / 10
})

/** A write with an unknown outcome names the ids by which it can be looked up. */
const compareIds = ({ add }: World.World, call: Plan.PlannedCall, failure: Failure.OutcomeUnknown) => {
  const named = Object.values(failure.identifiers)
  const got = Requests.idsOf(call).filter((id) => named.includes(id))
  add({ _tag: "Compared", call: call.id, rule: "Identified", got: got.join(), expected: Requests.idsOf(call).join() })
}

/** Looks up a write with an unknown outcome when its request can no longer arrive. */
const lookUpWrite = (world: World.World, call: Plan.PlannedCall, { lookUp }: Failure.OutcomeUnknown) =>
  lookUp.pipe(
    Effect.delay("30 seconds"),
    Effect.provideService(Network.CurrentCall, Exchange.noCall),
    Effect.map(({ executed }) => {
      const { add } = world
      const { id, kind } = call
      if (executed !== "undetermined") add({ _tag: "Closed", call: id, entry: id, by: "reconcile", executed })
      // Orders and transfers are found by their ids.
      if (kind !== "cancel" && Requests.wishesOf(call).every((wish) => Requests.isExecuted(world, wish)))
        add({ _tag: "Compared", call: id, rule: "Identified", got: executed, expected: "yes" })
    }),
    Effect.ignore
  )

/** A call as its caller makes it. `unknown` receives its failure if its outcome is unknown, or would be if nobody had interrupted it. */
const made = (
  world: World.World,
  plan: Plan.CallsPlan,
  call: Plan.PlannedCall,
  unknown: (failure: Failure.OutcomeUnknown) => void
) =>
  Requests.send(call).pipe(
    Effect.tapError((failure) =>
      Effect.sync(() => {
        if (failure._tag === "OutcomeUnknown") unknown(failure)
      })
    ),
    Effect.provideService(Network.CurrentCall, call.id),
    Effect.provideService(CallOptions.CallTimeout, Duration.millis(call.timeout ?? 3_600_000)),
    Effect.provideService(BanGate.WhenBanned, plan.isWaiting ? "wait" : "fail"),
    Effect.provideService(CallOptions.OnInterruptedWrite, (failure) =>
      Effect.sync(() => {
        Requests.reportFailure(world, call, failure)
        unknown(failure)
      })
    )
  )

/** The services of one process. */
const services = (
  world: World.World,
  plan: Plan.CallsPlan,
  options: Network.Options,
  shared: SharedLimits.SharedLimits,
  credentials: Credentials.Credentials.Shape,
  local: World.Local
) => {
  const store = Layer.effect(RateLimitStore.RateLimitStore, shared.of(local.index))
  const limits = plan.sharing === "none" ? RateLimiter.layerMemory : RateLimiter.layer.pipe(Layer.provide(store))
  const connections = plan.isDispatched
    ? layerDispatcher(world, options, local)
    : Layer.succeed(HttpClient.HttpClient, Network.client(world, options))
  return Venue.layerServices.pipe(
    Layer.provideMerge(Transport.layer),
    Layer.provide(wrappers.signer(world.draws, plan.signing)),
    Layer.provide(Layer.succeed(Credentials.Credentials, credentials)),
    Layer.provide([limits, BanGate.layer, ServerClock.layer, connections])
  )
}

const start = (world: World.World, plan: Plan.CallsPlan): Workload.Started => {
  const { add, sim } = world
  const exchange = Exchange.make(world, plan.calls.map(Requests.exchangeCallOf), plan)
  const callers = Callers.make(world)
  const shared = SharedLimits.make(world, sharing(plan))
  const options: Network.Options = { faults: plan.faults, latency: plan.latency, exchange: exchange.judge }
  const ofProcess = (index: number) => plan.calls.filter(({ process }) => process === index)
  for (const call of plan.calls) add({ _tag: "Requested", call: call.id, ...promises.ofCall(plan, call) })
  const processes = World.processes(world, plan, (process) => {
    for (const { id } of ofProcess(process)) callers.lose(id)
    shared.died(process)
  })
  const programOf = (local: World.Local) =>
    Effect.gen(function* () {
      const context = yield* Layer.build(services(world, plan, options, shared, exchange.accounts.main, local))
      if (plan.isGranted && plan.orderLimit !== undefined) {
        const transport = Context.get(context, Transport.Transport)
        yield* transport.account.grant(Exchange.uid, "DERIVATIVES", plan.orderLimit)
      }
      const run = (call: Plan.PlannedCall) => {
        let failure: Failure.OutcomeUnknown | undefined
        const unknown = (failed: Failure.OutcomeUnknown) => {
          failure = failed
          compareIds(world, call, failed)
        }
        const queued = Effect.sync(() => {
          if (promises.isOrdered(plan)) add({ _tag: "Queued", call: call.id, ...promises.placeOf(call) })
        })
        const ended = callers.run(
          call,
          Effect.zipRight(queued, made(world, plan, call, unknown)),
          Requests.outcomesOf(call)
        )
        // The small exchange lists nothing.
        const isListed = plan.exchange === "sandbox" && plan.bannedAt === undefined
        return Effect.zipRight(
          ended,
          Effect.suspend(() => (isListed && failure !== undefined ? lookUpWrite(world, call, failure) : Effect.void))
        )
      }
      const all = Effect.forEach(ofProcess(local.index), run, { concurrency: "unbounded", discard: true })
      yield* Effect.provide(all, context)
    }).pipe(
      Effect.scoped,
      Effect.provideService(CallOptions.TransformClient, wrappers.transforming(world, plan.wrapper)),
      Effect.provideService(CallOptions.AttemptTimeout, Duration.millis(plan.attemptTimeout)),
      Effect.provideService(SentWrites.SentWrites, Function.constant(SentWrites.makeMemory())),
      Effect.provideService(NodeConnections.AttemptTimer, (milliseconds, fire) =>
        sim.after(milliseconds, () => {
          if (!local.process.isDead()) fire()
        })
      )
    )
  return {
    program: Effect.zipRight(World.inEach(processes, programOf), plan.sharing === "none" ? Effect.void : shared.rested),
    conditions: promises.ofRun(plan)
  }
}

export const workload = Workload.make({
  name: "calls",
  plan: Plan.make,
  calm: Plan.calm,
  optional: ["interruptedAfter", "timeout"],
  // Longer than a ban and every retry of calls that wait for each other.
  limit: 20_000_000,
  start
})
