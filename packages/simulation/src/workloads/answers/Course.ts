/**
 * The meaning of an answer, from the documentation of the failures and of the service. It judges the plan, not the text that was sent, and shares no
 * code with the library but the table of return codes.
 */
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as ReturnCode from "@effect-venue/schemas/siblings/ReturnCode"
import * as Option from "effect/Option"
import * as Plan from "./Plan.js"

/** An outcome, as far as it is promised. */
export interface CourseOutcome {
  readonly tag: string
  readonly because?: string
  readonly reason?: string | undefined
  readonly proof?: string
  readonly noChange?: boolean
  readonly executed?: string
  readonly sent?: boolean
  readonly retCode?: number
  /** The place in an answer that is not as documented, and what was expected of a body that is too large. */
  readonly path?: string | undefined
  readonly expected?: string | undefined
  /** By which a write with an unknown outcome is looked up. */
  readonly identifiers?: Readonly<Record<string, string>>
  /** Milliseconds after the answer. */
  readonly resetAfter?: number
  /** Milliseconds after the answer. */
  readonly bannedFor?: number
}

const tenMinutes = 600_000

const ban: CourseOutcome = { tag: "Banned", bannedFor: tenMinutes }

const identifiers = ({ category, operation }: Plan.AnsweredCall): Readonly<Record<string, string>> | undefined => {
  switch (operation) {
    case "write":
      return { category, symbol: "BTCUSDT", orderId: "o" }
    case "position":
      return { category, symbol: "BTCUSDT", positionIdx: "1" }
    case "transfer":
      return { requestId: "42c0cfb0-6bca-4da0-8b6f-0123456789ab" }
    default:
      return undefined
  }
}

export const isWrite = (operation: Plan.AnswerOperation): boolean =>
  operation === "write" || operation === "position" || operation === "transfer"

const saysTooMany = (text: string) => text.trimStart().toLowerCase().startsWith("too many visits")

const reasons: Readonly<Record<string, string>> = {
  invalidRequest: "InvalidRequest",
  notFound: "NotFound",
  insufficientBalance: "InsufficientBalance",
  duplicate: "Duplicate",
  orderState: "OrderState",
  positionState: "PositionState",
  riskLimit: "RiskLimit",
  unknown: "Unknown"
}

/** Of a header that states an instant of the next minute, once half of the time of the call is over. */
const resetOf = ({ answer: { reset }, latency }: Plan.AnsweredCall) => {
  const resetAfter = typeof reset === "number" ? reset - latency / 2 : 0
  return resetAfter > 0 && resetAfter <= 61_000 ? { resetAfter } : {}
}

const ofCode = (code: number, message: string, call: Plan.AnsweredCall): CourseOutcome => {
  const said = { retCode: code }
  const rule = ReturnCodes.rules.get(code)
  if (rule?.family === "ipBan") return ban
  if (saysTooMany(message) || rule?.family === "rateLimit") return { tag: "RateLimited", ...said, ...resetOf(call) }
  if (rule === undefined) {
    const proof = ReturnCode.isRefusingFamily(code) && call.operation !== "transfer" ? "family" : "none"
    return { tag: "Rejected", reason: "Unknown", noChange: false, proof, ...said }
  }
  switch (rule.family) {
    case "timestamp":
      return { tag: "ClockSkew", ...said }
    case "auth":
      return { tag: "Unauthorized", reason: code === 10004 || code === 10022 ? "Signature" : "Key", ...said }
    case "permission":
      return { tag: "Unauthorized", reason: "Permission", ...said }
    case "unavailable":
      return { tag: "Unavailable", executed: rule.executed, ...said }
    default:
      return rule.executed === "unknown"
        ? { tag: "Unavailable", executed: "unknown", ...said }
        : { tag: "Rejected", reason: reasons[rule.family] ?? "", noChange: rule.noChange, ...said }
  }
}

const makeUnexpected = (path: string): CourseOutcome => ({ tag: "UnexpectedResponse", path })

const unexpected = makeUnexpected("")

/** Whether a body is that of a ban. */
const saysBanned = (body: Plan.Body, text: string) =>
  text.toLowerCase().includes("access too frequent") ||
  (body._tag === "Envelope"
    ? body.code === 10009 || body.code === 10018
    : [`{"retCode":10018}`, `{"ret_code" : 10009 , "ret_msg":"x"}`].includes(body.text))

const ofStatus = (call: Plan.AnsweredCall, text: string): CourseOutcome => {
  const { body, status } = call.answer
  if (status === 403 && saysBanned(body, text)) return ban
  if (status >= 400 && status < 500 && saysTooMany(text)) return { tag: "RateLimited", ...resetOf(call) }
  // A body without the service's envelope can be the page of a proxy that has forwarded the request.
  const isForeign = body._tag === "Text" ? codes[body.text] === undefined : body.code === 0
  if (isForeign && isWrite(call.operation) && [400, 401, 403, 404].includes(status)) return unexpected
  if (status === 400) return { tag: "Rejected", reason: "InvalidRequest", noChange: false }
  if (status === 401) return { tag: "Unauthorized", reason: "Key" }
  if (status === 403) return { tag: "Unauthorized", reason: "Permission" }
  if (status === 404) return { tag: "Rejected", reason: "NotFound", noChange: false }
  return status === 429 || status >= 500 ? { tag: "Unavailable", executed: "unknown" } : unexpected
}

const ofWhole = (call: Plan.AnsweredCall, text: string): CourseOutcome => {
  const { body, status } = call.answer
  if (call.isTooLarge === true)
    return { ...makeUnexpected("body"), expected: `expected at most ${text.length - 1} bytes` }
  if (status !== 200) return ofStatus(call, text)
  if (body._tag === "Text") {
    const code = codes[body.text]
    return code === undefined ? unexpected : ofCode(code, "", call)
  }
  if (body.code !== 0) return ofCode(body.code, body.message, call)
  const wanted = Plan.kindOf[call.operation]
  if (!isReadable(wanted, body.kind)) return makeUnexpected(wanted === "standard" ? "retCode" : "ret_code")
  return isForeign(call) ? { tag: "ConnectionFailed", reason: "OtherResponse", sent: true } : { tag: "done" }
}

/** Orders and transfers are confirmed by their ids. */
const isForeign = ({ answer: { body }, operation }: Plan.AnsweredCall) =>
  body._tag === "Envelope" && body.isForeign && (operation === "write" || operation === "transfer")

/** Message and time of an envelope can be missing: the legacy and the bare one are then the same. */
const isReadable = (wanted: string, got: string) => wanted === got || (wanted !== "standard" && got !== "standard")

/** Matches the code in a text that is not the service's. */
const codes: Readonly<Record<string, number>> = {
  '{"retCode":10018}': 10018,
  '{"ret_code" : 10009 , "ret_msg":"x"}': 10009,
  '{"retCode":100180}': 100180,
  '{"retCode":10006,"x":10018}': 10006
}

/** Enough of a ban can have arrived. Any other response that broke off proves nothing. */
const ofCut = ({ body, status }: Plan.Answer, received: string): CourseOutcome => {
  const text = received.trim().toLowerCase()
  const isBan =
    text.includes("access too frequent") ||
    (text !== "" && "access too frequent".startsWith(text)) ||
    (body._tag === "Envelope" && /code":(10009|10018),/.test(text))
  return status === 403 && isBan ? ban : lost
}

const lost: CourseOutcome = { tag: "ConnectionFailed", reason: "Connection", sent: true }

const late: CourseOutcome = { tag: "ConnectionFailed", reason: "Timeout", sent: true }

const unsent: CourseOutcome = { tag: "ConnectionFailed", reason: "Connection", sent: false }

/** The outcome of one sending. `text` is what was received. */
export const ofSending = (call: Plan.AnsweredCall, text: string): CourseOutcome => {
  switch (call.answer.loss) {
    case "unconnected":
      return unsent
    case "broken":
      return lost
    case "silent":
      return late
    case "cut":
      return ofCut(call.answer, text)
    case undefined:
      return ofWhole(call, text)
  }
}

const saysNothing = ({ executed, proof, sent, tag }: CourseOutcome) =>
  sent === true || tag === "UnexpectedResponse" || executed === "unknown" || proof === "none"

/** The outcome of a call whose credentials have no key, if it has to be signed. */
export const unsigned: CourseOutcome = { tag: "Unauthorized", reason: "Credentials" }

/** Calls of the account in a second, or in a minute for the first list of the legacy envelope, as documented. */
const limits: Readonly<Record<Plan.AnswerOperation, number | undefined>> = {
  read: 10,
  legacyRead: 300,
  bareRead: undefined,
  publicRead: undefined,
  write: 10,
  position: 10,
  transfer: 1
}

/** The limit of an operation before any answer has stated it. Without a key it is not known whose rate is granted. */
export const limitOf = (
  { category, operation }: Pick<Plan.AnsweredCall, "category" | "operation">,
  { granted, hasKey }: Plan.AnswersPlan
) => {
  if (operation !== "write") return limits[operation]
  if (granted === category && hasKey) return 20
  if (granted === "PRO1") return 200
  return granted === "VIP 1" && category !== "spot" ? 20 : limits.write
}

/** The state of a limit of the account, as an answer reports it. */
export interface Observed {
  readonly limit: number | undefined
  readonly remaining: number | undefined
  readonly refused: boolean
  /** Milliseconds after the answer. */
  readonly resetAfter: number | undefined
}

const numberIn = (header: string | undefined) => {
  const value = Number(header)
  return header !== undefined && Number.isInteger(value) ? value : undefined
}

/** The state that an answer which is read to its end reports of the limit of its operation, if it has one. An answer to another request is not heeded. */
const observe = (call: Plan.AnsweredCall, text: string): Option.Option<Observed> => {
  const { answer, isTooLarge, latency, operation } = call
  const { limit, loss, remaining, reset } = answer
  const { reason, tag } = ofSending(call, text)
  if (loss !== undefined || isTooLarge === true || reason === "OtherResponse" || limits[operation] === undefined)
    return Option.none()
  const resetAfter = typeof reset === "number" ? reset - latency / 2 : 0
  return Option.some({
    limit: numberIn(limit),
    remaining: numberIn(remaining),
    refused: tag === "RateLimited",
    resetAfter: resetAfter > 0 ? resetAfter : undefined
  })
}

/** Whether an attempt that ended so can be repeated. */
const mayRepeat = (
  { answer: { body, status }, isTooLarge, operation }: Plan.AnsweredCall,
  { executed, sent, tag }: CourseOutcome
): boolean => {
  // A transfer is executed once for each request id.
  const isOnce = operation === "write" || operation === "position"
  switch (tag) {
    case "RateLimited":
      return true
    case "ConnectionFailed":
      return !isOnce || sent === false
    case "Unavailable":
      return !isOnce || executed === "no"
    case "UnexpectedResponse":
      return !isOnce && status === 200 && body._tag === "Text" && isTooLarge !== true
    default:
      return false
  }
}

/** The bare envelope has no time, and the legacy one is read as a bare one where that is expected. */
const statesTime = ({ answer: { body }, operation }: Plan.AnsweredCall): boolean =>
  body._tag === "Envelope" && (body.kind === "standard" || (body.kind === "legacy" && operation !== "bareRead"))

/** The course of a call. */
export interface Course {
  readonly outcome: CourseOutcome
  readonly sendings: number
  /** How long the address is banned after the last answer, in milliseconds. */
  readonly bannedFor: number | undefined
  /** How often the connections are renewed: they end with a ban, and one that has mixed up its answers is not used again. */
  readonly renewals: number
  /** How its places are settled after its last sending. */
  readonly settled: "counted" | "refused" | "unsent"
  /** The states of its limit that its answers have reported. */
  readonly observed: ReadonlyArray<Observed>
}

/** A failed write is in doubt after the first sending that says nothing. */
const outcomeOf = (call: Plan.AnsweredCall, sendings: ReadonlyArray<CourseOutcome>): CourseOutcome => {
  const last = sendings.at(-1) ?? unsent
  const named = identifiers(call)
  const doubt = sendings.find(saysNothing)
  if (named === undefined || doubt === undefined || last.tag === "done") return last
  const { expected, path, reason, tag } = doubt
  const lossReason = tag === "ConnectionFailed" ? { reason } : {}
  return { tag: "OutcomeUnknown", because: tag, ...lossReason, path, expected, identifiers: named }
}

/**
 * A call is sent until it may not be repeated. One whose timestamp is refused is signed again once, if the answer states the time. `texts` are what was
 * received of each answer.
 */
export const courseOf = (call: Plan.AnsweredCall, texts: ReadonlyArray<string>, retries: number): Course => {
  const sendings: Array<CourseOutcome> = []
  const observed: Array<Observed> = []
  const isSentAgain = (): boolean => {
    const [sent, text] = [Plan.withAnswer(call, sendings.length), texts[sendings.length] ?? ""]
    const outcome = ofSending(sent, text)
    const isFirst = sendings.at(-1)?.tag !== "ClockSkew"
    sendings.push(outcome)
    observed.push(...Option.toArray(observe(sent, text)))
    return outcome.tag === "ClockSkew" && isFirst && statesTime(sent) ? isSentAgain() : mayRepeat(sent, outcome)
  }
  for (let left = retries; isSentAgain() && left > 0;) left--
  const last = sendings.at(-1)
  return {
    outcome: outcomeOf(call, sendings),
    sendings: sendings.length,
    bannedFor: last?.bannedFor,
    renewals: sendings.filter(({ reason, tag }) => tag === "Banned" || reason === "OtherResponse").length,
    settled: last?.sent === false ? "unsent" : last?.tag === "RateLimited" ? "refused" : "counted",
    observed
  }
}
