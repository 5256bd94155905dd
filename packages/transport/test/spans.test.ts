import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, TestClock, Tracer } from "effect"
import * as scripted from "./utils/scripted.js"

const page = scripted.ok({ category: "linear", list: [], nextPageCursor: "" })
const list = Effect.flatMap(Transport.Transport, (transport) => transport.call(Executions.list, { category: "linear" }))
const amend = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Orders.amend, { category: "linear", symbol: "BTCUSDT", orderId: "o-1", price: "1" })
)

interface Ended {
  readonly name: string
  readonly attributes: Map<string, unknown>
  exit?: Exit.Exit<unknown, unknown>
}

/** The spans that a call makes, each with how it ended. */
const spansOf = <A, E>(call: Effect.Effect<A, E, Transport.Transport>, script: scripted.Script) =>
  Effect.gen(function* () {
    const spans: Array<Ended> = []
    const tracer = Tracer.make({
      span: (name, parent, context, links, startTime, kind, options) => {
        const attributes = new Map<string, unknown>(Object.entries(options?.attributes ?? {}))
        const ended: Ended = { name, attributes }
        spans.push(ended)
        return {
          ...{ _tag: "Span", name, spanId: name, traceId: "trace", parent, context, attributes, links, kind },
          status: { _tag: "Started", startTime },
          sampled: true,
          end: (_, exit) => void (ended.exit = exit),
          attribute: (key, value) => void attributes.set(key, value),
          event: () => undefined,
          addLinks: () => undefined
        }
      },
      context: (execute) => execute()
    })
    const far = scripted.make(script)
    const fiber = yield* Effect.fork(Effect.exit(call).pipe(Effect.withTracer(tracer), Effect.provide(far.layer)))
    yield* TestClock.adjust("5 minutes")
    yield* Fiber.join(fiber)
    return spans.map(({ attributes, exit, name }) => ({
      name,
      status: attributes.get("http.response.status_code"),
      code: attributes.get("venue.return_code"),
      sends: attributes.get("venue.sends"),
      error:
        exit !== undefined && Exit.isFailure(exit) && exit.cause._tag === "Fail" ? tagOf(exit.cause.error) : undefined
    }))
  })

const tagOf = (error: unknown) => (typeof error === "object" && error !== null && "_tag" in error ? error._tag : "?")

describe("the span of an attempt", () => {
  it.effect("ends with the failure of its attempt, also where a later attempt succeeds", () =>
    Effect.gen(function* () {
      const answers = [{ status: 503, body: "busy" }, scripted.refused(10006), { body: "<html>" }, page]
      const spans = yield* spansOf(list, (_, index) => answers[index] ?? "hang")
      expect(spans).toEqual([
        { name: "venue.executions.list", status: undefined, code: undefined, sends: undefined, error: undefined },
        { name: "venue.attempt", status: 503, code: "none", sends: 1, error: "Unavailable" },
        { name: "venue.attempt", status: 200, code: 10006, sends: 1, error: "RateLimited" },
        { name: "venue.attempt", status: 200, code: "none", sends: 1, error: "UnexpectedResponse" },
        { name: "venue.attempt", status: 200, code: 0, sends: 1, error: undefined }
      ])
    })
  )

  it.effect(
    "ends with a failure where the result fits no schema, where no answer comes, and where nothing is sent",
    () =>
      Effect.gen(function* () {
        const one = Effect.provideService(list, RetryPolicy.RetryPolicy, RetryPolicy.none)
        const attempt = { name: "venue.attempt", status: undefined, code: undefined }
        expect((yield* spansOf(one, () => scripted.ok({})))[1]).toEqual({
          name: "venue.attempt",
          status: 200,
          code: 0,
          sends: 1,
          error: "UnexpectedResponse"
        })
        expect((yield* spansOf(one, () => "hang"))[1]).toEqual({ ...attempt, sends: 1, error: "ConnectionFailed" })
        const banned = yield* spansOf(Effect.zipRight(Effect.either(one), one), () => ({
          status: 403,
          body: "access too frequent"
        }))
        expect(banned[1]).toMatchObject({ status: 403, error: "Banned" })
        expect(banned[3]).toEqual({ ...attempt, sends: 0, error: "Banned" })
      })
  )

  it.effect("ends with what went wrong where the outcome of the write is unknown", () =>
    Effect.gen(function* () {
      const spans = yield* spansOf(amend, () => ({ status: 502, body: "bad gateway" }))
      expect(spans.map(({ error, name }) => [name, error])).toEqual([
        ["venue.orders.amend", "OutcomeUnknown"],
        ["venue.attempt", "Unavailable"]
      ])
    })
  )
})
