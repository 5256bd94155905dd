import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Executions from "@effect-venue/schemas/Executions"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Failure from "@effect-venue/transport/Failure"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Duration, Effect, Exit, Fiber, Logger, LogLevel, Ref, Schedule, TestClock } from "effect"
import { idempotentWrite as transfer, read as list, write as change, page } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

const head = { operation: "op", attempts: [] }
const reset = { fail: Object.assign(new Error("socket hang up"), { code: "ECONNRESET" }) } as const

/** Runs a call to its failure, however long it waits in between. */
const failureOf = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.flip(call))
    yield* TestClock.adjust("10 minutes")
    return yield* Fiber.join(fiber)
  })

describe("the standard policy", () => {
  const connection = (sent: boolean) =>
    new Failure.ConnectionFailed({ ...head, reason: "Connection", sent, detail: "broken" })
  const unavailable = (executed: "no" | "unknown") => new Failure.Unavailable({ ...head, executed })
  const unexpected = (status: number, path: string) =>
    new Failure.UnexpectedResponse({ ...head, status, path, expected: "expected JSON", body: "" })
  const until = DateTime.unsafeMake(0)

  const cases: ReadonlyArray<readonly [string, Failure.ReadFailure, ReadonlyArray<Endpoint.Safety>]> = [
    ["what was refused here", new Failure.InvalidRequest({ operation: "op", field: "f", rule: "r", issues: [] }), []],
    ["what was refused there", new Failure.Rejected({ ...head, reason: "Unknown", noChange: false }), []],
    ["a call without the right", new Failure.Unauthorized({ ...head, reason: "Key" }), []],
    ["a call out of the receive window", new Failure.ClockSkew({ ...head, skewMillis: 1 }), []],
    ["a call from a banned address", new Failure.Banned({ ...head, until }), []],
    ["a call over the limit", new Failure.RateLimited(head), ["read", "idempotent", "write"]],
    ["what was never sent", connection(false), ["read", "idempotent", "write"]],
    ["what may have been sent", connection(true), ["read", "idempotent"]],
    [
      "what waited for the store of the rate limits",
      new Failure.ConnectionFailed({ ...head, reason: "RateLimitStore", sent: false, detail: "unreachable" }),
      []
    ],
    [
      "what the client refuses to make",
      new Failure.ConnectionFailed({ ...head, reason: "NotSent", sent: false, detail: "not recorded" }),
      []
    ],
    ["what was provably not executed", unavailable("no"), ["read", "idempotent", "write"]],
    ["what may have been executed", unavailable("unknown"), ["read", "idempotent"]],
    ["what got no envelope back", unexpected(200, ""), ["read", "idempotent"]],
    ["what got a wrong envelope back", unexpected(200, "retCode"), []],
    ["what got a strange status back", unexpected(302, ""), []]
  ]
  for (const [name, failure, repeated] of cases) {
    it(`repeats ${name} for ${repeated.length === 0 ? "no call" : repeated.join(", ")}`, () => {
      const safeties: ReadonlyArray<Endpoint.Safety> = ["read", "idempotent", "write"]
      expect(safeties.filter((safety) => RetryPolicy.standard.shouldRetry(failure, safety))).toEqual(repeated)
      expect(safeties.filter((safety) => RetryPolicy.none.shouldRetry(failure, safety))).toEqual([])
    })
  }

  it.effect("doubles the wait each time, within 20 %", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => ({ status: 503, body: "busy" }))
      yield* failureOf(Effect.provide(list, far.layer))
      const waits = far.arrived.slice(1).map(({ at }, index) => at - (far.arrived[index]?.at ?? 0))
      expect(waits).toHaveLength(4)
      waits.forEach((wait, index) => {
        expect(wait).toBeGreaterThanOrEqual(Math.floor(0.8 * 200 * 2 ** index))
        expect(wait).toBeLessThanOrEqual(Math.ceil(1.2 * 200 * 2 ** index))
      })
      expect(new Set(waits.map((wait, index) => wait / 2 ** index)).size).toBeGreaterThan(1)
    })
  )

  it.effect("starts no attempt later than half a minute after the first failure", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => "hang")
      const told = yield* failureOf(Effect.provide(list, far.layer))
      expect(told).toMatchObject({ _tag: "ConnectionFailed", reason: "Timeout" })
      // Ten seconds each: the first fails after ten seconds, the fourth after more than forty.
      expect(far.arrived).toHaveLength(4)
    })
  )
})

describe("the attempts of a call", () => {
  it.effect("are reported oldest first, each with start, failure and the wait after it", () =>
    Effect.gen(function* () {
      const answers: ReadonlyArray<scripted.Answer> = [
        { status: 503, body: "busy" },
        reset,
        scripted.refused(10006, "Too many visits!"),
        scripted.refused(110001, "order not exists")
      ]
      const far = scripted.make((_, index) => answers[index] ?? "hang")
      const told = yield* failureOf(Effect.provide(list, far.layer))
      expect(told).toMatchObject({ _tag: "Rejected", retCode: 110001 })
      const { attempts } = told as Failure.Rejected
      expect(attempts.map(({ failure, message }) => [failure, message])).toEqual([
        ["Unavailable", "executions.list: the service is unavailable, HTTP 503: busy"],
        ["ConnectionFailed", "executions.list: connection failed, ECONNRESET: socket hang up"],
        ["RateLimited", "executions.list: rate limited, code 10006: Too many visits!"]
      ])
      expect(attempts.map(({ at }) => at.epochMillis)).toEqual(far.arrived.slice(0, 3).map(({ at }) => at))
      attempts.slice(0, 2).forEach(({ at, wait }, index) => {
        expect(far.arrived[index + 1]?.at).toBe(at.epochMillis + Duration.toMillis(wait))
      })
    })
  )

  it.effect("are logged with operation, count and wait", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.map(Logger.logfmtLogger, (line) => void lines.push(line))
      )
      const policy = { ...RetryPolicy.standard, schedule: Schedule.addDelay(Schedule.recurs(2), () => "90 seconds") }
      const far = scripted.make((_, index) => (index < 2 ? { status: 503, body: "busy" } : scripted.ok(page)))
      const fiber = yield* Effect.fork(
        list.pipe(
          Effect.provideService(RetryPolicy.RetryPolicy, policy),
          Effect.provide(far.layer),
          Effect.provide(logger),
          Logger.withMinimumLogLevel(LogLevel.Debug)
        )
      )
      yield* TestClock.adjust("10 minutes")
      yield* Fiber.join(fiber)
      const told = lines.filter((line) => line.includes("trying again"))
      expect(told).toHaveLength(2)
      told.forEach((line, index) => {
        expect(line).toContain("the service is unavailable, HTTP 503: busy; trying again")
        expect(line).toContain("operation=executions.list")
        expect(line).toContain(`attempt=${index + 1}`)
        expect(line).toContain('wait="1m 30s"')
      })
    })
  )

  for (const [named, waits] of [
    [5000, 5000],
    // No window is that long.
    [3_600_000, 0]
  ] as const) {
    it.effect(`wait ${waits} ms at least, if the service names an instant in ${named} ms`, () =>
      Effect.gen(function* () {
        const impatient = { ...RetryPolicy.standard, schedule: Schedule.recurs(1) }
        const far = scripted.make((arrived, index) =>
          index === 0
            ? {
                body: JSON.stringify({ retCode: 10006, retMsg: "", result: {}, retExtInfo: {}, time: arrived.at }),
                headers: { "X-Bapi-Limit-Reset-Timestamp": String(arrived.at + named) }
              }
            : scripted.refused(110001)
        )
        const call = Effect.flatMap(Transport.Transport, (transport) =>
          transport.call(Executions.preUpgrade, { category: "linear" })
        )
        yield* TestClock.adjust("20 seconds")
        const told = yield* failureOf(Effect.provide(call, far.layer)).pipe(
          Effect.provideService(RetryPolicy.RetryPolicy, impatient)
        )
        expect(far.arrived.map(({ at }) => at)).toEqual([20_000, 20_000 + waits])
        expect((told as Failure.Rejected).attempts.map(({ wait }) => Duration.toMillis(wait))).toEqual([waits])
      })
    )
  }
})

describe("a wait that a response states in Retry-After", () => {
  const at = (millis: number) => new Date(millis).toUTCString()
  const begin = Date.UTC(2024, 0, 1)
  // The clock of the service is an hour ahead of ours, by its Date header.
  const there = begin + 3_600_000
  const asctime = (millis: number) => {
    const [, day, month, year, time] = at(millis).split(" ")
    return `${at(millis).slice(0, 3)} ${month} ${String(Number(day)).padStart(2, " ")} ${time} ${year}`
  }
  const rfc850 = (millis: number) => {
    const [, day, month, year, time] = at(millis).split(" ")
    return `Monday, ${day}-${month}-${year?.slice(2)} ${time} GMT`
  }

  interface Case {
    readonly header: string
    /** Seconds until the second attempt; `undefined` if it begins by the schedule, `Infinity` if there is none. */
    readonly wait: number | undefined
    /** Seconds from the response to the instant in the failure. */
    readonly names?: number
    readonly date?: string
    readonly timeout?: Duration.DurationInput
  }
  const cases: Readonly<Record<string, Case>> = {
    seconds: { header: "7", wait: 7 },
    "seconds with a fraction": { header: "1.5", wait: 1.5 },
    "the last of the half minute": { header: "30", wait: 30 },
    "0 seconds": { header: "0", wait: undefined },
    "negative seconds": { header: "-5", wait: undefined },
    "more than half a minute": { header: "31", wait: Infinity, names: 31 },
    "an hour": { header: "3600", wait: Infinity, names: 3600 },
    "more than a date can have": { header: "9".repeat(30), wait: Infinity, names: Infinity },
    "more than a number can have": { header: "9".repeat(400), wait: Infinity, names: Infinity },
    "a date": { header: at(there + 9000), wait: 9 },
    "a date of asctime": { header: asctime(there + 9000), wait: 9 },
    "a date of RFC 850": { header: rfc850(there + 9000), wait: 9 },
    "a date without a Date header": { header: at(begin + 9000), wait: 9, date: "" },
    "a date with a Date header that cannot be read": { header: at(begin + 9000), wait: 9, date: "yesterday" },
    "a past date": { header: at(there - 9000), wait: undefined },
    "a date in two hours": { header: at(there + 7_200_000), wait: Infinity, names: 7200 },
    "text that cannot be read": { header: "soon", wait: undefined },
    "a number with a unit": { header: "5 s", wait: undefined },
    "two waits": { header: "5, 10", wait: undefined },
    nothing: { header: "", wait: undefined },
    "the end of the call": { header: "7", wait: Infinity, names: 7, timeout: "7 seconds" },
    "the time before the end of the call": { header: "7", wait: 7, timeout: "8 seconds" },
    "a date after the end of the call": { header: at(there + 9000), wait: Infinity, names: 9, timeout: "5 seconds" }
  }

  const answers: Readonly<Record<string, { readonly status: number; readonly body: string }>> = {
    "HTTP 503": { status: 503, body: "busy" },
    "HTTP 429": { status: 429, body: "busy" },
    "HTTP 429 of the rate limit": { status: 429, body: "Too many visits!" },
    "a return code": { status: 200, body: '{"retCode":10006,"retMsg":"Too many visits!","result":{},"time":0}' }
  }

  for (const [name, { date = at(there), header, names, timeout = Duration.infinity, wait }] of Object.entries(cases)) {
    for (const [kind, answer] of Object.entries(answers)) {
      const headers = { "retry-after": header, ...(date === "" ? {} : { date }) }
      it.effect.each(
        Object.entries<Effect.Effect<unknown, Failure.Failure, Transport.Transport>>({
          read: list,
          "write with a request id": transfer
        })
      )(`is kept for ${kind} and ${name}, of a %s`, ([, call]) =>
        Effect.gen(function* () {
          yield* TestClock.setTime(begin)
          const far = scripted.make((_, index) => (index === 0 ? { ...answer, headers } : scripted.refused(110001)))
          const fiber = yield* Effect.fork(
            Effect.timed(Effect.flip(call)).pipe(
              Effect.provideService(CallOptions.CallTimeout, Duration.decode(timeout)),
              Effect.provide(far.layer)
            )
          )
          yield* TestClock.adjust("10 minutes")
          const [duration, failure] = yield* Fiber.join(fiber)
          const second = (far.arrived[1]?.at ?? Infinity) - begin
          // A transfer waits a second for its rate limit.
          if (wait === undefined) expect(second).toBeLessThan(1100)
          else if (wait === Infinity || kind === "HTTP 503") expect(second).toBe(wait * 1000)
          // The closed rate limit can be open again a little later.
          else expect(second).toBeGreaterThanOrEqual(wait * 1000)
          if (names === undefined) return
          expect(Duration.toMillis(duration)).toBe(0)
          const until = names === Infinity ? "9999-12-31T23:59:59.999Z" : new Date(begin + names * 1000).toISOString()
          expect(failure.message).toContain(` until ${until}, `)
          const because = failure._tag === "OutcomeUnknown" ? failure.because : failure
          expect(because).toMatchObject({ retryAt: DateTime.unsafeMake(until) })
        })
      )
    }
  }

  it.effect("is in the failure of a write that is sent once", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(begin)
      const far = scripted.make(() => ({ status: 503, body: "busy", headers: { "retry-after": "5" } }))
      const failure = yield* failureOf(Effect.provide(change, far.layer))
      expect(failure).toMatchObject({ because: { retryAt: DateTime.unsafeMake(begin + 5000) } })
      expect(far.arrived).toHaveLength(1)
    })
  )

  it.effect("is named by a write whose outcome an earlier attempt left unknown", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(begin)
      const far = scripted.make((_, index) =>
        index === 0 ? reset : { status: 503, body: "busy", headers: { "retry-after": "3600" } }
      )
      const failure = yield* failureOf(Effect.provide(transfer, far.layer))
      expect(failure).toMatchObject({ _tag: "OutcomeUnknown", because: { _tag: "ConnectionFailed" } })
      const { at = 0 } = far.arrived[1] ?? {}
      expect(failure.message).toMatch(
        new RegExp(`; the service accepts no calls until ${new Date(at + 3_600_000).toISOString()}$`)
      )
      expect(far.arrived).toHaveLength(2)
    })
  )

  it.effect("counts from the first failure, and is as long as the policy allows", () =>
    Effect.gen(function* () {
      const arrivals = (policy: Partial<RetryPolicy.RetryPolicy.Shape>) =>
        Effect.gen(function* () {
          const far = scripted.make(() => ({ status: 503, body: "busy", headers: { "retry-after": "20" } }))
          yield* failureOf(Effect.provide(list, far.layer)).pipe(
            Effect.provideService(RetryPolicy.RetryPolicy, { ...RetryPolicy.standard, ...policy })
          )
          return far.arrived.map(({ at }) => at - (far.arrived[0]?.at ?? 0))
        })
      expect(yield* arrivals({})).toEqual([0, 20_000])
      expect(yield* arrivals({ schedule: Schedule.recurs(3), longestWait: "1 minute" })).toEqual([
        0, 20_000, 40_000, 60_000
      ])
    })
  )
})

describe("a write with an attempt that can have been executed", () => {
  it.effect("stays unknown for the first ambiguous reason, for any later result", () =>
    Effect.gen(function* () {
      const far = scripted.make((_, index) => (index === 0 ? reset : { status: 503, body: "busy" }))
      const told = yield* failureOf(Effect.provide(transfer, far.layer))
      expect(told).toMatchObject({ _tag: "OutcomeUnknown", because: { _tag: "ConnectionFailed", sent: true } })
      expect(far.arrived).toHaveLength(5)
    })
  )

  it.effect("is unknown if the call times out while it waits for the next attempt", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => reset)
      const told = yield* failureOf(Effect.provide(transfer, far.layer)).pipe(
        Effect.provideService(CallOptions.CallTimeout, Duration.millis(100))
      )
      expect(told).toMatchObject({
        _tag: "OutcomeUnknown",
        because: { _tag: "ConnectionFailed", reason: "Connection" }
      })
      expect(far.arrived).toHaveLength(1)
    })
  )

  it.effect("is reported to OnInterruptedWrite if it is interrupted before the next attempt", () =>
    Effect.gen(function* () {
      const told = yield* Ref.make<ReadonlyArray<Failure.OutcomeUnknown>>([])
      const far = scripted.make(() => reset)
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.fork(transfer)
        yield* TestClock.adjust("100 millis")
        yield* Fiber.interrupt(fiber)
      }).pipe(
        Effect.provideService(CallOptions.OnInterruptedWrite, (one) => Ref.update(told, (known) => [...known, one])),
        Effect.provide(far.layer)
      )
      expect(yield* Ref.get(told)).toMatchObject([{ because: { reason: "Connection" } }])
    })
  )

  it.effect("is reported once if the call times out, as the failure of the call", () =>
    Effect.gen(function* () {
      const told = yield* Ref.make(0)
      const far = scripted.make(() => "hang")
      const failure = yield* failureOf(Effect.provide(change, far.layer)).pipe(
        Effect.provideService(CallOptions.CallTimeout, Duration.seconds(1)),
        Effect.provideService(CallOptions.OnInterruptedWrite, () => Ref.update(told, (count) => count + 1))
      )
      expect(failure).toMatchObject({
        _tag: "OutcomeUnknown",
        because: { reason: "Timeout", sent: true, detail: "not done within 1s" }
      })
      expect(yield* Ref.get(told)).toBe(0)
    })
  )

  it.effect("is reported to OnInterruptedWrite with the interruption as the reason", () =>
    Effect.gen(function* () {
      const told = yield* Ref.make<ReadonlyArray<string>>([])
      const far = scripted.make(() => "hang")
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.fork(change)
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(fiber)
      }).pipe(
        Effect.provideService(CallOptions.OnInterruptedWrite, ({ because }) =>
          Ref.update(told, (known) => [...known, because.message])
        ),
        Effect.provide(far.layer)
      )
      expect(yield* Ref.get(told)).toEqual(["orders.amend: no answer in time, interrupted"])
    })
  )
})

describe("a write that was provably not executed", () => {
  it.effect("fails with the refusal after any number of attempts", () =>
    Effect.gen(function* () {
      const far = scripted.make(() => scripted.refused(90033, "system maintenance"))
      const told = yield* failureOf(Effect.provide(change, far.layer))
      expect(told).toMatchObject({ _tag: "Unavailable", executed: "no", retCode: 90033 })
      expect(far.arrived).toHaveLength(5)
    })
  )
})

describe("an interrupted read", () => {
  it.effect("is not reported to OnInterruptedWrite", () =>
    Effect.gen(function* () {
      const told = yield* Ref.make(0)
      const far = scripted.make(() => "hang")
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.fork(list)
        yield* TestClock.adjust("1 second")
        expect(Exit.isInterrupted(yield* Fiber.interrupt(fiber))).toBe(true)
      }).pipe(
        Effect.provideService(CallOptions.OnInterruptedWrite, () => Ref.update(told, (count) => count + 1)),
        Effect.provide(far.layer)
      )
      expect(yield* Ref.get(told)).toBe(0)
    })
  )
})
