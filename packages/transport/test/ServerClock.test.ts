import * as Executions from "@effect-venue/schemas/Executions"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck, Fiber, TestClock } from "effect"
import { once, page, read, write } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

const recvWindow = 5000
const hourMillis = 3_600_000

/** A service whose clock is off by so much, and that keeps its window. */
const service =
  (offset: () => number): scripted.Script =>
  (arrived) => {
    const now = arrived.at + offset()
    const timestamp = Number(arrived.headers["x-bapi-timestamp"])
    return now - recvWindow <= timestamp && timestamp < now + 1000
      ? scripted.ok(page, now)
      : scripted.refused(10002, "timestamp", now)
  }

describe("a wrong clock", () => {
  const hour = 3_600_000
  it.effect("costs at most one more attempt when it is set forward, and two when it is set back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(10 * hour)
      let offset = 0
      const far = scripted.make(service(() => offset))
      yield* Effect.gen(function* () {
        const transport = yield* Transport.Transport
        // A response that is earlier than its request is read again after a while.
        const call = Effect.flatMap(Effect.fork(transport.call(Executions.list, { category: "linear" })), (fiber) =>
          Effect.zipRight(TestClock.adjust("2 seconds"), Fiber.join(fiber))
        )
        yield* call
        let previous = 0
        // Ahead of and behind the service by half a second, three seconds, an hour, and back.
        for (const next of [500, 0, 3000, 0, hour, 0, -500, 0, -3000, 0, -hour, 0, hour, -hour]) {
          offset = next
          // Set back, a refused timestamp is first taken for the answer to an earlier request.
          const most = next < previous ? 3 : 2
          previous = next
          const before = far.arrived.length
          yield* call
          expect(far.arrived.length - before).toBeLessThanOrEqual(most)
          yield* TestClock.adjust("2 seconds")
          yield* call
          yield* call
          expect(far.arrived.length - before).toBeLessThanOrEqual(most + 2)
        }
      }).pipe(Effect.provide(far.layer))
    })
  )
})

describe("a clock of whole seconds", () => {
  const begin = Date.UTC(2024, 0, 1)

  it.effect.each([
    [10, 0],
    [100, 7000],
    [1000, -7000]
  ] as const)("costs no attempt: %i ms, %i ms ahead", ([resolution, offset]) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(begin + 990)
      const far = scripted.make((arrived) => {
        const time = Math.floor((arrived.at + offset) / resolution) * resolution
        return arrived.url.includes("amend") ? scripted.ok({ orderId: "o-1" }, time) : scripted.ok(page, time)
      })
      yield* Effect.gen(function* () {
        for (let index = 0; index < 30; index++) {
          yield* index % 2 === 0 ? read : write
          yield* TestClock.adjust("131 millis")
        }
      }).pipe(Effect.provide(far.layer))
      expect(far.arrived).toHaveLength(30)
    })
  )
})

describe("a response that is earlier than its request", () => {
  it.effect("is refused with the difference", () =>
    Effect.gen(function* () {
      const begin = Date.UTC(2024, 0, 1)
      yield* TestClock.setTime(begin)
      const far = scripted.make((_, index) => scripted.ok(page, index === 0 ? begin : begin - 4321))
      const failure = yield* Effect.gen(function* () {
        yield* read
        return yield* Effect.flip(once(read))
      }).pipe(Effect.provide(far.layer))
      expect(failure).toMatchObject({
        reason: "OtherResponse",
        detail: "the response was made 4321 ms before the request was sent"
      })
    })
  )
})

describe("the estimated offset", () => {
  const host = "h"

  it.effect.prop(
    "is never a second ahead of the service, and within the window behind it, whatever the latencies and the resolutions of its machines",
    {
      offset: FastCheck.integer({ min: -hourMillis, max: hourMillis }),
      trips: FastCheck.array(
        FastCheck.record({
          there: FastCheck.integer({ min: 0, max: 1500 }),
          back: FastCheck.integer({ min: 0, max: 1500 }),
          resolution: FastCheck.constantFrom(1, 10, 100, 1000)
        }),
        { minLength: 1, maxLength: 20 }
      )
    },
    ({ offset, trips }) =>
      Effect.gen(function* () {
        const clock = yield* ServerClock.make
        let local = 0
        for (const { back, resolution, there } of trips) {
          const sentAt = local
          const receivedAt = sentAt + there + back
          const serverTime = Math.floor((sentAt + there + offset) / resolution) * resolution
          const sample = { sentAt, receivedAt, serverTime }
          expect(yield* clock.precedes(host, sample)).toBe(false)
          yield* clock.learn(host, sample)
          yield* TestClock.setTime(receivedAt)
          const timestamp = yield* Effect.clockWith((time) => clock.now(host, time))
          const server = receivedAt + offset
          expect(timestamp).toBeLessThan(server + 1000)
          expect(timestamp).toBeGreaterThanOrEqual(server - recvWindow + 500)
          local = receivedAt + 10
        }
      }).pipe(Effect.provide(scripted.quickSteps))
  )

  it.effect("uses the shortest round trip, until it is disproved or old", () =>
    Effect.gen(function* () {
      const clock = yield* ServerClock.make
      const now = Effect.clockWith((time) => clock.now(host, time))
      yield* clock.learn(host, { sentAt: 0, receivedAt: 100, serverTime: 1050 })
      expect(yield* now).toBe(1000)
      // A longer trip that leaves 1000 possible is no better.
      yield* clock.learn(host, { sentAt: 0, receivedAt: 900, serverTime: 1300 })
      expect(yield* now).toBe(1000)
      yield* clock.learn(host, { sentAt: 0, receivedAt: 20, serverTime: 1020 })
      expect(yield* now).toBe(1010)
      // One that does not leave 1010 possible is, however long.
      yield* clock.learn(host, { sentAt: 0, receivedAt: 100, serverTime: 5050 })
      expect(yield* now).toBe(5000)
      yield* clock.learn(host, { sentAt: 700_000, receivedAt: 701_000, serverTime: 705_600 })
      expect(yield* now).toBe(5100)
    })
  )

  /** What is learnt from a sample after one that took 20 ms and said 5000. */
  const after = (sentAt: number, receivedAt: number, serverTime: number) =>
    Effect.gen(function* () {
      const clock = yield* ServerClock.make
      yield* clock.learn(host, { sentAt: 1001, receivedAt: 1021, serverTime: 6011 })
      yield* clock.learn(host, { sentAt, receivedAt, serverTime })
      return yield* Effect.clockWith((time) => clock.now(host, time))
    })

  it.effect("is disproved by a longer trip that contradicts it, within a millisecond", () =>
    Effect.gen(function* () {
      expect(yield* after(2000, 2100, 7101)).toBe(5000)
      expect(yield* after(2000, 2100, 7102)).toBe(5052)
      expect(yield* after(2000, 2100, 6999)).toBe(5000)
      expect(yield* after(2000, 2100, 6998)).toBe(4948)
    })
  )

  it.effect("uses the later of two equally long trips, and otherwise the shorter one for ten minutes", () =>
    Effect.gen(function* () {
      expect(yield* after(2000, 2020, 7015)).toBe(5005)
      expect(yield* after(2000, 2021, 7015)).toBe(5000)
      expect(yield* after(600_921, 601_021, 605_981)).toBe(5000)
      expect(yield* after(600_922, 601_022, 605_982)).toBe(5010)
    })
  )

  it.effect("is at most half a second after the earliest reading", () =>
    Effect.gen(function* () {
      const clock = yield* ServerClock.make
      yield* clock.learn(host, { sentAt: 10_000, receivedAt: 12_000, serverTime: 16_900 })
      expect(yield* Effect.clockWith((time) => clock.now(host, time))).toBe(5400)
      yield* clock.learn(host, { sentAt: 10_000, receivedAt: 11_000, serverTime: 15_900 })
      expect(yield* Effect.clockWith((time) => clock.now(host, time))).toBe(5400)
    })
  )

  it.effect("uses the latest time of the service after the service refused the estimate", () =>
    Effect.gen(function* () {
      const clock = yield* ServerClock.make
      yield* clock.learn(host, { sentAt: 1000, receivedAt: 1020, serverTime: 6010 })
      yield* clock.reset(host, { sentAt: 2000, receivedAt: 2100, serverTime: 7060 })
      expect(yield* Effect.clockWith((time) => clock.now(host, time))).toBe(5010)
    })
  )

  it.effect("distinguishes a response older than its request from a clock that was set back", () =>
    Effect.gen(function* () {
      // When the request was sent, when the response was received, and its time by the service; `early` if it is older than its request.
      const cases = {
        "before anything is learnt": "2000-2020: 10",
        "as early as the error allows": "1000-1020: 6010, 2000-2020: 6988",
        earlier: "1000-1020: 6010, 2000-2020: 6986 early",
        "one response twice": "1000-1020: 6010, 2000-2020: 6010 early, 3000-3020: 6010 early",
        "set back": "1000-1020: 6010, 2000-2020: 2010 early, 3000-3020: 3010, 4000-4020: 4010",
        "at another pace": "1000-1020: 6010, 2000-2020: 2010 early, 3000-3020: 2510 early",
        "in whole seconds, after milliseconds":
          "1000-1020: 6010, 1900-1920: 6000, 2900-2920: 7000, 4100-4120: 8000 early, 4200-4220: 8000 early",
        "in whole seconds, set back":
          "1900-1920: 6000, 2900-2920: 7000, 3900-3920: 2000 early, 4900-4920: 3000, 5900-5920: 4000",
        "drifting for half an hour": "1000-1020: 6010, 1801000-1801020: 1805200",
        "of two machines, 40 ms apart": "1000-1020: 6010, 2000-2020: 7050, 3000-3020: 8010, 4000-4020: 8950 early"
      }
      for (const [name, text] of Object.entries(cases)) {
        const trips = Array.from(
          text.matchAll(/(\d+)-(\d+): (\d+)( early)?/g),
          ([, sentAt, receivedAt, serverTime, early]) => ({
            sample: { sentAt: Number(sentAt), receivedAt: Number(receivedAt), serverTime: Number(serverTime) },
            isEarly: early !== undefined
          })
        )
        const clock = yield* ServerClock.make
        const found = yield* Effect.forEach(trips, ({ sample }) =>
          Effect.tap(clock.precedes(host, sample), (precedes) => (precedes ? Effect.void : clock.learn(host, sample)))
        )
        expect([name, found]).toEqual([name, trips.map(({ isEarly }) => isEarly)])
      }
    })
  )

  it.effect("is kept per host", () =>
    Effect.gen(function* () {
      const clock = yield* ServerClock.make
      yield* clock.learn("one", { sentAt: 0, receivedAt: 0, serverTime: 77 })
      expect(yield* Effect.clockWith((time) => clock.now("one", time))).toBe(77)
      expect(yield* Effect.clockWith((time) => clock.now("other", time))).toBe(0)
    })
  )
})

describe("many fibers with a wrong clock", () => {
  it.effect("each need at most one more attempt", () =>
    Effect.gen(function* () {
      const far = scripted.make(service(() => 7_200_000))
      yield* Effect.gen(function* () {
        const transport = yield* Transport.Transport
        const calls = Effect.all(
          Array.from({ length: 10 }, () => transport.call(Executions.list, { category: "linear" })),
          { concurrency: "unbounded" }
        )
        const fiber = yield* Effect.fork(calls)
        yield* TestClock.adjust("10 seconds")
        yield* Fiber.join(fiber)
        expect(far.arrived.length).toBeLessThanOrEqual(20)
      }).pipe(Effect.provide(far.layer))
    })
  )
})
