import type { Charge } from "@effect-venue/transport/RateLimitStore"
import * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, TestClock } from "effect"

const charge: Charge = { key: "k", scope: "uid", limit: 5, window: Duration.seconds(1), cost: 1 }

const taken: RemoteStore.Reply = { _tag: "Taken", life: "life", leaseEnd: "60000000" }

interface Settled {
  /** The number of the reservation, from 1 on. */
  readonly number: string
  readonly isSent: boolean
  readonly ago: number
}

/** A store over a server of which the operations of some reservations end otherwise, the first time. */
const over = (faults: {
  readonly reserve?: Effect.Effect<RemoteStore.Reply, unknown>
  readonly settle?: Readonly<Record<string, Effect.Effect<void, unknown>>>
}) =>
  Effect.gen(function* () {
    const settled: Array<Settled> = []
    const tried = new Set<string>()
    const store = yield* RemoteStore.makeRateLimits({}, () => ({
      reserve: () => faults.reserve ?? Effect.succeed(taken),
      settle: ({ id, isSent }, ago) =>
        Effect.suspend(() => {
          const number = id.split(".")[1] ?? ""
          const fault = tried.has(number) ? undefined : faults.settle?.[number]
          tried.add(number)
          return fault ?? Effect.sync(() => settled.push({ number, isSent, ago }))
        }),
      observe: () => Effect.void,
      state: () => Effect.succeed({ limit: 5, remaining: 5, retryAfter: 0 })
    }))
    const call = Effect.flatMap(store.reserve([charge]), (result) =>
      result._tag === "Taken"
        ? Effect.exit(store.settle(result.reservation, "counted", Duration.zero))
        : Effect.dieMessage("no room")
    )
    return { store, settled, call }
  })

const died = Effect.die(new Error("the client died"))

describe("a store on a server", () => {
  it.effect("repeats a settlement as of the end of the call if the client failed or died", () =>
    Effect.gen(function* () {
      const { call, settled } = yield* over({ settle: { 1: Effect.fail("no reply"), 2: died } })
      yield* call
      yield* call
      expect(settled).toEqual([])
      yield* TestClock.adjust("250 millis")
      expect(settled).toEqual([
        { number: "1", isSent: true, ago: 250_000 },
        { number: "2", isSent: true, ago: 250_000 }
      ])
    })
  )

  it.effect("continues with later settlements after the client died during a repeated one", () =>
    Effect.gen(function* () {
      let deaths = 0
      const dies = Effect.suspend(() => (++deaths === 1 ? died : Effect.void))
      const { call, settled, store } = yield* over({ reserve: Effect.fail("no reply"), settle: { 1: dies } })
      // Its place is given back in the background, where the client dies.
      expect(yield* store.reserve([charge])).toEqual({ _tag: "Unreachable" })
      yield* TestClock.adjust("250 millis")
      expect(deaths).toBe(1)
      expect(settled).toEqual([])
      yield* Effect.exit(call)
      yield* TestClock.adjust("250 millis")
      expect(settled.map(({ isSent, number }) => [number, isSent])).toEqual([
        ["1", false],
        ["2", false]
      ])
    })
  )

  it.effect("returns a reservation of unknown outcome if the client died or the caller was interrupted", () =>
    Effect.gen(function* () {
      const dead = yield* over({ reserve: died })
      yield* Effect.exit(dead.store.reserve([charge]))
      const silent = yield* over({ reserve: Effect.never })
      const waiting = yield* Effect.fork(silent.store.reserve([charge]))
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(waiting)
      yield* TestClock.adjust("250 millis")
      for (const { settled } of [dead, silent]) {
        expect(settled).toEqual([{ number: "1", isSent: false, ago: 250_000 }])
      }
    })
  )
})
