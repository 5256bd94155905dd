/**
 * Calls of two accounts over real sockets. The sandbox answers every fifth request with one of its faults, and bans the address now and then. The requests
 * and the judges are those of the simulation; the arrivals are those of the sandbox's log.
 */
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Venue from "@effect-venue/services/Venue"
import * as Draws from "@effect-venue/simulation/kernel/Draws"
import type * as Plan from "@effect-venue/simulation/workloads/calls/Plan"
import * as Requests from "@effect-venue/simulation/workloads/calls/requests"
import type * as Callers from "@effect-venue/simulation/world/Callers"
import type * as Journal from "@effect-venue/simulation/world/Journal"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import type * as Transport from "@effect-venue/transport/Transport"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Arrivals from "./calls/Arrivals.js"
import * as Faults from "./calls/Faults.js"
import * as Reads from "./calls/Reads.js"
import * as Workload from "./shared/Workload.js"
import * as Judged from "./shared/Judged.js"

export interface Options {
  readonly calls: number
  /** Decides the calls and the faults, and not the order of the calls. */
  readonly seed: number
  /** Defaults to that of the library. A test replaces it by a policy that breaks a guarantee. */
  readonly mayRepeat?: RetryPolicy.RetryPolicy.Shape["mayRepeat"]
}

const concurrency = 32

/** Calls at once to an address that is being banned, and as many after the ban has been met. */
const perBan = 8

// As the library's schedule, without its long waits.
const schedule = Schedule.exponential("5 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(4)))

type Call = Pick<Plan.PlannedCall, "id" | "interruptedAfter" | "kind" | "timeout">

const kinds = ["read", "read", "create", "create", "cancel", "batch", "transfer", "transfer"] as const

const planOf = ({ calls, seed }: Options): ReadonlyArray<Call> => {
  const draws = Draws.make(seed)
  // Call 0 would cancel the order that it names itself.
  return Array.from({ length: calls }, (_, index) => `c${index + 1}`).map((id) => ({
    id,
    kind: draws.pick(kinds, id, "kind"),
    interruptedAfter: draws.chance(0.05, id, "interrupted") ? draws.int(40, id, "after") : undefined,
    timeout: draws.chance(0.05, id, "timed") ? 5 + draws.int(100, id, "timeout") : undefined
  }))
}

/** The facts of a run, and the failures of writes with an unknown outcome. */
interface Context {
  readonly facts: Array<Journal.Happening>
  readonly unknown: Map<string, Failure.OutcomeUnknown>
  readonly reads: ReadonlyMap<string, Reads.Read>
}

type Made = Effect.Effect<ReadonlyArray<Journal.Happening>, Failure.Failure, Requests.Services | Transport.Transport>

/** A call, with the facts of its result. */
const made = ({ reads }: Context, call: Call): Made => {
  const read = call.kind === "read" ? [...reads.values()][Number(call.id.slice(1)) % reads.size] : undefined
  if (read === undefined) {
    const toReported = (outcome: Callers.CallerOutcome): Journal.Happening => ({
      _tag: "Reported",
      call: call.id,
      ...outcome
    })
    return Effect.map(Requests.send(call), (outcomes) => outcomes.map(toReported))
  }
  const { expected, send } = read
  return Effect.map(send, (result) => [
    { _tag: "Compared", call: call.id, rule: "Verdict", got: JSON.stringify(result), expected },
    { _tag: "Reported", call: call.id, wish: call.id, outcome: "done", tag: "" }
  ])
}

/** Makes a call as its caller, who can interrupt it, and records its outcome. */
const run = (context: Context, call: Call, process = "") =>
  Effect.gen(function* () {
    const { facts, unknown } = context
    const { id, interruptedAfter, kind, timeout } = call
    const isCreating = kind !== "cancel" && kind !== "read"
    facts.push({ _tag: "Requested", call: id, process, safety: Requests.safetyOf(kind), isCreating })
    const report = (failure: Failure.OutcomeUnknown) =>
      Effect.sync(() => {
        facts.push({ _tag: "Abandoned", call: id })
        unknown.set(id, failure)
      })
    const fiber = yield* made(context, call).pipe(
      Effect.provideService(CallOptions.OnInterruptedWrite, report),
      Effect.provideService(
        CallOptions.CallTimeout,
        timeout === undefined ? Duration.infinity : Duration.millis(timeout)
      ),
      Effect.fork
    )
    if (interruptedAfter !== undefined) yield* Effect.sleep(interruptedAfter)
    const exit = yield* interruptedAfter === undefined ? Fiber.await(fiber) : Fiber.interrupt(fiber)
    if (Exit.isSuccess(exit)) return void facts.push(...exit.value)
    const failure = Option.getOrUndefined(Cause.failureOption(exit.cause))
    if (failure?._tag === "OutcomeUnknown") unknown.set(id, failure)
    for (const outcome of Requests.outcomesOf(call)(Exit.failCause(exit.cause)))
      facts.push({ _tag: "Reported", call: id, ...outcome })
  })

/** The services of an account that shares nothing with earlier accounts. */
const makeAccount = Effect.gen(function* () {
  const { credentials } = yield* Server.Server
  const shared = yield* Layer.build(Venue.layerShared)
  return yield* Effect.provide(Venue.account(credentials.main), shared)
})

/** One ban: some calls at once one of which meets it, then some that must not be sent. Its response is waited for: a ban that nobody has read is not known. */
const ban = (context: Context, calls: ReadonlyArray<Call>, index: number) =>
  Effect.gen(function* () {
    const { faults } = yield* Sandbox.Sandbox
    const account = yield* makeAccount
    const process = `ban ${index}`
    const runPatiently = ({ id, kind }: Call) => Effect.provide(run(context, { id, kind }, process), account)
    const first = calls[0]?.id ?? ""
    yield* faults.set(Faults.ban(index % 4))
    context.facts.push({ _tag: "Ended", call: first, sending: 1, isBan: true })
    yield* Effect.forEach(calls.slice(0, perBan), runPatiently, { concurrency: "unbounded" })
    const sent = (yield* faults.log).length
    yield* Effect.forEach(calls.slice(perBan), runPatiently)
    for (let left = (yield* faults.log).length - sent; left > 0; left--)
      context.facts.push({ _tag: "Sent", call: first, sending: 1 })
  }).pipe(Effect.scoped)

/** Looks up a write with an unknown outcome. The parts of a batch have separate outcomes. */
const lookUpFailure = ({ facts }: Context, [id, failure]: readonly [string, Failure.OutcomeUnknown]) =>
  failure.operation === "orders.createBatch"
    ? Effect.succeed("batch")
    : Effect.match(failure.lookUp, {
        onFailure: ({ _tag }): string => _tag,
        onSuccess: ({ executed }) => {
          if (executed !== "undetermined")
            facts.push({ _tag: "Closed", call: id, entry: id, by: "reconcile", executed })
          return executed
        }
      })

const runAndJudge = (options: Options) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const { openedAt } = yield* sandbox.snapshot
    const account = yield* makeAccount
    const { pace, reads } = yield* Effect.provide(Reads.make(openedAt), account)
    const context: Context = { facts: [], unknown: new Map(), reads }
    const before = (yield* sandbox.faults.log).length
    const plan = planOf(options)
    const bans = Math.max(1, Math.floor(options.calls / 1000))
    yield* sandbox.faults.set(Faults.rules(pace))
    const lookUps = yield* Effect.gen(function* () {
      const usual = (call: Call) => Effect.provide(run(context, call), account)
      yield* Effect.forEach(plan.slice(2 * bans * perBan), usual, { concurrency })
      yield* Effect.sleep(pace.settling)
      for (let index = 0; index < bans; index++)
        yield* ban(context, plan.slice(2 * perBan * index, 2 * perBan * (index + 1)), index)
      yield* sandbox.faults.clear
      return yield* Effect.forEach([...context.unknown], (each) => lookUpFailure(context, each), { concurrency })
    }).pipe(Effect.provideService(CallOptions.AttemptTimeout, Duration.millis(pace.attemptTimeout)))
    const log = (yield* sandbox.faults.log).slice(before)
    const facts = [...context.facts, ...Arrivals.of(log, yield* sandbox.snapshot)]
    const kindOf = new Map(plan.map(({ id, kind }) => [id, kind]))
    const hits = log.flatMap(({ fault }) => Option.toArray(fault))
    return {
      problems: Judged.problems(facts, { banLength: 600_000 }, (call) => `${kindOf.get(call) ?? "call"} ${call}`),
      figures: {
        attemptTimeout: pace.attemptTimeout,
        requests: { all: log.length, hit: hits.length, faults: Workload.countNames(hits.map(({ kind }) => kind)) },
        compared: facts.filter(({ _tag }) => _tag === "Compared").length,
        outcomes: Workload.countNames(
          facts.flatMap((fact) => (fact._tag === "Reported" ? [fact.tag || fact.outcome] : []))
        ),
        executed: facts.flatMap((fact) => (fact._tag === "Arrived" ? fact.executed : [])).length,
        lookUps: Workload.countNames(lookUps)
      }
    }
  })

export const calls = (options: Options) =>
  Effect.scoped(runAndJudge(options)).pipe(
    Effect.provideService(RetryPolicy.RetryPolicy, { schedule, mayRepeat: options.mayRepeat ?? RetryPolicy.mayRepeat }),
    // The sandbox has none here.
    Effect.provideService(Limits.Limits, Limits.none),
    Effect.provide(
      Layer.merge(
        Server.layer({
          seed: options.seed,
          limits: "off",
          prices: "still",
          faults: { seed: options.seed, logSize: 6 * options.calls + 1000 }
        }),
        NodeConnections.layer
      )
    ),
    Effect.orDie
  )

export const workload: Workload.Workload = {
  title: "calls over sockets, with faults",
  defaults: { calls: 1000, seed: 1 },
  run: (option) => calls({ calls: option("calls"), seed: option("seed") })
}
