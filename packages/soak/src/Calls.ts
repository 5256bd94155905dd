/**
 * Calls of several accounts over real sockets, in which every fifth request goes wrong in one of all the ways that the sandbox has. At the end the
 * outcomes that callers saw are compared with what the exchange did.
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
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Books from "./calls/Books.js"
import type * as Call from "./calls/Call.js"
import * as Faults from "./calls/Faults.js"
import * as Reads from "./calls/Reads.js"
import * as Told from "./calls/Told.js"
import * as Verdict from "./calls/Verdict.js"
import * as Writes from "./calls/Writes.js"
import * as Counts from "./shared/Counts.js"
import * as Dice from "./shared/Dice.js"
import type * as Workload from "./shared/Workload.js"

export interface Options {
  /** How many calls are made. */
  readonly calls: number
  /** World, calls and faults follow from it; not their order, which sockets decide. */
  readonly seed: number
  /** The retry policy, for a client that must be found out. Defaults to that of the library. */
  readonly mayRepeat?: RetryPolicy.RetryPolicy.Shape["mayRepeat"]
}

const concurrency = 32

/** How often each read is timed before anything goes wrong. */
const trials = 4

/** Calls to one ban: this many at once, and this many after it. */
const perBan = 8

// As the standard one, but for its deadlines.
const schedule = Schedule.exponential("5 millis").pipe(Schedule.jittered, Schedule.intersect(Schedule.recurs(4)))

type Accounts = { readonly [C in Call.Caller]: Context.Context<Venue.Venue | Transport.Transport> }

/** Accounts that share rate limits, gate and clock with each other, and with no other account. */
const makeAccounts = Effect.gen(function* () {
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
    // The sandbox has none here.
    Effect.provideService(Limits.Limits, Limits.none)
  )

/** A call, and how long its caller waits for it: a timeout, and milliseconds until it is interrupted. */
interface Planned {
  readonly call: Call.Call
  readonly timeout?: Duration.Duration
  readonly interruptedAfter?: number
}

const plan = (dice: Dice.Dice, call: Call.Call): Planned => {
  const timeout = Duration.millis(5 + dice.roll(100))
  const interruptedAfter = dice.roll(40)
  return dice.weighed<Planned>([
    [90, { call }],
    [4, { call, timeout }],
    [4, { call, interruptedAfter }],
    [2, { call, timeout: Duration.minutes(1), interruptedAfter }]
  ])
}

const make = (as: Accounts, { call, interruptedAfter, timeout }: Planned, attemptTimeout: Duration.DurationInput) =>
  Effect.gen(function* () {
    let reported: Failure.OutcomeUnknown | undefined
    const report = (failure: Failure.OutcomeUnknown) => Effect.sync(() => void (reported = failure))
    const fiber = yield* settings(Effect.provide(call.send, as[call.caller]), attemptTimeout).pipe(
      Effect.provideService(CallOptions.OnInterruptedWrite, report),
      Effect.provideService(CallOptions.CallTimeout, timeout ?? Duration.infinity),
      Effect.fork
    )
    if (interruptedAfter === undefined) return Told.fromExit(call, yield* Fiber.await(fiber), reported)
    yield* Effect.sleep(interruptedAfter)
    return Told.fromExit(call, yield* Fiber.interrupt(fiber), reported)
  })

/** A call whose answer is waited for. */
const makePatiently = (as: Accounts, call: Call.Call) => make(as, { call }, Duration.minutes(1))

const keyOf = ({ call }: Told.Told): string => `${call.caller} ${call.key}`

/** The answers of fixed reads while nothing goes wrong. */
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
    const as = yield* makeAccounts
    yield* faults.set(Faults.ban(skip))
    // The response with the ban is read: a ban whose response was abandoned before it arrived cannot be known.
    const first = yield* Effect.forEach(calls.slice(0, perBan), ({ call }) => makePatiently(as, call), {
      concurrency: "unbounded"
    })
    const sent = (yield* faults.log).length
    const then = yield* Effect.forEach(calls.slice(perBan), (call) => make(as, call, attemptTimeout))
    return { told: [...first, ...then], sentAfterwards: (yield* faults.log).length - sent }
  }).pipe(Effect.scoped)

/** Looks up the outcome of a write, and compares it with the truth. */
const lookUp = (
  { call, failure }: Told.Unknown,
  wasMade: (call: Call.Call) => Option.Option<boolean>,
  { attemptTimeout }: Faults.Pace
) =>
  settings(failure.lookUp, attemptTimeout).pipe(
    Effect.map(({ executed }) => ({
      found: executed,
      isWrong: executed !== "undetermined" && Option.exists(wasMade(call), (made) => made !== (executed === "yes"))
    })),
    Effect.catchAll(({ _tag }) => Effect.succeed({ found: _tag, isWrong: false })),
    Effect.map(({ found, isWrong }) => ({
      found,
      problems: isWrong ? [`${call.caller} ${call.key}: looked up as ${found}, and it is not so`] : []
    }))
  )

/** Makes the calls, with faults; at last some around bans. */
const making = ({ calls, seed }: Options) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const before = yield* sandbox.snapshot
    const dice = Dice.make(seed)
    const reads = Reads.all(before.openedAt)
    const write = Writes.make(dice, before, sandbox.uids.main)
    const planned = Array.from({ length: calls }, () => plan(dice, dice.roll(100) < 50 ? dice.pick(reads) : write()))
    const as = yield* makeAccounts
    const right = yield* truth(as, reads)
    const pacing = yield* pace(as, reads)
    const unhit = (yield* sandbox.faults.log).length
    const bans = Math.max(1, Math.floor(calls / 1000))
    yield* sandbox.faults.set(Faults.rules(pacing))
    const mainly = yield* Effect.forEach(
      planned.slice(bans * 2 * perBan),
      (one) => make(as, one, pacing.attemptTimeout),
      {
        concurrency
      }
    )
    yield* Effect.sleep(pacing.settling)
    const banned = yield* Effect.forEach(Array.from({ length: bans }), (_, index) =>
      ban(planned.slice(2 * perBan * index, 2 * perBan * (index + 1)), dice.roll(4), pacing)
    )
    yield* sandbox.faults.clear
    const told = [...mainly, ...banned.flatMap((one) => one.told)]
    const log = (yield* sandbox.faults.log).slice(unhit)
    const evidence: Verdict.Case = { told, log, after: yield* sandbox.snapshot, uids: sandbox.uids }
    const sentAfterwards = banned.reduce((sum, one) => sum + one.sentAfterwards, 0)
    return { before, evidence, right, pacing, sentAfterwards }
  })

/** Reads whose answer is not that of the same read without faults. */
const wrongReads = (right: ReadonlyMap<string, string | undefined>, told: ReadonlyArray<Told.Told>) => [
  ...[...right].flatMap(([key, answer]) => (answer === undefined ? [`${key}: fails without faults`] : [])),
  ...told.flatMap((one) =>
    one._tag === "Done" && one.call.isFixed && JSON.stringify(one.result) !== right.get(keyOf(one))
      ? [`${keyOf(one)}: another answer than without faults`]
      : []
  )
]

const endsOf = (told: ReadonlyArray<Told.Told>) =>
  Counts.of(told.map((one) => (one._tag === "Failed" ? one.failure._tag : one._tag)))

const judged = (options: Options) =>
  Effect.gen(function* () {
    const { before, evidence, pacing, right, sentAfterwards } = yield* making(options)
    const { log, told } = evidence
    const wasMade = Verdict.wasMade(evidence)
    const unknown = told.flatMap(Told.unknown)
    const lookUps = yield* Effect.forEach(unknown, (one) => lookUp(one, wasMade, pacing), { concurrency })
    const problems = {
      reads: wrongReads(right, told),
      outcomes: Verdict.violations(evidence),
      orders: Verdict.orders(evidence),
      books: [...Verdict.margins(before, evidence), ...Books.check(before, evidence.after)],
      bans: sentAfterwards > 0 ? [`${sentAfterwards} requests were sent during a ban`] : [],
      lookUps: lookUps.flatMap((one) => one.problems)
    }
    const hits = log.flatMap(({ fault }) => Option.toArray(fault))
    const writes = told.filter(({ call }) => call.safety !== "read")
    const made = unknown.map(({ call }) => wasMade(call))
    return {
      problems: Object.values(problems).flat(),
      figures: {
        problemsIn: Object.fromEntries(Object.entries(problems).map(([name, found]) => [name, found.length])),
        attemptTimeout: pacing.attemptTimeout,
        requests: { all: log.length, hit: hits.length, faults: Counts.of(hits.map(({ kind }) => kind)) },
        compared: told.filter((one) => one._tag === "Done" && one.call.isFixed).length,
        reads: endsOf(told.filter(({ call }) => call.safety === "read")),
        writes: endsOf(writes),
        writesOf: Counts.of(writes.map(({ call }) => call.operation)),
        unknown: {
          made: made.filter(Option.contains(true)).length,
          notMade: made.filter(Option.contains(false)).length
        },
        lookUps: Counts.of(lookUps.map(({ found }) => found)),
        bans: told.filter((one) => one._tag === "Failed" && one.failure._tag === "Banned").length
      }
    }
  })

export const calls = (options: Options) =>
  Effect.scoped(judged(options)).pipe(
    Effect.provideService(RetryPolicy.RetryPolicy, { schedule, mayRepeat: options.mayRepeat ?? RetryPolicy.mayRepeat }),
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
    ),
    Effect.orDie
  )

export const workload: Workload.Workload = {
  title: "calls over sockets, with faults",
  defaults: { calls: 1000, seed: 1 },
  run: (option) => calls({ calls: option("calls"), seed: option("seed") })
}
