/**
 * Calls of several processes on ban gates that share a store, over a network that loses and delays what they ask it, and a service that bans their
 * addresses.
 */
import * as BanGate from "@effect-venue/transport/BanGate"
import * as BanStore from "@effect-venue/transport/BanStore"
import * as RemoteStore from "@effect-venue/transport/RemoteStore"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Random from "effect/Random"
import * as Judge from "./bans/Judge.js"
import * as Link from "./bans/Link.js"
import * as Plan from "./bans/Plan.js"
import * as Draws from "./Draws.js"
import { endOf, type Failed } from "./GateWorld.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

/** Longer than all bans, with the waits for them. */
const limit = 14_400_000

/** How long the place of a probe is taken whose process has died. */
const lease = Duration.seconds(30)

class Banned extends Data.TaggedError("Banned") {}

/** What the library does wrong, for tests of the judge. */
export interface Mistakes {
  /** Changes the operations that the library asks for. */
  readonly backend?: ((backend: RemoteStore.BanBackend) => RemoteStore.BanBackend) | undefined
  /** Changes the store as the gate sees it. */
  readonly store?: ((store: BanStore.BanStore.Shape) => BanStore.BanStore.Shape) | undefined
  /** Makes the gate of a process. */
  readonly gate?: Effect.Effect<BanGate.BanGate.Shape, never, BanStore.BanStore> | undefined
}

/** Runs a plan. */
export const run = (plan: Plan.Plan, mistakes: Mistakes = {}): World.Outcome => {
  const sim = Sim.make(Draws.make(plan.seed), plan.mode)
  const coverage = new Set<string>()
  const judge = Judge.make(sim.now, Duration.toMillis(BanGate.banLength))
  const link = Link.make({
    sim,
    draws: Draws.make(plan.seed),
    plan,
    listener: {
      entered: (process, call, reply) => {
        coverage.add(`${judge.isClosed(process) ? "closed" : "open"} x ${reply?._tag ?? "Unreachable"}`)
        sim.trace(`enter    ${call} ${reply?._tag ?? "Unreachable"}`)
        judge.entered(process, call, reply)
      },
      closing: (process, call, duration) => {
        sim.trace(`close    ${call} ${duration}`)
        judge.closing(process, call, duration)
      },
      failed: (operation, fault) => void coverage.add(`${operation} x ${fault}`)
    }
  })
  const makeGate = mistakes.gate ?? BanGate.makeShared
  const changedStore = mistakes.store ?? ((store: BanStore.BanStore.Shape) => store)
  const changedBackend = mistakes.backend ?? ((backend: RemoteStore.BanBackend) => backend)

  /** One request: the service judges it in the middle of its time. Gives whether it was banned. */
  const request = (call: Plan.Call) =>
    Effect.suspend(() => {
      const { process } = call
      const egress = plan.processes[process]?.egress
      let isBanned = false
      sim.trace(`send     ${call.id} by ${process}`)
      judge.sent(process, call.id)
      sim.after(call.lasts / 2, () => {
        isBanned = plan.bans.some((ban) => ban.egress === egress && sim.now() >= ban.from && sim.now() < ban.until)
      })
      return Effect.flatMap(Effect.sleep(call.lasts), () => {
        sim.trace(`end      ${call.id} ${isBanned ? "banned" : call.end}`)
        coverage.add(`sent x ${isBanned ? "banned" : call.end}`)
        judge.ended(process, call.id, isBanned)
        return isBanned ? Effect.succeed(true) : endOf(call)
      })
    })

  const open = new Set<string>()

  const reported = (call: Plan.Call, exit: Exit.Exit<boolean, Banned | Failed>) => {
    open.delete(call.id)
    sim.trace(`report   ${call.id} ${exit._tag}`)
    if (Exit.isSuccess(exit) || Cause.isInterruptedOnly(exit.cause)) return
    const failure = Cause.failureOption(exit.cause)
    if (failure._tag === "Some") {
      if (failure.value._tag === "Banned") judge.refused(call.process, call.id)
      return
    }
    const text = Cause.pretty(exit.cause)
    if (!text.includes(`planned for ${call.id}`)) judge.violate("Defect", call.id, text.split("\n")[0] ?? "")
  }

  const passing = (gate: BanGate.BanGate.Shape, call: Plan.Call) =>
    gate
      .pass(request(call), {
        host: "https://exchange.example",
        isBanned: (isBanned) => isBanned,
        closed: () => new Banned(),
        whenBanned: call.isWaiting ? "wait" : "fail"
      })
      .pipe(
        Effect.provideService(Link.CurrentCall, call.id),
        Effect.onExit((exit) =>
          Effect.sync(() => {
            reported(call, exit)
          })
        ),
        Effect.exit
      )

  const calling = (gate: BanGate.BanGate.Shape, call: Plan.Call) =>
    Effect.gen(function* () {
      yield* Effect.sleep(call.at)
      open.add(call.id)
      const fiber = yield* Effect.fork(passing(gate, call))
      if (call.interruptedAfter !== undefined) {
        sim.after(call.interruptedAfter, () => {
          if (open.has(call.id)) fiber.unsafeInterruptAsFork(FiberId.none)
        })
      }
      yield* Fiber.await(fiber)
    })

  const begun = plan.processes.map(({ egress, shift }, index) => {
    const process = sim.makeProcess()
    const local = sim.makeClock(Sim.epoch + shift)
    const program = Effect.gen(function* () {
      const store = yield* RemoteStore.makeBans({ egress, lease }, changedBackend(link.backend(index)))
      const gate = yield* Effect.provideService(makeGate, BanStore.BanStore, changedStore(store))
      const own = plan.calls.filter((call) => call.process === index)
      yield* Effect.forEach(own, (call) => calling(gate, call), { concurrency: "unbounded", discard: true })
      // Whatever the others did, the gate opens.
      yield* Effect.sleep("2 hours")
      const id = `last of ${index}`
      yield* calling(gate, { id, process: index, at: 0, lasts: 1, end: "answered", isWaiting: true })
    }).pipe(Effect.withRandom(Random.make(`${plan.seed} ${index}`)), Effect.withClock(local.clock))
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
      coverage.add("death")
      sim.trace(`death    ${process}`)
      begun[process]?.process.kill()
    })
  }
  const { _tag } = sim.run(
    Effect.forEach(begun, ({ run }) => run, { concurrency: "unbounded", discard: true }),
    { limit }
  )
  sim.trace(`end      ${_tag}`)
  if (_tag !== "Done") judge.violate("Stuck", "", _tag)
  return {
    violations: judge.violations((process) => begun[process]?.process.isDead() === true),
    coverage: [...coverage],
    events: sim.events(),
    hash: sim.hash(),
    calls: plan.calls.length,
    virtual: sim.now()
  }
}

export const world = World.make({ name: "bans", plan: Plan.make, run: (plan) => run(plan), without: Plan.without })
