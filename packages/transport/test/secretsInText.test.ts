import * as Breadth from "@effect-venue/testing/Breadth"
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

// Text of a service that echoes what it was sent is scrubbed before it is cut, so that no cut leaves a part of a secret. What is left is shown in one line.

// The key has all that a header carries and that is escaped somewhere; the secret has the rest.
const apiKey = "KEY+can-ary/0001&<%"
const apiSecret = `s3cret"canary\\'<&>/+= 5f1e8c é`

type Spelling = readonly [name: string, spell: (text: string) => string]

const base64 = (text: string): string => Buffer.from(text).toString("base64")

const unit = (letter: string): string => letter.charCodeAt(0).toString(16).padStart(4, "0")

const between = (text: string, separator: string): string => Array.from(text).join(separator)

const spellings: ReadonlyArray<Spelling> = [
  ["verbatim", (text) => text],
  ["escaped without need", (text) => Array.from(text, (letter) => "\\" + letter).join("")],
  ["URL-encoded", encodeURIComponent],
  ["URL-encoded in lower case", (text) => encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase())],
  ["URL-encoded twice", (text) => encodeURIComponent(encodeURIComponent(text))],
  ["form-encoded", (text) => new URLSearchParams({ a: text }).toString().slice(2)],
  ["JSON-escaped", (text) => JSON.stringify(text).slice(1, -1)],
  ["JSON-escaped with slashes", (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/")],
  ["JSON-escaped throughout", (text) => Array.from(text, (letter) => `\\u${unit(letter)}`).join("")],
  [
    "JSON-escaped throughout, in capitals",
    (text) => Array.from(text, (letter) => `\\u${unit(letter).toUpperCase()}`).join("")
  ],
  ["escaped as in programs", (text) => Array.from(text, (letter) => `\\u{${unit(letter)}}`).join("")],
  [
    "percent-encoded throughout",
    (text) => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")
  ],
  ["percent-encoded in units", (text) => Array.from(text, (letter) => `%u${unit(letter)}`).join("")],
  ["in capitals", (text) => text.toUpperCase()],
  ["in small letters", (text) => text.toLowerCase()],
  ["in hex", (text) => Buffer.from(text).toString("hex")],
  ["in hex in capitals", (text) => Buffer.from(text).toString("hex").toUpperCase()],
  ["in Base64", base64],
  ["in Base64 after one byte", (text) => base64(`:${text}:`)],
  ["in Base64 after two bytes", (text) => base64(`k=${text}&`)],
  ["in Base64 in lines", (text) => base64(text).replace(/.{8}/g, "$&\r\n")],
  ["in URL-encoded Base64", (text) => encodeURIComponent(base64(text))],
  ["in JSON-escaped Base64", (text) => base64(text).replaceAll("/", "\\/").replaceAll("+", "\\u002b")],
  ["in URL-safe Base64", (text) => Buffer.from(text).toString("base64url")],
  ["in URL-safe Base64 after one byte", (text) => Buffer.from(`:${text}:`).toString("base64url")],
  ["with a zero-width space inside", (text) => `${text.slice(0, 5)}\u200b${text.slice(5)}`],
  ["with a byte-order mark between all letters", (text) => between(text, "\ufeff")],
  ["with soft hyphens between all letters", (text) => between(text, "\u00ad")],
  ["with changes of direction between all letters", (text) => between(text, "\u202e\u2069")],
  ["with JSON-escaped zero-width spaces", (text) => between(text, "\\u200b")],
  ["with URL-encoded zero-width spaces", (text) => between(text, "%E2%80%8B")],
  ["with HTML-escaped zero-width spaces", (text) => between(text, "&#8203;&ZeroWidthSpace;")],
  ["with controls between all letters", (text) => between(text, "\u0000\u001b\u0085")],
  ["in Base64 with zero-width spaces", (text) => between(base64(text), "\u200b")],
  ["HTML-escaped twice", (text) => text.replaceAll("&", "&amp;amp;").replaceAll("<", "&amp;lt;")],
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
  ...Object.fromEntries(
    [10002, 10003, 10006, 10016, 987654].map((retCode) => [
      `a return message of code ${retCode}`,
      (text: string) => ({ body: JSON.stringify({ retCode, retMsg: text, result: {}, retExtInfo: {}, time: 0 }) })
    ])
  ),
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
    if (failure instanceof Error) {
      texts.push(failure.message, String(failure))
      logged.push(failure.stack ?? "", inspect(failure, { depth: 20 }), Cause.pretty(Cause.fail(failure)))
    }
    return { texts, everything: [...texts, told(), ...logged].join("\n") }
  })

// The shortest part of a secret that is no coincidence.
const partLength = 6

const parts = (text: string): ReadonlyArray<string> =>
  Array.from({ length: text.length - partLength + 1 }, (_, index) => text.slice(index, index + partLength))

/** The parts of a secret that a reader can see: as it was spelled, or with the escapes of what was inserted removed. */
const visibleParts = (everything: string, value: string, spelled: string): ReadonlyArray<string> => {
  const joined = everything.replace(/\\+(?:u[0-9a-f]{4}|u\{[0-9a-f]+\}|[nrt])/g, "")
  return [
    ...parts(spelled).filter((part) => everything.includes(part)),
    ...parts(value).filter((part) => joined.toLowerCase().includes(part.toLowerCase()))
  ]
}

const secrets = { key: () => apiKey, secret: () => apiSecret, signature: (signature: string) => signature }

describe("a part of a secret", () => {
  for (const [echo, answer] of Object.entries(echoes)) {
    it.effect.prop(
      `is in nothing that a call reports after ${echo}, wherever the text is cut`,
      {
        // Across the boundary at 512, whatever stands before the text and however long the spelling is.
        before: FastCheck.integer({ min: 0, max: 560 }),
        filler: FastCheck.constantFrom("x", "7", "%3D", " "),
        spelling: FastCheck.constantFrom(...spellings),
        secret: FastCheck.constantFrom(...Object.values(secrets)),
        signature: FastCheck.constantFrom(...Object.values(signatures)),
        operation: FastCheck.constantFrom("read" as const, "write" as const)
      },
      ({ before, filler, operation, secret, signature, spelling: [, spell] }) =>
        Effect.gen(function* () {
          const value = secret(signature)
          const text = `${filler.repeat(before).slice(0, before)}${spell(value)} ${"y".repeat(100)}`
          // The property never leaves the microtasks otherwise, and the runner's own messages would wait for its end.
          yield* Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
          const { everything } = yield* said(operation, signature, answer(text))
          if (before < 256) expect(everything).toContain("<redacted>")
          expect(visibleParts(everything, value, spell(value))).toEqual([])
        }),
      { fastCheck: { numRuns: Breadth.repeats(25, 5) } }
    )
  }

  for (const [name, spell] of spellings) {
    it.effect(`is in no failure and no log if the service quotes it ${name}`, () =>
      Effect.gen(function* () {
        for (const value of [apiKey, apiSecret, ...Object.values(signatures)]) {
          const signature = value.length > 60 ? value : (signatures.hex ?? "")
          const { everything } = yield* said("write", signature, { status: 400, body: `of ${spell(value)} !` })
          expect(everything).toContain("<redacted>")
          expect(visibleParts(everything, value, spell(value))).toEqual([])
        }
      })
    )
  }
})

describe("a secret with escapes before each character", () => {
  it.effect("is removed with all of them, also those before its first", () =>
    Effect.gen(function* () {
      for (const escapes of ["\\", "\\\\", "\\".repeat(15)]) {
        const body = `of ${Array.from("KEYCANARY", (letter) => `${escapes}${letter}`).join("")} !`
        const far = scripted.make(() => ({ status: 401, body }))
        const failure = yield* Effect.flip(
          Effect.flatMap(Transport.Transport, (transport) => transport.call(Executions.list, { category: "linear" }))
        ).pipe(
          Effect.provide(Transport.layerStandalone),
          Effect.provideService(HttpClient.HttpClient, far.client),
          Effect.provideService(
            Credentials.Credentials,
            Credentials.make({ baseUrl: "http://venue.test", apiKey: "KEYCANARY", apiSecret: Redacted.make("s") })
          )
        )
        expect(failure).toMatchObject({ _tag: "Unauthorized", retMsg: "of <redacted> !" })
      }
    })
  )
})

// The line breaks of a printer are no part of a text.
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

describe("the text of a service", () => {
  for (const [echo, answer] of Object.entries(echoes)) {
    it.effect.prop(
      `is shown without control characters after ${echo}`,
      {
        text: FastCheck.array(
          FastCheck.oneof(
            FastCheck.constantFrom(
              ...Array.from(
                "\0\n\r\t\u001b\u007f\u0085\u009b\u2028\u2029\u061c\u200b\u200f\u202e\u2066\ufeff\ud800\udc00"
              )
            ),
            FastCheck.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
            FastCheck.string({ unit: "binary", maxLength: 3 }),
            FastCheck.constant("\u{e0041}")
          ),
          { maxLength: 600 }
        ).map((characters) => characters.join("")),
        operation: FastCheck.constantFrom("read" as const, "write" as const)
      },
      ({ operation, text }) =>
        Effect.gen(function* () {
          yield* Effect.async<void>((resume) => void setImmediate(() => resume(Effect.void)))
          const { everything, texts } = yield* said(operation, signatures.hex ?? "", answer(text))
          expect(texts.filter((text) => unprintable.test(text))).toEqual([])
          expect(unprintable.test(everything.replaceAll("\n", ""))).toBe(false)
        }),
      { fastCheck: { numRuns: Breadth.repeats(25, 5) } }
    )
  }

  it.effect("shows its line breaks and escape sequences as escapes", () =>
    Effect.gen(function* () {
      const answer = { status: 502, body: "bad\r\n[gateway]\u001b[2J\u202e\u{e0041}" }
      const { texts } = yield* said("read", "", answer)
      expect(texts).toContain("bad\\r\\n[gateway]\\u001b[2J\\u202e\\u{e0041}")
    })
  )
})
