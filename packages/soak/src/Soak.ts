/**
 * A run of the client against the sandbox over real sockets, in which every fifth request goes wrong in one of all the ways that
 * the sandbox has. At its end the callers' outcomes are compared with what the exchange did.
 *
 * @since 0.1.0
 */
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Venue from "@effect-venue/services/Venue"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Limits from "@effect-venue/transport/Limits"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import type * as Transport from "@effect-venue/transport/Transport"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import * as Schedule from "effect/Schedule"
import * as Books from "./internal/books.js"
import type * as Call from "./internal/call.js"
import * as Dice from "./internal/dice.js"
import * as Faults from "./internal/faults.js"
import * as Deadlines from "./internal/deadlines.js"
import * as Reads from "./internal/reads.js"
import * as Told from "./internal/told.js"
import * as Verdict from "./internal/verdict.js"
import * as Writes from "./internal/writes.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How many calls are made. */
  readonly calls: number
  /** What the world, the calls and the faults follow from. Their order does not: that is the sockets' affair. */
  readonly seed: number
  /** The retry policy, for a run of a faulty client. Defaults to the client's own rule. */
  readonly mayRepeat?: RetryPolicy.RetryPolicy.Shape["mayRepeat"] | undefined
}

/**
 * How often something happened, by what it is called.
 *
 * @since 0.1.0
 * @category models
 */
export type Counts = Readonly<Record<string, number>>

/**
 * The result of a run.
 *
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly seed: number
  readonly calls: number
  readonly seconds: number
  /** How long an attempt might take, in milliseconds: at least 400, and more where answers take longer while nothing goes wrong. */
  readonly attemptTimeout: number
  /** What the exchange saw of it, and how much of that was hit by which faults. */
  readonly requests: { readonly all: number; readonly hit: number; readonly faults: Counts }
  /** `compared`: of the right ones, those whose response was compared with the one without faults. */
  readonly reads: { readonly asked: number; readonly right: number; readonly compared: number; readonly failed: Counts }
  /** `made` and `notMade`: what the exchange did of the writes whose outcome was unknown to the caller. */
  readonly writes: {
    readonly asked: number
    readonly done: number
    readonly refused: Counts
    readonly unknown: number
    readonly made: number
    readonly notMade: number
    readonly byOperation: Counts
  }
  /** What asking afterwards found out about writes with unknown outcome. */
  readonly lookUps: Counts
  /** Bans told, and what was sent although the gate was closed. */
  readonly bans: { readonly told: number; readonly sentAfterwards: number }
  /** Outcomes that contradict the exchange: their count, by operation, and some of them in words. */
  readonly violations: number
  readonly violationsIn: Counts
  readonly examples: ReadonlyArray<string>
}

const concurrency = 32

/** How often each read is timed before anything goes wrong. */
const trials = 4

/** Calls to one ban: this many at once, and this many after it. */
const perBan = 8

// As the standard one, but for its deadlines.
const schedule = Schedule.exponential("5 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(4)))

type Accounts = { readonly [C in Call.Caller]: Context.Context<Venue.Venue | Transport.Transport> }

const tally = (names: Iterable<string>): Counts => {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return Object.fromEntries(Array.from(counts).sort(([one], [other]) => (one < other ? -1 : 1)))
}

const failuresOf = (told: ReadonlyArray<Told.Told>): Counts =>
  tally(told.flatMap((one) => (one._tag === "Done" ? [] : [one._tag === "Failed" ? one.failure._tag : one._tag])))

/** Accounts that share rate limits, gate and clock with each other, and with no other account. */
const accounts = Effect.gen(function* () {
  const { credentials } = yield* Server.Server
  const shared = yield* Layer.build(Venue.layerShared)
  const account = (caller: Call.Caller) => Effect.provide(Venue.account(credentials[caller]), shared)
  return {
    main: yield* account("main"),
    sub: yield* account("sub"),
    customer: yield* account("customer"),
    classic: yield* account("classic"),
    readOnly: yield* account("readOnly")
  } satisfies Accounts
})

const settings = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  attemptTimeout: Duration.DurationInput
): Effect.Effect<A, E, R> =>
  effect.pipe(
    Effect.provideService(CallOptions.AttemptTimeout, Duration.decode(attemptTimeout)),
    // The sandbox keeps no limits, and the run is to be over today.
    Effect.provideService(Limits.Limits, Limits.none)
  )

interface Planned {
  readonly call: Call.Call
  readonly deadlines: Deadlines.Deadlines
}

const make = (
  as: Accounts,
  { call, deadlines }: Planned,
  attemptTimeout: Duration.DurationInput
): Effect.Effect<Told.Told> =>
  Effect.gen(function* () {
    let reported: Failure.OutcomeUnknown | undefined
    const report = (failure: Failure.OutcomeUnknown) =>
      Effect.sync(() => {
        reported = failure
      })
    const fiber = yield* settings(Effect.provide(call.send, as[call.caller]), attemptTimeout).pipe(
      Effect.provideService(CallOptions.OnInterruptedWrite, report),
      Effect.provideService(CallOptions.CallTimeout, deadlines.callTimeout),
      Effect.fork
    )
    if (deadlines.interruptedAfter === undefined) return Told.fromExit(call, yield* Fiber.await(fiber), reported)
    yield* Effect.sleep(deadlines.interruptedAfter)
    return Told.fromExit(call, yield* Fiber.interrupt(fiber), reported)
  })

/** A call whose answer is waited for. */
const makePatiently = (as: Accounts, call: Call.Call) =>
  make(as, { call, deadlines: Deadlines.endless }, Duration.minutes(1))

const keyOf = ({ call }: Told.Told): string => `${call.caller} ${call.key}`

/** What the fixed reads answer while nothing goes wrong. */
const truth = (as: Accounts, reads: ReadonlyArray<Call.Call>) =>
  Effect.map(
    Effect.forEach(
      reads.filter(({ isFixed }) => isFixed),
      (call) => makePatiently(as, call)
    ),
    (told) => new Map(told.map((one) => [keyOf(one), one._tag === "Done" ? JSON.stringify(one.result) : undefined]))
  )

/** The pace of this machine: how long the reads take while nothing goes wrong, as many at a time as later on. */
const pace = (as: Accounts, reads: ReadonlyArray<Call.Call>) =>
  Effect.forEach(Array.from({ length: trials }, () => reads).flat(), (call) => Effect.timed(makePatiently(as, call)), {
    concurrency
  }).pipe(Effect.map((timed) => Faults.pace(Math.max(...timed.map(([duration]) => Duration.toMillis(duration))))))

/** One ban: some calls at once of which one meets it, then some that must not be sent any more. */
const ban = (calls: ReadonlyArray<Planned>, skip: number, { attemptTimeout }: Faults.Pace) =>
  Effect.gen(function* () {
    const { faults } = yield* Sandbox.Sandbox
    const as = yield* accounts
    yield* faults.set(Faults.ban(skip))
    // The response with the ban is read: a ban whose response was abandoned before it arrived cannot be known.
    const first = yield* Effect.forEach(calls.slice(0, perBan), ({ call }) => makePatiently(as, call), {
      concurrency: "unbounded"
    })
    const sent = (yield* faults.log).length
    const then = yield* Effect.forEach(calls.slice(perBan), (call) => make(as, call, attemptTimeout))
    return { told: [...first, ...then], sentAfterwards: (yield* faults.log).length - sent }
  }).pipe(Effect.scoped)

interface LookedUp {
  readonly found: string
  readonly violations: ReadonlyArray<string>
}

/** Looks up the outcome of a write, and compares it with the truth. */
const lookUp = (
  { call, failure }: Told.Unknown,
  wasMade: (call: Call.Call) => Option.Option<boolean>,
  { attemptTimeout }: Faults.Pace
): Effect.Effect<LookedUp> =>
  settings(failure.lookUp, attemptTimeout).pipe(
    Effect.map(({ executed }): LookedUp => {
      const isWrong =
        executed !== "undetermined" && Option.exists(wasMade(call), (made) => made !== (executed === "yes"))
      return {
        found: executed,
        violations: isWrong ? [`${call.caller} ${call.key}: looked up as ${executed}, and it is not so`] : []
      }
    }),
    Effect.catchAll(({ _tag }) => Effect.succeed<LookedUp>({ found: _tag, violations: [] }))
  )

const run = ({ calls, seed }: Options) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const started = yield* Clock.currentTimeMillis
    const before = yield* sandbox.snapshot
    const dice = Dice.make(seed)
    const reads = Reads.all(before.openedAt)
    const write = Writes.make(dice, before, sandbox.uids.main)
    const plan = Array.from({ length: calls }, (): Planned => ({
      call: dice.roll(100) < 50 ? dice.pick(reads) : write(),
      deadlines: Deadlines.draw(dice)
    }))

    const as = yield* accounts
    const right = yield* truth(as, reads)
    const pacing = yield* pace(as, reads)
    const unhit = (yield* sandbox.faults.log).length
    const forBans = Math.min(plan.length, 2 * perBan * Math.max(1, Math.floor(plan.length / 1000)))
    yield* sandbox.faults.set(Faults.rules(pacing))
    const mainly = yield* Effect.forEach(plan.slice(forBans), (call) => make(as, call, pacing.attemptTimeout), {
      concurrency
    })
    yield* Effect.sleep(pacing.settling)
    const bans = yield* Effect.forEach(
      Array.from({ length: forBans / (2 * perBan) }, (_, index) =>
        plan.slice(2 * perBan * index, 2 * perBan * (index + 1))
      ),
      (calls) => ban(calls, dice.roll(4), pacing)
    )
    yield* sandbox.faults.clear

    const told = [...mainly, ...bans.flatMap((one) => one.told)]
    const log = (yield* sandbox.faults.log).slice(unhit)
    const finished = yield* Clock.currentTimeMillis
    const evidence: Verdict.Case = { told, log, after: yield* sandbox.snapshot, uids: sandbox.uids }
    const wasMade = Verdict.wasMade(evidence)
    const lookUps = yield* Effect.forEach(told.flatMap(Told.unknown), (one) => lookUp(one, wasMade, pacing), {
      concurrency
    })

    const readsTold = told.filter(({ call }) => call.safety === "read")
    const compared = readsTold.flatMap((one) => (one._tag === "Done" && one.call.isFixed ? [one] : []))
    const wrong = compared
      .filter((one) => JSON.stringify(one.result) !== right.get(keyOf(one)))
      .map((one) => `${keyOf(one)}: another answer than without faults`)
    const unanswered = Array.from(right).flatMap(([key, answer]) =>
      answer === undefined ? [`${key}: fails without faults`] : []
    )
    const sentAfterwards = bans.reduce((sum, one) => sum + one.sentAfterwards, 0)
    const writesTold = told.filter(({ call }) => call.safety !== "read")
    const unknown = writesTold.filter(Told.isUnknown)
    const hits = log.flatMap(({ fault }) => Option.toArray(fault))
    const violations = {
      reads: [...unanswered, ...wrong],
      outcomes: Verdict.violations(evidence),
      orders: Verdict.orders(evidence),
      books: [...Verdict.margins(before, evidence), ...Books.check(before, evidence.after)],
      bans: sentAfterwards > 0 ? [`${sentAfterwards} requests were sent during a ban`] : [],
      lookUps: lookUps.flatMap((one) => one.violations)
    }
    const all = Object.values(violations).flat()
    const report: Report = {
      seed,
      calls: told.length,
      seconds: (finished - started) / 1000,
      attemptTimeout: pacing.attemptTimeout,
      requests: { all: log.length, hit: hits.length, faults: tally(hits.map(({ kind }) => kind)) },
      reads: {
        asked: readsTold.length,
        right: readsTold.filter(({ _tag }) => _tag === "Done").length - wrong.length,
        compared: compared.length,
        failed: failuresOf(readsTold)
      },
      writes: {
        asked: writesTold.length,
        done: writesTold.filter(({ _tag }) => _tag === "Done").length,
        refused: failuresOf(writesTold.filter((one) => !Told.isUnknown(one))),
        unknown: unknown.length,
        made: unknown.filter((one) => Option.contains(wasMade(one.call), true)).length,
        notMade: unknown.filter((one) => Option.contains(wasMade(one.call), false)).length,
        byOperation: tally(writesTold.map(({ call }) => call.operation))
      },
      lookUps: tally(lookUps.map(({ found }) => found)),
      bans: {
        told: told.filter((one) => one._tag === "Failed" && one.failure._tag === "Banned").length,
        sentAfterwards
      },
      violations: all.length,
      violationsIn: Record.map(violations, ({ length }) => length),
      examples: Object.values(violations).flatMap((some) => some.slice(0, 5))
    }
    return report
  })

/**
 * Runs calls of several accounts against a sandbox of its own, and judges their outcomes.
 *
 * @since 0.1.0
 * @category running
 */
export const soak = (options: Options) =>
  Effect.scoped(run(options)).pipe(
    Effect.provideService(RetryPolicy.RetryPolicy, {
      schedule,
      mayRepeat: options.mayRepeat ?? RetryPolicy.mayRepeat
    }),
    Effect.provide(
      Layer.merge(
        Server.layer({
          seed: options.seed,
          limits: "off",
          // What wallets have is compared with what was asked for: nothing is to be filled meanwhile.
          prices: "still",
          faults: { seed: options.seed, logSize: 6 * options.calls + 1000 }
        }),
        NodeHttpClient.layerUndici
      )
    )
  )
