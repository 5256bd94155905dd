import * as Hmac from "@effect-venue/signing/Hmac"
import * as Signing from "@effect-venue/signing/siblings/Signing"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { constVoid, identity } from "effect/Function"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type { Attempt, AttemptFailure, SendError, SendingSteps, Venue } from "../attempt/callState.js"
import * as sendings from "../attempt/sending.js"
import * as BanGate from "../bans/BanGate.js"
import * as exchange from "../connections/exchange.js"
import * as RateLimiter from "../limits/RateLimiter.js"
import { getProvided } from "../model/Inherit.js"
import { onEnd, onSuccess } from "../model/exits.js"
import type * as Failure from "../model/Failure.js"
import { type Answer, isRefusedWith, type InterpretedResponse } from "../response/answer.js"
import * as banAnswer from "../response/banAnswer.js"
import { describeCause } from "../response/connection.js"
import * as Metrics from "../telemetry/Metrics.js"
import type * as RateLimitStore from "../stores/RateLimitStore.js"
import * as telemetry from "../telemetry/telemetry.js"
import { type Decode, decodeResult, endUnanswered, interpret, learn } from "./reading.js"
import { awaitStep, mapFailure, run, type Steps } from "./steps.js"

/** Sends for an attempt, as often as a wrapped client does. */
export type Execute = (attempt: Attempt) => Effect.Effect<InterpretedResponse, SendError>

/**
 * Runs an attempt, in an uninterruptible region: one sending, and a second one if the service refused the timestamp of the first. That was not executed, and
 * the clock is then corrected.
 */
export const runAttempt = <A>(
  attempt: Attempt,
  execute: Execute,
  decode: Decode<A>
): Effect.Effect<A, AttemptFailure> =>
  onEnd(execute(attempt), (exit) =>
    Exit.isSuccess(exit) && isRefusedWith(exit.value, "ClockSkew") && Option.isSome(exit.value.sample)
      ? onEnd(execute(attempt), (again) => conclude(attempt, again, decode))
      : conclude(attempt, exit, decode)
  )

const conclude = <A>(
  attempt: Attempt,
  exit: Exit.Exit<InterpretedResponse, SendError>,
  decode: Decode<A>
): Effect.Effect<A, AttemptFailure> => {
  const decoded: Effect.Effect<A, AttemptFailure> = Exit.isSuccess(exit)
    ? decodeResult(attempt, exit.value, decode)
    : Exit.failCause(Cause.map(exit.cause, (error) => failureOf(attempt, error)))
  return onEnd(decoded, (ended) => {
    const logged = telemetry.endAttempt(attempt)
    return logged === undefined ? ended : Effect.zipRight(logged, ended)
  })
}

const failureOf = (attempt: Attempt, error: SendError): AttemptFailure => {
  if (error._tag === "Banned" || error._tag === "Blocked" || error._tag === "ConnectionFailed") return error
  const last = attempt.sendings.at(-1)?.phase
  const reason = last?._tag === "NotSent" || last?._tag === "Lost" ? last.reason : "Connection"
  return sendings.connectionFailed(attempt, reason, sendings.mayBeExecuted(attempt.sendings), describeCause(error))
}

/** The steps of a sending until it departs, in order. Only those that wait can be interrupted. */
function* takeSteps(sending: SendingSteps): Steps<HttpClientRequest.HttpClientRequest, SendError> {
  yield* admit(sending)
  yield* sign(sending)
  yield* recordIntent(sending)
  return yield* depart(sending)
}

/** Waits for the response. The steps after it are a younger generator, because the engine would keep a response to which an older object refers. */
const receive = (sending: SendingSteps, request: HttpClientRequest.HttpClientRequest) => {
  const { attempt, venue } = sending
  const response = exchange.send(venue.connections, request, attempt.call.around.references)
  return onEnd(sending.restore(response), (exit) =>
    Exit.isSuccess(exit) ? run(readAnswer(sending, exit.value)) : endUnanswered(sending, exit.cause)
  )
}

function* readAnswer(sending: SendingSteps, answer: Answer): Steps<InterpretedResponse, never> {
  const interpretation = yield* interpret(sending, answer)
  yield* learn(sending, interpretation)
  return interpretation.reading
}

/** Whether a response is the service's ban of the address. */
const isBan = (reading: InterpretedResponse): boolean => isRefusedWith(reading, "Banned")

/** Ends a sending that a ban prevents. `until`: milliseconds of the wall clock. */
const stopByBan = (sending: SendingSteps, until: number) =>
  Effect.suspend(() => {
    sending.phase = { _tag: "Held", until }
    return banAnswer.makeBanned(sending.attempt, until)
  })

const failUnlimited =
  (attempt: Attempt) =>
  (error: Failure.Banned | RateLimitStore.StoreUnreachable): SendError =>
    error._tag === "Banned" ? error : sendings.connectionFailed(attempt, "RateLimitStore", false, error.message)

/** Waits for the rate limits of a sending, then at the gate. What the sending then occupies is released by `release`. */
function* admit(sending: SendingSteps): Steps<void, SendError> {
  const { attempt, passage, ticket, venue } = sending
  const { gate, host, limiter } = venue
  const { charges, now, priority, turn } = attempt
  const { around } = attempt.call
  const queuedAt = now()
  // Checked before taking anything from a rate limit.
  const closedUntil = yield* gate.closedUntil(host, around.time)
  if (closedUntil > 0) return yield* stopByBan(sending, closedUntil)
  const closed = Effect.flatMap(gate.whenClosed(host), (until) => stopByBan(sending, until))
  const acquired = limiter.acquire(ticket, { charges: charges.all, priority, turn, unless: closed }, around.time)
  yield* awaitStep(sending, mapFailure(acquired, failUnlimited(attempt)))
  attempt.waited += now() - queuedAt
  // A call waits for the end of a ban without occupying its rate limits. A lease in a shared store is shorter than a ban, so the slots that this call then uses
  // could be given to others.
  const entered = gate.enter(passage, host, { clock: around.time, whenBanned: "fail" })
  const until = yield* awaitStep(sending, entered)
  if (until > 0) yield* stopByBan(sending, until)
}

/** Signs a sending with the time of the service. The signature is removed from the text of failures. */
function* sign(sending: SendingSteps): Steps<void, never> {
  const { attempt, venue } = sending
  const { around, endpoint, parameters, signatures } = attempt.call
  const timestamp = yield* venue.clock.now(venue.host, around.time)
  const hmac = getProvided(around.references, Hmac.Hmac)
  sending.signedAt = timestamp
  sending.signed = yield* awaitStep(sending, venue.signer.sign({ endpoint, parameters, timestamp, hmac }))
  const signature = sending.signed.headers[Signing.signatureHeader]
  if (signature !== undefined) signatures.push(signature)
}

/** Records a write in its journal. After signing: the service accepts it for one receive window from its signature, even if this process is halted. */
function* recordIntent(sending: SendingSteps): Steps<void, SendError> {
  const { attempt, signedAt, venue } = sending
  if (attempt.call.endpoint.safety === "read" || venue.recordIntent === undefined) return
  // The outcome of the call is already recorded.
  if (isOver(attempt)) return yield* overdue(attempt)
  yield* awaitStep(sending, venue.recordIntent(attempt, signedAt))
}

/**
 * The last step before bytes leave, and the one place that can forbid it. During the waits the guard can have been stopped, another sending of this attempt can
 * have departed, the time of the call can have passed, or a ban can have begun.
 */
function* depart(sending: SendingSteps): Steps<HttpClientRequest.HttpClientRequest, SendError> {
  const { attempt, signed, unsigned, venue } = sending
  const { around, followed, pass } = attempt.call
  if (pass !== undefined) yield* awaitStep(sending, pass.mayDepart)
  const closedUntil = yield* venue.gate.closedUntil(venue.host, around.time)
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
}

const sentAgain = "a wrapped client wanted to send a write again that may have been executed"

const isSentAgain = ({ call, sendings: sent }: Attempt): boolean =>
  call.endpoint.safety === "write" && sendings.mayBeExecuted(sent)

/** Whether the time of the call is over: its caller no longer waits, so nothing may leave. */
const isOver = (attempt: Attempt): boolean => attempt.now() >= attempt.call.deadline

const overdue = (attempt: Attempt): Failure.ConnectionFailed =>
  sendings.connectionFailed(attempt, "Timeout", false, "the time of the call was over before the request was sent")

/** Releases what a sending occupies, by its final phase. A ban closes the gate. Returns how the sending has ended. */
function* release<E>(
  { attempt, passage, phase, ticket, venue }: SendingSteps,
  exit: Exit.Exit<InterpretedResponse, E>
): Steps<InterpretedResponse, E> {
  const { time } = attempt.call.around
  const outcome = Exit.isFailure(exit) ? "unknown" : isBan(exit.value) ? "banned" : "unbanned"
  yield* venue.gate.leave(passage, venue.host, outcome, time)
  const arrivesWithin = Duration.millis(sendings.arrivesWithin(phase, attempt.now(), venue.journey))
  yield* venue.limiter.release(ticket, sendings.chargeOutcome(phase), arrivesWithin, time)
  return yield* exit
}

/** Sends once, and ends with the exit of the sending after what it has occupied is released. */
const sendOnce = <A, E>(
  sending: SendingSteps,
  end: (exit: Exit.Exit<InterpretedResponse, SendError>) => Effect.Effect<A, E>
): Effect.Effect<A, E> => {
  const received = onSuccess(run(takeSteps(sending)), (request) => receive(sending, request))
  return onEnd(received, (exit) => onEnd(run(release(sending, exit)), end))
}

/** A ban ends all connections, as the service requires, and is passed on as an error. */
const closeForBan = Effect.fnUntraced(function* ({ attempt, venue: { connections, gate, host } }: SendingSteps) {
  yield* Metric.increment(Metrics.bans)
  yield* connections.renew
  const closedUntil = yield* gate.closedUntil(host, attempt.call.around.time)
  return yield* banAnswer.makeBanned(attempt, Math.max(closedUntil, attempt.wall()))
})

/**
 * Sends for an attempt, at once or after the end of a ban, in an uninterruptible region. `unsigned` is the request that a wrapped client sees, and `restore`
 * makes an effect as interruptible as the caller of that client.
 */
export const send = (
  venue: Venue,
  attempt: Attempt,
  { restore, unsigned }: Pick<SendingSteps, "restore" | "unsigned">
): Effect.Effect<InterpretedResponse, SendError> => {
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
  const end = (exit: Exit.Exit<InterpretedResponse, SendError>) =>
    Exit.isSuccess(exit) && isBan(exit.value) ? closeForBan(sending) : exit
  if (Context.get(attempt.call.around.references, BanGate.WhenBanned) === "fail") return sendOnce(sending, end)
  // A call that a ban has held waits for its limits and signs again after the end of the ban.
  const held = Effect.flatMap(restore(awaitOpen(sending)), () => sendOnce(sending, identity))
  return onEnd(Effect.retry(held, { while: ({ _tag }) => _tag === "Banned" }), end)
}

/** Waits until no ban is known. */
const awaitOpen = (sending: SendingSteps): Effect.Effect<void> => {
  const { attempt, venue } = sending
  return Effect.flatMap(
    Effect.suspend(() => venue.gate.closedUntil(venue.host, attempt.call.around.time)),
    (until) =>
      until === 0
        ? Effect.void
        : Effect.flatMap(Effect.sleep(Math.max(until - attempt.wall(), 1)), () => awaitOpen(sending))
  )
}
