import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Account from "@effect-venue/services/Account"
import * as Assets from "@effect-venue/services/Assets"
import * as Executions from "@effect-venue/services/Executions"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Limits from "@effect-venue/transport/Limits"
import { describe, expect, it, layer } from "@effect/vitest"
import { Cause, Effect, Exit, FastCheck, Layer, Logger, LogLevel, Metric, Redacted } from "effect"
import { inspect } from "node:util"
import { onThatDay, settle, watched } from "../utils/exchange.js"
import { collecting } from "../utils/tracer.js"

const fills = Effect.flatMap(Executions.Executions, (executions) => executions.list({ category: "linear", limit: 1 }))

const amend = Effect.flatMap(Orders.Orders, (orders) =>
  orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "unknown", price: "1" })
)

type Call = Effect.Effect<unknown, Failure.Failure, Venue.Venue | Sandbox.Sandbox>

const after = (rule: Parameters<Sandbox.Sandbox.Shape["faults"]["set"]>[0][number]["fault"], call: Call): Call =>
  Effect.flatMap(Sandbox.Sandbox, ({ faults }) => Effect.zipRight(faults.set([{ fault: rule }]), call))

/** A way to every failure that there is. */
const failing: Readonly<Record<Failure.Failure["_tag"], Call>> = {
  InvalidRequest: Effect.flatMap(Executions.Executions, (executions) =>
    executions.list({ category: "linear", limit: 1000 })
  ),
  Rejected: amend,
  // By the account below whose secret is wrong; the refusal repeats what was signed, the key among it.
  Unauthorized: fills,
  ClockSkew: after({ kind: "skew", millis: 60_000 }, fills),
  RateLimited: after({ kind: "rateRefusal", headers: true }, fills),
  Unavailable: after({ kind: "internal", executed: false }, fills),
  ConnectionFailed: after({ kind: "dropBefore" }, fills),
  UnexpectedResponse: after({ kind: "html", executed: false }, fills),
  OutcomeUnknown: after({ kind: "dropAfter" }, amend),
  Banned: after({ kind: "ban" }, fills)
}

describe("the secret", () => {
  it.effect("and the key and the signatures appear in no failure, log line, span or metric", () => {
    const { sandbox, seen } = watched()
    const canary = "canary-secret-0d9f63"
    const logged: Array<string> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.zip(
        Logger.map(Logger.stringLogger, (line) => void logged.push(line)),
        Logger.map(Logger.structuredLogger, (entry) => void logged.push(inspect(entry, { depth: 20 })))
      )
    )
    return onThatDay(
      Layer.merge(sandbox, Venue.layerShared),
      Effect.gen(function* () {
        const { credentials } = yield* Sandbox.Sandbox
        const ours = credentials.main
        const right = yield* Venue.account(ours)
        const wrong = yield* Venue.account({ ...ours, apiSecret: Redacted.make(canary) })
        const secrets = [canary, Redacted.value(ours.apiSecret), Redacted.value(ours.apiKey)]
        for (const [tag, call] of Object.entries(failing)) {
          const { told, tracer } = collecting()
          const exit = yield* settle(Effect.exit(call)).pipe(
            Effect.provide(tag === "Unauthorized" ? wrong : right),
            Effect.withTracer(tracer),
            Effect.tap((ended) => Effect.logError("ended", ended, ours)),
            Logger.withMinimumLogLevel(LogLevel.All),
            Effect.provide(logger)
          )
          const failure = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
          expect(failure).toMatchObject({ _tag: tag })
          const everything = [
            inspect(exit, { depth: 20, showHidden: true }),
            inspect(failure, { depth: 20, showHidden: true }),
            JSON.stringify([exit, failure, ours, right]),
            inspect([ours, right], { depth: 20 }),
            failure instanceof Error ? `${failure.message} ${failure.stack}` : "",
            Exit.isFailure(exit) ? Cause.pretty(exit.cause, { renderErrorCause: true }) : "",
            told(),
            inspect(yield* Metric.snapshot, { depth: 20 }),
            ...logged.splice(0)
          ].join("\n")
          expect(everything).toContain("executions.list")
          for (const secret of secrets) expect(everything).not.toContain(secret)
          for (const { headers } of seen) expect(everything).not.toContain(headers["x-bapi-sign"])
        }
        expect(seen.map(({ headers }) => headers["x-bapi-api-key"])).toContain(secrets[2])
      }).pipe(Effect.scoped)
    )
  })
})

/** Text that is damaged when it is encoded twice, or not fully encoded, or decoded on the way. */
const hostile = FastCheck.array(
  FastCheck.oneof(
    FastCheck.constantFrom(
      ...Array.from("%,&=+#?/\\\"' ;:~!*()"),
      "%2C",
      "%252C",
      "%26",
      "%zz",
      "page_token%3D1%26",
      "é",
      "👍",
      "\u0000",
      "\n"
    ),
    FastCheck.string({ minLength: 1, maxLength: 4 }),
    FastCheck.string({ unit: "binary", minLength: 1, maxLength: 4 })
  ),
  { minLength: 1, maxLength: 8 }
).map((parts) => parts.join(""))

layer(watched({ limits: "off" }).venue)("a cursor", (it) => {
  it.effect.prop(
    "of whatever text arrives as it was given, under a signature that holds",
    { cursor: hostile },
    ({ cursor }) =>
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        const executions = yield* Executions.Executions
        const assets = yield* Assets.Assets
        // One is signed as the text of the query, the other by its parameters.
        for (const call of [
          Effect.asVoid(executions.list({ category: "spot", cursor })),
          Effect.asVoid(assets.deposits({ cursor }))
        ]) {
          const failure = yield* Effect.flip(call)
          // No page returned this cursor. That it is refused as such, and not for the signature, shows that the signature was right.
          expect(failure).toMatchObject({ _tag: "Rejected", reason: "InvalidRequest" })
          expect((yield* faults.log).at(-1)?.parameters.cursor).toBe(cursor)
        }
      }).pipe(Effect.provideService(Limits.Limits, Limits.none)),
    { fastCheck: { numRuns: 100 } }
  )

  it.effect("that the exchange gave leads to the next page, and commas between coins are commas there", () =>
    Effect.gen(function* () {
      const executions = yield* Executions.Executions
      const account = yield* Account.Account
      const first = yield* executions.list({ category: "linear", limit: 5 })
      const cursor = first.nextPageCursor._tag === "Some" ? first.nextPageCursor.value : ""
      expect(cursor).toMatch(/%3D.*%26$/)
      const second = yield* executions.list({ category: "linear", limit: 5, cursor })
      const both = yield* executions.list({ category: "linear", limit: 10 })
      expect([...first.list, ...second.list].map(({ execId }) => execId)).toEqual(both.list.map(({ execId }) => execId))
      const { list } = yield* account.walletBalance({ accountType: "UNIFIED", coin: ["USDT", "BTC"] })
      expect(list.flatMap(({ coin }) => coin.map((one) => String(one.coin))).sort()).toEqual(["BTC", "USDT"])
    })
  )
})

describe("parallel calls", () => {
  it.effect("are signed each for itself: of 64 at once every one is accepted and gets its own answer", () => {
    const { seen, venue } = watched({ limits: "off" })
    return onThatDay(
      venue,
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        const executions = yield* Executions.Executions
        const assets = yield* Assets.Assets
        // Answers come back in another order than that of the questions.
        yield* faults.set([
          { fault: { kind: "delay", millis: 700, executed: "afterwards" }, probability: 0.5 },
          { fault: { kind: "delay", millis: 200, executed: "atOnce" }, probability: 0.5 }
        ])
        const call = (index: number): Effect.Effect<number, Failure.Failure> => {
          switch (index % 3) {
            case 0:
              return Effect.map(executions.list({ category: "linear", limit: index + 1 }), ({ list }) => list.length)
            case 1:
              return Effect.map(
                executions.list({ category: "linear", symbol: "BTCUSDT", limit: index + 1 }),
                ({ list }) => list.filter(({ symbol }) => symbol === "BTCUSDT").length
              )
            default:
              return Effect.as(
                assets.transfer({
                  coin: "USDT",
                  amount: `0.${index + 10}`,
                  fromAccountType: "UNIFIED",
                  toAccountType: "FUND"
                }),
                index + 1
              )
          }
        }
        const indices = Array.from({ length: 64 }, (_, index) => index)
        const answers = yield* settle(
          Effect.forEach(indices, call, { concurrency: "unbounded" }).pipe(
            Effect.provideService(Limits.Limits, Limits.none)
          )
        )
        expect(answers).toEqual(indices.map((index) => index + 1))
        expect(seen).toHaveLength(64)
        expect((yield* faults.log).filter(({ executed }) => !executed)).toEqual([])
        const transfers = (yield* faults.log).filter(({ operation }) => operation === "assets.transfer")
        expect(new Set(transfers.map(({ parameters }) => parameters.amount)).size).toBe(21)
      })
    )
  })
})

describe("a key", () => {
  it.effect("goes to the host that it was made for and to no other", () => {
    const one = watched()
    return onThatDay(
      Layer.merge(one.sandbox, Venue.layerShared),
      Effect.gen(function* () {
        const { credentials } = yield* Sandbox.Sandbox
        const { apiKey, apiSecret } = credentials.main
        const elsewhere = Credentials.make({ baseUrl: "http://other.invalid", apiKey: "OTHERKEY", apiSecret })
        const [here, there] = yield* Effect.all([Venue.account(credentials.main), Venue.account(elsewhere)])
        yield* Effect.provide(fills, here)
        // The key of one environment is reported as such at another one, and the call is not repeated.
        expect(yield* Effect.flip(Effect.provide(fills, there))).toMatchObject({ _tag: "Unauthorized", reason: "Key" })
        expect(one.seen.map(({ headers, host }) => [host, headers["x-bapi-api-key"]])).toEqual([
          ["sandbox.invalid", Redacted.value(apiKey)],
          ["other.invalid", "OTHERKEY"]
        ])
      }).pipe(Effect.scoped)
    )
  })
})
