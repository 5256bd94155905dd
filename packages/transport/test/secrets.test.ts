import * as Breadth from "@effect-venue/testing/Breadth"
import * as Samples from "@effect-venue/testing/Samples"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Logger, LogLevel, Metric, TestClock } from "effect"
import { inspect } from "node:util"
import * as scripted from "./utils/scripted.js"
import { collecting } from "@effect-venue/testing/Spans"

const lookalike = "ab".repeat(32)
const leaky = `origin_string[1700000000000${scripted.canaryKey}5000] ${scripted.canarySecret} ${lookalike}`

const inEnvelope = (envelope: string, code: number): string =>
  JSON.stringify(
    envelope === "standard"
      ? { retCode: code, retMsg: leaky, result: { leaky }, retExtInfo: { leaky }, time: 0 }
      : { ret_code: code, ret_msg: leaky, ext_code: "", result: { leaky }, ext_info: null, time_now: 0 }
  )

/** One of each failure; in the long tier several. */
const codes = [
  0,
  10001,
  10002,
  10004,
  10006,
  10000,
  10018,
  987654,
  ...(Breadth.isLong ? [10003, 10005, 110001, 110007] : [])
]

const statuses = [302, 401, 403, 500, ...(Breadth.isLong ? [400, 404] : [])]

const everyAnswer = (envelope: string): ReadonlyArray<scripted.Answer> => [
  ...codes.map((code) => ({ body: inEnvelope(envelope, code) })),
  ...statuses.map((status) => ({ status, body: leaky })),
  { body: leaky },
  { body: "" },
  { fail: Object.assign(new Error(leaky), { code: "ECONNRESET", headers: leaky, request: { leaky } }) },
  { fail: Object.assign(new Error(leaky), { code: "ECONNREFUSED", syscall: "connect", cause: new Error(leaky) }) },
  "hang"
]

/** A refusal and a broken connection. */
const someAnswers = (envelope: string): ReadonlyArray<scripted.Answer> => [
  { body: inEnvelope(envelope, 10001) },
  { fail: Object.assign(new Error(leaky), { code: "ECONNRESET", headers: leaky, request: { leaky } }) }
]

const kindOf = ({ envelope, safety, signing }: Endpoint.Any): string => `${signing} ${envelope} ${safety}`

/** The first endpoint of each combination of signing method, envelope and safety. */
const representatives: ReadonlySet<Endpoint.Any> = new Set(
  new Map([...Samples.all].reverse().map(({ endpoint }) => [kindOf(endpoint), endpoint] as const)).values()
)

/** Representatives get every answer, the others some; in the long tier all get every answer. */
const isThorough = (endpoint: Endpoint.Any): boolean => Breadth.isLong || representatives.has(endpoint)

describe("key, secret and signature", () => {
  for (const { endpoint, request } of Samples.all) {
    it.effect(`appear in no output of ${endpoint.name}, whatever goes wrong`, () =>
      Effect.gen(function* () {
        const logged: Array<string> = []
        const logger = Logger.replace(
          Logger.defaultLogger,
          Logger.zip(
            Logger.map(Logger.stringLogger, (line) => void logged.push(line)),
            Logger.map(Logger.structuredLogger, (entry) => void logged.push(inspect(entry, { depth: 20 })))
          )
        )
        const tags = new Set<string>()
        for (const answer of (isThorough(endpoint) ? everyAnswer : someAnswers)(endpoint.envelope)) {
          const far = scripted.make(() => answer)
          const { told, tracer } = collecting()
          const call = Effect.flatMap(Transport.Transport, (transport) => transport.call(endpoint, request))
          const exit = yield* Effect.gen(function* () {
            const fiber = yield* Effect.fork(Effect.exit(call))
            yield* TestClock.adjust("3 minutes")
            return yield* Fiber.join(fiber)
          }).pipe(
            Effect.provide(far.layer),
            Effect.withTracer(tracer),
            Effect.tap((exit) => Effect.logError("ended", exit)),
            Effect.tap((exit) => (Exit.isFailure(exit) ? Effect.logError("failed", exit.cause) : Effect.void)),
            Logger.withMinimumLogLevel(LogLevel.All),
            Effect.provide(logger)
          )
          const failure = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
          if (failure !== undefined) tags.add((failure as { readonly _tag: string })._tag)
          const everything = [
            inspect(exit, { depth: 20, showHidden: true }),
            JSON.stringify(exit),
            inspect(failure, { depth: 20, showHidden: true }),
            JSON.stringify(failure),
            failure instanceof Error ? `${failure.message} ${failure.stack}` : "",
            Exit.isFailure(exit) ? Cause.pretty(exit.cause, { renderErrorCause: true }) : "",
            told(),
            ...logged.splice(0)
          ].join("\n")
          expect(everything).toContain(endpoint.name)
          expect(everything).not.toContain(scripted.canarySecret)
          expect(everything).not.toContain(scripted.canaryKey)
          expect(everything).not.toContain(lookalike)
          for (const { headers } of far.arrived) {
            const sign = headers["x-bapi-sign"]
            if (sign !== undefined) expect(everything).not.toContain(sign)
          }
        }
        // Metrics are kept, so that what any of the answers left in them is there.
        const metrics = inspect(yield* Metric.snapshot, { depth: 20, maxArrayLength: null })
        for (const secret of [scripted.canarySecret, scripted.canaryKey, lookalike])
          expect(metrics).not.toContain(secret)
        if (!isThorough(endpoint)) return
        const common = ["Banned", "ClockSkew", "ConnectionFailed", "RateLimited", "Rejected", "Unauthorized"]
        const only = endpoint.safety === "read" ? ["Unavailable", "UnexpectedResponse"] : ["OutcomeUnknown"]
        expect([...tags].sort()).toEqual(expect.arrayContaining([...common, ...only].sort()))
      })
    )
  }
})
