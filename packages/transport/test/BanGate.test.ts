import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { type Clock, Deferred, Duration, Effect, Exit, Fiber, Option, Ref, TestClock } from "effect"
import { page } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

const banLength = Duration.toMillis(DocumentedLimits.banLength)
const banned = { status: 403, body: "access too frequent" } as const

const categories = ["linear", "inverse", "spot"] as const

describe("the gate", () => {
  type Answer = "ok" | "banned"
  const end = banLength

  /** A gate, and calls through it to a host. */
  const gated = <A>(
    use: (
      gate: BanGate.BanGate.Shape,
      pass: <E>(call: Effect.Effect<Answer, E>, host?: string) => Effect.Effect<Answer, E | string>
    ) => Effect.Effect<A, string>,
    whenBanned?: "fail" | "wait"
  ) =>
    Effect.flatMap(BanGate.make, (gate) =>
      use(gate, (call, host = "h") =>
        BanGate.pass(gate, call, {
          host,
          isBanned: (answer) => answer === "banned",
          closed: (until) => Effect.fail(`closed until ${until}`),
          whenBanned
        })
      )
    )

  const answering = (answer: Answer) => Effect.succeed(answer)

  it.effect("closes for ten minutes for the host that banned, and for no other", () =>
    gated((gate, pass) =>
      Effect.gen(function* () {
        expect(yield* Effect.clockWith((time) => gate.closedUntil("h", time))).toBe(0)
        expect(yield* pass(answering("ok"))).toBe("ok")
        expect(yield* pass(answering("banned"))).toBe("banned")
        expect(yield* Effect.clockWith((time) => gate.closedUntil("h", time))).toBe(end)
        expect(yield* Effect.flip(pass(answering("ok")))).toBe(`closed until ${end}`)
        expect(yield* Effect.clockWith((time) => gate.closedUntil("other", time))).toBe(0)
        expect(yield* pass(answering("ok"), "other")).toBe("ok")
        yield* TestClock.adjust(Duration.millis(end - 1))
        expect(yield* Effect.clockWith((time) => gate.closedUntil("h", time))).toBe(end)
        expect(yield* Effect.flip(pass(answering("ok")))).toBe(`closed until ${end}`)
        yield* TestClock.adjust("1 millis")
        expect(yield* Effect.clockWith((time) => gate.closedUntil("h", time))).toBe(0)
        expect(yield* pass(answering("ok"))).toBe("ok")
      })
    )
  )

  it.effect("reports the same end of a ban in every fraction of a millisecond, until the wall clock is set", () =>
    Effect.gen(function* () {
      // Of a machine: the wall clock has whole milliseconds, which begin at another instant than those of the monotonic one.
      let micros = 1_700_000_000_000_400
      let shift = 0
      const wall = () => Math.floor(micros / 1000) + shift
      const monotonic = () => BigInt(micros - 123) * 1000n
      const clock: Clock.Clock = {
        ...(yield* Effect.clock),
        unsafeCurrentTimeMillis: wall,
        unsafeCurrentTimeNanos: monotonic
      }
      const ends = gated((gate, pass) =>
        Effect.gen(function* () {
          yield* pass(answering("banned"))
          const stated = new Set<number>()
          for (let call = 0; call < 500; call++) {
            micros += 777
            stated.add(yield* Effect.clockWith((time) => gate.closedUntil("h", time)))
          }
          expect(stated.size).toBe(1)
          shift = 3_600_000
          expect(
            Math.abs((yield* Effect.clockWith((time) => gate.closedUntil("h", time))) - ([...stated][0] ?? 0) - shift)
          ).toBeLessThanOrEqual(2)
        })
      )
      yield* Effect.withClock(ends, clock)
    })
  )

  it.effect("reports each closing once", () =>
    gated((gate, pass) =>
      Effect.gen(function* () {
        const first = yield* Effect.fork(gate.whenClosed("h"))
        yield* Effect.yieldNow()
        expect(Option.isNone(yield* Fiber.poll(first))).toBe(true)
        yield* pass(answering("banned"))
        expect(yield* Fiber.join(first)).toBe(end)
        const second = yield* Effect.fork(gate.whenClosed("h"))
        yield* TestClock.adjust(DocumentedLimits.banLength)
        expect(Option.isNone(yield* Fiber.poll(second))).toBe(true)
        yield* pass(answering("banned"))
        expect(yield* Fiber.join(second)).toBe(2 * end)
      })
    )
  )
})

/** Sixty-four fibers that never stop asking. */
const load = Effect.gen(function* () {
  const transport = yield* Transport.Transport
  const outcomes = yield* Ref.make<ReadonlyArray<string>>([])
  const one = (index: number) =>
    Effect.forever(
      Effect.gen(function* () {
        const category = categories[index % 3] ?? "linear"
        const result = yield* Effect.either(transport.call(Executions.list, { category }))
        yield* Ref.update(outcomes, (known) => [...known, result._tag === "Right" ? "done" : result.left._tag])
        yield* Effect.sleep("30 seconds")
      })
    )
  const fiber = yield* Effect.fork(
    Effect.all(
      Array.from({ length: 32 }, (_, index) => one(index)),
      { concurrency: "unbounded" }
    )
  )
  return { fiber, outcomes }
})

describe("a ban under load", () => {
  for (const mode of ["fail", "wait"] as const) {
    it.effect(`lets no call pass before its end and exactly one after it, when callers ${mode}`, () =>
      Effect.gen(function* () {
        let bannedAt = Number.POSITIVE_INFINITY
        const probe = yield* Deferred.make<scripted.Answer>()
        const far = scripted.make((arrived, index) => {
          if (index === 20) {
            bannedAt = arrived.at
            return banned
          }
          // The first call after the ban hangs until the test lets it go.
          return arrived.at >= bannedAt + banLength && !isReleased
            ? Deferred.await(probe)
            : scripted.ok(page, arrived.at)
        })
        let isReleased = false
        yield* Effect.gen(function* () {
          const { fiber, outcomes } = yield* load
          yield* TestClock.adjust("30 seconds")
          const during = far.arrived.filter(({ at }) => at > bannedAt).length
          expect(Number.isFinite(bannedAt)).toBe(true)
          expect(during).toBe(0)
          const sentBefore = far.arrived.length
          yield* TestClock.adjust(Duration.millis(banLength - 30_000))
          expect(far.arrived.filter(({ at }) => at > bannedAt && at < bannedAt + banLength)).toEqual([])
          yield* TestClock.adjust("45 seconds")
          expect(far.arrived).toHaveLength(sentBefore + 1)
          isReleased = true
          yield* Deferred.succeed(probe, scripted.ok(page, bannedAt + banLength))
          yield* TestClock.adjust("1 minute")
          expect(far.arrived.length).toBeGreaterThan(sentBefore + 20)
          const told = yield* Ref.get(outcomes)
          if (mode === "fail") expect(told).toContain("Banned")
          else expect(told.filter((outcome) => outcome === "Banned").length).toBeLessThanOrEqual(1)
          yield* Fiber.interrupt(fiber)
        }).pipe(
          Effect.provide(far.layer),
          Effect.provideService(BanGate.WhenBanned, mode),
          Effect.provideService(CallOptions.AttemptTimeout, Duration.hours(1))
        )
      })
    )
  }

  it.effect("starts again if the first call after it is banned", () =>
    Effect.gen(function* () {
      const far = scripted.make((arrived) => (arrived.at < banLength + 1000 ? banned : scripted.ok(page, arrived.at)))
      yield* Effect.gen(function* () {
        const transport = yield* Transport.Transport
        const call = Effect.either(transport.call(Executions.list, { category: "linear" }))
        yield* call
        yield* TestClock.adjust(DocumentedLimits.banLength)
        const again = yield* call
        expect(again).toMatchObject({ left: { _tag: "Banned" } })
        expect((again as { readonly left: Failure.Banned }).left.until.epochMillis).toBe(2 * banLength)
        yield* TestClock.adjust(Duration.millis(banLength - 1))
        yield* call
        expect(far.arrived).toHaveLength(2)
        yield* TestClock.adjust("1 millis")
        expect(yield* call).toMatchObject({ _tag: "Right" })
        expect(far.arrived).toHaveLength(3)
      }).pipe(Effect.provide(far.layer))
    })
  )

  it.effect("does not interrupt calls in flight", () =>
    Effect.gen(function* () {
      const slow = yield* Deferred.make<scripted.Answer>()
      const far = scripted.make((_, index) => (index === 0 ? Deferred.await(slow) : banned))
      yield* Effect.gen(function* () {
        const transport = yield* Transport.Transport
        const first = yield* Effect.fork(
          transport.call(Orders.amend, { category: "linear", symbol: "BTCUSDT", orderId: "o-1", price: "1" })
        )
        yield* TestClock.adjust("1 millis")
        yield* Effect.flip(transport.call(Executions.list, { category: "linear" }))
        yield* Deferred.succeed(slow, scripted.ok({ orderId: "o-1" }))
        expect(Exit.isSuccess(yield* Fiber.await(first))).toBe(true)
      }).pipe(Effect.provide(far.layer))
    })
  )
})
