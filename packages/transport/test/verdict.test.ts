import * as Assets from "@effect-venue/schemas/Assets"
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as Breadth from "@effect-venue/testing/Breadth"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as Connections from "@effect-venue/transport/Connections"
import type * as Failure from "@effect-venue/transport/Failure"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as SentWrites from "@effect-venue/transport/siblings/SentWrites"
import * as Transport from "@effect-venue/transport/Transport"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Fiber, Layer, TestClock } from "effect"
import { idempotentWrite, once, page, read, write } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

// The meaning of every kind of response, for a read, a write and an idempotent write that moves funds.

const withdrawal = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Assets.withdrawInternal, { requestId: "r1", coin: "USDT", addressType: 3, address: "1", amount: "1" })
)

type Call = Effect.Effect<unknown, Failure.Failure, Transport.Transport>

const withProof = ({ noChange, proof, reason }: Failure.Rejected): string =>
  [reason, ...(noChange ? ["no change"] : []), ...(proof === undefined ? [] : [`by ${proof}`])].join(" ")

/** A failure in words. */
const spell = (failure: Failure.Failure): string => {
  switch (failure._tag) {
    case "OutcomeUnknown":
      return `unknown: ${spell(failure.because)}`
    case "ConnectionFailed":
      return `${failure.reason} ${failure.sent ? "sent" : "unsent"}`
    case "Rejected":
      return withProof(failure)
    case "Unauthorized":
      return `Unauthorized ${failure.reason}`
    case "Unavailable":
      return `Unavailable, executed ${failure.executed}`
    case "UnexpectedResponse":
      return `Unexpected ${failure.path}`.trim()
    default:
      return failure._tag
  }
}

/** How a call ends each of whose requests has this response, and what the transport does besides. */
const run = (call: Call, answer: scripted.Answer) =>
  Effect.gen(function* () {
    const far = scripted.make(() => answer)
    let renewals = 0
    let settled = "unsent"
    const store = Effect.map(RateLimitStore.makeMemory(), (store) => ({
      ...store,
      settle: (...[reservation, outcome, within]: Parameters<typeof store.settle>) => {
        settled = outcome
        return store.settle(reservation, outcome, within)
      }
    }))
    const connections = {
      ...Connections.fromClient(far.client),
      renew: Effect.sync(() => {
        renewals++
      })
    }
    const memory = SentWrites.makeMemory()
    const layer = Layer.merge(Transport.layer, scripted.quickSteps).pipe(
      Layer.provideMerge(
        Layer.mergeAll(
          Signer.layer,
          RateLimiter.layer.pipe(Layer.provide(Layer.effect(RateLimitStore.RateLimitStore, store))),
          BanGate.layer,
          ServerClock.layer
        )
      ),
      Layer.provide([
        Layer.succeed(Credentials.Credentials, scripted.credentials),
        Layer.succeed(Connections.Connections, connections),
        Layer.succeed(HttpClient.HttpClient, far.client)
      ])
    )
    const ended = Effect.gen(function* () {
      const result = yield* Effect.either(call)
      const closedUntil = yield* (yield* BanGate.BanGate).closedUntil("http://venue.test", yield* Effect.clock)
      const outcome = Either.isRight(result) ? "done" : spell(result.left)
      return { outcome, sent: far.arrived.length, settled, renewals, isClosed: closedUntil > 0 }
    })
    // The ids of other responses are not known.
    const fiber = yield* Effect.fork(
      Effect.provideService(Effect.provide(ended, layer), SentWrites.SentWrites, () => memory)
    )
    yield* TestClock.adjust("5 minutes")
    return yield* Fiber.join(fiber)
  })
const body = (status: number, text: string) => ({ status, body: text })
const coded = (retCode: number, retMsg = "no", status = 200) =>
  body(status, JSON.stringify({ retCode, retMsg, result: null, retExtInfo: null, time: 0 }))
const broken = (code: string, syscall?: string): scripted.Answer => ({
  fail: Object.assign(new Error("broken"), { code, syscall })
})
const bare = (code: number, result: unknown) => ({ ret_code: code, ret_msg: "", result })
const legacy = (code: number, result: unknown = null) =>
  body(200, JSON.stringify({ ...bare(code, result), ext_code: "", ext_info: null, time_now: 0 }))

const calls = { read, write, transfer: idempotentWrite, withdrawal }

/** The outcome of each call, and how often it is sent. */
type Meaning = Readonly<Record<keyof typeof calls, string>>

const all = (meaning: string): Meaning => ({
  read: meaning,
  write: meaning,
  transfer: meaning,
  withdrawal: meaning
})

/** Proves that nothing was executed. */
const refused = (words: string) => all(`${words} x1`)

/** Proves that nothing was executed, and can be otherwise a little later. */
const later = (words: string) => all(`${words} x5`)

/** Proves nothing. `times`: how often a call is sent that can be sent again. */
const doubtful = (words: string, times = 1): Meaning => ({
  ...all(`unknown: ${words} x${times}`),
  read: `${words} x${times}`,
  write: `unknown: ${words} x1`
})

/** Can be the page of a proxy that has passed the request on. */
const foreign = (words: string): Meaning => ({ ...all("unknown: Unexpected x1"), read: `${words} x1` })

/** A code of no row of the table: only the service refuses orders with codes of this family. */
const unlisted: Meaning = {
  ...all("unknown: Unknown by none x1"),
  read: "Unknown by family x1",
  write: "Unknown by family x1"
}

const codes = (...all: ReadonlyArray<number>) =>
  Object.fromEntries(all.map((code) => [`code ${code}`, coded(code)] as const))

const texts = (status: number, ...all: ReadonlyArray<string>) =>
  Object.fromEntries(all.map((text) => [`HTTP ${status} ${JSON.stringify(text)}`, body(status, text)] as const))

const statuses = (text: string, ...all: ReadonlyArray<number>) =>
  Object.assign({}, ...all.map((status) => texts(status, text))) as Record<string, scripted.Answer>

const pages = ["", "404 page not found", "<html>Forbidden</html>", `{"error":"no"}`, `{"retCode":0}`]

const done = { orderId: "o-1", orderLinkId: "", transferId: "87c18caa-539a-449e-99cc-c39e4329bcc5", ...page }

const table: ReadonlyArray<readonly [Meaning, Readonly<Record<string, scripted.Answer>>]> = [
  [later("Connection unsent"), { "a refused connection": broken("ECONNREFUSED", "connect") }],
  [doubtful("Connection sent", 5), { "a connection that is reset": broken("ECONNRESET") }],
  [doubtful("Timeout sent", 4), { "no response in time": "hang" }],
  [doubtful("Unexpected"), statuses("", 201, 302, 399, 418, 451, 499)],
  [doubtful("Unavailable, executed unknown", 5), statuses("busy", 429, 500, 502, 503, 599)],
  [foreign("InvalidRequest"), texts(400, ...pages)],
  [foreign("Unauthorized Key"), texts(401, ...pages)],
  [foreign("Unauthorized Permission"), texts(403, ...pages, "access", "not too many visits", "not in your country")],
  [foreign("NotFound"), texts(404, ...pages)],
  [refused("InvalidRequest"), { "HTTP 400 with a code": coded(10001, "no", 400) }],
  [refused("Unauthorized Key"), { "HTTP 401 with a code": coded(10003, "no", 401) }],
  [
    refused("Unauthorized Permission"),
    {
      "HTTP 403 with a code": coded(10005, "no", 403),
      ...texts(403, `{"retCode":100180}`, `{"retCode":10006,"x":10018}`)
    }
  ],
  [refused("NotFound"), { "HTTP 404 with a code": coded(110001, "no", 404) }],
  [
    refused("Banned"),
    {
      ...texts(403, "access too frequent", " Access Too Frequent.\n", "<p>access too frequent</p>"),
      ...texts(403, `{"retCode":10018}`, `{"ret_code" : 10009 , "ret_msg":"x"}`),
      ...codes(10009, 10018),
      "the limit's text with the code of a ban": coded(10018, "Too many visits!")
    }
  ],
  [
    later("RateLimited"),
    {
      ...codes(10006),
      ...statuses("Too many visits!", 400, 403, 429),
      "the limit's text with a code that is not listed": coded(987654, "Too many visits!"),
      "the limit's text with another code": coded(10001, " too many visits")
    }
  ],
  [doubtful("Unavailable, executed unknown", 5), statuses("Too many visits!", 500)],
  [doubtful("Unexpected", 5), texts(200, "", "<html>", `{"retCode":0`, "[]", "null")],
  [
    { ...doubtful("Unexpected retCode"), transfer: "unknown: Unexpected ret_code x1" },
    texts(200, "{}", `{"retCode":"zero","retMsg":"","result":{},"time":0}`)
  ],
  [
    { ...doubtful("Unexpected result"), transfer: "unknown: Unexpected ret_code x1" },
    { "a success without a result": scripted.ok(null) }
  ],
  [
    {
      read: "Unexpected result.list.0.symbol x1",
      write: "unknown: Unexpected result.orderId x1",
      transfer: "unknown: Unexpected ret_code x1",
      withdrawal: "unknown: Unexpected result.withdraw_id x1"
    },
    { "a result that does not fit": scripted.ok({ list: [{}] }) }
  ],
  [
    {
      read: "done x1",
      write: "done x1",
      transfer: "unknown: Unexpected ret_code x1",
      withdrawal: "unknown: Unexpected result.withdraw_id x1"
    },
    { "a success": scripted.ok(done) }
  ],
  [
    { ...doubtful("Unexpected retCode"), transfer: "done x1" },
    {
      "a success in the legacy envelope": legacy(0, done),
      "a success in the bare envelope": body(200, JSON.stringify(bare(0, done)))
    }
  ],
  [
    {
      read: "done x1",
      write: "unknown: OtherResponse sent x1",
      transfer: "unknown: Unexpected ret_code x1",
      withdrawal: "unknown: Unexpected result.withdraw_id x1"
    },
    { "a success of another order": scripted.ok({ ...done, orderId: "p" }) }
  ],
  [
    { ...doubtful("Unexpected retCode"), transfer: "unknown: OtherResponse sent x5" },
    { "a success of another transfer": legacy(0, { transferId: done.transferId.replace("8", "9") }) }
  ],
  [
    refused("NotFound"),
    {
      ...codes(110001),
      "a refusal in the legacy envelope": legacy(110001),
      "a refusal in the bare envelope": body(200, JSON.stringify(bare(110001, null)))
    }
  ],
  [refused("NotFound no change"), { "an unchanged order": coded(110001, "The order remains unchanged") }],
  [refused("ClockSkew"), { "a timestamp without the service's time": coded(10002) }],
  [all("ClockSkew x2"), { "a timestamp with the service's time": scripted.refused(10002, "no", 1_700_000_000_000) }],
  [refused("Unauthorized Signature"), codes(10004, 10022)],
  [later("Unavailable, executed no"), codes(90033)],
  [doubtful("Unavailable, executed unknown", 5), codes(10000, 10016, 90040, 170035)],
  [unlisted, codes(110999, 170999, 131999, 34999, 3400999)],
  [
    doubtful("Unknown by none"),
    { ...codes(987654, 90999, 20001, 7, -7), "a text with the limit's in it": coded(12, "not: Too many visits!") }
  ]
]

const responses = table.flatMap(([meaning, answers]) =>
  Object.entries(answers).map(([name, answer]) => ({ name, answer, meaning }))
)

const settlementOf = (outcome: string): string =>
  outcome.endsWith("unsent") ? "unsent" : outcome.startsWith("RateLimited") ? "refused" : "counted"

describe("a response", () => {
  it.effect.each(responses)("has its meaning for each call: $name", ({ answer, meaning }) =>
    Effect.gen(function* () {
      for (const name of ["read", "write", "transfer", "withdrawal"] as const) {
        const { isClosed, outcome, renewals, sent, settled } = yield* run(calls[name], answer)
        expect(`${name}: ${outcome} x${sent}`).toBe(`${name}: ${meaning[name]}`)
        expect(settled).toBe(settlementOf(outcome))
        expect(isClosed).toBe(outcome === "Banned")
        // A connection that has mixed up its responses is not used again, and those of a banned address end.
        expect(renewals).toBe(outcome === "Banned" || outcome.includes("OtherResponse") ? sent : 0)
      }
    })
  )

  it.effect("with a listed return code means what the table of return codes has", () =>
    Effect.gen(function* () {
      const families: Partial<Record<ReturnCodes.Family, string>> = {
        timestamp: "ClockSkew",
        ipBan: "Banned",
        rateLimit: "RateLimited",
        auth: "Unauthorized",
        permission: "Unauthorized Permission"
      }
      const all = [...ReturnCodes.rules.values()]
      const kinds = new Map(all.map((rule) => [`${rule.family} ${rule.executed} ${rule.noChange}`, rule]))
      for (const { code, executed, family, noChange } of Breadth.isLong ? all : kinds.values()) {
        const { outcome } = yield* run(once(write), coded(code))
        const isUnavailable = family === "unavailable" || executed === "unknown"
        const refusal = `${family.slice(0, 1).toUpperCase()}${family.slice(1)}${noChange ? " no change" : ""}`
        const known = isUnavailable ? `Unavailable, executed ${executed}` : refusal
        expect(`${code} ${outcome.replace(/ (Key|Signature)$/, "")}`).toBe(
          `${code} ${executed === "unknown" ? "unknown: " : ""}${families[family] ?? known}`
        )
      }
    })
  )
})
