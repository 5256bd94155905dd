/** The callers of a run: each makes its call at its time, can be interrupted, and its outcome is recorded. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import type * as Journal from "./Journal.js"
import type * as World from "./World.js"

export interface CallerCall {
  readonly id: string
  /** Milliseconds after the start. */
  readonly at: number
  /** Milliseconds after `at`. */
  readonly interruptedAfter?: number | undefined
}

export type CallerOutcome = Pick<Journal.Of<"Reported">, "outcome" | "tag" | "wish">

export interface Callers {
  /** Makes a call at its time, and waits for its end. */
  readonly run: <A, E, R>(
    call: CallerCall,
    effect: Effect.Effect<A, E, R>,
    outcomesOf: (exit: Exit.Exit<A, E>) => ReadonlyArray<CallerOutcome>
  ) => Effect.Effect<void, never, R>
  readonly interrupt: (id: string) => void
  /** Nothing is reported of a call any more: its process has died. */
  readonly lose: (id: string) => void
}

/** The outcome of a call without parts. `tagOf` names its failure, which reaches no caller if the call was interrupted too. */
export const outcomeOf = <A, E>(
  wish: string,
  exit: Exit.Exit<A, E>,
  tagOf: (failure: E) => Pick<CallerOutcome, "outcome" | "tag">
): CallerOutcome => {
  if (Exit.isSuccess(exit)) return { wish, outcome: "done", tag: "" }
  const failure = Cause.failureOption(exit.cause)
  if (failure._tag === "Some" && !Cause.isInterrupted(exit.cause)) return { wish, ...tagOf(failure.value) }
  return failure._tag === "Some" || Cause.isInterruptedOnly(exit.cause)
    ? { wish, outcome: "interrupted", tag: "" }
    : { wish, outcome: "died", tag: Cause.pretty(exit.cause) }
}

export const make = ({ add, cover, inspect, sim, stateOf }: World.World): Callers => {
  const fibers = new Map<string, Fiber.RuntimeFiber<unknown, unknown>>()
  const ended = new Set<string>()

  const interrupt = (id: string) => {
    const fiber = fibers.get(id)
    if (fiber === undefined || ended.has(id)) return
    cover(`${stateOf(id)} x interrupted`)
    sim.trace(`interrupt ${id}`)
    fiber.unsafeInterruptAsFork(FiberId.none)
  }

  const report = <A, E>(id: string, exit: Exit.Exit<A, E>, outcomes: ReadonlyArray<CallerOutcome>) => {
    ended.add(id)
    const failure = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : undefined
    if (failure?._tag === "Some") inspect(`${String(failure.value)} ${JSON.stringify(failure.value)}`)
    for (const outcome of outcomes) {
      cover(`${stateOf(id)} x ${outcome.outcome} ${outcome.tag.split("\n")[0] ?? ""}`.trimEnd())
      add({ _tag: "Reported", call: id, ...outcome })
    }
  }

  return {
    interrupt,
    lose: (id) => {
      if (ended.has(id)) return
      ended.add(id)
      cover(fibers.has(id) ? `${stateOf(id)} x death` : "not begun x death")
      add({ _tag: "Lost", call: id })
    },
    run: (call, effect, outcomesOf) =>
      Effect.gen(function* () {
        yield* Effect.sleep(Math.max(call.at - sim.now(), 0))
        sim.trace(`made      ${call.id}`)
        const made = Effect.onExit(effect, (exit) => Effect.sync(() => report(call.id, exit, outcomesOf(exit))))
        const fiber = yield* Effect.fork(Effect.exit(made))
        fibers.set(call.id, fiber)
        if (call.interruptedAfter !== undefined) sim.after(call.interruptedAfter, () => interrupt(call.id))
        yield* Fiber.await(fiber)
      })
  }
}
