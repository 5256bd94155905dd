import * as Failure from "@effect-venue/transport/Failure"
import { HttpClientError, HttpClientRequest, HttpClientResponse } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Either, Option } from "effect"
import * as sendings from "../src/attempt/sending.js"
import type { Head, InterpretedResponse } from "../src/response/answer.js"

const head: Head = { operation: "op", attempts: [], scrub: (text) => text.replace("secret", "-") }
const common = { operation: "op", attempts: [] }
const until = DateTime.unsafeMake(7)

const cause = new HttpClientError.RequestError({
  request: HttpClientRequest.get("http://venue.test"),
  reason: "Transport",
  cause: new Error("secret broke")
})

const answered = (verdict: Either.Either<unknown, Failure.ReadFailure>): sendings.Phase => ({
  _tag: "Answered",
  status: 200,
  retCode: 0,
  verdict
})

const refused = (failure: Failure.ReadFailure) => answered(Either.left(failure))

const noAnswer = { _tag: "ConnectionFailed", detail: "- broke" }

interface Row {
  readonly phase: sendings.Phase
  readonly charge: "unsent" | "counted" | "refused"
  readonly executed: boolean
  readonly failure: object | undefined
}

/** phase x charge outcome x may be executed x failure */
const table: Readonly<Record<string, Row>> = {
  "is queued": { phase: sendings.queued, charge: "unsent", executed: false, failure: undefined },
  "is held by a ban": {
    phase: { _tag: "Held", until: 7 },
    charge: "unsent",
    executed: false,
    failure: { _tag: "Banned", until }
  },
  "is in flight": { phase: { _tag: "InFlight", sentAt: 1 }, charge: "counted", executed: true, failure: undefined },
  "was not sent": {
    phase: { _tag: "NotSent", reason: "Connection", cause },
    charge: "unsent",
    executed: false,
    failure: { ...noAnswer, reason: "Connection", sent: false }
  },
  "was not sent in time": {
    phase: { _tag: "NotSent", reason: "Timeout", cause },
    charge: "unsent",
    executed: false,
    failure: { ...noAnswer, reason: "Timeout", sent: false }
  },
  "was lost": {
    phase: { _tag: "Lost", reason: "Connection", cause, sentAt: 0 },
    charge: "counted",
    executed: true,
    failure: { ...noAnswer, reason: "Connection", sent: true }
  },
  "timed out": {
    phase: { _tag: "Lost", reason: "Timeout", cause, sentAt: 0 },
    charge: "counted",
    executed: true,
    failure: { ...noAnswer, reason: "Timeout", sent: true }
  },
  "was executed": { phase: answered(Either.void), charge: "counted", executed: true, failure: undefined },
  "was refused for its limit": {
    phase: refused(new Failure.RateLimited(common)),
    charge: "refused",
    executed: false,
    failure: { _tag: "RateLimited" }
  },
  "was rejected": {
    phase: refused(new Failure.Rejected({ ...common, reason: "NotFound", noChange: false })),
    charge: "counted",
    executed: false,
    failure: { _tag: "Rejected" }
  },
  "was refused for its key": {
    phase: refused(new Failure.Unauthorized({ ...common, reason: "Key" })),
    charge: "counted",
    executed: false,
    failure: { _tag: "Unauthorized" }
  },
  "was refused for its timestamp": {
    phase: refused(new Failure.ClockSkew({ ...common, skewMillis: 9 })),
    charge: "counted",
    executed: false,
    failure: { _tag: "ClockSkew" }
  },
  "was answered with a ban": {
    phase: refused(new Failure.Banned({ ...common, until })),
    charge: "counted",
    executed: false,
    failure: { _tag: "Banned" }
  },
  "met a service that was away": {
    phase: refused(new Failure.Unavailable({ ...common, executed: "no" })),
    charge: "counted",
    executed: false,
    failure: { _tag: "Unavailable", executed: "no" }
  },
  "met a service that failed": {
    phase: refused(new Failure.Unavailable({ ...common, executed: "unknown" })),
    charge: "counted",
    executed: true,
    failure: { _tag: "Unavailable", executed: "unknown" }
  },
  "got an answer that fits no schema": {
    phase: refused(new Failure.UnexpectedResponse({ ...common, status: 200, path: "", expected: "JSON", body: "" })),
    charge: "counted",
    executed: true,
    failure: { _tag: "UnexpectedResponse" }
  }
}

describe("a sending", () => {
  for (const [name, { charge, executed, failure, phase }] of Object.entries(table)) {
    it(`that ${name} is ${charge}, ${executed ? "may be" : "is not"} executed and ${failure === undefined ? "has no failure" : `fails as ${JSON.stringify(failure)}`}`, () => {
      expect(sendings.chargeOutcome(phase)).toBe(charge)
      expect(sendings.mayBeExecuted([{ phase }])).toBe(executed)
      const ended = sendings.failure(phase, head)
      if (failure === undefined) expect(ended).toEqual(Option.none())
      else expect(Option.getOrThrow(ended)).toMatchObject(failure)
    })
  }
})

describe("the sendings of a call", () => {
  const rows = Object.values(table)
  const unanswered = new Failure.ConnectionFailed({ ...common, reason: "Timeout", sent: true, detail: "no answer" })

  it("can have been executed if any of them can", () => {
    for (const one of rows) {
      for (const two of rows) {
        expect(sendings.mayBeExecuted([{ phase: one.phase }, { phase: two.phase }])).toBe(one.executed || two.executed)
      }
    }
    expect(sendings.mayBeExecuted([])).toBe(false)
  })

  it("are in doubt because of the first ambiguous failure, or a missing response", () => {
    for (const one of rows) {
      for (const two of rows) {
        const sent = [{ phase: one.phase }, { phase: two.phase }]
        const first = [one, two].find(({ executed, failure }) => executed && failure !== undefined)
        const doubt = sendings.doubt(sent, head, () => unanswered)
        if (first?.failure !== undefined) expect(doubt).toMatchObject(first.failure)
        else expect(doubt).toBe(one.executed || two.executed ? unanswered : undefined)
      }
    }
  })
})

describe("the phase of an answered sending", () => {
  const request = HttpClientRequest.get("http://venue.test")
  const reading = (verdict: InterpretedResponse["verdict"]): InterpretedResponse => ({
    answer: { response: HttpClientResponse.fromWeb(request, new Response()), status: 207, headers: {}, body: "" },
    retCode: 7,
    sample: Option.none(),
    verdict
  })

  it("contains status and return code only, if it was executed", () => {
    const page = { code: 0, message: "OK", result: { list: [] }, extInfo: {}, time: Option.none() }
    expect(sendings.toAnswered(reading(Either.right(page)))).toEqual({
      _tag: "Answered",
      status: 207,
      retCode: 7,
      verdict: Either.void
    })
  })

  it("contains the failure, if it was refused", () => {
    const verdict = Either.left(new Failure.Rejected({ ...common, reason: "NotFound", noChange: false }))
    expect(sendings.toAnswered(reading(verdict))).toEqual({ _tag: "Answered", status: 207, retCode: 7, verdict })
  })
})
