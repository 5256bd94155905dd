import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Attempt, AttemptFailure, SendingSteps } from "../attempt/callState.js"
import * as sendings from "../attempt/sending.js"
import * as CallOptions from "../model/CallOptions.js"
import { excerpt } from "@effect-venue/schemas/siblings/ShownText"
import {
  type Answer,
  isRefusedWith,
  type InterpretedResponse,
  makeUnexpected,
  type Timing
} from "../response/answer.js"
import type { Essence, Mismatch } from "../response/codec.js"
import { type LimitHeaders, limitHeaders } from "../response/limitAnswer.js"
import * as missingAnswer from "../response/missingAnswer.js"
import * as verdict from "../response/verdict.js"
import * as telemetry from "../telemetry/telemetry.js"
import type * as ServerClock from "../time/ServerClock.js"
import type { Steps } from "./steps.js"

/** Decodes the content of an envelope; `body` is the text of the whole response. */
export type Decode<A> = (result: unknown, body: string) => Either.Either<A, Mismatch>

const codesOf = ({ call }: Attempt): ReturnCodes.Table =>
  Context.get(call.around.references, CallOptions.ReturnCodeTable)

/** Interprets a response that was received at `receivedAt` (monotonic), and the limits in its headers. */
export const interpretAnswer = (
  attempt: Attempt,
  answer: Answer,
  { receivedAt, sentAt, serverTime }: ServerClock.Sample
): { readonly limits: LimitHeaders; readonly reading: InterpretedResponse } => {
  const timing: Timing = { sentAt, receivedAt, ahead: serverTime - receivedAt, wall: attempt.wall() }
  const limits = limitHeaders(answer, timing)
  const { call } = attempt
  return {
    limits,
    reading: verdict.fromAnswer({ head: attempt, call, answer, codes: codesOf(attempt), timing, limits })
  }
}

/** An interpreted response, and what is learnt from it. */
interface Interpretation {
  readonly reading: InterpretedResponse
  readonly limits: LimitHeaders
  /** The time in the response; `none` if the response was made before its request was sent. */
  readonly sample: InterpretedResponse["sample"]
  /** Milliseconds of the monotonic clock. */
  readonly receivedAt: number
}

/** Interprets the response of a sending, which ends the sending. */
export function* interpret(sending: SendingSteps, answer: Answer): Steps<Interpretation, never> {
  const { attempt, sentAt, venue } = sending
  const { clock, host } = venue
  const receivedAt = attempt.now()
  const serverTime = yield* clock.now(host, attempt.call.around.time)
  const { limits, reading: interpreted } = interpretAnswer(attempt, answer, { sentAt, receivedAt, serverTime })
  const isEarlier = Option.isSome(interpreted.sample) && (yield* clock.precedes(host, interpreted.sample.value))
  // The response to an unsigned request can be cached.
  const reading =
    isEarlier && attempt.call.endpoint.signing !== "public"
      ? verdict.earlier(attempt, interpreted, serverTime - (receivedAt - sentAt))
      : interpreted
  sending.phase = sendings.toAnswered(reading)
  sending.end(sending.phase, receivedAt)
  return { reading, limits, sample: isEarlier ? Option.none() : reading.sample, receivedAt }
}

const isOtherResponse = ({ verdict }: InterpretedResponse): boolean =>
  Either.isLeft(verdict) && verdict.left._tag === "ConnectionFailed" && verdict.left.reason === "OtherResponse"

/** Updates the clock, the limits and the metrics from a response. */
export function* learn(
  { attempt, sentAt, venue }: SendingSteps,
  { limits: { limit, remaining, resetAt }, reading, receivedAt, sample }: Interpretation
): Steps<void, never> {
  const { clock, connections, host, limiter } = venue
  // Its limits belong to another request, and its connection can mix up the next responses too.
  if (isOtherResponse(reading)) return yield* connections.renew
  const learnTime = isRefusedWith(reading, "ClockSkew") ? clock.reset : clock.learn
  if (Option.isSome(sample)) yield* learnTime(host, sample.value)
  telemetry.observe(attempt.call, sample, remaining)
  const { ofUid } = attempt.charges
  if (Option.isNone(ofUid)) return
  const resetAfter = resetAt === undefined ? 0 : resetAt - receivedAt
  const observation = {
    roundTrip: Duration.millis(receivedAt - sentAt),
    refused: isRefusedWith(reading, "RateLimited"),
    limit,
    remaining,
    resetAfter: resetAfter > 0 ? Duration.millis(resetAfter) : undefined
  }
  yield* limiter.observe(ofUid.value, observation, attempt.call.around.time)
}

/** Ends a sending without a complete response. */
export const endUnanswered = (
  sending: SendingSteps,
  cause: Cause.Cause<HttpClientError.HttpClientError>
): Effect.Effect<InterpretedResponse, HttpClientError.HttpClientError> => {
  const { attempt, sentAt, venue } = sending
  const receivedAt = attempt.now()
  const failed = Cause.failureOrCause(cause)
  if (Either.isRight(failed)) {
    sending.end(sending.phase, receivedAt, failed.right)
    return Effect.failCause(failed.right)
  }
  const reading = verdict.fromBroken(attempt, failed.left, codesOf(attempt), attempt.wall())
  sending.phase =
    reading === undefined
      ? sendings.toUnanswered(failed.left, missingAnswer.fromError(failed.left, venue.evidence), sentAt)
      : sendings.toAnswered(reading)
  sending.end(sending.phase, receivedAt)
  return reading === undefined ? Effect.failCause(cause) : Effect.succeed(reading)
}

/** Logs the details of a write that cannot be read. */
const notice = ({ operation, scrub }: Attempt, unreadable: Essence["unreadable"]): Effect.Effect<void> =>
  Effect.forEach(
    unreadable,
    ({ expected, path }) =>
      Effect.logWarning(
        `${operation}: ${excerpt(scrub, path)} cannot be read and is left out${expected === "" ? "" : `, ${excerpt(scrub, expected)}`}`
      ),
    { discard: true }
  ).pipe(Effect.annotateLogs({ operation }))

/** Returns the result or the failure of a response. */
export const decodeResult = <A>(
  attempt: Attempt,
  { answer, verdict }: InterpretedResponse,
  decode: Decode<A>
): Effect.Effect<A, AttemptFailure> => {
  if (Either.isLeft(verdict)) return Effect.fail(verdict.left)
  const { endpoint, entry, essence, pass } = attempt.call
  const { extInfo, result } = verdict.right
  const isExtended = endpoint.extended === true
  if (isExtended) {
    pass?.answered(attempt, verdict.right)
    entry?.answered(verdict.right)
  }
  const whole = isExtended ? { result, extInfo } : result
  const decoded = decode(whole, answer.body)
  const { result: readable, unreadable }: Essence =
    endpoint.safety === "read" ? { result: whole, unreadable: [] } : essence(whole, Either.isRight(decoded))
  const read = readable === whole ? decoded : Either.orElse(decode(readable, answer.body), () => decoded)
  if (Either.isLeft(read)) return Effect.fail(makeUnexpected(attempt, answer, read.left.path, read.left.expected))
  return unreadable.length === 0 ? Effect.succeed(read.right) : Effect.as(notice(attempt, unreadable), read.right)
}
