/** Calls of several priorities on the rate limiter alone, over a store in memory or one that processes share, and a service that counts itself. */
import type * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Priorities from "@effect-venue/transport/siblings/Priorities"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Service from "../../models/Service.js"
import * as Callers from "../../world/Callers.js"
import * as SharedLimits from "../../models/SharedLimits.js"
import * as World from "../../world/World.js"
import * as Workload from "../../run/Workload.js"
import * as Plan from "./Plan.js"

/** The waiting of a call was ended from outside, as by a ban. */
class WaitingEnded extends Data.TaggedError("WaitingEnded") {}

const addressOf = (plan: Plan.LimitsPlan): Service.Limit => ({ key: "address", count: plan.perIp, window: 5_000 })

const accountOf = (plan: Plan.LimitsPlan, uid: string): Service.Limit => ({
  key: `address uid:${uid}`,
  count: plan.perUid,
  window: 1_000
})

const costsOf = (
  plan: Plan.LimitsPlan,
  { cost, uid }: Plan.LimitedCall
): ReadonlyArray<readonly [Service.Limit, number]> => [
  [addressOf(plan), 1],
  ...(uid === undefined ? [] : [[accountOf(plan, uid), cost] as const])
]

const chargesOf = (plan: Plan.LimitsPlan, call: Plan.LimitedCall): ReadonlyArray<SharedLimits.Charge> =>
  costsOf(plan, call).map(([{ count, key, window }, cost]) => ({
    call: call.id,
    key,
    scope: key === "address" ? "ip" : "uid",
    limit: count,
    window: Duration.millis(window),
    cost
  }))

/** Higher priorities leave fewer places free. */
const spareOf = (priority: CallOptions.PriorityName) => Math.floor(Priorities.order.indexOf(priority) / 2)

interface Context {
  readonly world: World.World
  readonly plan: Plan.LimitsPlan
  readonly service: Service.Service
  readonly callers: Callers.Callers
}

/** One request, from its departure until it has an answer or its caller gives up. It arrives even if its caller is interrupted. */
const makeRequest = (context: Context, call: Plan.LimitedCall) => {
  const { callers, plan, service, world } = context
  const { add, draws, sim } = world
  const { id } = call
  // A request without a waiting caller arrives within twice its time.
  const journey = call.end === "lost" ? 2 * call.lasts : call.lasts
  let sentAt: number | undefined
  let isAnswered = false
  let isRefused = false
  const end = () => add({ _tag: "Ended", call: id, sending: 1, isBan: false })
  const arrive = () => {
    isRefused = !service.take(costsOf(plan, call))
    const common = { call: id, sending: 1, wishes: [], executed: [], status: 200, isCopy: false } as const
    add({ _tag: "Arrived", ...common, code: isRefused ? 10006 : 0 })
  }
  const send = Effect.async<void>((resume) => {
    sentAt = sim.now()
    add({ _tag: "Sent", call: id, sending: 1 })
    if (call.end !== "unsent") sim.after(draws.fraction("arrival", id) * journey, arrive)
    if (call.isInterruptedInFlight === true) {
      sim.after(draws.fraction("in flight", id) * call.lasts, () => callers.interrupt(id))
    }
    const cancel = sim.after(call.lasts, () => {
      isAnswered = call.end === "answered"
      end()
      resume(Effect.void)
    })
    return Effect.sync(() => {
      cancel()
      end()
    })
  })
  return {
    send,
    chargeOutcome: (): RateLimitStore.ChargeOutcome =>
      sentAt === undefined || call.end === "unsent" ? "unsent" : isAnswered && isRefused ? "refused" : "counted",
    arrivesWithin: () =>
      sentAt === undefined || isAnswered ? Duration.zero : Duration.millis(Math.max(sentAt + journey - sim.now(), 0)),
    observation: (): RateLimitStore.Observation | undefined => {
      if (!plan.isObserving || !isAnswered || sentAt === undefined || call.uid === undefined) return undefined
      const limit = accountOf(plan, call.uid)
      const roundTrip = Duration.millis(sim.now() - sentAt)
      return { roundTrip, limit: limit.count, remaining: service.remaining(limit), refused: isRefused }
    }
  }
}

/** Sends a call through the limiter of its process. */
const chargeCall = (context: Context, limiter: RateLimiter.RateLimiter.Shape, call: Plan.LimitedCall) =>
  Effect.suspend(() => {
    const { plan, world } = context
    const charges = chargesOf(plan, call)
    const { arrivesWithin, chargeOutcome, observation, send } = makeRequest(context, call)
    world.add({
      _tag: "Queued",
      call: call.id,
      rank: Priorities.order.indexOf(call.priority),
      line: `${call.process} ${charges.map(({ key }) => key).join(" ")}`,
      spare: plan.isSparing ? spareOf(call.priority) : 0,
      costs: costsOf(plan, call).map(([{ count, key }, cost]) => ({ key, limit: count, cost }))
    })
    const observed = Effect.suspend(() => {
      const [charge, seen] = [charges.at(-1), observation()]
      return charge === undefined || seen === undefined
        ? Effect.void
        : Effect.clockWith((clock) => limiter.observe(charge, seen, clock))
    })
    const unless = call.endedAfter === undefined ? undefined : Effect.delay(new WaitingEnded(), call.endedAfter)
    const options = { charges, priority: call.priority, unless }
    const work = Effect.zipRight(send, observed)
    return call.isScoped === true
      ? Effect.scoped(Effect.zipRight(RateLimiter.acquireScoped(limiter, options), work))
      : RateLimiter.charged(limiter, work, { ...options, chargeOutcome, arrivesWithin })
  })

/** The server always answers well within the time limits of its callers. */
const isServed = ({ deadline, faults, isShared, latency, outages, timeout }: Plan.LimitsPlan) =>
  !isShared || (faults.probability === 0 && outages.length === 0 && 4 * latency < Math.min(deadline, timeout))

/** When a call has given up that begins after the server has been out for a journey to it and back. */
const givenUpBy = ({ deadline, faults, latency, outages }: Plan.LimitsPlan, { at }: Plan.LimitedCall) => {
  const isOut = outages.some(({ from, until }) => from + 2 * latency < at && at + deadline < until)
  return isOut && faults.probability === 0 ? at + deadline + 1 : undefined
}

const toRefusal = ({ _tag: tag }: { readonly _tag: string }) => ({ outcome: "refused", tag }) as const

const start = (world: World.World, plan: Plan.LimitsPlan): Workload.Started => {
  const { add, cover, phaseOf, sim } = world
  const callers = Callers.make(world)
  const service = Service.make(sim.now)
  for (const { at, uid } of plan.foreign) sim.after(at, () => void service.take([[accountOf(plan, uid), 1]]))
  const interruptWhenReserved = (id: string) => {
    if (plan.calls.find((call) => call.id === id)?.isInterruptedWhenReserved !== true) return
    sim.soon(() => {
      if (phaseOf(id) === "queued") cover("interrupted at its reservation")
      callers.interrupt(id)
    })
  }
  const shared = SharedLimits.make(world, plan, interruptWhenReserved)
  const context: Context = { world, plan, service, callers }
  const ofProcess = (index: number) => plan.calls.filter(({ process }) => process === index)
  for (const call of plan.calls) {
    const { id, process } = call
    add({ _tag: "Requested", call: id, process: String(process), safety: "read", deadline: givenUpBy(plan, call) })
  }
  const processes = World.processes(world, plan, (process) => {
    for (const { id } of ofProcess(process)) callers.lose(id)
    shared.died(process)
  })
  const programOf = ({ index }: World.Local) =>
    Effect.gen(function* () {
      const store = yield* plan.isShared
        ? shared.of(index)
        : Effect.map(RateLimitStore.makeMemory(), (store) =>
            SharedLimits.recordStore(store, world, interruptWhenReserved)
          )
      const limiter = yield* RateLimiter.make(plan.isSparing ? { spare: spareOf } : {}).pipe(
        Effect.provideService(RateLimitStore.RateLimitStore, store)
      )
      const run = (call: Plan.LimitedCall) =>
        callers.run(call, chargeCall(context, limiter, call), (exit) => [Callers.outcomeOf(call.id, exit, toRefusal)])
      yield* Effect.forEach(ofProcess(index), run, { concurrency: "unbounded", discard: true })
    })
  const program = Effect.zipRight(World.inEach(processes, programOf), plan.isShared ? shared.rested : Effect.void)
  return {
    program: Effect.provideService(program, RateLimiter.StoreDeadline, Duration.millis(plan.deadline)),
    conditions: {
      isLimitOurs: plan.foreign.length === 0,
      isServed: isServed(plan),
      isPrompt: !plan.isShared && !plan.isObserving && plan.jumps.length === 0
    }
  }
}

export const workload = Workload.make({
  name: "limits",
  plan: Plan.make,
  calm: Plan.calm,
  optional: Plan.optional,
  // Longer than all calls one after the other, with the lease of each.
  limit: 3_600_000,
  start
})
