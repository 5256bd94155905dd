/**
 * Calls on the ban gate alone, and a service that bans the address.
 */
import * as BanGate from "@effect-venue/transport/BanGate"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Draws from "./Draws.js"
import * as Plan from "./GatePlan.js"
import * as Judge from "./Judge.js"
import * as Recorder from "./Recorder.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

/** Longer than both bans, with the waits for them. */
const limit = 7_200_000

const expectations: Judge.Expectations = {
  banLength: Duration.toMillis(BanGate.banLength),
  isRepeatable: () => true,
  isWrite: () => false,
  isLimitOurs: false
}

class Banned extends Data.TaggedError("Banned") {}

export class Failed extends Data.TaggedError("Failed") {}

/** Where a call is. */
type Phase = "ended" | "sent" | "waiting"

interface Context {
  readonly sim: Sim.Sim
  readonly plan: Plan.Plan
  readonly recorder: Recorder.Recorder
  readonly phases: Map<string, Phase>
  /** What is known of the ban: its end, until a call came back unbanned after it. */
  readonly ban: { until: number }
}

const stateOf = ({ ban, sim }: Pick<Context, "ban" | "sim">) =>
  ban.until === 0 ? "open" : sim.now() < ban.until ? "closed" : "half-open"

/** How a call ends that meets no ban, as planned. */
export const endOf = ({ end, id }: Pick<Plan.Call, "end" | "id">): Effect.Effect<boolean, Failed> => {
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

/** One request: the service judges it in the middle of its time. Gives whether it was banned. */
const request = (context: Context, call: Plan.Call) =>
  Effect.suspend(() => {
    const { ban, phases, plan, recorder, sim } = context
    const { add, cover } = recorder
    let isBanned = false
    const ended = (how: string) => {
      phases.set(call.id, "ended")
      add(
        { _tag: "Ended", call: call.id, sending: 1, isBan: isBanned && how === "banned" },
        `end      ${call.id} ${how}`
      )
    }
    phases.set(call.id, "sent")
    add({ _tag: "Sent", call: call.id, sending: 1 }, `send     ${call.id}`)
    sim.after(call.lasts / 2, () => {
      isBanned = plan.bans.some(({ from, until }) => sim.now() >= from && sim.now() < until)
    })
    return Effect.sleep(call.lasts).pipe(
      Effect.flatMap(() => {
        const how = isBanned ? "banned" : call.end
        cover(`${stateOf(context)} x sent x ${how}`)
        ended(how)
        if (isBanned) ban.until = sim.now() + expectations.banLength
        else if (stateOf(context) === "half-open" && how === "answered") ban.until = 0
        return isBanned ? Effect.succeed(true) : endOf(call)
      }),
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          if (phases.get(call.id) === "sent") ended("interrupted from outside")
        })
      )
    )
  })

const outcomeOf = (call: Plan.Call, exit: Exit.Exit<boolean, Banned | Failed>) => {
  if (Exit.isSuccess(exit)) return { outcome: exit.value ? "refused" : "done", tag: "" } as const
  const failure = Cause.failureOption(exit.cause)
  if (failure._tag === "Some") return { outcome: "refused", tag: failure.value._tag } as const
  if (Cause.isInterruptedOnly(exit.cause)) return { outcome: "interrupted", tag: "" } as const
  const tag = Cause.pretty(exit.cause)
  return { outcome: tag.includes(`planned for ${call.id}`) ? "refused" : "died", tag } as const
}

/** Runs a plan. */
const run = (plan: Plan.Plan): World.Outcome => {
  const sim = Sim.make(Draws.make(plan.seed), plan.mode)
  const recorder = Recorder.make(sim)
  const phases = new Map<string, Phase>()
  const context: Context = { sim, plan, recorder, phases, ban: { until: 0 } }
  const open = new Set(plan.calls.map(({ id }) => id))

  const caller = (gate: BanGate.BanGate.Shape, call: Plan.Call) =>
    gate
      .pass(request(context, call), {
        host: "https://exchange.example",
        isBanned: (isBanned) => isBanned,
        closed: () => new Banned(),
        whenBanned: call.isWaiting ? "wait" : "fail"
      })
      .pipe(
        Effect.onExit((exit) =>
          Effect.sync(() => {
            const { outcome, tag } = outcomeOf(call, exit)
            open.delete(call.id)
            recorder.cover(`${phases.get(call.id) ?? ""} x reported ${outcome}`)
            recorder.add(
              { _tag: "Reported", call: call.id, wish: call.id, outcome, tag },
              `report   ${call.id} ${outcome} ${tag.split("\n")[0] ?? ""}`
            )
          })
        ),
        Effect.exit
      )

  const program = Effect.gen(function* () {
    const gate = yield* BanGate.make
    const fibers = yield* Effect.forEach(plan.calls, (call) =>
      Effect.fork(
        Effect.flatMap(
          Effect.zipRight(
            Effect.sleep(call.at),
            Effect.suspend(() => {
              phases.set(call.id, "waiting")
              return Effect.fork(caller(gate, call))
            })
          ),
          (fiber) => {
            if (call.interruptedAfter !== undefined) {
              sim.after(call.interruptedAfter, () => {
                if (!open.has(call.id)) return
                recorder.cover(`${stateOf(context)} x ${phases.get(call.id) ?? ""} x interrupted from outside`)
                sim.trace(`interrupt ${call.id}`)
                fiber.unsafeInterruptAsFork(FiberId.none)
              })
            }
            return Fiber.await(fiber)
          }
        )
      )
    )
    yield* Fiber.awaitAll(fibers)
    // Whatever the others did, the gate opens.
    yield* Effect.sleep("1 hour")
    yield* gate.pass(Effect.succeed(false), {
      host: "exchange.example",
      isBanned: () => false,
      closed: () => new Banned()
    })
  })

  const local = sim.makeClock(Sim.epoch)
  for (const { at, by } of plan.jumps) {
    sim.after(at, () => {
      local.jump(by)
    })
  }
  const end = sim.run(Effect.withClock(Effect.orDie(program), local.clock), { limit })
  sim.trace(`end      ${end._tag}`)
  return {
    violations: Judge.violations({ facts: recorder.facts, end: end._tag, open: [...open], leaks: [] }, expectations),
    coverage: recorder.coverage(),
    events: sim.events(),
    hash: sim.hash(),
    calls: plan.calls.length,
    virtual: recorder.facts.at(-1)?.at ?? 0
  }
}

export const world = World.make({ name: "gate", plan: Plan.make, run, without: Plan.without })
