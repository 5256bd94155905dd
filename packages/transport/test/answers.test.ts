import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Metrics from "@effect-venue/transport/Metrics"
import * as Transport from "@effect-venue/transport/Transport"
import { FetchHttpClient, HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Layer, Metric, Option, TestClock } from "effect"
import { read as list, write as change, once as withoutRetry, page } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

/** How a read fails that is answered so. */
const failureOf = (answer: scripted.Answer) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.flip(withoutRetry(Effect.provide(list, scripted.make(() => answer).layer))))
    yield* TestClock.adjust("1 minute")
    return yield* Fiber.join(fiber)
  })

describe("a response", () => {
  const cases: ReadonlyArray<readonly [string, scripted.Answer, object]> = [
    ["HTTP 400", { status: 400, body: " bad\n" }, { _tag: "Rejected", status: 400, retMsg: "bad", attempts: [] }],
    ["HTTP 418", { status: 418, body: "" }, { status: 418, expected: "expected HTTP status 200" }],
    ["a page", { body: "<html>maintenance</html>" }, { expected: "expected JSON", body: "<html>maintenance</html>" }],
    ["a missing code", { body: "{}" }, { path: "retCode" }],
    ["a known code", scripted.refused(110001, "no"), { status: 200, retCode: 110001, retMsg: "no" }]
  ]
  for (const [name, answer, expected] of cases) {
    it.effect(`of ${name} fails with ${JSON.stringify(expected)}`, () =>
      Effect.gen(function* () {
        expect(yield* failureOf(answer)).toMatchObject({ operation: "executions.list", ...expected })
      })
    )
  }

  it.effect("that is long is reported with its first 512 characters", () =>
    Effect.gen(function* () {
      expect(yield* failureOf({ body: "x".repeat(512) })).toMatchObject({ body: "x".repeat(512) })
      expect(yield* failureOf({ body: "x".repeat(513) })).toMatchObject({ body: `${"x".repeat(512)}…` })
      expect(yield* failureOf({ status: 400, body: "x".repeat(600) })).toMatchObject({ retMsg: `${"x".repeat(512)}…` })
    })
  )

  it.effect("is reported without the key and without text that looks like a signature", () =>
    Effect.gen(function* () {
      const sign = "0123456789abcdef".repeat(4)
      const body = `${sign} ${scripted.canaryKey} ${scripted.canarySecret} ${sign}a ${scripted.canaryKey}`
      expect(yield* failureOf({ body })).toMatchObject({
        body: "<redacted> <redacted> <redacted> <redacted> <redacted>"
      })
      expect(yield* failureOf(scripted.refused(110001, `of ${scripted.canaryKey}`))).toMatchObject({
        retMsg: "of <redacted>"
      })
    })
  )

  it.effect("is reported verbatim if it contains no key", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => ({ body: "<html>maintenance</html>" }))
      const layer = Transport.layerStandalone.pipe(
        Layer.provide(Credentials.layerPublic({ baseUrl: "http://venue.test" })),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, far.client))
      )
      const call = Effect.flatMap(Transport.Transport, (transport) =>
        transport.call(Instruments.list, { category: "linear" })
      )
      expect(yield* Effect.flip(withoutRetry(Effect.provide(call, layer)))).toMatchObject({
        body: "<html>maintenance</html>"
      })
    })
  )
})

describe("the headers that report the limit", () => {
  /** How the operation's rate limit stands after an answer with these headers. */
  const limitAfter = (headers: Record<string, string>, body = scripted.ok(page)) =>
    Effect.gen(function* () {
      const far = scripted.make(() => ({ ...(body as { readonly body: string }), headers }))
      return yield* Effect.gen(function* () {
        yield* Effect.either(withoutRetry(list))
        const states = yield* Effect.flatMap(RateLimiter.RateLimiter, (limiter) => limiter.states)
        return states.find(({ key }) => key.includes("/execution/list"))
      }).pipe(Effect.provide(far.layer))
    })

  it.effect("are read as whole numbers, and ignored otherwise", () =>
    Effect.gen(function* () {
      expect(yield* limitAfter({ "X-Bapi-Limit": "7" })).toMatchObject({ limit: 7, remaining: 6 })
      expect(yield* limitAfter({ "X-Bapi-Limit": "20", "X-Bapi-Limit-Status": "12" })).toMatchObject({
        limit: 20,
        remaining: 12
      })
      for (const limit of ["7x", "x7", "", "7.5", "-7", "1e1", "12345678901234567"]) {
        expect(yield* limitAfter({ "X-Bapi-Limit": limit })).toMatchObject({ limit: 10, remaining: 9 })
      }
      expect(
        yield* limitAfter(
          { "X-Bapi-Limit": "10", "X-Bapi-Limit-Status": "0", "X-Bapi-Limit-Reset-Timestamp": "750" },
          scripted.refused(10006)
        )
      ).toMatchObject({ limit: 10, remaining: 0, retryAfter: Duration.millis(1001) })
    })
  )

  it.effect("set the metric of the remaining calls", () =>
    Effect.gen(function* () {
      yield* limitAfter({ "X-Bapi-Limit": "20", "X-Bapi-Limit-Status": "13" })
      const left = Metric.tagged(Metrics.remaining, "operation", "executions.list")
      expect((yield* Metric.value(left)).value).toBe(13)
      for (const none of ["", "x7", "7x", "7.5", "12345678901234567"]) {
        yield* limitAfter({ "X-Bapi-Limit": "20", "X-Bapi-Limit-Status": none })
        expect((yield* Metric.value(left)).value).toBe(13)
      }
      yield* limitAfter({ "X-Bapi-Limit": "20" })
      expect((yield* Metric.value(left)).value).toBe(13)
    })
  )
})

describe("a connection that breaks", () => {
  const broken = (cause: unknown) =>
    Effect.gen(function* () {
      const far = scripted.make(() => ({ fail: cause }))
      return yield* Effect.flip(withoutRetry(Effect.provide(change, far.layer)))
    })
  const coded = (code: string, cause?: unknown) => Object.assign(new Error("broken", { cause }), { code })
  const connect = (code: string, cause?: unknown) => Object.assign(coded(code, cause), { syscall: "connect" })

  it.effect("with any other error proves nothing", () =>
    Effect.gen(function* () {
      for (const cause of [
        coded("ECONNRESET"),
        coded("EPIPE"),
        new Error("?"),
        "ECONNREFUSED",
        undefined,
        { code: 1 }
      ]) {
        expect(yield* broken(cause)).toMatchObject({ _tag: "OutcomeUnknown", because: { sent: true } })
      }
    })
  )

  it.effect("is described by codes and messages, each once", () =>
    Effect.gen(function* () {
      const told = (cause: unknown) => Effect.map(broken(cause), (failure) => failure.message)
      expect(yield* told(new Error("fetch failed", { cause: connect("ECONNREFUSED") }))).toBe(
        "orders.amend: connection failed, fetch failed: ECONNREFUSED: broken"
      )
      expect(yield* told(connect("ECONNREFUSED", coded("ECONNREFUSED")))).toBe(
        "orders.amend: connection failed, ECONNREFUSED: broken"
      )
      expect(yield* told({ code: "ENOTFOUND", syscall: "getaddrinfo", message: "" })).toBe(
        "orders.amend: connection failed, ENOTFOUND"
      )
      expect(yield* told("gone")).toContain("connection failed, Transport")
    })
  )

  it.effect("with a circular cause is described too", () =>
    Effect.gen(function* () {
      const cause: { message: string; cause?: unknown } = { message: "round" }
      cause.cause = cause
      expect((yield* broken(cause)).message).toContain("connection failed, round")
      const deep = Array.from({ length: 5 }).reduce<unknown>((inner) => ({ cause: inner }), connect("ECONNREFUSED"))
      expect(yield* broken(deep)).toMatchObject({ _tag: "ConnectionFailed", sent: false })
    })
  )
})

describe("a request", () => {
  it.effect("accepts JSON, follows no redirect, and keeps the application's fetch options", () =>
    Effect.gen(function* () {
      const seen: Array<RequestInit | undefined> = []
      const far = scripted.make(() =>
        Effect.map(Effect.serviceOption(FetchHttpClient.RequestInit), (options) => {
          seen.push(Option.getOrUndefined(options))
          return scripted.ok(page)
        })
      )
      yield* Effect.provide(list, far.layer)
      yield* Effect.provide(list, far.layer).pipe(
        Effect.provideService(FetchHttpClient.RequestInit, { keepalive: true, redirect: "follow" })
      )
      expect(seen).toEqual([{ redirect: "manual" }, { keepalive: true, redirect: "manual" }])
      expect(far.arrived[0]?.headers.accept).toBe("application/json")
    })
  )

  it.effect("has a JSON body", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => scripted.ok({ orderId: "o-1", orderLinkId: "" }))
      yield* Effect.provide(change, far.layer)
      expect(far.arrived[0]?.url).toBe("http://venue.test/cloud/trade/v3/order/amend")
      expect(far.arrived[0]?.headers["content-type"]).toBe("application/json")
    })
  )

  it.effect("is sent only by calls: a wrapped client cannot send by itself", () =>
    Effect.gen(function* () {
      let wrapped: CallOptions.Client | undefined
      const far = scripted.make(() => scripted.ok(page))
      const keep = (client: CallOptions.Client) => (wrapped = client)
      yield* Effect.provide(list, Layer.provideMerge(Transport.layer, far.layer)).pipe(
        Effect.provideService(CallOptions.TransformClient, keep)
      )
      if (wrapped === undefined) throw new Error("nothing was wrapped")
      const failure = yield* Effect.flip(wrapped.get("http://venue.test/any"))
      expect(failure.message).toContain("this client sends for the transport only")
      expect(far.arrived).toHaveLength(1)
    })
  )

  it.effect("without a response is reported with its timeout", () =>
    Effect.gen(function* () {
      expect(yield* failureOf("hang")).toMatchObject({
        _tag: "ConnectionFailed",
        reason: "Timeout",
        sent: true,
        detail: "no answer within 10s"
      })
    })
  )
})

describe("a call that waits for its rate limit", () => {
  it.effect("fails at once when a ban starts, and is not sent", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<scripted.Answer>()
      const far = scripted.make((_, index) => (index < 9 ? scripted.ok(page) : Deferred.await(answer)))
      yield* Effect.gen(function* () {
        yield* Effect.all(Array.from({ length: 9 }, () => list))
        const last = yield* Effect.fork(Effect.flip(list))
        yield* TestClock.adjust("1 millis")
        const waiting = yield* Effect.fork(Effect.flip(list))
        yield* TestClock.adjust("1 millis")
        yield* Deferred.succeed(answer, { status: 403, body: "access too frequent" })
        const until = { epochMillis: 2 + Duration.toMillis(DocumentedLimits.banLength) }
        expect(yield* Fiber.join(last)).toMatchObject({ _tag: "Banned", until })
        expect(yield* Fiber.join(waiting)).toMatchObject({ _tag: "Banned", operation: "executions.list", until })
        expect(far.arrived).toHaveLength(10)
      }).pipe(Effect.provide(far.layer))
    })
  )

  it.effect("waits for the end of the ban with whenBanned: wait, and is counted once", () =>
    Effect.gen(function* () {
      const before = (yield* Metric.value(Metrics.bans)).count
      const far = scripted.make((_, index) =>
        index === 0 ? { status: 403, body: "access too frequent" } : scripted.ok(page)
      )
      yield* Effect.gen(function* () {
        yield* Effect.flip(list)
        const waiting = yield* Effect.fork(list)
        yield* TestClock.adjust(DocumentedLimits.banLength)
        yield* Fiber.join(waiting)
        expect(far.arrived.map(({ at }) => at)).toEqual([0, Duration.toMillis(DocumentedLimits.banLength)])
      }).pipe(Effect.provideService(BanGate.WhenBanned, "wait"), Effect.provide(far.layer))
      expect((yield* Metric.value(Metrics.bans)).count).toBe(before + 1)
    })
  )
})
