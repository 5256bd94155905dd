import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as Signer from "@effect-venue/signing/Signer"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as BanGate from "../../BanGate.js"
import type * as Connections from "../../Connections.js"
import type * as Failure from "../../Failure.js"
import * as banAnswer from "../response/banAnswer.js"
import { type Answer, isRefusedWith, type Reading, type Timing } from "../response/answer.js"
import type { Attempt } from "./callState.js"
import * as journalHook from "../journal/journalHook.js"
import * as journalTag from "../journal/journalTag.js"
import { type LimitHeaders, limitHeaders } from "../response/limitAnswer.js"
import * as missingAnswer from "../response/missingAnswer.js"
import * as sendings from "./sending.js"
import * as requests from "../telemetry/requests.js"
import * as telemetry from "../telemetry/telemetry.js"
import * as verdict from "../response/verdict.js"
import * as Metrics from "../../Metrics.js"
import type * as RateLimiter from "../../RateLimiter.js"
import { ReturnCodeTable } from "../../ReturnCodeTable.js"
import type * as ServerClock from "../../ServerClock.js"
import * as admission from "./admission.js"
import { andThen, interruptibleWhereItWaits, onExit, type Restore } from "../ended.js"
import * as exchange from "../connections/exchange.js"
import * as serverTime from "../time/serverTime.js"

/** What a sending needs. */
export interface Dependencies {
  readonly host: string
  readonly limiter: RateLimiter.RateLimiter.Shape
  readonly gate: BanGate.BanGate.Shape
  readonly clock: ServerClock.ServerClock.Shape
  /** How long after its sending a request can still arrive at the service. */
  readonly arrivesWithin: Duration.Duration
  readonly signer: Signer.Signer.Shape
  readonly connections: Connections.Connections.Shape
  readonly writer: journalHook.Writer
}

/** A request that was answered: its times, milliseconds of the monotonic clock, and its end for telemetry. */
interface Exchange {
  readonly sentAt: number
  readonly receivedAt: number
  readonly ended: requests.End
}

const sentAgain = "a wrapped client wanted to send a write again that may have been executed"

const isSentAgain = ({ call, sendings: sent }: Attempt): boolean =>
  call.endpoint.safety === "write" && sendings.mayBeExecuted(sent)

const isOtherResponse = ({ verdict }: Reading): boolean =>
  Either.isLeft(verdict) && verdict.left._tag === "ConnectionFailed" && verdict.left.reason === "OtherResponse"

const isBan = (reading: Reading): boolean => isRefusedWith(reading, "Banned")

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

/** Sends for an attempt. Run it in a region where only `restore` makes interruptible. */
export type Send = (
  attempt: Attempt,
  unsigned: () => HttpClientRequest.HttpClientRequest,
  restore: Restore
) => Effect.Effect<Reading, admission.SendError>

/** One sending: all steps that are repeated whenever something is sent. */
export const make = (dependencies: Dependencies): Send => {
  const { connections, gate, host, signer, writer } = dependencies
  const admit = admission.make(dependencies)
  const clock = serverTime.make(dependencies.clock)
  const exchanged = exchange.make(connections)
  const departed = requests.make(host)
  const evidence = exchange.evidenceOf(connections)
  const direct = Signer.unsafeSign(signer)
  const sign = (request: Signer.Unsigned, references: Context.Context<never>) =>
    direct === undefined ? signer.sign(request) : Exit.succeed(direct(request, references))

  /** Updates the clock, the limits and the metrics from a response. */
  const learnt = (attempt: Attempt, reading: Reading, limits: LimitHeaders, sentAt: number, receivedAt: number) => {
    const { sample } = reading
    const learn = isRefusedWith(reading, "ClockSkew") ? clock.reset : clock.learn
    return andThen(Option.isSome(sample) ? learn(host, sample.value) : Exit.void, () => {
      telemetry.observed(attempt.call, sample, limits)
      const refused = isRefusedWith(reading, "RateLimited")
      return admit.observe(attempt, limits, { receivedAt, roundTrip: receivedAt - sentAt, refused })
    })
  }

  /** Reads a response, and learns from it unless it belongs to another request. */
  const read = (
    attempt: Attempt,
    sending: sendings.Sending,
    answer: Answer,
    codes: ReturnCodes.Table,
    { ended, receivedAt, sentAt }: Exchange
  ): Effect.Effect<Reading> => {
    const { endpoint } = attempt.call
    return andThen(clock.now(host, attempt.call.around.time), (serverTime) => {
      const { limits, reading: interpreted } = interpret(attempt, answer, codes, { sentAt, receivedAt, serverTime })
      const { sample } = interpreted
      return andThen(Option.isSome(sample) ? clock.precedes(host, sample.value) : Exit.succeed(false), (isEarlier) => {
        // The response to an unsigned request can be cached.
        const reading = isEarlier && endpoint.signing !== "public" ? verdict.earlier(attempt, interpreted) : interpreted
        sending.phase = sendings.answered(reading)
        ended(sending.phase, receivedAt)
        // Its limits are those of another request, and its connection may mix up the next responses too.
        if (isOtherResponse(reading)) return Effect.as(connections.renew, reading)
        const known = isEarlier ? { ...reading, sample: Option.none() } : reading
        return andThen(learnt(attempt, known, limits, sentAt, receivedAt), () => Exit.succeed(reading))
      })
    })
  }

  /** The last step before bytes leave: during the waits another sending of this attempt can have departed, or a ban can have begun. */
  const depart = (
    attempt: Attempt,
    sending: sendings.Sending,
    unsigned: () => HttpClientRequest.HttpClientRequest,
    signed: Signer.Signed,
    restore: Restore
  ): Effect.Effect<Reading, admission.SendError> => {
    if (isSentAgain(attempt)) return Effect.fail(exchange.requestError(unsigned(), sentAgain))
    const { references } = attempt.call.around
    const codes = Context.get(references, ReturnCodeTable)
    return andThen(admit.closedUntil(), (closedUntil): Effect.Effect<Reading, admission.SendError> => {
      if (closedUntil > 0) return admission.held(attempt, sending, closedUntil)
      const sentAt = attempt.now()
      const ended = departed(attempt, sentAt)
      sending.phase = { _tag: "InFlight", sentAt }
      return onExit(exchanged(exchange.requestOf(host, signed), references, restore), (exit) => {
        const receivedAt = attempt.now()
        if (Exit.isSuccess(exit)) return read(attempt, sending, exit.value, codes, { sentAt, receivedAt, ended })
        const failed = Cause.failureOrCause(exit.cause)
        if (Either.isRight(failed)) {
          ended(sending.phase, receivedAt, failed.right)
          return Exit.failCause(failed.right)
        }
        const reading = verdict.fromBroken(attempt, failed.left, codes, attempt.wall())
        sending.phase =
          reading === undefined
            ? sendings.unanswered(failed.left, missingAnswer.fromError(failed.left, evidence), sentAt)
            : sendings.answered(reading)
        ended(sending.phase, receivedAt)
        return reading === undefined ? Exit.failCause(exit.cause) : Exit.succeed(reading)
      })
    })
  }

  /** After signing: the service accepts the request for one receive window from its signature, even if this process is halted in between. */
  const recorded = (attempt: Attempt, timestamp: number): Effect.Effect<void, Failure.ConnectionFailed> => {
    if (attempt.call.endpoint.safety === "read") return Exit.void
    const recorder = Context.getOrElse(attempt.call.around.references, journalTag.tag, () => undefined)
    return recorder === undefined ? Exit.void : journalHook.of(recorder).intended(recorder, writer, attempt, timestamp)
  }

  const signedAndSent = (
    attempt: Attempt,
    sending: sendings.Sending,
    unsigned: () => HttpClientRequest.HttpClientRequest,
    restore: Restore
  ): Effect.Effect<Reading, admission.SendError> => {
    const { around, endpoint, parameters, signatures } = attempt.call
    const waited = <A, E>(effect: Effect.Effect<A, E>) => (Exit.isExit(effect) ? effect : restore(effect))
    return andThen(clock.now(host, around.time), (timestamp) =>
      andThen(waited(sign({ endpoint, parameters, timestamp }, around.references)), (signed) => {
        const signature = signed.headers["X-BAPI-SIGN"]
        if (signature !== undefined) signatures.push(signature)
        return andThen(waited(recorded(attempt, timestamp)), () => depart(attempt, sending, unsigned, signed, restore))
      })
    )
  }

  /** A ban ends all connections, as the service requires, and is passed on as an error. */
  const banned = Effect.fnUntraced(function* (attempt: Attempt) {
    yield* Metric.increment(Metrics.bans)
    yield* connections.renew
    return yield* banAnswer.banned(attempt, Math.max(yield* gate.closedUntil(host), attempt.wall()))
  })

  return (attempt, unsigned, restore) => {
    if (isSentAgain(attempt)) return Effect.fail(exchange.requestError(unsigned(), sentAgain))
    const sending: sendings.Sending = { phase: sendings.queued }
    attempt.sendings.push(sending)
    attempt.call.sendings.push(sending)
    const turn = (restore: Restore) =>
      admit.admitted(attempt, sending, isBan, restore, (restore) => signedAndSent(attempt, sending, unsigned, restore))
    return andThen(admit.closedUntil(), (closedUntil) => {
      const failsWhenBanned = Context.get(attempt.call.around.references, BanGate.WhenBanned) === "fail"
      // Checked before taking anything from a rate limit.
      if (failsWhenBanned && closedUntil > 0) return admission.held(attempt, sending, closedUntil)
      const reading = failsWhenBanned
        ? turn(restore)
        : // A call that a ban has held waits for its limits and signs again after the end of the ban.
          restore(
            Effect.retry(admit.whenOpen(attempt, interruptibleWhereItWaits(turn)), {
              while: () => sending.phase._tag === "Held"
            })
          )
      return andThen(reading, (reading) => (isBan(reading) ? banned(attempt) : Exit.succeed(reading)))
    })
  }
}
