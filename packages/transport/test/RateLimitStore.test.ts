import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, TestClock } from "effect"
import type { YieldWrap } from "effect/Utils"

const charge = (key: string, limit: number, cost = 1): RateLimitStore.Charge => ({
  key,
  scope: "uid",
  limit,
  window: Duration.seconds(1),
  cost
})

const k = charge("k", 10)

interface Observed extends Omit<RateLimitStore.Observation, "roundTrip" | "resetAfter"> {
  readonly sentAt: number
  readonly receivedAt: number
  readonly resetAt?: number | undefined
}

/** A store in memory, asked at instants: durations in its results become instants. */
const timed = (store: RateLimitStore.RateLimitStore.Shape) => {
  const at = <A>(now: number, effect: Effect.Effect<A>) => Effect.zipRight(TestClock.setTime(now), effect)
  return {
    reserve: (charges: ReadonlyArray<RateLimitStore.Charge>, now: number) =>
      Effect.map(at(now, store.reserve(charges)), (result) => {
        if (result._tag !== "Full") return result
        const { retryAfter, ...full } = result
        return { ...full, retryAt: now + Duration.toMillis(retryAfter) }
      }),
    settle: (reservation: RateLimitStore.Reservation, now: number, outcome: RateLimitStore.ChargeOutcome, after = 0) =>
      at(now, store.settle(reservation, outcome, Duration.millis(after))),
    observe: (charged: RateLimitStore.Charge, { receivedAt, resetAt, sentAt, ...told }: Observed) =>
      at(
        receivedAt,
        store.observe(charged, {
          ...told,
          roundTrip: Duration.millis(receivedAt - sentAt),
          resetAfter: resetAt === undefined ? undefined : Duration.millis(resetAt - receivedAt)
        })
      ),
    state: (charged: RateLimitStore.Charge, now: number) =>
      Effect.map(at(now, store.state(charged)), ({ retryAfter, ...state }) => ({
        ...state,
        nextFreeAt: now + Duration.toMillis(retryAfter)
      }))
  }
}

type Timed = ReturnType<typeof timed>

/** Takes the charges, which have to fit, and gives the reservation. */
const taken = (store: Timed, charges: ReadonlyArray<RateLimitStore.Charge>, now: number) =>
  Effect.flatMap(store.reserve(charges, now), (result) =>
    result._tag === "Taken" ? Effect.succeed(result.reservation) : Effect.die(result)
  )

/** A call that was answered at once. */
const called = (store: Timed, charges: ReadonlyArray<RateLimitStore.Charge>, now: number) =>
  Effect.flatMap(taken(store, charges, now), (reservation) => store.settle(reservation, now, "counted"))

const observed = (observation: Partial<Observed>): Observed => ({
  sentAt: 0,
  receivedAt: 0,
  refused: false,
  ...observation
})

const withStore = <A>(use: (store: Timed) => Effect.Effect<A>) =>
  Effect.flatMap(RateLimitStore.makeMemory(), (store) => use(timed(store)))

/** Defines a test of a store in memory. */
const storing = (
  title: string,
  body: (store: Timed) => Generator<YieldWrap<Effect.Effect<unknown, unknown>>, void, never>
) => {
  it.effect(title, () => Effect.flatMap(RateLimitStore.makeMemory(), (store) => Effect.gen(() => body(timed(store)))))
}

describe("a reservation", () => {
  storing(
    "takes every charge or none, and names all the rate limits that are full and the last of their instants",
    function* (store) {
      const [wide, early, late] = [charge("wide", 5), charge("early", 1), charge("late", 1)]
      yield* called(store, [early], 100)
      yield* called(store, [late], 400)
      expect(yield* store.reserve([wide, late, early], 500)).toStrictEqual({
        _tag: "Full",
        keys: ["late", "early"],
        retryAt: 1401
      })
      expect(yield* store.reserve([wide, early], 500)).toStrictEqual({
        _tag: "Full",
        keys: ["early"],
        retryAt: 1101
      })
      expect(yield* store.state(wide, 500)).toMatchObject({ remaining: 5 })
      expect(yield* store.reserve([wide, early], 1101)).toMatchObject({ _tag: "Taken" })
      expect(yield* store.state(wide, 1101)).toMatchObject({ remaining: 4 })
    }
  )

  storing(
    "counts until one window and a millisecond after the response, for any duration of the call",
    function* (store) {
      const one = charge("one", 1)
      const reservation = yield* taken(store, [one], 0)
      expect(yield* store.reserve([one], 60_000)).toMatchObject({ retryAt: Number.POSITIVE_INFINITY })
      yield* store.settle(reservation, 60_000, "counted")
      expect(yield* store.reserve([one], 61_000)).toMatchObject({ _tag: "Full", retryAt: 61_001 })
      expect(yield* store.state(one, 61_000)).toMatchObject({ remaining: 0 })
      expect(yield* store.state(one, 61_001)).toMatchObject({ remaining: 1 })
    }
  )

  storing("waits until as many places are free as it costs", function* (store) {
    const [one, two, three] = [charge("k", 3, 1), charge("k", 3, 2), charge("k", 3, 3)]
    const first = yield* taken(store, [one], 0)
    const second = yield* taken(store, [one], 0)
    const third = yield* taken(store, [one], 0)
    // The answers come the other way round.
    yield* store.settle(third, 100, "counted")
    yield* store.settle(second, 200, "counted")
    yield* store.settle(first, 300, "counted")
    expect(yield* store.reserve([one], 300)).toMatchObject({ retryAt: 1101 })
    expect(yield* store.reserve([two], 300)).toMatchObject({ retryAt: 1201 })
    expect(yield* store.reserve([three], 300)).toMatchObject({ retryAt: 1301 })
    expect(yield* store.reserve([two], 1201)).toMatchObject({ _tag: "Taken" })
    expect(yield* store.state(three, 1201)).toMatchObject({ remaining: 0, nextFreeAt: 1301 })
  })

  storing("that costs more than the limit runs alone, after all others", function* (store) {
    yield* called(store, [charge("k", 2)], 0)
    expect(yield* store.reserve([charge("k", 2, 7)], 10)).toMatchObject({ _tag: "Full", retryAt: 1001 })
    yield* called(store, [charge("k", 2, 7)], 1001)
    expect(yield* store.state(charge("k", 2), 1001)).toMatchObject({ remaining: 0, nextFreeAt: 2002 })
  })
})

describe("a settlement", () => {
  storing("frees only its places: at once if nothing was sent, otherwise one window later", function* (store) {
    const other = yield* taken(store, [k], 0)
    const unsent = yield* taken(store, [k, charge("l", 1)], 0)
    const refused = yield* taken(store, [k], 0)
    yield* store.settle(unsent, 0, "unsent")
    expect(yield* store.state(k, 0)).toMatchObject({ remaining: 8 })
    expect(yield* store.state(charge("l", 1), 0)).toMatchObject({ remaining: 1 })
    yield* store.settle(refused, 0, "refused")
    expect(yield* store.state(k, 1000)).toMatchObject({ remaining: 8 })
    expect(yield* store.state(k, 1001)).toMatchObject({ remaining: 9 })
    yield* store.settle(other, 5000, "counted")
    expect(yield* store.state(k, 6000)).toMatchObject({ remaining: 9 })
    expect(yield* store.state(k, 6001)).toMatchObject({ remaining: 10 })
  })
})

describe("an observed limit", () => {
  storing("is in force for every caller of the key, for any limit in their requests", function* (store) {
    yield* store.observe(k, observed({ limit: 10 }))
    expect(yield* store.state(charge("k", 50), 0)).toMatchObject({ limit: 10 })
    yield* store.observe(k, observed({ limit: 20 }))
    expect(yield* store.state(charge("k", 50), 1e12)).toMatchObject({ limit: 20 })
  })

  storing("can be from one to a million", function* (store) {
    yield* store.observe(k, observed({ limit: 1 }))
    expect(yield* store.state(k, 0)).toMatchObject({ limit: 1 })
    yield* store.observe(k, observed({ limit: 1_000_000 }))
    expect(yield* store.state(k, 0)).toMatchObject({ limit: 1_000_000 })
    for (const limit of [1_000_001, 0, -5, 1.5, Number.NaN, undefined]) {
      yield* store.observe(k, observed({ limit }))
      expect(yield* store.state(k, 0)).toMatchObject({ limit: 1_000_000 })
    }
  })

  storing("leaves zero places if it is lower than the number of taken ones", function* (store) {
    for (let call = 0; call < 5; call++) yield* called(store, [k], 0)
    yield* store.observe(k, observed({ limit: 2 }))
    expect(yield* store.state(k, 0)).toStrictEqual({ limit: 2, remaining: 0, nextFreeAt: 1001 })
  })
})

describe("calls of other clients", () => {
  const remainingAfter = (
    ours: ReadonlyArray<number>,
    observation: Partial<Observed>,
    now: number
  ): Effect.Effect<number> =>
    withStore((store) =>
      Effect.gen(function* () {
        for (const at of ours) yield* called(store, [k], at)
        yield* store.observe(k, observed({ limit: 10, ...observation }))
        return (yield* store.state(k, now)).remaining
      })
    )

  it.effect("are those that the service counts in addition to ours", () =>
    Effect.gen(function* () {
      const told = { sentAt: 0, receivedAt: 100 }
      expect(yield* remainingAfter([0, 50, 100], { ...told, remaining: 7 }, 100)).toBe(7)
      expect(yield* remainingAfter([0, 50, 100], { ...told, remaining: 5 }, 100)).toBe(5)
      expect(yield* remainingAfter([0], { ...told, remaining: 0 }, 100)).toBe(0)
      // Its window is over for this store, and was not for the service when it counted.
      expect(yield* remainingAfter([0, 1001], { sentAt: 900, receivedAt: 1001, remaining: 8 }, 1001)).toBe(9)
      // Out of the window before the request left, so no longer among them.
      expect(yield* remainingAfter([0], { sentAt: 1001, receivedAt: 1001, remaining: 9 }, 1001)).toBe(9)
      expect(yield* remainingAfter([0], { sentAt: 1000, receivedAt: 1000, remaining: 9 }, 1001)).toBe(10)
    })
  )

  it.effect("are forgotten one window after the response that reported them", () =>
    Effect.gen(function* () {
      const told = { sentAt: 0, receivedAt: 100, remaining: 4 }
      expect(yield* remainingAfter([], told, 1100)).toBe(4)
      expect(yield* remainingAfter([], told, 1101)).toBe(10)
    })
  )

  it.effect("are not inferred from a response without a limit, or with an impossible one", () =>
    Effect.gen(function* () {
      expect(yield* remainingAfter([], { limit: undefined, remaining: 3 }, 0)).toBe(10)
      expect(yield* remainingAfter([], { remaining: undefined }, 0)).toBe(10)
      expect(yield* remainingAfter([], { remaining: -1 }, 0)).toBe(10)
      expect(yield* remainingAfter([0], { remaining: 11 }, 0)).toBe(9)
      expect(yield* remainingAfter([0], { remaining: 10 }, 0)).toBe(9)
    })
  )
})

describe("a refusal", () => {
  storing("keeps the rate limit closed until the latest instant that the service named", function* (store) {
    yield* store.observe(k, observed({ refused: true, limit: 10, resetAt: 900 }))
    yield* store.observe(k, observed({ refused: true, limit: 10, resetAt: 700 }))
    expect(yield* store.state(k, 899)).toStrictEqual({ limit: 10, remaining: 0, nextFreeAt: 900 })
    expect(yield* store.reserve([k], 899)).toMatchObject({ _tag: "Full", retryAt: 900 })
    expect(yield* store.state(k, 900)).toStrictEqual({ limit: 10, remaining: 10, nextFreeAt: 900 })
  })

  it.effect("closes the rate limit for one window if it names no instant, a past one, or one after the window", () =>
    Effect.gen(function* () {
      for (const resetAt of [undefined, Number.NaN, -5, 499, 500, 1502, 99_999_999]) {
        yield* withStore((store) =>
          Effect.gen(function* () {
            yield* store.observe(k, observed({ refused: true, limit: 10, sentAt: 400, receivedAt: 500, resetAt }))
            expect(yield* store.state(k, 500)).toStrictEqual({ limit: 10, remaining: 0, nextFreeAt: 1501 })
          })
        )
      }
    })
  )

  storing("closes a full rate limit until it is both open and free", function* (store) {
    const one = charge("k", 1)
    yield* called(store, [one], 0)
    yield* store.observe(one, observed({ refused: true, limit: 1, resetAt: 900 }))
    expect(yield* store.reserve([one], 10)).toMatchObject({ retryAt: 1001 })
    yield* store.observe(one, observed({ refused: true, limit: 1, sentAt: 500, receivedAt: 500, resetAt: 1400 }))
    expect(yield* store.reserve([one], 600)).toMatchObject({ retryAt: 1400 })
  })

  storing("counts even after the response to a later call, but then does not change the limit", function* (store) {
    yield* store.observe(k, observed({ sentAt: 100, receivedAt: 150, limit: 10 }))
    yield* store.observe(k, observed({ sentAt: 50, receivedAt: 200, limit: 3, refused: true }))
    expect(yield* store.state(k, 200)).toStrictEqual({ limit: 10, remaining: 0, nextFreeAt: 1201 })
  })

  storing("without a limit guesses it from the responses within the window before", function* (store) {
    // Of these the first is over, the last is not answered: the service had taken the other three.
    for (const at of [0, 200, 500, 1000]) yield* called(store, [k], at)
    yield* taken(store, [k], 1000)
    yield* store.observe(k, observed({ refused: true, sentAt: 1001, receivedAt: 1001 }))
    expect(yield* store.state(k, 1001)).toMatchObject({ limit: 3 })
    expect(yield* store.state(k, 1001 + 599_999)).toMatchObject({ limit: 3 })
    expect(yield* store.state(k, 1001 + 600_000)).toMatchObject({ limit: 10 })
  })

  storing("never lowers the limit to zero or raises it", function* (store) {
    yield* store.observe(k, observed({ refused: true }))
    expect(yield* store.state(k, 0)).toMatchObject({ limit: 1 })
    const dear = charge("dear", 2, 7)
    yield* called(store, [dear], 0)
    yield* store.observe(dear, observed({ refused: true }))
    expect(yield* store.state(dear, 0)).toMatchObject({ limit: 2 })
  })

  storing("with a limit uses that limit", function* (store) {
    yield* store.observe(k, observed({ refused: true, limit: 10 }))
    expect(yield* store.state(k, 1001)).toStrictEqual({ limit: 10, remaining: 10, nextFreeAt: 1001 })
  })
})
