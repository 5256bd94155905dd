/**
 * Calls on ban gates alone, and a service that bans addresses: on the gate of one process, or on those of several that share a store, over a
 * network that loses and delays their requests to it.
 */
import * as BanGate from "@effect-venue/transport/BanGate"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import * as BanStore from "@effect-venue/transport/BanStore"
import * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Random from "effect/Random"
import * as Sim from "../../kernel/Sim.js"
import * as BanServer from "../../models/BanServer.js"
import * as Callers from "../../world/Callers.js"
import * as Remote from "../../world/Remote.js"
import * as World from "../../world/World.js"
import * as Workload from "../../run/Workload.js"
import * as Plan from "./Plan.js"

/** How long the place of a probe is taken whose process has died. */
const lease = Duration.seconds(30)

/** How long a client waits for a reply of the store, in milliseconds. */
const timeout = 1_000

class Banned extends Data.TaggedError("Banned") {}

class Failed extends Data.TaggedError("Failed") {}

/** The call that a process asks the store for. */
class CurrentCall extends Context.Reference<CurrentCall>()("@effect-venue/simulation/bans/CurrentCall", {
  defaultValue: () => ""
}) {}

/** Mistakes of the library, for tests of the judges. */
export interface BanMistakes {
  /** Changes the operations that the library asks for. */
  readonly backend?: ((backend: RemoteStore.BanBackend) => RemoteStore.BanBackend) | undefined
  /** Changes the store as the gate sees it. */
  readonly store?: ((store: BanStore.BanStore.Shape) => BanStore.BanStore.Shape) | undefined
  /** Makes the gate of a process. */
  readonly gate?: Effect.Effect<BanGate.BanGate.Shape, never, BanStore.BanStore> | undefined
}

/** The server of the bans as the processes reach it. */
const backendOf = (world: World.World, plan: Plan.BansPlan): RemoteStore.BanBackend => {
  const { add, cover, sim } = world
  const server = BanServer.make(sim.now)
  const isOut = () => plan.outages.some(({ from, until }) => sim.now() >= from && sim.now() < until)
  const ask = Remote.make(world, { ...plan, timeout, isOut })
  const noteEntry = (call: string, reply: RemoteStore.BanReply | undefined) => {
    const tag = reply === undefined ? "Unreachable" : reply._tag
    cover(`enter ${tag}`)
    add({ _tag: "Entered", call, reply: tag, remaining: reply?._tag === "Closed" ? reply.remaining / 1000 : 0 })
  }
  const askServer = <A>(operation: string, act: () => A, before: (by: string) => void = () => undefined) =>
    Effect.flatMap(CurrentCall, (by) => {
      before(by)
      return ask({ operation, by, act })
    })
  return {
    enter: (name, probe, lease) =>
      Effect.flatMap(CurrentCall, (call) =>
        Effect.onExit(
          askServer("enter", () => server.enter(name, probe, lease)),
          (exit) => Effect.sync(() => noteEntry(call, Exit.isSuccess(exit) ? exit.value : undefined))
        )
      ),
    close: (name, duration) =>
      askServer(
        "close",
        () => server.close(name, duration),
        (call) => add({ _tag: "Closing", call, duration: duration / 1000 })
      ),
    leave: (name, probe, isUnbanned) => askServer("leave", () => server.leave(name, probe, isUnbanned))
  }
}

/** Compares the end of the ban that a gate shows with the answers of its process; at the instant of such an answer both are right. */
const compareShown = ({ add, facts, sim }: World.World, plan: Plan.BansPlan, call: string, shown: number) => {
  const bans = facts.flatMap((fact) => (fact._tag === "Ended" && fact.isBan ? [fact.at] : []))
  if (plan.isShared || plan.jumps.length > 0 || bans.includes(sim.now())) return
  const end = Math.max(...bans) + Duration.toMillis(DocumentedLimits.banLength)
  const expected = sim.now() < end ? Sim.epoch + end : 0
  // The end that was shown first is shown again if it differs by the rounding of two instants.
  const got = Math.abs(shown - expected) <= 2 ? expected : shown
  add({ _tag: "Compared", call, rule: "Shown", got: String(got), expected: String(expected) })
}

const host = "https://exchange.example"

/** How a call ends that meets no ban, as planned. */
const endOf = ({ end, id }: Plan.BanCall): Effect.Effect<boolean, Failed> => {
  switch (end) {
    case "answered":
      return Effect.succeed(false)
    case "failed":
      return new Failed()
    case "died":
      return Effect.die(new Error(`planned for ${id}`))
    case "interrupted":
      return Effect.interrupt
  }
}

/** One request: the service judges it in the middle of its time. Returns whether it was banned. */
const request = ({ add, cover, sim }: World.World, plan: Plan.BansPlan, call: Plan.BanCall) =>
  Effect.suspend(() => {
    const { id, lasts } = call
    const egress = plan.egresses[call.process]
    let isBanned = false
    let isOver = false
    const noteEnd = (how: string) => {
      if (isOver) return
      isOver = true
      cover(`sent x ${how}`)
      add({ _tag: "Ended", call: id, sending: 1, isBan: how === "banned" })
    }
    add({ _tag: "Sent", call: id, sending: 1 })
    sim.after(lasts / 2, () => {
      isBanned = plan.bans.some((ban) => ban.egress === egress && sim.now() >= ban.from && sim.now() < ban.until)
    })
    return Effect.sleep(lasts).pipe(
      Effect.flatMap(() => {
        noteEnd(isBanned ? "banned" : call.end)
        return isBanned ? Effect.succeed(true) : endOf(call)
      }),
      Effect.onInterrupt(() => Effect.sync(() => noteEnd("interrupted from outside")))
    )
  })

const outcomeOf = ({ id }: Plan.BanCall, exit: Exit.Exit<boolean, Banned | Failed>): Callers.CallerOutcome => {
  const outcome = Callers.outcomeOf(id, exit, ({ _tag: tag }) => ({ outcome: "refused", tag }))
  const isPlanned = Exit.isFailure(exit) && Cause.pretty(exit.cause).includes(`planned for ${id}`)
  return isPlanned ? { ...outcome, outcome: "refused", tag: "planned" } : outcome
}

/** When no ban is left. */
const opened = 7_260_000

/** Each gate opens at the end: after a first call, which can be a probe, two calls of a second are sent at once. */
const lastOf = (process: number): ReadonlyArray<Plan.BanCall> => {
  const common = { process, end: "answered", isWaiting: true } as const
  return [
    { ...common, id: `last of ${process}`, at: opened - 60_000, lasts: 1 },
    ...[1, 2].map((count) => ({ ...common, id: `open ${count} of ${process}`, at: opened, lasts: 1_000 }))
  ]
}

export const startWith =
  (mistakes: BanMistakes) =>
  (world: World.World, plan: Plan.BansPlan): Workload.Started => {
    const { add } = world
    const changedBackend = mistakes.backend ?? ((backend: RemoteStore.BanBackend) => backend)
    const changedStore = mistakes.store ?? ((store: BanStore.BanStore.Shape) => store)
    const callers = Callers.make(world)
    const backend = changedBackend(backendOf(world, plan))
    const ofProcess = (index: number) => plan.calls.filter(({ process }) => process === index)
    const last = plan.clocks.flatMap((_, process) => lastOf(process))
    for (const { at, id, isWaiting, process } of [...plan.calls, ...last]) {
      // A shared store takes its time.
      const doneBy = at === opened && !plan.isShared ? opened + 1_500 : undefined
      add({ _tag: "Requested", call: id, process: String(process), safety: "read", isWaiting, doneBy })
    }
    const processes = World.processes(world, plan, (process) => {
      for (const { id } of [...ofProcess(process), ...last.filter((call) => call.process === process)]) callers.lose(id)
    })
    const makeGate = (egress: string) =>
      plan.isShared
        ? Effect.flatMap(RemoteStore.makeBans({ egress, lease }, backend), (store) =>
            Effect.provideService(mistakes.gate ?? BanGate.makeShared, BanStore.BanStore, changedStore(store))
          )
        : BanGate.make
    const programOf = ({ index }: World.Local) =>
      Effect.gen(function* () {
        const gate = yield* makeGate(plan.egresses[index] ?? "a")
        const run = (call: Plan.BanCall) => {
          const passed = gate.pass(request(world, plan, call), {
            host,
            isBanned: (isBanned) => isBanned,
            closed: () => new Banned(),
            whenBanned: call.isWaiting ? "wait" : "fail"
          })
          const made = Effect.provideService(passed, CurrentCall, call.id)
          return Effect.zipRight(
            callers.run(call, made, (exit) => [outcomeOf(call, exit)]),
            Effect.map(gate.closedUntil(host), (until) => compareShown(world, plan, call.id, until))
          )
        }
        const own = [...ofProcess(index), ...last.filter(({ process }) => process === index)]
        yield* Effect.forEach(own, run, { concurrency: "unbounded", discard: true })
      }).pipe(Effect.withRandom(Random.make(`${plan.seed} ${index}`)))
    return {
      program: World.inEach(processes, programOf),
      conditions: { banLength: Duration.toMillis(DocumentedLimits.banLength), isShared: plan.isShared }
    }
  }

export const definition = {
  name: "bans",
  plan: Plan.make,
  calm: Plan.calm,
  optional: ["interruptedAfter"],
  // Longer than all bans, with the waits for them.
  limit: 14_400_000,
  start: startWith({})
} as const satisfies Workload.Definition<Plan.BansPlan, string>

export const workload = Workload.make<Plan.BansPlan, "bans">(definition)
