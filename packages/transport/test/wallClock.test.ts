import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, TestClock } from "effect"
import * as clocks from "./utils/clocks.js"
import { read as fills, page } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

/** A transport on a machine whose wall clock can be set, and a service with a clock of its own. */
const machine = (script: scripted.Script) =>
  Effect.gen(function* () {
    const steady = yield* Effect.clock
    const clock = clocks.jumping(steady)
    const far = scripted.make(script)
    const client = HttpClient.make((request) => Effect.withClock(far.client.execute(request), steady))
    const layer = Transport.layer.pipe(
      Layer.provide([Signer.layer, RateLimiter.layerMemory, BanGate.layer, ServerClock.layer]),
      Layer.provide(Layer.succeed(Credentials.Credentials, scripted.credentials)),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, client))
    )
    const context = yield* Layer.build(layer)
    const onMachine = <A, E>(effect: Effect.Effect<A, E, Transport.Transport>) =>
      Effect.withClock(Effect.provide(effect, context), clock)
    return { clock, arrived: far.arrived, onMachine }
  })

const cancel = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Orders.cancel, { category: "linear", symbol: "BTCUSDT", orderId: "o-1" })
)

const ten = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.replicateEffect(call, 10, { concurrency: "unbounded", discard: true })

describe("a wall clock that is set", () => {
  it.scoped("back an hour delays no call beyond its window, not even a cancellation when the limit is used up", () =>
    Effect.gen(function* () {
      const { arrived, clock, onMachine } = yield* machine(({ at }) => scripted.ok({ orderId: "o-1" }, at))
      yield* onMachine(ten(cancel))
      clock.jump("1 hour", "back")
      const next = yield* Effect.fork(onMachine(cancel))
      yield* TestClock.adjust("1001 millis")
      expect(arrived.map(({ at }) => at)).toEqual([...Array<number>(10).fill(0), 1001])
      yield* Fiber.join(next)
    })
  )

  it.scoped("forward does not let more calls than the limit leave within a window", () =>
    Effect.gen(function* () {
      const { arrived, clock, onMachine } = yield* machine(({ at }) => scripted.ok(page, at))
      yield* onMachine(ten(fills))
      clock.jump("2 seconds")
      const next = yield* Effect.fork(onMachine(ten(fills)))
      yield* TestClock.adjust("1 second")
      expect(arrived).toHaveLength(10)
      yield* TestClock.adjust("1 millis")
      expect(arrived).toHaveLength(20)
      yield* Fiber.join(next)
    })
  )

  it.scoped(
    "forward past the end of a ban lets nothing leave before ten minutes, and reports the end by the new time",
    () =>
      Effect.gen(function* () {
        const { arrived, clock, onMachine } = yield* machine(({ at }, index) =>
          index === 0 ? { status: 403, body: "access too frequent" } : scripted.ok(page, at)
        )
        expect(yield* Effect.flip(onMachine(fills))).toMatchObject({ _tag: "Banned" })
        clock.jump("10 minutes")
        yield* TestClock.adjust("1 minute")
        const until = { epochMillis: Duration.toMillis("20 minutes") }
        expect(yield* Effect.flip(onMachine(fills))).toMatchObject({ _tag: "Banned", until })
        yield* TestClock.adjust("8 minutes")
        expect(yield* Effect.flip(onMachine(fills))).toMatchObject({ _tag: "Banned", until })
        expect(arrived).toHaveLength(1)
        yield* TestClock.adjust("1 minute")
        yield* onMachine(fills)
        expect(arrived).toHaveLength(2)
      })
  )

  it.scoped("back an hour during a ban does not prolong it", () =>
    Effect.gen(function* () {
      const { arrived, clock, onMachine } = yield* machine(({ at }, index) =>
        index === 0 ? { status: 403, body: "access too frequent" } : scripted.ok(page, at)
      )
      yield* Effect.flip(onMachine(fills))
      clock.jump("1 hour", "back")
      const waiting = yield* Effect.fork(Effect.provideService(onMachine(fills), BanGate.WhenBanned, "wait"))
      yield* TestClock.adjust("599999 millis")
      expect(arrived).toHaveLength(1)
      yield* TestClock.adjust("1 millis")
      expect(arrived).toHaveLength(2)
      yield* Fiber.join(waiting)
    })
  )

  it.scoped("forward or back does not change signed timestamps once the service's clock is known", () =>
    Effect.gen(function* () {
      const { arrived, clock, onMachine } = yield* machine(({ at, headers }) => {
        const serverTime = at + 5_000_000
        return Math.abs(Number(headers["x-bapi-timestamp"]) - serverTime) < 1000
          ? scripted.ok(page, serverTime)
          : scripted.refused(10002, "timestamp", serverTime)
      })
      yield* onMachine(fills)
      expect(arrived).toHaveLength(2)
      for (const [by, direction] of [
        ["1 hour", "forward"],
        ["3 hours", "back"],
        ["2 hours", "forward"]
      ] as const) {
        clock.jump(by, direction)
        yield* TestClock.adjust("2 seconds")
        yield* onMachine(fills)
      }
      expect(arrived.slice(1).map(({ at, headers }) => Number(headers["x-bapi-timestamp"]) - at)).toEqual(
        Array(4).fill(5_000_000)
      )
    })
  )
})
