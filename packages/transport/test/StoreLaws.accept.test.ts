import * as BanStore from "@effect-venue/transport/BanStore"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as StoreLaws from "@effect-venue/transport/StoreLaws"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, TestClock } from "effect"

type Limits = RateLimitStore.RateLimitStore.Shape
type Bans = BanStore.BanStore.Shape

const limits: StoreLaws.RateLimits = {
  make: ({ rest }) =>
    Effect.map(RateLimitStore.makeMemory({ rest }), (store) => RateLimitStore.withEgress(store, "here")),
  pass: TestClock.adjust,
  rests: true,
  elsewhere: (store) => RateLimitStore.withEgress(store, "there"),
  programs: 100
}

const bans: StoreLaws.Bans = { make: BanStore.makeMemory, leases: true, pass: TestClock.adjust, programs: 100 }

/** The failure of the first law that is broken. The law of unreachable stores waits at most 5 seconds. */
const broken = (laws: ReadonlyArray<StoreLaws.Law>) =>
  Effect.flip(
    Effect.forEach(laws, ({ check, name }) =>
      name.includes("Unreachable")
        ? Effect.flatMap(Effect.fork(check), (fiber) =>
            Effect.zipRight(Effect.yieldNow(), Effect.zipRight(TestClock.adjust("10 seconds"), Fiber.join(fiber)))
          )
        : check
    )
  )

const changed = (change: (store: Limits) => Partial<Limits>, isShared = true): StoreLaws.RateLimits => ({
  ...limits,
  make: ({ rest }) =>
    Effect.map(RateLimitStore.makeMemory({ rest }), (memory) => {
      const store = { ...memory, ...change(memory) }
      return isShared ? RateLimitStore.withEgress(store, "here") : store
    })
})

const recharged = (change: (charge: RateLimitStore.Charge) => Partial<RateLimitStore.Charge>) =>
  changed((store) => ({
    reserve: (charges) => store.reserve(charges.map((charge) => ({ ...charge, ...change(charge) })))
  }))

const observing = (change: (observation: RateLimitStore.Observation) => Partial<RateLimitStore.Observation>) =>
  changed((store) => ({
    observe: (charge, observation) => store.observe(charge, { ...observation, ...change(observation) })
  }))

/** Takes the charges of a call in two steps. */
const inTwoSteps = (store: Limits): Partial<Limits> => ({
  reserve: (charges) =>
    Effect.gen(function* () {
      const states = yield* Effect.forEach(charges, store.state)
      yield* Effect.yieldNow()
      const isFree = states.every(({ remaining }) => remaining > 0)
      return yield* store.reserve(isFree ? charges.map((charge) => ({ ...charge, limit: 1e9 })) : charges)
    })
})

const oneByOne = (store: Limits): Partial<Limits> => ({
  reserve: (charges) =>
    Effect.gen(function* () {
      const results: Array<RateLimitStore.ReserveResult> = []
      for (const charge of charges) results.push(yield* store.reserve([charge]))
      return results.find(({ _tag }) => _tag === "Full") ?? (yield* store.reserve([]))
    })
})

/** Raises the limit at each settlement, as a counter that is decremented would. */
const settlingTwice = (store: Limits): Partial<Limits> => ({
  settle: (reservation, outcome, within) =>
    Effect.gen(function* () {
      yield* store.settle(reservation, outcome, within)
      const [charge] = reservation.charges
      if (outcome !== "unsent" || charge === undefined) return
      const { limit } = yield* store.state(charge)
      yield* store.observe(charge, { roundTrip: Duration.zero, limit: limit + 1, refused: false })
    })
})

const unreachable = (change: Partial<Limits>): StoreLaws.RateLimits => ({
  ...limits,
  programs: 1,
  makeUnreachable: Effect.map(RateLimitStore.makeMemory(), (store) => ({ ...store, ...change }))
})

const toUnreachable = () => Effect.succeed({ _tag: "Unreachable" } as const)

const faultyLimits: Readonly<Record<string, StoreLaws.RateLimits>> = {
  "has no limit": recharged(() => ({ limit: 1e9 })),
  "takes one call too many": recharged(({ limit }) => ({ limit: limit + 1 })),
  "reserves in two steps": changed(inTwoSteps),
  "takes charges one by one": changed(oneByOne),
  "charges every call one place": recharged(() => ({ cost: 1 })),
  "leaves nothing spare": recharged(() => ({ spare: 0 })),
  "has windows that are a tenth too short": recharged(({ window }) => ({ window: Duration.times(window, 0.9) })),
  "does not free unsent calls": changed((store) => ({
    settle: (reservation, _, within) => store.settle(reservation, "counted", within)
  })),
  "frees refused calls": changed((store) => ({
    settle: (reservation, outcome, within) =>
      store.settle(reservation, outcome === "refused" ? "unsent" : outcome, within)
  })),
  "forgets requests that can still arrive": changed((store) => ({
    settle: (reservation, outcome) => store.settle(reservation, outcome, Duration.zero)
  })),
  "settles twice": changed(settlingTwice),
  "returns a time while a call has no response": changed((store) => ({
    reserve: (charges) =>
      Effect.map(store.reserve(charges), (result) =>
        result._tag === "Full" && !Duration.isFinite(result.retryAfter)
          ? { ...result, retryAfter: Duration.seconds(1) }
          : result
      )
  })),
  "ignores responses": changed(() => ({ observe: () => Effect.void })),
  "learns from stale responses": observing(() => ({ roundTrip: Duration.zero })),
  "ignores the calls of others": observing(() => ({ remaining: undefined })),
  "ignores refusals": observing(() => ({ refused: false })),
  "ignores the reset of a refusal": observing(() => ({ resetAfter: undefined })),
  "does not rest": { ...limits, make: () => RateLimitStore.makeMemory() },
  "has one limit for all addresses": { ...limits, elsewhere: (store) => store },
  "has a limit of a UID for each address": {
    ...limits,
    elsewhere: () => Effect.runSync(RateLimitStore.makeMemory())
  },
  "has no lease": { ...limits, leases: true },
  "takes calls if it cannot be reached": unreachable({}),
  "dies if it cannot be reached": unreachable({ reserve: () => Effect.dieMessage("ECONNREFUSED") }),
  "dies of a settlement if it cannot be reached": unreachable({
    reserve: toUnreachable,
    settle: () => Effect.dieMessage("EPIPE")
  }),
  "never replies if it cannot be reached": unreachable({ reserve: () => Effect.never })
}

const changedBans = (change: (store: Bans) => Partial<Bans>): StoreLaws.Bans => ({
  ...bans,
  make: (options) => Effect.map(BanStore.makeMemory(options), (store) => ({ ...store, ...change(store) }))
})

const faultyBans: Readonly<Record<string, StoreLaws.Bans>> = {
  "closes every host": changedBans((store) => ({ enter: () => store.enter("host") })),
  "does not close": changedBans(() => ({ close: () => Effect.void })),
  "closes for the longest duration": changedBans((store) => ({
    close: (host) => store.close(host, Duration.seconds(1))
  })),
  "lets every call be the probe": changedBans((store) => ({
    enter: (host) =>
      Effect.map(store.enter(host), (entry) => (entry._tag === "Probing" ? { _tag: "Probe", probe: "any" } : entry))
  })),
  "never opens": changedBans(() => ({ leave: () => Effect.void })),
  "opens by any end of the probe": changedBans((store) => ({
    leave: (host, probe) => store.leave(host, probe, "unbanned")
  })),
  "keeps the slot of a dead process": { ...bans, make: () => BanStore.makeMemory({ lease: "1 hour" }) },
  "dies if it cannot be reached": {
    ...bans,
    programs: 1,
    makeUnreachable: Effect.map(BanStore.makeMemory(), (store) => ({
      ...store,
      enter: () => Effect.dieMessage("ECONNREFUSED")
    }))
  }
}

describe("the laws find a store of rate limits that", () => {
  it.effect.each(Object.entries(faultyLimits))("%s", ([, subject]) =>
    Effect.gen(function* () {
      expect(yield* broken(StoreLaws.rateLimits(subject))).toMatchObject({ _tag: "LawBroken" })
    })
  )
})

describe("the laws find a store of bans that", () => {
  it.effect.each(Object.entries(faultyBans))("%s", ([, subject]) =>
    Effect.gen(function* () {
      expect(yield* broken(StoreLaws.bans(subject))).toMatchObject({ _tag: "LawBroken" })
    })
  )
})

describe("the failure of a law", () => {
  it.effect("contains the shortest program that shows the difference", () =>
    Effect.gen(function* () {
      const { message } = yield* broken(StoreLaws.rateLimits(recharged(({ limit }) => ({ limit: limit + 1 }))))
      expect(message.split("\n").slice(1).length).toBeLessThanOrEqual(3)
      expect(message).toContain(" instead of ")
      expect(message).toContain('"_tag":"Reserve"')
    })
  )
})
