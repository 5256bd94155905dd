/** The plans of answers: calls one after the other, each with the answer of the service, its gateway or a proxy. */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as Arr from "effect/Array"
import * as Draws from "../../kernel/Draws.js"
import { spellings } from "../../world/Network.js"
import type * as Workload from "../../run/Workload.js"

/** `publicRead` is not signed, `position` is a write that its position names, and `transfer` is idempotent. */
export const operations = ["read", "legacyRead", "bareRead", "publicRead", "write", "position", "transfer"] as const

/** The envelope that an operation is documented with. */
export const kindOf = {
  read: "standard",
  legacyRead: "legacy",
  bareRead: "bare",
  publicRead: "standard",
  write: "standard",
  position: "standard",
  transfer: "legacy"
} as const

export type AnswerOperation = (typeof operations)[number]

/** An operation that has categories has a limit of the account in each. */
export const categories = ["linear", "spot"] as const

export type Body =
  | {
      readonly _tag: "Envelope"
      readonly kind: Endpoint.Envelope
      readonly code: number
      readonly message: string
      /** The result of a success belongs to another request, if the operation's result can show that. */
      readonly isForeign: boolean
    }
  /** `{key}` and `{sign}` stand for those of the request, which the page quotes. */
  | { readonly _tag: "Text"; readonly text: string }

export interface Answer {
  readonly status: number
  readonly body: Body
  /**
   * `cut`: the connection breaks off when half of the body has arrived. `broken`: before any of it. `unconnected`: it is never made. `silent`:
   * nothing arrives within the time of an attempt.
   */
  readonly loss: "broken" | "cut" | "silent" | "unconnected" | undefined
  /** When calls are taken again, as the header states it: milliseconds after the answer, or a text that is no number. */
  readonly reset: number | string | undefined
  /** Limit and remaining calls, as the headers state them. */
  readonly limit: string | undefined
  readonly remaining: string | undefined
}

export interface AnsweredCall {
  readonly id: string
  /** Milliseconds after the call before it. */
  readonly after: number
  readonly operation: AnswerOperation
  readonly category: (typeof categories)[number]
  /** How a page spells its quotes: the index of one of `Network.spellings`. */
  readonly spelling: number
  /** Whether the answer is one byte longer than the limit of the call; `false`: it is as long. If absent, it is far shorter. */
  readonly isTooLarge: boolean | undefined
  /** Milliseconds from the departure of the request to its answer. */
  readonly latency: number
  /** Milliseconds from the call until its caller interrupts it. */
  readonly interruptedAfter: number | undefined
  readonly answer: Answer
  /** The answer to all its sendings but the first; if absent, that is the same. */
  readonly then?: Answer | undefined
}

/** A call with the answer to its sending of an index. */
export const withAnswer = (call: AnsweredCall, sending: number): AnsweredCall =>
  sending === 0 || call.then === undefined ? call : { ...call, answer: call.then }

/** The name of the limit of the account that a call counts towards. */
export const limitOf = ({ category, operation }: Pick<AnsweredCall, "category" | "operation">): string =>
  operation === "read" || operation === "write" || operation === "position" ? `${operation} ${category}` : operation

export interface AnswersPlan extends Workload.WorkloadPlan {
  /** How far the service's clock is ahead of this process's. */
  readonly skew: number
  /** Without a key only public operations are called. */
  readonly hasKey: boolean
  /** The category for whose orders the service has granted 20 calls per second, or the level of the account, which decides that. */
  readonly granted: AnsweredCall["category"] | "PRO1" | "VIP 1" | undefined
  /** The signer's signatures are no hexadecimal numbers. */
  readonly isSpelled: boolean
  /** What is told to the store of limits is noted. Otherwise it is a store in memory, which the library reaches without effects. */
  readonly isNoted: boolean
  /** How often a call is tried again at most. */
  readonly retries: number
  readonly calls: ReadonlyArray<AnsweredCall>
}

/** Whether a body can contain secrets of its request. */
export const isQuoting = (body: Body): boolean => body._tag === "Text" && /\{(key|sign)\}/.test(body.text)

type Kinds<A> = Arr.NonEmptyReadonlyArray<Arr.NonEmptyReadonlyArray<A>>

/** Pages that quote key and signature of their request. */
const quotingPages: Arr.NonEmptyReadonlyArray<string> = [
  "<pre>{sign} {key}</pre>",
  // The signs that stand for spaces in URLs.
  `{key}, {key} ${"+".repeat(40)}`,
  "{sign}",
  // Half of the second secret is left out of an excerpt, and nothing of the next page.
  `${"-".repeat(500)}{sign}{key}`,
  `${"-".repeat(502)}{key}`
]

/** Bodies that are no envelope of the service, or only parts of one, by their kind: each occurs as often. */
const texts: Kinds<string> = [
  ["access too frequent", "  Access too frequent. Please wait", "access", "<html>ACCESS TOO FREQUENT</html>"],
  ["Too many visits!", " too many visits", "not too many visits"],
  ["<html>403 Forbidden</html>", "404 page not found", "We don't support the category, plz check."],
  [`{"retCode":10018}`, `{"ret_code" : 10009 , "ret_msg":"x"}`],
  [`{"retCode":100180}`, `{"retCode":10006,"x":10018}`],
  ["", `{"a":`, "[]", "null"],
  quotingPages
]

/** Statuses, by their meaning. */
const statuses: Kinds<number> = [[201, 204, 302, 399, 418], [400, 401, 404], [403], [429], [499], [500, 503, 599]]

const messages = ["no", "no", "no", "Too many visits!", "too many visits", "it was: Too many visits!", ""] as const

/** The codes of each family: a family of few codes occurs as often as one of many. */
const families = Object.values(Arr.groupBy(ReturnCodes.rules.values(), ({ family }) => family))

/** Codes that the table lacks: between codes that refuse, and far from all. */
const unlisted = [110999, 170999, 131999, 34999, 99_999, 12, -7, 2_000_000_000] as const

const codeOf = (draws: Draws.Draws, id: string): number => {
  const kind = draws.fraction(id, "kind of code")
  if (kind < 0.4) return 0
  if (kind < 0.52) return draws.pick([10006, 10009, 10018, 10002, 90040], id, "code")
  if (kind < 0.6) return draws.pick(unlisted, id, "code")
  const family = families[draws.int(families.length, id, "family")]
  return family === undefined ? 0 : draws.pick(family, id, "code").code
}

const bodyOf = (draws: Draws.Draws, id: string, operation: AnswerOperation): Body =>
  draws.chance(0.65, id, "isEnvelope")
    ? {
        _tag: "Envelope",
        kind: draws.chance(0.5, id, "isDocumented")
          ? kindOf[operation]
          : draws.pick(["standard", "legacy", "bare"], id, "envelope"),
        code: codeOf(draws, id),
        message: draws.pick(messages, id, "message"),
        isForeign: draws.chance(0.3, id, "isForeign")
      }
    : { _tag: "Text", text: draws.pick(draws.pick(texts, id, "kind of text"), id, "text") }

/** The body of a ban, or part of one. */
const banOf = (draws: Draws.Draws, id: string): Body =>
  draws.chance(0.5, id, "isSaid")
    ? { _tag: "Text", text: draws.pick(texts[0], id, "ban") }
    : {
        _tag: "Envelope",
        kind: draws.pick(["standard", "legacy"], id, "envelope of ban"),
        code: draws.pick([10009, 10018], id, "code of ban"),
        message: "no",
        isForeign: false
      }

/** Draws an answer for a call: a ban, a success, a page that quotes secrets, or any other. */
const answerOf = (draws: Draws.Draws, id: string, operation: AnswerOperation): Answer => {
  const headers = {
    reset: draws.pick([undefined, -1, 0, 1, 300, 60_999, 61_000, 61_001, 3_600_000, "soon", ""], id, "reset"),
    limit: draws.pick([undefined, undefined, "10", "7", "0", "-3", "1.5", "many"], id, "limit"),
    remaining: draws.pick([undefined, undefined, "9", "6", "0", "-1", "?"], id, "remaining")
  }
  const whole = { status: 200, loss: undefined, ...headers }
  const kind = draws.fraction(id, "kind of answer")
  if (kind < 0.08)
    return { ...whole, status: 403, body: banOf(draws, id), loss: draws.chance(0.5, id, "isCut") ? "cut" : undefined }
  if (kind < 0.18)
    return { ...whole, body: { _tag: "Envelope", kind: kindOf[operation], code: 0, message: "OK", isForeign: false } }
  if (kind < 0.26) return { ...whole, body: { _tag: "Text", text: draws.pick(quotingPages, id, "page") } }
  return {
    ...headers,
    status: draws.chance(0.55, id, "isOk") ? 200 : draws.pick(draws.pick(statuses, id, "kind of status"), id, "status"),
    body: bodyOf(draws, id, operation),
    loss: draws.chance(0.2, id, "isLost")
      ? draws.pick(["cut", "cut", "broken", "silent", "unconnected"], id, "loss")
      : undefined
  }
}

export const make = (seed: number): AnswersPlan => {
  const draws = Draws.make(seed)
  return {
    seed,
    mode: { _tag: "lawful" },
    skew: draws.pick([0, 0, 0, 1_500, -700], "skew"),
    isNoted: draws.chance(0.7, "isNoted"),
    hasKey: draws.chance(0.9, "hasKey"),
    granted: draws.pick([undefined, ...categories, "VIP 1", "PRO1"], "granted"),
    isSpelled: draws.chance(0.4, "isSpelled"),
    retries: draws.pick([0, 1, 2], "retries"),
    calls: Array.from({ length: 1 + draws.int(4, "calls") }, (_, index) => {
      const id = `c${index}`
      const operation = draws.pick(operations, id, "operation")
      const answer = answerOf(draws, id, operation)
      const { body, loss } = answer
      const then = draws.chance(0.4, id, "hasThen") ? answerOf(draws, `${id} then`, operation) : undefined
      const isSized =
        then === undefined && loss === undefined && !isQuoting(body) && !(body._tag === "Text" && body.text === "")
      return {
        id,
        after: draws.pick([0, 100, 2_000, 120_000, 599_990, 600_010], id, "after"),
        operation,
        category: operation === "position" ? "linear" : draws.pick(categories, id, "category"),
        spelling: draws.int(spellings.length, id, "spelling"),
        isTooLarge: isSized && draws.chance(0.15, id, "isLarge") ? draws.chance(0.5, id, "isTooLarge") : undefined,
        latency: draws.pick([0, 2, 80, 900], id, "latency"),
        interruptedAfter: draws.chance(0.1, id, "isInterrupted")
          ? draws.pick([1, 40, 500], id, "interrupted")
          : undefined,
        answer,
        then
      }
    })
  }
}
