import * as Breadth from "@effect-venue/testing/Breadth"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, Effect, Either, FastCheck, Fiber, Layer, Option, TestClock } from "effect"
import * as calls from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"

// A client that the application wraps may send several times within one attempt. Whatever the last sending proves, it proves nothing
// of the ones before it.

const wireError = (syscall: string, code: string) => ({
  fail: Object.assign(new Error(`${syscall} ${code}`), { code, syscall })
})

interface Step {
  /** Whether a write may have been executed after this answer alone. */
  readonly executed: "yes" | "no" | "unknown"
  readonly tag?: Failure.Failure["_tag"]
  readonly answer: (ok: scripted.Answer) => scripted.Answer
}

const steps = {
  ok: { executed: "yes", answer: (ok) => ok },
  reset: { executed: "unknown", tag: "ConnectionFailed", answer: () => wireError("read", "ECONNRESET") },
  hang: { executed: "unknown", tag: "ConnectionFailed", answer: () => "hang" },
  502: { executed: "unknown", tag: "Unavailable", answer: () => ({ status: 502, body: "bad gateway" }) },
  html: { executed: "unknown", tag: "UnexpectedResponse", answer: () => ({ body: "<html>" }) },
  10016: { executed: "unknown", tag: "Unavailable", answer: () => scripted.refused(10016) },
  refused: { executed: "no", tag: "ConnectionFailed", answer: () => wireError("connect", "ECONNREFUSED") },
  403: { executed: "no", tag: "Banned", answer: () => ({ status: 403, body: "access too frequent" }) },
  90009: { executed: "no", tag: "Rejected", answer: () => scripted.refused(90009) },
  131212: { executed: "no", tag: "Rejected", answer: () => scripted.refused(131212) },
  10006: { executed: "no", tag: "RateLimited", answer: () => scripted.refused(10006) }
} satisfies Readonly<Record<string, Step>>

type StepName = keyof typeof steps

const stepOf = (name: StepName): Step => steps[name]

interface Operation {
  readonly safety: Endpoint.Safety
  readonly ok: scripted.Answer
  readonly call: Effect.Effect<unknown, Failure.Failure, Transport.Transport>
}

const operations: ReadonlyArray<Operation> = [
  {
    safety: "read",
    ok: scripted.ok({ category: "linear", list: [], nextPageCursor: "" }),
    call: calls.read
  },
  {
    safety: "idempotent",
    ok: {
      body: JSON.stringify({
        ret_code: 0,
        ret_msg: "OK",
        ext_code: "",
        result: { transferId: "87c18caa-539a-449e-99cc-c39e4329bcc5" },
        ext_info: null,
        time_now: "0"
      })
    },
    call: calls.idempotentWrite
  },
  {
    safety: "write",
    ok: scripted.ok({ orderId: "o-1" }),
    call: calls.write
  }
]

type Wrap = (client: CallOptions.Client) => CallOptions.Client

/** Sends `times` times, whatever the responses, and returns the outcome of the last. */
const sending =
  (times: number): Wrap =>
  (client) =>
    HttpClient.transform(client, (effect) =>
      Effect.zipRight(
        Effect.forEach(Array.from({ length: times - 1 }), () => Effect.exit(effect)),
        effect
      )
    )

const settle = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Effect.either(effect))
    yield* TestClock.adjust("3 hours")
    return yield* Fiber.join(fiber)
  })

const withoutRetry = Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none)

const run = ({ call, ok }: Operation, names: ReadonlyArray<StepName>, wrap: Wrap) =>
  Effect.gen(function* () {
    const far = scripted.make((_, index) => {
      const name = names[index]
      return name === undefined ? "hang" : stepOf(name).answer(ok)
    })
    const outcome = yield* settle(
      Effect.provide(call, Layer.provideMerge(Layer.fresh(Transport.layer), far.layer)).pipe(
        Effect.provideService(CallOptions.TransformClient, wrap)
      )
    )
    return { outcome, sent: far.arrived.length }
  })

/** What the sequence proves. A write is not sent again once an answer does not prove that it was not executed. */
const expected = (safety: Endpoint.Safety, sequence: ReadonlyArray<StepName>) => {
  // Nothing more leaves once the address is banned.
  const ban = sequence.indexOf(403)
  const names = ban === -1 ? sequence : sequence.slice(0, ban + 1)
  const firstPossible = names.findIndex((name) => stepOf(name).executed !== "no")
  const sent = safety === "write" && firstPossible !== -1 ? firstPossible + 1 : names.length
  const isDropped = firstPossible !== -1 && firstPossible < names.length - 1
  const last = stepOf(names[names.length - 1] ?? "ok")
  if (safety === "read") return { sent, tag: last.tag ?? "success" }
  if (safety === "write" && isDropped) return { sent, tag: "OutcomeUnknown" }
  if (last.executed === "yes") return { sent, tag: "success" }
  return { sent, tag: firstPossible === -1 ? last.tag : "OutcomeUnknown" }
}

const tagOf = Either.match({ onLeft: ({ _tag }: Failure.Failure): string => _tag, onRight: () => "success" })

const names: ReadonlyArray<StepName> = ["ok", "reset", "hang", 502, "html", 10016, "refused", 403, 90009, 131212, 10006]

/** In `npm test` one of each meaning; the long tier pairs every answer with every other. */
const seconds = Breadth.isLong
  ? names
  : (["ok", "reset", 502, "refused", 403, 131212] satisfies ReadonlyArray<StepName>)

for (const operation of operations) {
  describe(`a wrapped client that sends an operation of safety ${operation.safety} several times`, () => {
    for (const first of names) {
      it.effect(`reports the conclusion from ${first} and any second response`, () =>
        Effect.gen(function* () {
          for (const second of seconds) {
            const sequence = [first, second]
            const { outcome, sent } = yield* run(operation, sequence, sending(2)).pipe(withoutRetry)
            const told = { sequence, sent, tag: tagOf(outcome) }
            expect(told).toEqual({ sequence, ...expected(operation.safety, sequence) })
          }
        })
      )
    }

    it.effect.prop(
      "reports what all of their answers prove together",
      { sequence: FastCheck.array(FastCheck.constantFrom(...names), { minLength: 1, maxLength: 5 }) },
      ({ sequence }) =>
        Effect.gen(function* () {
          const { outcome, sent } = yield* run(operation, sequence, sending(sequence.length)).pipe(withoutRetry)
          const told = { sequence, sent, tag: tagOf(outcome) }
          expect(told).toEqual({ sequence, ...expected(operation.safety, sequence) })
        }),
      { fastCheck: { numRuns: Breadth.repeats(60, 6) } }
    )
  })
}

const ofSafety = (safety: Endpoint.Safety) =>
  Option.getOrThrow(Arr.findFirst(operations, (operation) => operation.safety === safety))

const write = ofSafety("write")

const idempotent = ofSafety("idempotent")

const responding =
  (status: number, body: string): Wrap =>
  (client) =>
    HttpClient.make((request) =>
      Effect.as(
        Effect.exit(client.execute(request)),
        HttpClientResponse.fromWeb(request, new Response(body, { status }))
      )
    )

const envelope = (retCode: number) =>
  JSON.stringify({ retCode, retMsg: "no", result: null, retExtInfo: null, time: 1_700_000_000_000 })

describe("a wrapped client that creates a response after a write was lost", () => {
  const own: Readonly<Record<string, Wrap>> = {
    "HTTP 403": responding(403, "access too frequent"),
    "HTTP 404": responding(404, ""),
    "a limit refusal": responding(200, envelope(10006)),
    "a timestamp refusal": responding(200, envelope(10002)),
    "a refusal": responding(200, envelope(110001)),
    "nothing was executed": responding(200, envelope(90033))
  }
  for (const [name, wrap] of Object.entries(own)) {
    it.effect(`with ${name} returns OutcomeUnknown, and the write is sent once`, () =>
      Effect.gen(function* () {
        for (const lost of ["reset", "hang", 502] as const) {
          const { outcome, sent } = yield* run(write, [lost, "ok", "ok"], wrap)
          expect({ lost, sent, tag: tagOf(outcome) }).toEqual({ lost, sent: 1, tag: "OutcomeUnknown" })
        }
      })
    )
  }
})

describe("a wrapped client that aborts a request", () => {
  const impatient: Wrap = (client) =>
    HttpClient.transform(client, (effect) => effect.pipe(Effect.timeoutOption("1 second"), Effect.zipRight(effect)))

  it.effect("leaves the outcome of a write unknown, and the write is sent once", () =>
    Effect.gen(function* () {
      const { outcome, sent } = yield* run(write, ["hang", "ok"], impatient)
      expect(outcome).toMatchObject({ left: { _tag: "OutcomeUnknown", because: { _tag: "ConnectionFailed" } } })
      expect(sent).toBe(1)
    })
  )

  it.effect("leaves an idempotent write unknown if its next request is refused", () =>
    Effect.gen(function* () {
      const { outcome } = yield* run(idempotent, ["hang", 131212], impatient)
      expect(tagOf(outcome)).toBe("OutcomeUnknown")
    })
  )
})

describe("a wrapped client that sends twice at once", () => {
  it.effect("sends a write once", () =>
    Effect.gen(function* () {
      const hedged: Wrap = (client) =>
        HttpClient.transform(client, (effect) =>
          Effect.map(Effect.all([effect, Effect.either(effect)], { concurrency: 2 }), ([response]) => response)
        )
      const { outcome, sent } = yield* run(write, ["ok", "ok"], hedged)
      expect({ sent, tag: tagOf(outcome) }).toEqual({ sent: 1, tag: "success" })
    })
  )
})

describe("an idempotent write whose attempts differ", () => {
  it.effect("returns OutcomeUnknown for a refusal after an attempt that can have been executed", () =>
    Effect.gen(function* () {
      for (const last of [403, 90009, 131212, "refused"] as const) {
        const { outcome } = yield* run(idempotent, ["reset", last, last, last, last], (client) => client)
        expect({ last, tag: tagOf(outcome) }).toEqual({ last, tag: "OutcomeUnknown" })
      }
      expect(tagOf((yield* run(idempotent, [502, 10006, "ok"], (client) => client)).outcome)).toBe("success")
    })
  )
})
