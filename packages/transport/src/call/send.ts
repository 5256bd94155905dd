import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import type * as Signer from "@effect-venue/signing/Signer"
import * as Signing from "@effect-venue/signing/siblings/Signing"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as BanGate from "../bans/BanGate.js"
import type * as Connections from "../connections/Connections.js"
import type * as Failure from "../model/Failure.js"
import * as banAnswer from "../response/banAnswer.js"
import { type Answer, isRefusedWith, type InterpretedResponse, type Timing } from "../response/answer.js"
import type { Attempt } from "../attempt/callState.js"
import * as journalHook from "../journal/journalHook.js"
import type { WriteJournal } from "../journal/WriteJournal.js"
import { type LimitHeaders, limitHeaders } from "../response/limitAnswer.js"
import * as missingAnswer from "../response/missingAnswer.js"
import * as sendings from "../attempt/sending.js"
import * as requests from "../telemetry/requests.js"
import * as telemetry from "../telemetry/telemetry.js"
import * as verdict from "../response/verdict.js"
import * as Metrics from "../telemetry/Metrics.js"
import type * as RateLimiter from "../limits/RateLimiter.js"
import * as CallOptions from "../model/CallOptions.js"
import type * as ServerClock from "../time/ServerClock.js"
import { within } from "../model/callContext.js"
import * as admission from "./admission.js"
import { andThen, interruptibleWhereItWaits, onExit, type Restore } from "../model/ended.js"
import * as exchange from "../connections/exchange.js"
import * as serverTime from "../time/serverTime.js"
import * as timeLimit from "../time/timeLimit.js"

/** The dependencies of a sending. */
export interface SendDependencies {
  readonly host: string
  readonly limiter: RateLimiter.RateLimiter.Shape
  readonly gate: BanGate.BanGate.Shape
  readonly clock: ServerClock.ServerClock.Shape
  /** How long after sending a request can still arrive at the service. */
  readonly arrivesWithin: Duration.Duration
  readonly signer: Signer.Signer.Shape
  readonly connections: Connections.Connections.Shape
  readonly writer: journalHook.Writer
  /** The journal of all writes. */
  readonly journal: WriteJournal.Shape | undefined
}

/** A request that was answered: its times, milliseconds of the monotonic clock, and its end for telemetry. */
interface AnsweredRequest {
  readonly sentAt: number
  readonly receivedAt: number
  readonly ended: requests.End
}

const sentAgain = "a wrapped client wanted to send a write again that may have been executed"

const isSentAgain = ({ call, sendings: sent }: Attempt): boolean =>
  call.endpoint.safety === "write" && sendings.mayBeExecuted(sent)

/** Whether the time of the call is over: its caller no longer waits, so nothing may leave. */
const isOver = (attempt: Attempt): boolean => attempt.now() >= attempt.call.deadline

const overdue = (attempt: Attempt): Failure.ConnectionFailed =>
  sendings.connectionFailed(attempt, "Timeout", false, "the time of the call was over before the request was sent")

const isOtherResponse = ({ verdict }: InterpretedResponse): boolean =>
  Either.isLeft(verdict) && verdict.left._tag === "ConnectionFailed" && verdict.left.reason === "OtherResponse"

/** Interprets a response that was received at `receivedAt` (monotonic), and the limits in its headers. */
export const interpret = (
  attempt: Attempt,
  answer: Answer,
  codes: ReturnCodes.Table,
  { receivedAt, sentAt, serverTime }: ServerClock.Sample
) => {
  const timing: Timing = { sentAt, receivedAt, ahead: serverTime - receivedAt, wall: attempt.wall() }
  const limits = limitHeaders(answer, timing)
  return { limits, reading: verdict.fromAnswer(attempt, attempt.call, answer, codes, timing, limits) }
}

/** The request that a wrapped client sees, for its errors. */
type Unsigned = () => HttpClientRequest.HttpClientRequest

/** Sends for an attempt. Run it in an uninterruptible region; only the effects in `restore` are interruptible. */
export type Send = (
  attempt: Attempt,
  unsigned: Unsigned,
  restore: Restore
) => Effect.Effect<InterpretedResponse, admission.SendError>

/** The parts that all sendings of a transport share. */
interface SendParts extends Pick<SendDependencies, "connections" | "gate" | "host" | "journal" | "writer"> {
  readonly admission: admission.Admission
  readonly clock: serverTime.ServerTime
  readonly departed: (attempt: Attempt, sentAt: number) => requests.End
  readonly evidence: ReturnType<typeof exchange.evidenceOf>
  readonly exchanged: ReturnType<typeof exchange.make>
  readonly sign: (
    request: Signer.Unsigned,
    references: Context.Context<never>
  ) => ReturnType<Signer.Signer.Shape["sign"]>
}

/** Updates the clock, the limits and the metrics from a response. */
const observeAnswer = (
  { admission: admitting, clock, host }: SendParts,
  attempt: Attempt,
  reading: InterpretedResponse,
  limits: LimitHeaders,
  { receivedAt, sentAt }: AnsweredRequest
) => {
  const { sample } = reading
  const learn = isRefusedWith(reading, "ClockSkew") ? clock.reset : clock.learn
  return andThen(Option.isSome(sample) ? learn(host, sample.value) : Exit.void, () => {
    telemetry.observe(attempt.call, sample, limits)
    const refused = isRefusedWith(reading, "RateLimited")
    return admission.observe(admitting, attempt, limits, { receivedAt, roundTrip: receivedAt - sentAt, refused })
  })
}

/** Reads a response, and updates clock and limits from it unless it belongs to another request. */
const read = (
  parts: SendParts,
  attempt: Attempt,
  sending: sendings.Sending,
  answer: Answer,
  exchanged: AnsweredRequest
): Effect.Effect<InterpretedResponse> => {
  const { clock, connections, host } = parts
  const { around, endpoint } = attempt.call
  const { ended, receivedAt, sentAt } = exchanged
  return andThen(clock.now(host, around.time), (serverTime) => {
    const codes = Context.get(around.references, CallOptions.ReturnCodeTable)
    const { limits, reading: interpreted } = interpret(attempt, answer, codes, { sentAt, receivedAt, serverTime })
    const { sample } = interpreted
    return andThen(Option.isSome(sample) ? clock.precedes(host, sample.value) : Exit.succeed(false), (isEarlier) => {
      // The response to an unsigned request can be cached.
      const reading =
        isEarlier && endpoint.signing !== "public"
          ? verdict.earlier(attempt, interpreted, serverTime - (receivedAt - sentAt))
          : interpreted
      sending.phase = sendings.toAnswered(reading)
      ended(sending.phase, receivedAt)
      // Its limits belong to another request, and its connection can mix up the next responses too.
      if (isOtherResponse(reading)) return Effect.as(connections.renew, reading)
      const known = isEarlier ? { ...reading, sample: Option.none() } : reading
      return andThen(observeAnswer(parts, attempt, known, limits, exchanged), () => Exit.succeed(reading))
    })
  })
}

/** Ends a sending without a complete response. */
const endBroken = (
  { evidence }: SendParts,
  attempt: Attempt,
  sending: sendings.Sending,
  cause: Cause.Cause<HttpClientError.HttpClientError>,
  { ended, receivedAt, sentAt }: AnsweredRequest
): Exit.Exit<InterpretedResponse, HttpClientError.HttpClientError> => {
  const failed = Cause.failureOrCause(cause)
  if (Either.isRight(failed)) {
    ended(sending.phase, receivedAt, failed.right)
    return Exit.failCause(failed.right)
  }
  const codes = Context.get(attempt.call.around.references, CallOptions.ReturnCodeTable)
  const reading = verdict.fromBroken(attempt, failed.left, codes, attempt.wall())
  sending.phase =
    reading === undefined
      ? sendings.toUnanswered(failed.left, missingAnswer.fromError(failed.left, evidence), sentAt)
      : sendings.toAnswered(reading)
  ended(sending.phase, receivedAt)
  return reading === undefined ? Exit.failCause(cause) : Exit.succeed(reading)
}

/** The last step before bytes leave, and the one place that can forbid it: during the waits the guard can have been stopped. */
const depart = (
  parts: SendParts,
  attempt: Attempt,
  sending: sendings.Sending,
  unsigned: Unsigned,
  signed: Signer.Signed,
  restore: Restore
): Effect.Effect<InterpretedResponse, admission.SendError> =>
  andThen(attempt.call.pass?.mayDepart(restore) ?? Exit.void, () =>
    departNow(parts, attempt, sending, unsigned, signed, restore)
  )

/** During the waits another sending of this attempt can have departed, the time of the call can have passed, or a ban can have begun. */
const departNow = (
  parts: SendParts,
  attempt: Attempt,
  sending: sendings.Sending,
  unsigned: Unsigned,
  signed: Signer.Signed,
  restore: Restore
): Effect.Effect<InterpretedResponse, admission.SendError> => {
  return andThen(
    admission.readBanEnd(parts.admission),
    (closedUntil): Effect.Effect<InterpretedResponse, admission.SendError> => {
      // Nothing waits from here until the bytes leave.
      if (isSentAgain(attempt)) return Effect.fail(exchange.requestError(unsigned(), sentAgain))
      if (isOver(attempt)) return Effect.fail(overdue(attempt))
      if (closedUntil > 0) return admission.stopByBan(attempt, sending, closedUntil)
      const sentAt = attempt.now()
      const ended = parts.departed(attempt, sentAt)
      sending.phase = { _tag: "InFlight", sentAt }
      attempt.call.followed?.depart()
      const request = exchange.requestOf(parts.host, signed)
      return onExit(parts.exchanged(request, attempt.call.around, restore), (exit) => {
        const exchanged: AnsweredRequest = { sentAt, receivedAt: attempt.now(), ended }
        return Exit.isSuccess(exit)
          ? read(parts, attempt, sending, exit.value, exchanged)
          : endBroken(parts, attempt, sending, exit.cause, exchanged)
      })
    }
  )
}

/** After signing: the service accepts the request for one receive window from its signature, even if this process is halted in between. */
const recordIntent = (
  { journal, writer }: SendParts,
  attempt: Attempt,
  timestamp: number
): Effect.Effect<void, Failure.ConnectionFailed> => {
  if (attempt.call.endpoint.safety === "read" || journal === undefined) return Exit.void
  // The outcome of the call is already recorded.
  if (isOver(attempt)) return Exit.fail(overdue(attempt))
  return journalHook.of(journal).intended(journal, writer, attempt, timestamp)
}

/** A signer that cannot be interrupted is abandoned when the call ends. */
const abandonable = <A>(signing: Effect.Effect<A>) => (Exit.isExit(signing) ? signing : timeLimit.abandonable(signing))

const signAndSend = (
  parts: SendParts,
  attempt: Attempt,
  sending: sendings.Sending,
  unsigned: Unsigned,
  restore: Restore
): Effect.Effect<InterpretedResponse, admission.SendError> => {
  const { around, endpoint, parameters, signatures } = attempt.call
  const waitFor = <A, E>(effect: Effect.Effect<A, E>) =>
    Exit.isExit(effect) ? effect : restore(within(around, effect))
  return andThen(parts.clock.now(parts.host, around.time), (timestamp) =>
    andThen(waitFor(abandonable(parts.sign({ endpoint, parameters, timestamp }, around.references))), (signed) => {
      const signature = signed.headers["X-BAPI-SIGN"]
      if (signature !== undefined) signatures.push(signature)
      return andThen(waitFor(recordIntent(parts, attempt, timestamp)), () =>
        depart(parts, attempt, sending, unsigned, signed, restore)
      )
    })
  )
}

/** A ban ends all connections, as the service requires, and is passed on as an error. */
const closeForBan = Effect.fnUntraced(function* ({ connections, gate, host }: SendParts, attempt: Attempt) {
  yield* Metric.increment(Metrics.bans)
  yield* connections.renew
  return yield* banAnswer.makeBanned(attempt, Math.max(yield* gate.closedUntil(host), attempt.wall()))
})

/** One sending: the steps that every repetition takes. */
const sendOnce = (
  parts: SendParts,
  attempt: Attempt,
  unsigned: Unsigned,
  restore: Restore
): Effect.Effect<InterpretedResponse, admission.SendError> => {
  const { admission: admitting } = parts
  if (isSentAgain(attempt)) return Effect.fail(exchange.requestError(unsigned(), sentAgain))
  const sending: sendings.Sending = { phase: sendings.queued }
  attempt.sendings.push(sending)
  attempt.call.sendings.push(sending)
  const turn = (restore: Restore) =>
    admission.admit(admitting, attempt, sending, restore, (restore) =>
      signAndSend(parts, attempt, sending, unsigned, restore)
    )
  return andThen(admission.readBanEnd(admitting), (closedUntil) => {
    const failsWhenBanned = Context.get(attempt.call.around.references, BanGate.WhenBanned) === "fail"
    // Checked before taking anything from a rate limit.
    if (failsWhenBanned && closedUntil > 0) return admission.stopByBan(attempt, sending, closedUntil)
    const reading = failsWhenBanned
      ? turn(restore)
      : // A call that a ban has held waits for its limits and signs again after the end of the ban.
        restore(
          Effect.retry(admission.whenOpen(admitting, attempt, interruptibleWhereItWaits(turn)), {
            while: ({ _tag }) => _tag === "Banned"
          })
        )
    return andThen(reading, (reading) =>
      admission.isBan(reading) ? closeForBan(parts, attempt) : Exit.succeed(reading)
    )
  })
}

const signOf = (signer: Signer.Signer.Shape): SendParts["sign"] => {
  const direct = Signing.unsafeSign(signer)
  return direct === undefined
    ? (request) => signer.sign(request)
    : (request, references) => Exit.succeed(direct(request, references))
}

/** Prepares the parts that all sendings share. */
export const make = (dependencies: SendDependencies): Send => {
  const { connections, gate, host, journal, signer, writer } = dependencies
  const parts: SendParts = {
    ...{ connections, gate, host, journal, writer },
    admission: admission.make(dependencies),
    clock: serverTime.make(dependencies.clock),
    departed: requests.make(host),
    evidence: exchange.evidenceOf(connections),
    exchanged: exchange.make(connections),
    sign: signOf(signer)
  }
  return (attempt, unsigned, restore) => sendOnce(parts, attempt, unsigned, restore)
}
