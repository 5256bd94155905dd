import * as Orders from "@effect-venue/schemas/Orders"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Limits from "@effect-venue/transport/Limits"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Exit, Fiber, Layer, Option, Ref, Schedule, TestClock } from "effect"
import { read as list, page, settle } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

const amend = { category: "linear", symbol: "BTCUSDT", orderId: "o-1", price: "1" } as const
const reset = { fail: Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }) } as const

const onePerMinute = Option.some({ count: 1, window: Duration.minutes(1), scope: "uid" as const })

const change = Effect.flatMap(Transport.Transport, (transport) => transport.call(Orders.amend, amend))

const failure = <A, E>(exit: Exit.Exit<A, E>) => Effect.flip(exit)

describe("OnRetry", () => {
  it.effect("runs for every attempt that is followed by another one, and only for these", () =>
    Effect.gen(function* () {
      const reported: Array<Failure.Attempt> = []
      const counted = Effect.provideService(CallOptions.OnRetry, (attempt) =>
        Effect.sync(() => void reported.push(attempt))
      )
      const far = scripted.make((_, index) => (index < 2 ? { status: 503, body: "busy" } : scripted.ok(page)))
      expect(Exit.isSuccess(yield* settle(list.pipe(counted, Effect.provide(far.layer))))).toBe(true)
      expect(reported.map(({ failure }) => failure)).toEqual(["Unavailable", "Unavailable"])
      yield* settle(list.pipe(counted, Effect.provide(scripted.make(() => scripted.ok(page)).layer)))
      expect(reported).toHaveLength(2)
    })
  )
})

describe("a timeout for the whole call", () => {
  const within = Effect.provideService(CallOptions.CallTimeout, Duration.seconds(3))

  it.effect("ends a hanging read, with its earlier attempts", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => "hang")
      const run = list.pipe(
        within,
        Effect.provideService(CallOptions.AttemptTimeout, Duration.seconds(1)),
        Effect.provide(far.layer)
      )
      const told = yield* failure(yield* settle(run))
      expect(told).toMatchObject({ _tag: "ConnectionFailed", reason: "Timeout", detail: "not done within 3s" })
      expect((told as Failure.ConnectionFailed).attempts.length).toBeGreaterThan(0)
    })
  )

  it.effect("proves that a refused write that waits for its next attempt was not executed", () =>
    Effect.gen(function* () {
      const far = scripted.make((arrived) => scripted.refused(10006, "Too many visits!", arrived.at))
      // It is refused at once, and would go again after 160 ms at the earliest.
      const run = Effect.provideService(change, CallOptions.CallTimeout, Duration.millis(100))
      const told = yield* failure(yield* settle(Effect.provide(run, far.layer)))
      expect(told).toMatchObject({ _tag: "ConnectionFailed", reason: "Timeout", sent: false })
      expect(far.arrived).toHaveLength(1)
    })
  )

  it.effect("proves that a write that waits for its rate limit was not executed", () =>
    Effect.gen(function* () {
      const far = scripted.make((arrived) => scripted.ok({ orderId: "o-1" }, arrived.at))
      const slow = { ...Limits.documented, perUid: () => onePerMinute }
      const run = Effect.zipRight(change, change.pipe(within)).pipe(
        Effect.provideService(Limits.Limits, slow),
        Effect.provide(far.layer)
      )
      const told = yield* failure(yield* settle(run))
      expect(told).toMatchObject({ _tag: "ConnectionFailed", reason: "Timeout", sent: false })
      expect(far.arrived).toHaveLength(1)
    })
  )
})

describe("an interrupted write", () => {
  it.effect("is not reported if it was provably not executed", () =>
    Effect.gen(function* () {
      const told = yield* Ref.make(0)
      const far = scripted.make((arrived) => scripted.ok({ orderId: "o-1" }, arrived.at))
      yield* Effect.gen(function* () {
        yield* change
        const fiber = yield* Effect.fork(change)
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(fiber)
      }).pipe(
        Effect.provideService(Limits.Limits, { ...Limits.documented, perUid: () => onePerMinute }),
        Effect.provideService(CallOptions.OnInterruptedWrite, () => Ref.update(told, (count) => count + 1)),
        Effect.provide(far.layer)
      )
      expect(yield* Ref.get(told)).toBe(0)
      expect(far.arrived).toHaveLength(1)
    })
  )
})

describe("for every wrapped client", () => {
  const twice = Schedule.recurs(2)
  const wraps: Readonly<Record<string, (client: CallOptions.Client) => CallOptions.Client>> = {
    "with retry": HttpClient.retry(twice),
    "with a transform that retries": HttpClient.transform((effect) => Effect.retry(effect, twice)),
    "with retry of bad statuses": (client) => client.pipe(HttpClient.filterStatusOk, HttpClient.retry({ times: 2 })),
    "with retryTransient": HttpClient.retryTransient({ times: 2 })
  }
  for (const [name, wrap] of Object.entries(wraps)) {
    it.effect(`${name}: three requests of a read have three timestamps and signatures`, () =>
      Effect.gen(function* () {
        const far = scripted.make((arrived, index) =>
          index < 2
            ? name.includes("bad statuses")
              ? Effect.as(Effect.sleep(10), { status: 502, body: "bad gateway" })
              : Effect.as(Effect.sleep(10), reset)
            : scripted.ok(page, arrived.at)
        )
        const exit = yield* settle(
          Effect.provide(list, Layer.provideMerge(Transport.layer, far.layer)).pipe(
            Effect.provideService(CallOptions.TransformClient, wrap)
          )
        )
        expect(Exit.isSuccess(exit)).toBe(true)
        expect(far.arrived).toHaveLength(3)
        for (const header of ["x-bapi-timestamp", "x-bapi-sign"]) {
          expect(new Set(far.arrived.map(({ headers }) => headers[header])).size).toBe(3)
        }
        for (const { at, headers } of far.arrived) expect(headers["x-bapi-timestamp"]).toBe(String(at))
      })
    )

    it.effect(`${name}: a write is sent once`, () =>
      Effect.gen(function* () {
        const far = scripted.make(() => (name.includes("bad statuses") ? { status: 502, body: "bad gateway" } : reset))
        const exit = yield* settle(
          Effect.provide(change, Layer.provideMerge(Transport.layer, far.layer)).pipe(
            Effect.provideService(CallOptions.TransformClient, wrap)
          )
        )
        expect(yield* failure(exit)).toMatchObject({ _tag: "OutcomeUnknown" })
        expect(far.arrived).toHaveLength(1)
      })
    )
  }

  const calls: ReadonlyArray<readonly [string, Effect.Effect<unknown, Failure.Failure, Transport.Transport>]> = [
    ["a read", list],
    ["a write", change]
  ]
  for (const [name, call] of calls) {
    it.effect(`${name} is answered by a client that has read the text of the answer before`, () =>
      Effect.gen(function* () {
        const far = scripted.make(() => scripted.ok(name === "a read" ? page : { orderId: "o-1" }))
        const reading = Layer.effect(
          HttpClient.HttpClient,
          Effect.map(
            HttpClient.HttpClient,
            HttpClient.tap((response) => response.text)
          )
        )
        const exit = yield* settle(
          Effect.provide(call, Layer.provideMerge(Layer.fresh(Transport.layer), Layer.provideMerge(reading, far.layer)))
        )
        expect(Exit.isSuccess(exit)).toBe(true)
        expect(far.arrived).toHaveLength(1)
      })
    )
  }

  it.effect("responses that the wrapper creates are read like those of the service", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => scripted.ok(page))
      const other = scripted.make(() => scripted.refused(110001))
      const exit = yield* settle(
        Effect.provide(list, Layer.provideMerge(Transport.layer, far.layer)).pipe(
          Effect.provideService(CallOptions.TransformClient, () => other.client)
        )
      )
      expect(yield* failure(exit)).toMatchObject({ _tag: "Rejected", reason: "NotFound" })
    })
  )
})

describe("looking up the outcome of a write", () => {
  it.effect("of a write that no operation lists is undetermined", () =>
    Effect.gen(function* () {
      const { lookUp: _, ...unlisted } = Orders.amend
      const write = Effect.flatMap(Transport.Transport, (transport) => transport.call(unlisted, amend))
      const unknown = yield* Effect.flip(Effect.provide(write, scripted.make(() => reset).layer))
      if (unknown._tag !== "OutcomeUnknown") throw new Error(`not unknown: ${unknown.message}`)
      expect(yield* unknown.lookUp).toEqual({ executed: "undetermined", evidence: [] })
    })
  )
})
