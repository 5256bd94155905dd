import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, FastCheck, Layer, Logger, LogLevel, Redacted } from "effect"
import { inspect } from "node:util"
import * as scripted from "./utils/scripted.js"
import { collecting } from "@effect-venue/testing/Spans"

// Text of a service that echoes what it was sent is scrubbed before it is cut, so that no cut leaves a part of a secret.

// The key has all that a header carries and that is escaped somewhere; the secret has the rest.
const apiKey = "KEY+can-ary/0001&<%"
const apiSecret = `s3cret"canary\\'<&>/+= 5f1e8c é`

type Spelling = readonly [name: string, spell: (text: string) => string]

const spellings: ReadonlyArray<Spelling> = [
  ["verbatim", (text) => text],
  ["URL-encoded", encodeURIComponent],
  ["URL-encoded in lower case", (text) => encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase())],
  ["URL-encoded twice", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["form-encoded", (text) => new URLSearchParams({ a: text }).toString().slice(2)],
  ["JSON-escaped", (text) => JSON.stringify(text).slice(1, -1)],
  ["JSON-escaped with slashes", (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/")],
  [
    "JSON-escaped throughout",
    (text) => Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")
  ],
  ["XML-escaped", (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&apos;")],
  [
    "HTML-escaped",
    (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
  ]
]

/** Where a service may echo: every place of which a failure keeps text. */
const echoes: Readonly<Record<string, (text: string) => scripted.Answer>> = {
  "a body that is no JSON": (text) => ({ body: `<html>${text}` }),
  "HTTP 400": (text) => ({ status: 400, body: text }),
  "HTTP 401": (text) => ({ status: 401, body: text }),
  "HTTP 502": (text) => ({ status: 502, body: text }),
  "a return message": (text) => ({
    body: JSON.stringify({ retCode: 110001, retMsg: text, result: {}, retExtInfo: {}, time: 0 })
  }),
  "a wrong envelope": (text) => ({ body: JSON.stringify({ [text]: text }) }),
  "a wrong result": (text) => ({
    body: JSON.stringify({
      retCode: 0,
      retMsg: "OK",
      result: { orderId: { [text]: 1 }, list: text },
      retExtInfo: {},
      time: 0
    })
  }),
  "a broken connection": (text) => ({ fail: Object.assign(new Error(text), { code: text, cause: new Error(text) }) })
}

const signatures: Readonly<Record<string, string>> = {
  hex: "0123456789abcdef".repeat(4),
  base64: `${"aB3+/".repeat(68)}xyz=`
}

const operations = {
  read: Effect.flatMap(Transport.Transport, (transport) => transport.call(Executions.list, { category: "linear" })),
  write: Effect.flatMap(Transport.Transport, (transport) =>
    transport.call(Orders.amend, { category: "linear", symbol: "BTCUSDT", orderId: "o-1", price: "1" })
  )
}

/** Everything that a call says anywhere, once the service has answered it. */
const said = (operation: keyof typeof operations, signature: string, answer: scripted.Answer) =>
  Effect.gen(function* () {
    const logged: Array<string> = []
    const { told, tracer } = collecting()
    const signer = Layer.succeed(Signer.Signer, {
      sign: ({ endpoint }) =>
        Effect.succeed({
          method: endpoint.method,
          path: endpoint.path,
          query: "",
          body: undefined,
          headers: { "X-BAPI-SIGN": signature }
        })
    })
    const credentials = Credentials.make({
      baseUrl: "http://venue.test",
      apiKey,
      apiSecret: Redacted.make(apiSecret)
    })
    const transport = Transport.layer.pipe(
      Layer.provide([signer, RateLimiter.layerMemory, BanGate.layer, ServerClock.layer]),
      Layer.provide(Layer.succeed(Credentials.Credentials, credentials)),
      Layer.provide(Layer.succeed(HttpClient.HttpClient, scripted.make(() => answer).client))
    )
    const call: Effect.Effect<unknown, unknown, Transport.Transport> = operations[operation]
    const exit = yield* Effect.exit(call).pipe(
      Effect.provide(transport),
      Effect.withTracer(tracer),
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Logger.withMinimumLogLevel(LogLevel.All),
      Effect.provide(
        Logger.replace(
          Logger.defaultLogger,
          Logger.map(Logger.structuredLogger, (entry) => void logged.push(inspect(entry, { depth: 20 })))
        )
      )
    )
    const failure = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
    // As texts of their own too, so that no printer's escapes hide one.
    const texts: Array<string> = []
    JSON.stringify(failure, (_, value: unknown) => {
      if (typeof value === "string") texts.push(value)
      return value
    })
    return [...texts, failure instanceof Error ? failure.message : "", told(), ...logged].join("\n")
  })

// The shortest part of a secret that is no coincidence.
const partLength = 6

const parts = (text: string): ReadonlyArray<string> =>
  Array.from({ length: text.length - partLength + 1 }, (_, index) => text.slice(index, index + partLength))

describe("a part of a secret", () => {
  for (const [echo, answer] of Object.entries(echoes)) {
    it.effect.prop(
      `is in nothing that a call reports after ${echo}, wherever the text is cut`,
      {
        // Across the boundary at 512, whatever stands before the text and however long the spelling is.
        before: FastCheck.integer({ min: 0, max: 560 }),
        filler: FastCheck.constantFrom("x", "7", "%3D", " "),
        spelling: FastCheck.constantFrom(...spellings),
        secret: FastCheck.constantFrom("key", "secret", "signature"),
        signature: FastCheck.constantFrom(...Object.values(signatures)),
        operation: FastCheck.constantFrom("read" as const, "write" as const)
      },
      ({ before, filler, operation, secret, signature, spelling: [, spell] }) =>
        Effect.gen(function* () {
          const value = secret === "key" ? apiKey : secret === "secret" ? apiSecret : signature
          const text = `${filler.repeat(before).slice(0, before)}${spell(value)} ${"y".repeat(100)}`
          // The property never leaves the microtasks otherwise, and the runner's own messages would wait for its end.
          yield* Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
          const everything = yield* said(operation, signature, answer(text))
          if (before < 256) expect(everything).toContain("<redacted>")
          expect(parts(spell(value)).filter((part) => everything.includes(part))).toEqual([])
        }),
      { fastCheck: { numRuns: 25 } }
    )
  }
})
