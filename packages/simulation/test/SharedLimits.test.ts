import * as Breadth from "@effect-venue/testing/Breadth"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"
import * as StoreLaws from "@effect-venue/transport/StoreLaws"
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as Ledger from "../src/models/Ledger.js"
import * as LimitServer from "../src/models/LimitServer.js"

/** A server that is reached at once, and what can be done to it. */
const bench = () => {
  let micros = 0
  const server = new LimitServer.LimitServer(() => micros, LimitServer.empty)
  const backend = (process: RemoteStore.Process): RemoteStore.RateLimitBackend => ({
    reserve: (id, lease, places, waiter) => Effect.sync(() => server.reserve(process, id, lease, places, waiter)),
    settle: (ended, ago) => Effect.sync(() => server.settle(process, ended, ago)),
    observe: (id, place, observed) => Effect.sync(() => server.observe(process, id, place, observed)),
    state: (place) => Effect.sync(() => server.look(process, place))
  })
  return {
    server,
    store: (options: RemoteStore.RateLimitOptions = {}) =>
      RemoteStore.makeRateLimits({ rest: false, ...options }, backend),
    set: (millis: number) => {
      micros += millis * 1000
    }
  }
}

describe("the server of the simulation", () => {
  let set: (millis: number) => void
  const laws = StoreLaws.rateLimits({
    make: (options) =>
      Effect.suspend(() => {
        const made = bench()
        set = made.set
        return made.store({ egress: "here", ...options })
      }),
    rests: true,
    leases: true,
    elsewhere: (store) => RateLimitStore.withEgress(store, "there"),
    programs: Breadth.repeats(100, 15),
    pass: (duration) => {
      set(Duration.toMillis(duration))
      return TestClock.adjust(duration)
    }
  })
  for (const { check, name } of laws) it.effect(name, () => check)

  const charge = { key: "k", scope: "uid", limit: 5, window: Duration.seconds(1), cost: 1 } as const

  const take = (store: RateLimitStore.RateLimitStore.Shape) =>
    Effect.flatMap(store.reserve([charge]), (result) =>
      result._tag === "Taken" ? Effect.succeed(result.reservation) : Effect.dieMessage("no room")
    )

  it.effect("counts the calls of an earlier life once, where they were sent", () =>
    Effect.gen(function* () {
      const { server, store: make } = bench()
      const store = yield* make()
      const [sent, unsent] = [yield* take(store), yield* take(store)]
      server.replace(LimitServer.empty)
      for (let time = 0; time < 2; time++) yield* store.settle(sent, "counted", Duration.zero)
      yield* store.settle(unsent, "unsent", Duration.zero)
      expect(yield* store.state(charge)).toMatchObject({ remaining: 4 })
    })
  )

  it.effect("goes on by a time that does not go back with its clock", () =>
    Effect.gen(function* () {
      const { set, store: make } = bench()
      const store = yield* make()
      yield* store.settle(yield* take(store), "counted", Duration.zero)
      set(-3_600_000)
      expect(yield* store.state(charge)).toMatchObject({ remaining: 4 })
      set(1_002)
      expect(yield* store.state(charge)).toMatchObject({ remaining: 5 })
    })
  )
})

describe("a refusal is inherent", () => {
  /** A server that has taken a first reservation, at 100, and a second, at 6,000; and what happened between. */
  const afterwards = (between: (ledger: Ledger.Ledger, at: (instant: number) => void) => void) => {
    let now = 0
    const ledger = Ledger.make(() => now)
    const at = (instant: number) => {
      now = instant
    }
    at(100)
    ledger.granted("first", 5_000)
    between(ledger, at)
    at(6_000)
    ledger.granted("second", 11_000)
    const arrival = (id: string, at: number) => {
      const grant = ledger.grant(id)
      return grant === undefined ? [] : [{ grant, at, cost: 1 }]
    }
    return (first: number) => Ledger.isInherent(1, [...arrival("first", first), ...arrival("second", 6_500)])
  }
  const forgetting = (ledger: Ledger.Ledger, at: (instant: number) => void) => {
    ledger.forgot()
    at(2_000)
    ledger.began(false)
  }

  it("where the server had forgotten a call that arrived in its new life, and not where it had arrived before", () => {
    expect(afterwards(forgetting)(4_000)).toBe(true)
    expect(afterwards(forgetting)(2_000)).toBe(false)
  })

  it("until that call is settled", () => {
    const settled = afterwards((ledger, at) => {
      forgetting(ledger, at)
      ledger.settled("first", true)
    })
    expect(settled(4_000)).toBe(false)
  })

  it("where a replica that takes over lacks a call, and not where it has it", () => {
    const copiedAfter = (grants: number) => {
      const ledger = Ledger.make(() => 0)
      const copies = ["first", "second"].map((id) => {
        const takeOver = ledger.copy()
        ledger.granted(id, 5_000)
        return takeOver
      })
      copies[grants]?.()
      ledger.granted("last", 5_000)
      const arrivals = ["first", "last"].flatMap((id) => {
        const grant = ledger.grant(id)
        return grant === undefined ? [] : [{ grant, at: 1, cost: 1 }]
      })
      return Ledger.isInherent(1, arrivals)
    }
    expect(copiedAfter(0)).toBe(true)
    expect(copiedAfter(1)).toBe(false)
  })

  it("where a call arrives after its lease", () => {
    const known = afterwards(() => undefined)
    expect(known(5_000)).toBe(false)
    expect(known(5_001)).toBe(true)
  })

  it("where the clock was set forward after a call, and not when it was settled since", () => {
    const setForward = (ledger: Ledger.Ledger) => {
      ledger.settled("first", true)
      ledger.setForward()
    }
    expect(afterwards(setForward)(4_000)).toBe(true)
    const settledSince = afterwards((ledger) => {
      ledger.setForward()
      ledger.settled("first", true)
    })
    expect(settledSince(4_000)).toBe(false)
  })

  it("never where the calls that the server had to know are too many", () => {
    let now = 0
    const ledger = Ledger.make(() => now)
    for (const id of ["forgotten", "known", "last"]) {
      ledger.granted(id, 60_000)
      if (id === "forgotten") ledger.forgot()
      if (id === "forgotten") ledger.began(false)
      now = 1
    }
    const arrivals = ["forgotten", "known", "last"].flatMap((id) => {
      const grant = ledger.grant(id)
      return grant === undefined ? [] : [{ grant, at: 2, cost: 1 }]
    })
    expect(Ledger.isInherent(2, arrivals)).toBe(true)
    expect(Ledger.isInherent(1, arrivals)).toBe(false)
  })
})
