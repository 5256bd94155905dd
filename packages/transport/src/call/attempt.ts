import * as Signing from "@effect-venue/signing/siblings/Signing"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constVoid } from "effect/Function"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type { Attempt, AttemptFailure, SendError, SendingSteps, Venue } from "../attempt/callState.js"
import * as sendings from "../attempt/sending.js"
import * as BanGate from "../bans/BanGate.js"
import * as exchange from "../connections/exchange.js"
import * as RateLimiter from "../limits/RateLimiter.js"
import type * as Failure from "../model/Failure.js"
import { type Answer, isRefusedWith, type InterpretedResponse } from "../response/answer.js"
import * as banAnswer from "../response/banAnswer.js"
import * as Metrics from "../telemetry/Metrics.js"
import * as telemetry from "../telemetry/telemetry.js"
import { admit, awaitOpen, isBan, release, stopByBan } from "./admission.js"
import { type Decode, decodeResult, endUnanswered, interpret, learn } from "./reading.js"

/** Sends for an attempt, as often as a wrapped client does. */
export type Execute = (attempt: Attempt) => Effect.Effect<InterpretedResponse, AttemptFailure>

/** Runs an attempt: one sending, and a second one if the service refused the timestamp of the first. That was not executed, and the clock is then corrected. */
export const runAttempt = <A>(
  attempt: Attempt,
  execute: Execute,
  decode: Decode<A>
): Effect.Effect<A, AttemptFailure> =>
  telemetry.attempt(
    attempt,
    Effect.flatMap(execute(attempt), (reading) =>
      isRefusedWith(reading, "ClockSkew") && Option.isSome(reading.sample)
        ? Effect.flatMap(execute(attempt), (again) => decodeResult(attempt, again, decode))
        : decodeResult(attempt, reading, decode)
    )
  )

/** Takes the steps of a sending in order. Only those that wait can be interrupted. */
const takeSteps = Effect.fnUntraced(function* (sending: SendingSteps) {
  yield* admit(sending)
  yield* sign(sending)
  yield* recordIntent(sending)
  const request = yield* depart(sending)
  return yield* receive(sending, request)
})

/** Waits for the response. It has a younger generator, because the engine would keep a response to which an older object refers. (docs/decisions/0055) */
const receive = (sending: SendingSteps, request: HttpClientRequest.HttpClientRequest) => {
  const { attempt, restore, venue } = sending
  return Effect.matchCauseEffect(restore(exchange.send(venue.connections, request, attempt.call.around.references)), {
    onFailure: (cause) => endUnanswered(sending, cause),
    onSuccess: (answer) => concludeSending(sending, answer)
  })
}

const concludeSending = Effect.fnUntraced(function* (sending: SendingSteps, answer: Answer) {
  const interpretation = yield* interpret(sending, answer)
  yield* learn(sending, interpretation)
  return interpretation.reading
})

/** Signs a sending with the time of the service. The signature is removed from the text of failures. */
const sign = Effect.fnUntraced(function* (sending: SendingSteps) {
  const { attempt, restore, venue } = sending
  const { endpoint, parameters, signatures } = attempt.call
  const timestamp = yield* venue.clock.now(venue.host)
  sending.signedAt = timestamp
  sending.signed = yield* restore(venue.signer.sign({ endpoint, parameters, timestamp }))
  const signature = sending.signed.headers[Signing.signatureHeader]
  if (signature !== undefined) signatures.push(signature)
})

/** Records a write in its journal. After signing: the service accepts it for one receive window from its signature, even if this process is halted. */
const recordIntent = ({ attempt, restore, signedAt, venue }: SendingSteps): Effect.Effect<void, SendError> => {
  if (attempt.call.endpoint.safety === "read" || venue.recordIntent === undefined) return Effect.void
  // The outcome of the call is already recorded.
  return isOver(attempt) ? Effect.fail(overdue(attempt)) : restore(venue.recordIntent(attempt, signedAt))
}

/**
 * The last step before bytes leave, and the one place that can forbid it. During the waits the guard can have been stopped, another sending of this attempt can
 * have departed, the time of the call can have passed, or a ban can have begun.
 */
const depart = Effect.fnUntraced(function* (sending: SendingSteps) {
  const { attempt, restore, signed, unsigned, venue } = sending
  const { followed, pass } = attempt.call
  if (pass !== undefined) yield* restore(pass.mayDepart)
  const closedUntil = yield* venue.gate.closedUntil(venue.host)
  // Nothing waits from here until the bytes leave.
  if (isSentAgain(attempt)) return yield* Effect.fail(exchange.requestError(unsigned(), sentAgain))
  if (isOver(attempt)) return yield* overdue(attempt)
  if (closedUntil > 0) return yield* stopByBan(sending, closedUntil)
  if (signed === undefined) return yield* Effect.dieMessage("a sending departs after it was signed")
  const sentAt = attempt.now()
  sending.end = venue.beginRequest(attempt, sentAt)
  sending.sentAt = sentAt
  sending.phase = { _tag: "InFlight", sentAt }
  followed?.depart()
  return exchange.requestOf(venue.host, signed)
})

const sentAgain = "a wrapped client wanted to send a write again that may have been executed"

const isSentAgain = ({ call, sendings: sent }: Attempt): boolean =>
  call.endpoint.safety === "write" && sendings.mayBeExecuted(sent)

/** Whether the time of the call is over: its caller no longer waits, so nothing may leave. */
const isOver = (attempt: Attempt): boolean => attempt.now() >= attempt.call.deadline

const overdue = (attempt: Attempt): Failure.ConnectionFailed =>
  sendings.connectionFailed(attempt, "Timeout", false, "the time of the call was over before the request was sent")

// More than the steps of a sending take.
const operations = 2048

/** Runs steps that wait for nothing without yielding to another fiber, so that nothing comes between admission and departure. */
const withoutYield = <A, E>(steps: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiberRuntime(({ currentOpCount }) => Effect.withMaxOpsBeforeYield(steps, currentOpCount + operations))

/** Sends once, and releases what the sending has occupied. */
const sendOnce = (sending: SendingSteps): Effect.Effect<InterpretedResponse, SendError> =>
  Effect.flatMap(Effect.exit(withoutYield(takeSteps(sending))), (exit) =>
    Effect.zipRight(release(sending, Exit.isSuccess(exit) ? exit.value : undefined), exit)
  )

/** A ban ends all connections, as the service requires, and is passed on as an error. */
const closeForBan = Effect.fnUntraced(function* ({ attempt, venue: { connections, gate, host } }: SendingSteps) {
  yield* Metric.increment(Metrics.bans)
  yield* connections.renew
  return yield* banAnswer.makeBanned(attempt, Math.max(yield* gate.closedUntil(host), attempt.wall()))
})

/** Sends for an attempt: at once, or after the end of a ban. `unsigned` is the request that a wrapped client sees. */
export const send = (
  venue: Venue,
  attempt: Attempt,
  unsigned: SendingSteps["unsigned"]
): Effect.Effect<InterpretedResponse, SendError> =>
  Effect.uninterruptibleMask((restore) => {
    if (isSentAgain(attempt)) return Effect.fail(exchange.requestError(unsigned(), sentAgain))
    const sending: SendingSteps = {
      phase: sendings.queued,
      venue,
      attempt,
      unsigned,
      restore,
      ticket: RateLimiter.makeTicket(),
      passage: BanGate.makePassage(),
      signedAt: 0,
      signed: undefined,
      sentAt: 0,
      end: constVoid
    }
    attempt.sendings.push(sending)
    attempt.call.sendings.push(sending)
    const failsWhenBanned = Context.get(attempt.call.around.references, BanGate.WhenBanned) === "fail"
    const answered = failsWhenBanned
      ? // Checked before taking anything from a rate limit.
        Effect.flatMap(venue.gate.closedUntil(venue.host), (until) =>
          until > 0 ? stopByBan(sending, until) : sendOnce(sending)
        )
      : // A call that a ban has held waits for its limits and signs again after the end of the ban.
        Effect.retry(Effect.zipRight(restore(awaitOpen(sending)), sendOnce(sending)), {
          while: ({ _tag }) => _tag === "Banned"
        })
    return Effect.flatMap(answered, (reading) => (isBan(reading) ? closeForBan(sending) : Effect.succeed(reading)))
  })
