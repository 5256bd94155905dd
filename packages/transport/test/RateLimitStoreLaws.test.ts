import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RateLimitStoreLaws from "@effect-venue/transport/RateLimitStoreLaws"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Either, Fiber, TestClock } from "effect"

type Store = RateLimitStore.RateLimitStore.Shape

const unreachable: Effect.Effect<Store> = Effect.map(RateLimitStore.makeMemory, (store) => ({
  ...store,
  reserve: () => Effect.succeed({ _tag: "Unreachable" })
}))

const memory: RateLimitStoreLaws.Subject = {
  make: Effect.map(RateLimitStore.makeMemory, (store) => RateLimitStore.withEgress(store, "here")),
  pass: TestClock.adjust,
  makeRested: RateLimitStore.makeMemoryWith({ rest: true }),
  makeUnreachable: unreachable,
  elsewhere: (store) => Effect.succeed(RateLimitStore.withEgress(store, "there"))
}

describe("the store in memory", () => {
  for (const { check, name } of RateLimitStoreLaws.of(memory)) it.effect(name, () => check)
})

/** A store whose reservations count as settled after a while. */
const leased = (lease: number): Effect.Effect<Store> =>
  Effect.map(RateLimitStore.makeMemory, (store) => ({
    ...store,
    reserve: (charges) =>
      Effect.tap(store.reserve(charges), (result) =>
        result._tag === "Taken"
          ? Effect.forkDaemon(Effect.delay(store.settle(result.reservation, "counted", Duration.zero), lease))
          : Effect.void
      )
  }))

describe("a store with a lease", () => {
  const subject: RateLimitStoreLaws.Subject = { make: leased(5000), pass: TestClock.adjust, lease: "5 seconds" }
  it.effect("frees the places of a dead process after lease and window", () =>
    Effect.gen(function* () {
      for (const { check, name } of RateLimitStoreLaws.of(subject)) if (name.includes("lease")) yield* check
    })
  )

  it.effect("breaks the law where it frees them early, late or never", () =>
    Effect.gen(function* () {
      for (const make of [leased(4000), leased(6000), RateLimitStore.makeMemory]) {
        const law = "frees the places of a dead process after lease and window"
        expect(yield* breaks({ ...subject, make }, law)).toBe(true)
      }
    })
  )
})

/** Whether a store breaks a law. */
const breaks = (subject: RateLimitStoreLaws.Subject, law: string): Effect.Effect<boolean> =>
  Effect.gen(function* () {
    const tested = RateLimitStoreLaws.of(subject).find(({ name }) => name === law)
    if (tested === undefined) return yield* Effect.dieMessage(`no law: ${law}`)
    const running = yield* Effect.fork(Effect.either(tested.check))
    yield* TestClock.adjust("10 seconds")
    const result = yield* Fiber.join(running)
    if (Either.isLeft(result)) expect(result.left).toMatchObject({ _tag: "LawBroken", law })
    return Either.isLeft(result)
  })

const changed = (change: (store: Store) => Partial<Store>): Effect.Effect<Store> =>
  Effect.map(RateLimitStore.makeMemory, (store) => ({ ...store, ...change(store) }))

const recharged = (change: (charge: RateLimitStore.Charge) => Partial<RateLimitStore.Charge>): Effect.Effect<Store> =>
  changed((store) => ({
    reserve: (charges) => store.reserve(charges.map((charge) => ({ ...charge, ...change(charge) })))
  }))

describe("a store that", () => {
  const faulty: ReadonlyArray<readonly [string, Partial<RateLimitStoreLaws.Subject>, string]> = [
    ["knows no limit", { make: recharged(() => ({ limit: 1e9 })) }, "takes calls up to the limit at once, and no more"],
    [
      "takes one call too many",
      { make: recharged(({ limit }) => ({ limit: limit + 1 })) },
      "lets no window have more arrivals than the limit, wherever between reservation and answer a call arrives"
    ],
    [
      "asks twice where it should once",
      {
        make: changed((store) => ({
          reserve: (charges) =>
            Effect.gen(function* () {
              const states = yield* Effect.forEach(charges, store.state)
              yield* Effect.yieldNow()
              const isFree = states.every(({ remaining }) => remaining > 0)
              return yield* store.reserve(isFree ? charges.map((charge) => ({ ...charge, limit: 1e9 })) : charges)
            })
        }))
      },
      "takes calls that arrive at once up to the limit, each with an id of its own"
    ],
    [
      "takes charges one by one",
      {
        make: changed((store) => ({
          reserve: (charges) =>
            Effect.gen(function* () {
              const results: Array<RateLimitStore.ReserveResult> = []
              for (const charge of charges) results.push(yield* store.reserve([charge]))
              return results.find(({ _tag }) => _tag === "Full") ?? (yield* store.reserve([]))
            })
        }))
      },
      "takes every charge of a call or none, and names the rate limits that are full"
    ],
    ["charges every call one place", { make: recharged(() => ({ cost: 1 })) }, "charges a call its cost"],
    [
      "leaves nothing spare",
      { make: recharged(() => ({ spare: 0 })) },
      "leaves the spare places of a call free, and lets it go when all are"
    ],
    [
      "has windows that are too short",
      { make: recharged(({ window }) => ({ window: Duration.times(window, 0.9) })) },
      "frees a place one window after the answer, however late that is"
    ],
    [
      "does not free what was not sent",
      {
        make: changed((store) => ({
          settle: (reservation, _, within) => store.settle(reservation, "counted", within)
        }))
      },
      "frees a place at once when the call was not sent"
    ],
    [
      "frees what was refused",
      {
        make: changed((store) => ({
          settle: (reservation, outcome, within) =>
            store.settle(reservation, outcome === "refused" ? "unsent" : outcome, within)
        }))
      },
      "frees the place of a refused call one window after the refusal"
    ],
    [
      "forgets requests that may still arrive",
      {
        make: changed((store) => ({
          settle: (reservation, outcome) => store.settle(reservation, outcome, Duration.zero)
        }))
      },
      "keeps the place of a call without an answer for as long as its request may arrive, and one window more"
    ],
    [
      "names a time where it knows none",
      {
        make: changed((store) => ({
          reserve: (charges) =>
            Effect.map(store.reserve(charges), (result) =>
              result._tag === "Full" && !Duration.isFinite(result.retryAfter)
                ? { ...result, retryAfter: Duration.seconds(1) }
                : result
            )
        }))
      },
      "says that it cannot say when a place is free that waits for an answer"
    ],
    [
      "learns nothing from answers",
      { make: changed(() => ({ observe: () => Effect.void })) },
      "keeps the limit that the service names, unless it is absurd or from a stale response"
    ],
    [
      "learns from answers of any age",
      {
        make: changed((store) => ({
          observe: (charge, observation) => store.observe(charge, { ...observation, roundTrip: Duration.zero })
        }))
      },
      "keeps the limit that the service names, unless it is absurd or from a stale response"
    ],
    [
      "counts only calls of its own",
      {
        make: changed((store) => ({
          observe: (charge, observation) => store.observe(charge, { ...observation, remaining: undefined })
        }))
      },
      "counts the calls of others that the service counts"
    ],
    [
      "has forgotten calls of its own when a response says that they were counted",
      {
        make: changed((store) => ({
          observe: (charge, { remaining = 0, ...observation }) =>
            store.observe(charge, { ...observation, remaining: Math.max(remaining - 3, 0) })
        }))
      },
      "counts no call of its own as one of others, although its window is over when the response says that it was counted"
    ],
    [
      "does not heed refusals",
      {
        make: changed((store) => ({
          observe: (charge, observation) => store.observe(charge, { ...observation, refused: false })
        }))
      },
      "takes no call after a refusal until the service does, or for a window"
    ],
    ["does not rest", { makeRested: RateLimitStore.makeMemory }, "begins at rest: takes no call for the first window"],
    [
      "takes calls while it cannot be reached",
      { makeUnreachable: RateLimitStore.makeMemory },
      "answers Unreachable where it cannot be reached, within 5 seconds, and does not die"
    ],
    [
      "dies while it cannot be reached",
      { makeUnreachable: changed(() => ({ reserve: () => Effect.dieMessage("ECONNREFUSED") })) },
      "answers Unreachable where it cannot be reached, within 5 seconds, and does not die"
    ],
    [
      "does not end while it cannot be reached",
      { makeUnreachable: changed(() => ({ reserve: () => Effect.never })) },
      "answers Unreachable where it cannot be reached, within 5 seconds, and does not die"
    ],
    [
      "dies of a settlement while it cannot be reached",
      { makeUnreachable: Effect.map(unreachable, (store) => ({ ...store, settle: () => Effect.dieMessage("EPIPE") })) },
      "answers Unreachable where it cannot be reached, within 5 seconds, and does not die"
    ],
    [
      "has one limit for all addresses",
      { elsewhere: (store) => Effect.succeed(store) },
      "keeps a limit of each address, and one of a UID for all"
    ],
    [
      "has a limit of a UID for each address",
      { elsewhere: () => RateLimitStore.makeMemory },
      "keeps a limit of each address, and one of a UID for all"
    ]
  ]

  for (const [fault, change, law] of faulty) {
    it.effect(`${fault} breaks the law that it ${law}`, () =>
      Effect.gen(function* () {
        expect(yield* breaks({ ...memory, ...change }, law)).toBe(true)
      })
    )
  }

  it.effect("settles twice what is settled twice breaks the law of settlements", () =>
    Effect.gen(function* () {
      const make = changed((store) => ({
        // Gives a place back by raising the limit, as a counter that is decremented would.
        settle: (reservation, outcome, within) =>
          Effect.gen(function* () {
            yield* store.settle(reservation, outcome, within)
            const [charge] = reservation.charges
            if (outcome !== "unsent" || charge === undefined) return
            const { limit } = yield* store.state(charge)
            yield* store.observe(charge, { roundTrip: Duration.zero, limit: limit + 1, refused: false })
          })
      }))
      expect(yield* breaks({ ...memory, make }, "lets a second settlement of a reservation change nothing")).toBe(true)
    })
  )
})
