/**
 * Calls of several priorities on the rate limiter alone, over a store in memory or one that processes share, and a service that counts for
 * itself.
 */
import * as Priority from "@effect-venue/transport/Priority"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Draws from "./Draws.js"
import type * as Journal from "./Journal.js"
import * as Judge from "./Judge.js"
import * as Ledger from "./limiter/Ledger.js"
import * as Plan from "./limiter/Plan.js"
import * as Service from "./limiter/Service.js"
import * as Store from "./limiter/Store.js"
import * as Recorder from "./Recorder.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

/** Longer than all calls one after the other, with the lease of each. */
const limit = 3_600_000

const expectations = (plan: Plan.Plan): Judge.Expectations => ({
  banLength: 0,
  isRepeatable: () => true,
  isWrite: () => false,
  isLimitOurs: plan.foreign.length === 0
})

/** The waiting of a call was ended from outside, as by a ban. */
class WaitingEnded extends Data.TaggedError("WaitingEnded") {}

/** Where a call is: before its departure, under way, or after it. */
type Phase = "ended" | "running" | "waiting"

interface Limits {
  readonly ip: Service.Limit
  readonly uid: (uid: string) => Service.Limit
}

const limitsOf = (plan: Plan.Plan): Limits => ({
  ip: { key: "address", count: plan.perIp, window: 5_000 },
  uid: (uid) => ({ key: `address uid:${uid}`, count: plan.perUid, window: 1_000 })
})

const costsOf = ({ cost, uid }: Plan.Call, limits: Limits): ReadonlyArray<readonly [Service.Limit, number]> => [
  [limits.ip, 1],
  ...(uid === undefined ? [] : [[limits.uid(uid), cost] as const])
]

const chargesOf = (call: Plan.Call, limits: Limits): ReadonlyArray<Store.Charge> =>
  costsOf(call, limits).map(([{ count, key, window }, cost]) => ({
    call: call.id,
    key,
    scope: key === limits.ip.key ? "ip" : "uid",
    limit: count,
    window: Duration.millis(window),
    cost
  }))

/** Higher priorities leave fewer places free. */
const spareOf = (priority: Priority.Name) => Math.floor(Priority.order.indexOf(priority) / 2)

/** Calls that others may overtake before one of them goes without leaving places for others. */
const overtakes = 10

/** What was taken without leaving as much free as the call's priority is to. */
const unspared = (
  { calls, isSparing }: Plan.Plan,
  facts: ReadonlyArray<Journal.Fact>
): ReadonlyArray<World.Violation> =>
  facts
    .filter((fact) => fact._tag === "Reserved")
    .flatMap(({ call: id, spare }, earlier) => {
      const call = calls.find((call) => call.id === id)
      const expected = call === undefined || !isSparing ? 0 : spareOf(call.priority)
      const mayBeOverdue = earlier >= overtakes && spare.every((places) => places === 0)
      return mayBeOverdue || spare.every((places) => places === expected)
        ? []
        : [{ rule: "Spare", call: id, detail: `left ${spare.join(" and ")} free, and not ${expected}` }]
    })

interface Context {
  readonly sim: Sim.Sim
  readonly draws: Draws.Draws
  readonly plan: Plan.Plan
  readonly recorder: Recorder.Recorder
  readonly service: Service.Service
  readonly limits: Limits
  readonly phases: Map<string, Phase>
  /** The reservation of a call at the server of the limits, where processes share them, as long as it has not departed. */
  readonly grantOf: (call: string) => Ledger.Grant | undefined
  /** The reservations with which calls departed. */
  readonly departed: Map<string, Ledger.Grant>
  readonly interrupt: (call: string) => void
}

/** Whether no library could have kept a call from being refused. */
const isInherent = (
  exceeded: ReadonlyArray<Service.Exceeded>,
  at: number,
  call: string,
  departed: ReadonlyMap<string, Ledger.Grant>
) =>
  exceeded.every(({ cost, counted, limit }) =>
    Ledger.isInherent(
      limit.count,
      [...counted, { call, at, cost }].flatMap((arrival) => {
        const grant = departed.get(arrival.call)
        return grant === undefined ? [] : [{ ...arrival, grant }]
      })
    )
  )

/** One request, from its departure until it has an answer or is given up. It arrives even if its caller is interrupted. */
const makeRequest = (context: Context, call: Plan.Call) => {
  const { departed, draws, grantOf, interrupt, limits, phases, plan, recorder, service, sim } = context
  // One that is given up arrives within twice its time.
  const journey = call.end === "lost" ? 2 * call.lasts : call.lasts
  const arrivesAfter = draws.fraction("arrival", call.id) * journey
  let sentAt: number | undefined
  let isAnswered = false
  let isRefused = false
  const end = () => {
    phases.set(call.id, "ended")
    recorder.add({ _tag: "Ended", call: call.id, sending: 1, isBan: false }, `end      ${call.id}`)
  }
  const arrive = () => {
    const exceeded = service.take(costsOf(call, limits), call.id)
    isRefused = exceeded.length > 0
    const isLawful = isRefused && isInherent(exceeded, sim.now(), call.id, departed)
    if (isLawful) recorder.cover("a refusal that is inherent")
    const code = isRefused ? 10006 : 0
    const arrival = { call: call.id, sending: 1, wishes: [], executed: [], code, status: 200, isCopy: false } as const
    recorder.add(
      { _tag: "Arrived", ...arrival, isInherent: isLawful },
      `arrive   ${call.id} ${code}${isLawful ? " inherently" : ""}`
    )
  }
  const send = Effect.async<void>((resume) => {
    sentAt = sim.now()
    const grant = grantOf(call.id)
    if (grant !== undefined) departed.set(call.id, grant)
    phases.set(call.id, "running")
    recorder.add({ _tag: "Sent", call: call.id, sending: 1 }, `send     ${call.id}`)
    if (call.end !== "unsent") sim.after(arrivesAfter, arrive)
    if (call.isInterruptedInFlight) {
      sim.after(draws.fraction("in flight", call.id) * call.lasts, () => {
        interrupt(call.id)
      })
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
    observation: (charge: RateLimitStore.Charge): RateLimitStore.Observation | undefined => {
      if (!plan.isObserving || !isAnswered || sentAt === undefined || charge.scope === "ip") return undefined
      const remaining = service.remaining({ key: charge.key, count: charge.limit, window: 1_000 })
      return { roundTrip: Duration.millis(sim.now() - sentAt), limit: charge.limit, remaining, refused: isRefused }
    }
  }
}

/** Sends a call through the limiter of its process. */
const charged = (context: Context, limiter: RateLimiter.RateLimiter.Shape, call: Plan.Call) =>
  Effect.suspend(() => {
    const charges = chargesOf(call, context.limits)
    const { arrivesWithin, chargeOutcome, observation, send } = makeRequest(context, call)
    const line = `${call.process} ${charges.map(({ key }) => key).join(" ")}`
    context.phases.set(call.id, "waiting")
    context.recorder.add(
      { _tag: "Queued", call: call.id, rank: Priority.order.indexOf(call.priority), line },
      `queue    ${call.id} ${call.priority} ${line}`
    )
    const observed = Effect.suspend(() => {
      const charge = charges.at(-1)
      const seen = charge === undefined ? undefined : observation(charge)
      return charge === undefined || seen === undefined ? Effect.void : limiter.observe(charge, seen)
    })
    return limiter.charged(Effect.zipRight(send, observed), {
      charges,
      priority: call.priority,
      chargeOutcome,
      arrivesWithin,
      unless: call.endedAfter === undefined ? undefined : Effect.delay(new WaitingEnded(), call.endedAfter)
    })
  })

const outcomeOf = (exit: Exit.Exit<void, RateLimitStore.StoreUnreachable | WaitingEnded>) => {
  if (Exit.isSuccess(exit)) return { outcome: "done", tag: "" } as const
  const failure = Cause.failureOption(exit.cause)
  if (failure._tag === "Some") return { outcome: "refused", tag: failure.value._tag } as const
  return Cause.isInterruptedOnly(exit.cause)
    ? ({ outcome: "interrupted", tag: "" } as const)
    : ({ outcome: "died", tag: Cause.pretty(exit.cause) } as const)
}

/** Runs a plan. */
export const run = (plan: Plan.Plan, mistakes: Store.Mistakes = {}): World.Outcome => {
  const draws = Draws.make(plan.seed)
  const sim = Sim.make(draws, plan.mode)
  const recorder = Recorder.make(sim)
  const limits = limitsOf(plan)
  const phases = new Map<string, Phase>()
  const open = new Set(plan.calls.map(({ id }) => id))
  /** The last fault of the store that happened for a call. */
  const hit = new Map<string, string>()
  const interrupted = new Set<string>()

  const fibers = new Map<string, Fiber.RuntimeFiber<unknown, unknown>>()
  const interruptNow = (id: string) => {
    if (!open.has(id)) return
    interrupted.add(id)
    recorder.cover(`${hit.get(id) ?? "no fault"} x ${phases.get(id) ?? "waiting"} x interrupted`)
    sim.trace(`interrupt ${id}`)
    fibers.get(id)?.unsafeInterruptAsFork(FiberId.none)
  }
  const interruptWhenReserved = (id: string) => {
    if (plan.calls.find((call) => call.id === id)?.isInterruptedWhenReserved !== true) return
    sim.soon(() => {
      if (phases.get(id) === "waiting") recorder.cover("interrupted at its reservation")
      interruptNow(id)
    })
  }

  const shared = Store.shared({
    sim,
    draws,
    plan,
    recorder,
    mistakes,
    listener: {
      granted: () => undefined,
      replied: interruptWhenReserved,
      failed: (operation, fault, call) => {
        hit.set(call, `${operation} ${fault}`)
        recorder.cover(
          `${operation} ${fault} x ${phases.get(call) ?? ""}${interrupted.has(call) ? " x interrupted" : ""}`
        )
        sim.trace(`fault    ${operation} ${fault} ${call}`)
      }
    }
  })
  const service = Service.make(sim.now)
  const { grantOf } = shared
  const world = { sim, draws, plan, recorder, service, limits, phases }
  const context: Context = { ...world, grantOf, departed: new Map(), interrupt: interruptNow }

  const caller = (limiter: RateLimiter.RateLimiter.Shape, call: Plan.Call) =>
    charged(context, limiter, call).pipe(
      Effect.onExit((exit) =>
        Effect.sync(() => {
          const outcome = outcomeOf(exit)
          open.delete(call.id)
          recorder.cover(`${hit.get(call.id) ?? "no fault"} x ${outcome.outcome} ${outcome.tag}`.trimEnd())
          recorder.add(
            { _tag: "Reported", call: call.id, wish: call.id, ...outcome },
            `report   ${call.id} ${outcome.outcome} ${outcome.tag.split("\n")[0] ?? ""}`
          )
        })
      ),
      Effect.exit
    )

  const processOf = (index: number) =>
    Effect.gen(function* () {
      const store = plan.isShared
        ? yield* shared.of(index)
        : Store.recorded(yield* RateLimitStore.makeMemory, recorder, interruptWhenReserved)
      const limiter = yield* RateLimiter.makeWith(plan.isSparing ? { spare: spareOf } : {}).pipe(
        Effect.provideService(RateLimitStore.RateLimitStore, store)
      )
      const callers = yield* Effect.forEach(
        plan.calls.filter(({ process }) => process === index),
        (call) =>
          Effect.fork(
            Effect.flatMap(Effect.zipRight(Effect.sleep(call.at), Effect.fork(caller(limiter, call))), (fiber) => {
              fibers.set(call.id, fiber)
              if (call.interruptedAfter !== undefined) {
                sim.after(call.interruptedAfter, () => {
                  interruptNow(call.id)
                })
              }
              return Fiber.await(fiber)
            })
          )
      )
      yield* Fiber.awaitAll(callers)
    })

  const local = sim.makeClock(Sim.epoch)
  for (const { at, by } of plan.jumps)
    sim.after(at, () => {
      local.jump(by)
    })
  for (const { at, uid } of plan.foreign) sim.after(at, () => void service.take([[limits.uid(uid), 1]], ""))
  const processes = Array.from({ length: 1 + Math.max(...plan.calls.map(({ process }) => process)) }, sim.makeProcess)
  for (const { at, process } of plan.deaths) {
    sim.after(at, () => {
      sim.trace(`death    ${process}`)
      for (const call of plan.calls.filter((call) => call.process === process && open.has(call.id))) {
        open.delete(call.id)
        recorder.cover(`death x ${phases.get(call.id) ?? "not begun"}`)
      }
      shared.died(process)
      processes[process]?.kill()
    })
  }
  const end = sim.run(
    Effect.forEach(processes, (process, index) => process.run(processOf(index)), {
      concurrency: "unbounded",
      discard: true
    }).pipe(
      Effect.zipRight(plan.isShared ? shared.rested : Effect.void),
      Effect.withRandom(Random.make(plan.seed)),
      Effect.provideService(RateLimiter.StoreDeadline, Duration.millis(plan.deadline)),
      Effect.provide(Logger.remove(Logger.defaultLogger)),
      Effect.withClock(local.clock)
    ),
    { limit }
  )
  sim.trace(`end      ${end._tag}`)
  const journal = { facts: recorder.facts, end: end._tag, open: [...open], leaks: [] }
  return {
    violations: [
      ...Judge.violations(journal, expectations(plan)),
      ...unspared(plan, recorder.facts),
      ...shared.violations()
    ],
    coverage: recorder.coverage(),
    events: sim.events(),
    hash: sim.hash(),
    calls: plan.calls.length,
    virtual: recorder.facts.at(-1)?.at ?? 0
  }
}

export const world = World.make({ name: "limiter", plan: Plan.make, run: (plan) => run(plan), without: Plan.without })
