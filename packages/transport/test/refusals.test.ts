import * as Assets from "@effect-venue/schemas/Assets"
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, TestClock } from "effect"
import { idempotentWrite as transfer, read as list, write as amend } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

// What a refusal proves: of a write that it was not executed, of an address that it is banned, of a UID that its limit is used up.

const withdrawal = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Assets.withdrawInternal, { requestId: "r1", coin: "USDT", addressType: 3, address: "1", amount: "1" })
)

/** The failure of a call whose every sending gets the same answer, and how often it was sent. */
const failed = <A, E>(call: Effect.Effect<A, E, Transport.Transport>, answer: scripted.Answer) =>
  Effect.gen(function* () {
    const far = scripted.make(() => answer)
    const gateIsShut = Effect.flatMap(BanGate.BanGate, (gate) => gate.closedUntil("http://venue.test"))
    const fiber = yield* Effect.fork(
      Effect.provide(
        Effect.flatMap(Effect.flip(call), (failure) =>
          Effect.map(gateIsShut, (until) => ({ failure, isShut: until > 0, sent: far.arrived.length }))
        ),
        far.layer
      )
    )
    yield* TestClock.adjust("5 minutes")
    return yield* Fiber.join(fiber)
  })

const unknownCodes = { refusing: [110999, 170999, 131999, 34999, 3400999], other: [987654, 90999, 20001, 7] }

describe("a return code that the table lacks", () => {
  it("is not in the table", () => {
    for (const code of [...unknownCodes.refusing, ...unknownCodes.other])
      expect(ReturnCodes.rules.has(code)).toBe(false)
  })

  for (const code of unknownCodes.refusing) {
    it.effect(`rejects a write by its family: ${code}`, () =>
      Effect.gen(function* () {
        const { failure, sent } = yield* failed(amend, scripted.refused(code))
        expect(failure).toMatchObject({ _tag: "Rejected", reason: "Unknown", proof: "family", retCode: code })
        expect(sent).toBe(1)
      })
    )
  }

  for (const code of unknownCodes.other) {
    it.effect(`leaves the outcome of a write unknown, which is not sent again: ${code}`, () =>
      Effect.gen(function* () {
        const { failure, sent } = yield* failed(amend, scripted.refused(code))
        expect(failure).toMatchObject({
          _tag: "OutcomeUnknown",
          because: { _tag: "Rejected", reason: "Unknown", proof: "none", retCode: code }
        })
        expect(sent).toBe(1)
      })
    )
  }

  it.effect("leaves the outcome of a withdrawal or transfer unknown for every family", () =>
    Effect.gen(function* () {
      for (const code of [...unknownCodes.refusing, ...unknownCodes.other]) {
        for (const call of [transfer, withdrawal]) {
          const { failure, sent } = yield* failed<unknown, unknown>(call, scripted.refused(code))
          expect(failure).toMatchObject({ _tag: "OutcomeUnknown", because: { _tag: "Rejected", retCode: code } })
          expect(sent).toBe(1)
        }
      }
    })
  )

  it.effect("rejects a read", () =>
    Effect.gen(function* () {
      for (const code of [...unknownCodes.refusing, ...unknownCodes.other]) {
        const { failure, sent } = yield* failed(list, scripted.refused(code))
        expect(failure).toMatchObject({ _tag: "Rejected", reason: "Unknown", retCode: code })
        expect(sent).toBe(1)
      }
    })
  )
})

describe("code 90040, a withdrawal in progress", () => {
  it.effect("leaves the outcome of a withdrawal unknown", () =>
    Effect.gen(function* () {
      const { failure } = yield* failed(withdrawal, scripted.refused(90040))
      expect(failure).toMatchObject({ _tag: "OutcomeUnknown", because: { retCode: 90040 } })
    })
  )
})

describe("a ban of the address", () => {
  const bans: Readonly<Record<string, scripted.Answer>> = {
    "HTTP 403 access too frequent": { status: 403, body: "access too frequent" },
    "HTTP 403 Access Too Frequent, in other letters": { status: 403, body: " Access Too Frequent.\n" },
    "HTTP 403 with code 10018": { ...(scripted.refused(10018) as { readonly body: string }), status: 403 },
    "HTTP 200 with code 10009": scripted.refused(10009),
    "HTTP 200 with code 10018": scripted.refused(10018)
  }
  for (const [name, answer] of Object.entries(bans)) {
    it.effect(`is ${name}`, () =>
      Effect.gen(function* () {
        const { failure, isShut, sent } = yield* failed(amend, answer)
        expect(failure).toMatchObject({ _tag: "Banned" })
        expect({ isShut, sent }).toEqual({ isShut: true, sent: 1 })
      })
    )
  }

  const others: ReadonlyArray<readonly [string, scripted.Answer]> = [
    ["an empty body", { status: 403, body: "" }],
    ["a blocked country", { status: 403, body: "The service is not available in your country" }],
    ["an HTML page", { status: 403, body: "<html><body>403 Forbidden</body></html>" }],
    ["an envelope with another code", { ...(scripted.refused(10005) as { readonly body: string }), status: 403 }]
  ]
  for (const [name, answer] of others) {
    it.effect(`is not HTTP 403 with ${name}: the call is refused, and the gate stays open`, () =>
      Effect.gen(function* () {
        const refused = { _tag: "Unauthorized", reason: "Permission", status: 403 }
        const ofWrite = name === "an envelope with another code" ? refused : { _tag: "OutcomeUnknown" }
        for (const [call, expected] of [[list, refused] as const, [amend, ofWrite] as const]) {
          const { failure, isShut, sent } = yield* failed<unknown, unknown>(call, answer)
          expect(failure).toMatchObject(expected)
          expect({ isShut, sent }).toEqual({ isShut: false, sent: 1 })
        }
      })
    )
  }
})

describe("HTTP 400, 401, 403 and 404", () => {
  const pages = ["", "404 page not found", "<html><body>Forbidden</body></html>", `{"error":"no"}`, `{"retCode":0}`]
  const writes = { amend, transfer, withdrawal }
  for (const status of [400, 401, 403, 404]) {
    it.effect(`prove nothing about a write if the page is not the service's: ${status}`, () =>
      Effect.gen(function* () {
        for (const [name, call] of Object.entries(writes)) {
          for (const body of pages) {
            const { failure, sent } = yield* failed<unknown, unknown>(call, { status, body })
            expect(failure, `${name}: ${body}`).toMatchObject({
              _tag: "OutcomeUnknown",
              because: { _tag: "UnexpectedResponse", status }
            })
            expect(sent).toBe(1)
          }
        }
      })
    )

    it.effect(`prove in an envelope with a return code that a write was not executed: ${status}`, () =>
      Effect.gen(function* () {
        for (const call of Object.values(writes)) {
          const envelope = { ...(scripted.refused(10001) as { readonly body: string }), status }
          const { failure } = yield* failed<unknown, unknown>(call, envelope)
          expect(["Rejected", "Unauthorized"]).toContain((failure as { readonly _tag: string })._tag)
        }
      })
    )
  }
})

describe("the limit of the UID", () => {
  const answers: ReadonlyArray<readonly [string, scripted.Answer]> = [
    ["code 10006", scripted.refused(10006, "")],
    ["the text Too many visits! under a code that the table lacks", scripted.refused(987654, "Too many visits!")],
    ["the text Too many visits! under another code", scripted.refused(10001, "Too many visits!")],
    ["HTTP 403 Too many visits!", { status: 403, body: "Too many visits!" }],
    ["HTTP 429 Too many visits!", { status: 429, body: "Too many visits!" }]
  ]
  for (const [name, answer] of answers) {
    it.effect(`is ${name}: a write is sent again`, () =>
      Effect.gen(function* () {
        const { failure, isShut, sent } = yield* failed(amend, answer)
        expect(failure).toMatchObject({ _tag: "RateLimited" })
        expect({ isShut, sent }).toEqual({ isShut: false, sent: 5 })
      })
    )
  }

  it.effect("is not detected in a text that only mentions it", () =>
    Effect.gen(function* () {
      const { failure } = yield* failed(amend, scripted.refused(987654, "order l-1: Too many visits! was its remark"))
      expect(failure).toMatchObject({ _tag: "OutcomeUnknown" })
    })
  )
})
