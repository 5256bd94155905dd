/**
 * The laws of a rate limit store, as effects that fail if a law is broken, for the tests of a custom store. They need no test runner; every law is one test.
 *
 * ```ts
 * for (const { check, name } of RateLimitStoreLaws.of({ make: myStore, pass: Effect.sleep, precision: "50 millis" })) {
 *   it.live(name, () => check)
 * }
 * ```
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as monotonic from "./internal/time/monotonic.js"
import type { Charge, ChargeOutcome, RateLimitStore, Reservation, ReserveResult, Waiter } from "./RateLimitStore.js"

/**
 * A store under test.
 *
 * @since 0.1.0
 * @category models
 */
export interface Subject<R = never> {
  /** A store that has not been used yet. */
  readonly make: Effect.Effect<RateLimitStore.Shape, never, R>
  /** Lets a duration of the store's time pass: `TestClock.adjust` for a store that measures time by Effect's clock, `Effect.sleep` for others. */
  readonly pass: (duration: Duration.Duration) => Effect.Effect<void>
  /** The response time of the store. Defaults to zero. */
  readonly precision?: Duration.DurationInput | undefined
  /** The window of the rate limits, long compared with `precision`. Defaults to 1 second. */
  readonly window?: Duration.DurationInput | undefined
  /** A store that begins as if every window were full. If omitted, the law is not tested. */
  readonly makeRested?: Effect.Effect<RateLimitStore.Shape, never, R> | undefined
  /** An unreachable store. If omitted, the law is not tested. */
  readonly makeUnreachable?: Effect.Effect<RateLimitStore.Shape, never, R> | undefined
  /** The same store as processes of another egress address see it. If omitted, the law is not tested. */
  readonly elsewhere?: ((store: RateLimitStore.Shape) => Effect.Effect<RateLimitStore.Shape, never, R>) | undefined
  /** When the reservations of a dead process count as settled. If omitted, the law is not tested. */
  readonly lease?: Duration.DurationInput | undefined
}

/**
 * A law and its test.
 *
 * @since 0.1.0
 * @category models
 */
export interface Law<R = never> {
  readonly name: string
  readonly check: Effect.Effect<void, LawBroken, R>
}

/**
 * A store does not keep a law.
 *
 * @since 0.1.0
 * @category failures
 */
export class LawBroken extends Data.TaggedError("LawBroken")<{ readonly law: string; readonly detail: string }> {
  override get message(): string {
    return `${this.law}: ${this.detail}`
  }
}

/** A store and the helpers of the laws. */
interface Bench {
  readonly store: RateLimitStore.Shape
  readonly window: number
  readonly precision: number
  readonly pass: (millis: number) => Effect.Effect<void>
  readonly charge: (key: string, limit: number, more?: Partial<Charge>) => Charge
}

type Check = (bench: Bench) => Effect.Effect<void, string>

// Stores keep a little more than the window between calls, so that rounding cannot bring two too close together.
const margin = 10

const holds = (condition: boolean, detail: string): Effect.Effect<void, string> =>
  condition ? Effect.void : Effect.fail(detail)

const same = <A>(found: A, expected: A, what: string): Effect.Effect<void, string> =>
  holds(found === expected, `expected ${what} ${String(expected)}, found ${String(found)}`)

const described = (result: ReserveResult): string =>
  result._tag === "Full" ? `Full (${result.keys.join(", ")}) for ${Duration.format(result.retryAfter)}` : result._tag

const isTaken = (result: ReserveResult): result is Extract<ReserveResult, { readonly _tag: "Taken" }> =>
  result._tag === "Taken"

const take = ({ store }: Bench, ...charges: ReadonlyArray<Charge>): Effect.Effect<Reservation, string> =>
  Effect.flatMap(store.reserve(charges), (result) =>
    isTaken(result) ? Effect.succeed(result.reservation) : Effect.fail(`expected room, found ${described(result)}`)
  )

/** Checks that the rate limits have no room. Returns for how long, in milliseconds. */
const refuse = ({ store }: Bench, ...charges: ReadonlyArray<Charge>): Effect.Effect<number, string> =>
  Effect.flatMap(store.reserve(charges), refused)

const refused = (result: ReserveResult): Effect.Effect<number, string> =>
  result._tag === "Full"
    ? Effect.succeed(Duration.toMillis(result.retryAfter))
    : Effect.fail(`expected no room, found ${described(result)}`)

const settle = ({ store }: Bench, reservation: Reservation, outcome: ChargeOutcome = "counted", arrivesWithin = 0) =>
  store.settle(reservation, outcome, Duration.millis(arrivesWithin))

/** A call with an immediate response. */
const call = (bench: Bench, ...charges: ReadonlyArray<Charge>) =>
  Effect.flatMap(take(bench, ...charges), (reservation) => settle(bench, reservation))

const remaining = ({ store }: Bench, charge: Charge, expected: number): Effect.Effect<void, string> =>
  Effect.flatMap(store.state(charge), (state) => same(state.remaining, expected, `remaining of ${charge.key}`))

/** Checks that a full rate limit has room after this time and not before, and reports it. */
const freeAfter = (bench: Bench, charge: Charge, millis: number): Effect.Effect<void, string> =>
  Effect.gen(function* () {
    const { pass, precision } = bench
    const retryAfter = yield* refuse(bench, charge)
    const isClose = retryAfter >= millis - 4 * precision && retryAfter <= millis + margin
    yield* holds(isClose, `expected room after ${millis} ms, found a retryAfter of ${retryAfter} ms`)
    yield* pass(Math.max(millis - 1 - 6 * precision, 0))
    yield* refuse(bench, charge)
    yield* pass(1 + margin + 8 * precision)
    yield* call(bench, charge)
  })

const limits: Readonly<Record<string, Check>> = {
  "takes calls up to the limit at once, and no more": (bench) =>
    Effect.gen(function* () {
      const charge = bench.charge("k", 3)
      for (let calls = 0; calls < 3; calls++) yield* take(bench, charge)
      const result = yield* bench.store.reserve([charge])
      yield* same(described(result).replace(/ for .*/, ""), "Full (k)", "a fourth call")
      yield* remaining(bench, charge, 0)
    }),

  "takes calls that arrive at once up to the limit, each with an id of its own": (bench) =>
    Effect.gen(function* () {
      const charge = bench.charge("k", 7)
      const results = yield* Effect.replicateEffect(bench.store.reserve([charge]), 40, { concurrency: "unbounded" })
      const taken = results.filter(isTaken)
      yield* same(taken.length, 7, "calls")
      yield* same(new Set(taken.map(({ reservation }) => reservation.id)).size, 7, "ids")
    }),

  "takes every charge of a call or none, and names the rate limits that are full": (bench) =>
    Effect.gen(function* () {
      const [wide, narrow] = [bench.charge("wide", 5), bench.charge("narrow", 1)]
      yield* call(bench, narrow)
      for (const charges of [
        [wide, narrow],
        [narrow, wide]
      ]) {
        const result = yield* bench.store.reserve(charges)
        yield* same(described(result).replace(/ for .*/, ""), "Full (narrow)", "result")
      }
      yield* remaining(bench, wide, 5)
      yield* take(bench, wide)
      yield* remaining(bench, wide, 4)
    }),

  "charges a call its cost": (bench) =>
    Effect.gen(function* () {
      yield* take(bench, bench.charge("k", 10, { cost: 6 }))
      yield* refuse(bench, bench.charge("k", 10, { cost: 5 }))
      yield* take(bench, bench.charge("k", 10, { cost: 4 }))
    }),

  "lets a call that costs more than the limit go alone": (bench) =>
    Effect.gen(function* () {
      const dear = bench.charge("k", 2, { cost: 7 })
      yield* call(bench, bench.charge("k", 2))
      yield* refuse(bench, dear)
      yield* bench.pass(bench.window + margin + bench.precision)
      yield* take(bench, dear)
      yield* refuse(bench, bench.charge("k", 2))
    }),

  "leaves the spare places of a call free, and lets it go when all are": (bench) =>
    Effect.gen(function* () {
      const [bulk, urgent] = [bench.charge("k", 4, { spare: 2 }), bench.charge("k", 4)]
      yield* take(bench, bulk)
      yield* take(bench, bulk)
      yield* refuse(bench, bulk)
      yield* take(bench, urgent)
      yield* take(bench, urgent)
      yield* refuse(bench, urgent)
      yield* take(bench, bench.charge("l", 2, { spare: 9 }))
      yield* refuse(bench, bench.charge("l", 2, { spare: 9 }))
    })
}

const outcomes: Readonly<Record<string, Check>> = {
  "frees a place one window after the answer, however late that is": (bench) =>
    Effect.gen(function* () {
      const charge = bench.charge("k", 1)
      const reservation = yield* take(bench, charge)
      yield* bench.pass(3 * bench.window)
      yield* refuse(bench, charge)
      yield* settle(bench, reservation)
      yield* freeAfter(bench, charge, bench.window)
    }),

  "says that it cannot say when a place is free that waits for an answer": (bench) =>
    Effect.gen(function* () {
      const charge = bench.charge("k", 2)
      yield* take(bench, charge)
      const second = yield* take(bench, charge)
      yield* same(yield* refuse(bench, charge), Number.POSITIVE_INFINITY, "retryAfter")
      yield* settle(bench, second)
      yield* freeAfter(bench, charge, bench.window)
    }),

  "frees a place at once when the call was not sent": (bench) =>
    Effect.gen(function* () {
      const [wide, narrow] = [bench.charge("wide", 2), bench.charge("narrow", 1)]
      const reservation = yield* take(bench, wide, narrow)
      yield* refuse(bench, narrow)
      yield* settle(bench, reservation, "unsent")
      yield* remaining(bench, wide, 2)
      yield* take(bench, narrow)
    }),

  "frees the place of a refused call one window after the refusal": (bench) =>
    Effect.gen(function* () {
      const charge = bench.charge("k", 1)
      yield* settle(bench, yield* take(bench, charge), "refused")
      yield* freeAfter(bench, charge, bench.window)
    }),

  "keeps the place of a call without an answer for as long as its request may arrive, and one window more": (bench) =>
    Effect.gen(function* () {
      const charge = bench.charge("k", 1)
      yield* settle(bench, yield* take(bench, charge), "counted", 2 * bench.window)
      yield* freeAfter(bench, charge, 3 * bench.window)
    }),

  "lets a second settlement of a reservation change nothing": (bench) =>
    Effect.gen(function* () {
      const charge = bench.charge("k", 2)
      const counted = yield* take(bench, charge)
      yield* settle(bench, counted)
      yield* settle(bench, counted, "unsent")
      yield* remaining(bench, charge, 1)
      const unsent = yield* take(bench, charge)
      yield* settle(bench, unsent, "unsent")
      yield* settle(bench, unsent, "unsent")
      yield* settle(bench, unsent)
      yield* remaining(bench, charge, 1)
    }),

  "lets no window have more arrivals than the limit, wherever between reservation and answer a call arrives": (bench) =>
    Effect.gen(function* () {
      const { pass, precision, store, window } = bench
      const charge = bench.charge("k", 3)
      const sent: Array<{ readonly from: number; to: number }> = []
      const out: Array<{ readonly reservation: Reservation; readonly arrival: { readonly from: number; to: number } }> =
        []
      for (let step = 0; step < 60; step++) {
        yield* pass((window * ((step * 7) % 5)) / 16)
        const from = yield* monotonic.millis
        const result = yield* store.reserve([charge])
        if (isTaken(result)) {
          const arrival = { from, to: Number.POSITIVE_INFINITY }
          sent.push(arrival)
          out.push({ reservation: result.reservation, arrival })
        }
        if (step % 3 === 0) continue
        const ended = out.shift()
        if (ended === undefined) continue
        const arrivesWithin = step % 2 === 0 ? window / 4 : 0
        yield* settle(bench, ended.reservation, "counted", arrivesWithin)
        ended.arrival.to = (yield* monotonic.millis) + arrivesWithin
      }
      for (const { to: begin } of sent) {
        if (!Number.isFinite(begin)) continue
        const most = sent.filter(({ from, to }) => from < begin + window - 2 * precision && to >= begin).length
        yield* holds(most <= 3, `${most} calls of 3 may have arrived in one window`)
      }
      yield* holds(sent.length >= 12, `only ${sent.length} calls were let through`)
    })
}

const observations: Readonly<Record<string, Check>> = {
  "keeps the limit that the service names, unless it is absurd or from a stale response": (bench) =>
    Effect.gen(function* () {
      const { store } = bench
      const charge = bench.charge("k", 10)
      const named = (limit: number, roundTrip = 0) =>
        store.observe(charge, { roundTrip: Duration.millis(roundTrip), limit, refused: false })
      const inForce = (expected: number) =>
        Effect.flatMap(store.state(charge), ({ limit }) => same(limit, expected, "limit"))
      yield* inForce(10)
      yield* named(20)
      yield* inForce(20)
      for (const absurd of [0, -5, 1.5, Number.NaN, 1_000_001]) yield* named(absurd)
      yield* inForce(20)
      yield* named(4, bench.window + 8 * bench.precision)
      yield* inForce(20)
      yield* named(4)
      yield* inForce(4)
      for (let calls = 0; calls < 4; calls++) yield* take(bench, charge)
      yield* refuse(bench, charge)
    }),

  "keeps the limit that the service names for every caller of the key, whatever limit each names": (bench) =>
    Effect.gen(function* () {
      const [low, high] = [bench.charge("k", 3), bench.charge("k", 6)]
      for (const charge of [high, low]) {
        yield* bench.store.observe(charge, { roundTrip: Duration.zero, limit: 3, refused: false })
      }
      for (let calls = 0; calls < 3; calls++) yield* take(bench, high)
      yield* refuse(bench, high)
      yield* refuse(bench, low)
    }),

  "counts the calls of others that the service counts": (bench) =>
    Effect.gen(function* () {
      const charge = bench.charge("k", 10)
      yield* call(bench, charge)
      yield* bench.store.observe(charge, { roundTrip: Duration.zero, limit: 10, remaining: 3, refused: false })
      yield* remaining(bench, charge, 3)
      yield* bench.pass(bench.window + margin + bench.precision)
      yield* remaining(bench, charge, 10)
    }),

  "counts no call of its own as one of others, although its window is over when the response says that it was counted":
    (bench) =>
      Effect.gen(function* () {
        const { pass, store, window } = bench
        const charge = bench.charge("k", 10)
        for (let calls = 0; calls < 3; calls++) yield* call(bench, charge)
        yield* pass(0.6 * window)
        const late = yield* take(bench, charge)
        yield* pass(0.6 * window)
        // The window of the first three is over: this call no longer finds them.
        yield* call(bench, charge)
        yield* remaining(bench, charge, 8)
        yield* store.observe(charge, {
          roundTrip: Duration.millis(0.6 * window),
          limit: 10,
          remaining: 6,
          refused: false
        })
        yield* settle(bench, late)
        yield* remaining(bench, charge, 8)
      }),

  "takes no call after a refusal until the service does, or for a window": (bench) =>
    Effect.gen(function* () {
      const { store, window } = bench
      const [told, untold] = [bench.charge("told", 1), bench.charge("untold", 1)]
      const refused = { roundTrip: Duration.zero, limit: 1, refused: true }
      yield* store.observe(told, { ...refused, resetAfter: Duration.millis(window / 2) })
      yield* freeAfter(bench, told, window / 2)
      yield* store.observe(untold, { ...refused, resetAfter: Duration.millis(9 * window) })
      yield* freeAfter(bench, untold, window)
    })
}

const everyStore: Readonly<Record<string, Check>> = { ...limits, ...outcomes, ...observations }

const rests: Check = (bench) => freeAfter(bench, bench.charge("k", 1), bench.window)

const leases =
  (lease: number): Check =>
  (bench) =>
    Effect.gen(function* () {
      const charge = bench.charge("k", 1)
      yield* take(bench, charge)
      yield* bench.pass(lease + bench.window / 2 - 4 * bench.precision)
      yield* refuse(bench, charge)
      yield* bench.pass(bench.window / 2 + margin + 8 * bench.precision)
      yield* take(bench, charge)
    })

const queues: Check = (bench) =>
  Effect.gen(function* () {
    const { charge, pass, store, window } = bench
    const [single, batch] = [charge("k", 3), charge("k", 3, { cost: 3 })]
    const [first, second, urgent] = [
      { id: 1, rank: 2 },
      { id: 2, rank: 2 },
      { id: 3, rank: 1 }
    ]
    const waits = (charge: Charge, waiter: Waiter) => Effect.flatMap(store.reserve([charge], waiter), refused)
    const goes = (charge: Charge, waiter: Waiter) =>
      Effect.flatMap(store.reserve([charge], waiter), (result) =>
        isTaken(result) ? settle(bench, result.reservation) : Effect.fail(`expected room, found ${described(result)}`)
      )
    yield* call(bench, single)
    yield* waits(batch, first)
    // Two slots are free, and the batch waits for three.
    yield* waits(single, second)
    yield* refuse(bench, single)
    yield* goes(single, urgent)
    yield* pass(window / 2)
    yield* waits(batch, first)
    yield* waits(single, second)
    yield* pass(window / 2 + margin + bench.precision)
    yield* goes(batch, first)
    // A later call waits behind the single call.
    yield* waits(single, second)
    yield* waits(batch, first)
    yield* pass(window / 2)
    yield* waits(single, second)
    yield* waits(batch, first)
    yield* pass(window / 2 + margin + bench.precision)
    yield* waits(batch, first)
    yield* goes(single, second)
    // A call that stops trying loses its position in the queue.
    yield* waits(batch, first)
    yield* pass(1000 + 4 * bench.precision)
    yield* goes(single, second)
  })

// Any store has to give up within this time.
const longest = Duration.seconds(5)

const unreachable: Check = ({ charge, store }) =>
  Effect.gen(function* () {
    const k = charge("k", 1)
    const inTime = <A>(operation: string, effect: Effect.Effect<A>): Effect.Effect<A, string> =>
      Effect.catchAllDefect(
        Effect.timeoutFail(effect, { duration: longest, onTimeout: () => `${operation} does not end` }),
        (defect) => Effect.fail(`${operation} dies: ${String(defect)}`)
      )
    const result = yield* inTime("reserve", store.reserve([k]))
    yield* same(result._tag, "Unreachable", "result")
    yield* inTime("settle", store.settle({ id: "none", charges: [k] }, "counted", Duration.zero))
    yield* inTime("observe", store.observe(k, { roundTrip: Duration.zero, refused: false }))
  })

const addresses =
  (other: RateLimitStore.Shape): Check =>
  (bench) =>
    Effect.gen(function* () {
      const elsewhere = { ...bench, store: other }
      const [ofAddress, ofUid] = [bench.charge("ip", 1, { scope: "ip" }), bench.charge("uid", 2)]
      yield* take(bench, ofAddress, ofUid)
      yield* refuse(bench, ofAddress)
      yield* take(elsewhere, ofAddress, ofUid)
      const result = yield* other.reserve([ofAddress])
      yield* same(described(result).replace(/ for .*/, ""), "Full (ip)", "result")
      yield* refuse(bench, ofUid)
    })

/**
 * The laws of a store: those of every store, and those of the optional abilities in the subject.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = <R>(subject: Subject<R>): ReadonlyArray<Law<R>> => {
  const { elsewhere, lease, make, makeRested, makeUnreachable, pass } = subject
  const window = Duration.toMillis(subject.window ?? "1 second")
  const benchOf = (store: RateLimitStore.Shape): Bench => ({
    store,
    window,
    precision: Duration.toMillis(subject.precision ?? 0),
    pass: (millis) => pass(Duration.millis(Math.ceil(millis))),
    charge: (key, limit, more) => ({ key, scope: "uid", limit, window: Duration.millis(window), cost: 1, ...more })
  })
  const law = (
    name: string,
    made: Effect.Effect<RateLimitStore.Shape, never, R>,
    check: (bench: Bench) => Effect.Effect<void, string, R>
  ): Law<R> => ({
    name,
    check: Effect.mapError(
      Effect.flatMap(made, (store) => check(benchOf(store))),
      (detail) => new LawBroken({ law: name, detail })
    )
  })
  const optional = <A>(ability: A | undefined, of: (ability: A) => Law<R>): ReadonlyArray<Law<R>> =>
    ability === undefined ? [] : [of(ability)]
  return [
    ...Object.entries(everyStore).map(([name, check]) => law(name, make, check)),
    ...optional(makeRested, (rested) => law("begins at rest: takes no call for the first window", rested, rests)),
    ...optional(lease, (duration) =>
      law(
        "frees the places of a dead process after lease and window",
        make,
        leases(Duration.toMillis(Duration.decode(duration)))
      )
    ),
    ...optional(lease, () => law("keeps the order of calls that wait, of all processes", make, queues)),
    ...optional(makeUnreachable, (made) =>
      law("answers Unreachable where it cannot be reached, within 5 seconds, and does not die", made, unreachable)
    ),
    ...optional(elsewhere, (view) =>
      law("keeps a limit of each address, and one of a UID for all", make, (bench) =>
        Effect.flatMap(view(bench.store), (other) => addresses(other)(bench))
      )
    )
  ]
}
