import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import type * as Signer from "@effect-venue/signing/Signer"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as BanGate from "../BanGate.js"
import * as CallOptions from "../CallOptions.js"
import type * as Connections from "../Connections.js"
import * as Failure from "../Failure.js"
import * as Metrics from "../Metrics.js"
import type * as RateLimiter from "../RateLimiter.js"
import type * as RateLimitStore from "../RateLimitStore.js"
import { ReturnCodeTable } from "../ReturnCodeTable.js"
import type * as ServerClock from "../ServerClock.js"
import type { WriteJournal } from "../WriteJournal.js"
import * as banAnswer from "./banAnswer.js"
import type { Attempt } from "./callState.js"
import * as exchange from "./exchange.js"
import * as journalHook from "./journalHook.js"
import * as journalTag from "./journalTag.js"
import { limitHeaders } from "./limitAnswer.js"
import * as missingAnswer from "./missingAnswer.js"
import { type Answer, isRefusedWith, type Reading, type Timing } from "./answer.js"
import * as sendings from "./sending.js"
import * as telemetry from "./telemetry.js"
import * as verdict from "./verdict.js"

/** What a sending needs. */
export interface Dependencies {
  readonly host: string
  readonly limiter: RateLimiter.RateLimiter.Shape
  readonly gate: BanGate.BanGate.Shape
  readonly clock: ServerClock.ServerClock.Shape
  /** How long after its sending a request may still arrive where the service takes it. */
  readonly arrivesWithin: Duration.Duration
  readonly signer: Signer.Signer.Shape
  readonly connections: Connections.Connections.Shape
  readonly writer: journalHook.Writer
  /** Where writes are recorded; `undefined` for nowhere. */
  readonly journal: WriteJournal.Shape | undefined
}

/** Why no answer came of a sending. */
export type SendError = HttpClientError.HttpClientError | Failure.Banned | Failure.ConnectionFailed

const sentAgain = "a wrapped client wanted to send a write again that may have been executed"

const isSentAgain = ({ call, sendings: sent }: Attempt): boolean =>
  call.endpoint.safety === "write" && sendings.mayBeExecuted(sent)

const isOtherResponse = ({ verdict }: Reading): boolean =>
  Either.isLeft(verdict) && verdict.left._tag === "ConnectionFailed" && verdict.left.reason === "OtherResponse"

const isBan = (reading: Reading): boolean => isRefusedWith(reading, "Banned")

/** What an answer that was received at `receivedAt`, monotonic, means, and the limits that its headers state. */
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

/**
 * One sending: rate limits, ban gate, signature, bytes, headers, verdict; all that has to happen anew whenever something is sent.
 *
 * Its generators are made once, not with every call: the engine keeps a generator function and all that it has seen until its
 * rarest collection, and answers that are kept that long cost a call more than all its checks. (docs/decisions/0020)
 */
export const make = (dependencies: Dependencies) => {
  const { arrivesWithin, clock, connections, gate, host, limiter, signer, writer } = dependencies
  const send = exchange.make(connections)
  const evidence = exchange.evidenceOf(connections)

  /** Reads an answer, and feeds the clock, the limits and the metrics from it. */
  const read = Effect.fnUntraced(function* (
    attempt: Attempt,
    sending: sendings.Sending,
    answer: Answer,
    codes: ReturnCodes.Table,
    sentAt: number
  ) {
    const { ofUid } = attempt.charges
    const receivedAt = attempt.now()
    const serverTime = yield* clock.now(host)
    const { limits, reading: interpreted } = interpret(attempt, answer, codes, { sentAt, receivedAt, serverTime })
    const { sample } = interpreted
    const isEarlier = Option.isSome(sample) && (yield* clock.precedes(host, sample.value))
    // The response to a request without a signature can come from a cache.
    const reading =
      isEarlier && attempt.call.endpoint.signing !== "public" ? verdict.earlier(attempt, interpreted) : interpreted
    sending.phase = sendings.answered(reading)
    if (isOtherResponse(reading)) {
      // Its limits are those of another request, and its connection may mix up the next responses too.
      yield* connections.renew
      return reading
    }
    if (Option.isSome(sample) && !isEarlier) {
      yield* isRefusedWith(reading, "ClockSkew") ? clock.reset(host, sample.value) : clock.learn(host, sample.value)
    }
    yield* telemetry.observed(attempt.call.endpoint, sample, limits)
    if (Option.isSome(ofUid)) {
      const { limit, remaining, resetAt } = limits
      const refused = isRefusedWith(reading, "RateLimited")
      const resetAfter = resetAt === undefined ? 0 : resetAt - receivedAt
      yield* limiter.observe(ofUid.value, {
        roundTrip: Duration.millis(receivedAt - sentAt),
        refused,
        limit,
        remaining,
        resetAfter: resetAfter > 0 ? Duration.millis(resetAfter) : undefined
      })
    }
    return reading
  })

  const signedAndSent = Effect.fnUntraced(function* (
    attempt: Attempt,
    sending: sendings.Sending,
    unsigned: () => HttpClientRequest.HttpClientRequest,
    references: Context.Context<never>
  ) {
    const { endpoint, parameters, signatures } = attempt.call
    const timeout = Context.get(references, CallOptions.AttemptTimeout)
    const limit = Context.get(references, CallOptions.MaxResponseBytes)
    const codes = Context.get(references, ReturnCodeTable)
    const timestamp = yield* clock.now(host)
    const signed = yield* signer.sign({ endpoint, parameters, timestamp })
    const signature = signed.headers["X-BAPI-SIGN"]
    if (signature !== undefined) signatures.push(signature)
    // After signing: the service takes the request for one receive window from its signature, also if this process is halted in between.
    if (endpoint.safety !== "read") {
      const recorder = Context.getOrElse(references, journalTag.tag, () => dependencies.journal)
      if (recorder !== undefined) yield* journalHook.of(recorder).intended(recorder, writer, attempt, timestamp)
    }
    // The last step before bytes leave. During the waits another sending of this attempt may have departed, and the address may have
    // been banned.
    if (isSentAgain(attempt)) return yield* exchange.requestError(unsigned(), sentAgain)
    const closedUntil = yield* gate.closedUntil(host)
    if (closedUntil > 0) return yield* held(attempt, sending, closedUntil)
    const sentAt = attempt.now()
    sending.phase = { _tag: "InFlight", sentAt }
    return yield* Effect.matchEffect(send(exchange.requestOf(host, signed), timeout, limit), {
      onSuccess: (answer) => read(attempt, sending, answer, codes, sentAt),
      onFailure: (error) => {
        const reading = verdict.fromBroken(attempt, error, codes, attempt.wall())
        sending.phase =
          reading === undefined
            ? sendings.unanswered(error, missingAnswer.fromError(error, evidence), sentAt)
            : sendings.answered(reading)
        return reading === undefined ? Effect.fail(error) : Effect.succeed(reading)
      }
    })
  })

  /** The end of a sending that a ban keeps from leaving. */
  const held = (attempt: Attempt, sending: sendings.Sending, until: number) => {
    sending.phase = { _tag: "Held", until }
    return banAnswer.banned(attempt, until)
  }

  /** A turn once no ban is known. */
  const whenOpen = <A, E>(attempt: Attempt, turn: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(gate.closedUntil(host), (until) =>
      until === 0 ? turn : Effect.zipRight(Effect.sleep(Math.max(until - attempt.wall(), 1)), whenOpen(attempt, turn))
    )

  /** A ban ends all connections, as the service asks, and travels as an error. */
  const banned = Effect.fnUntraced(function* (attempt: Attempt) {
    yield* Metric.increment(Metrics.bans)
    yield* connections.renew
    return yield* banAnswer.banned(attempt, Math.max(yield* gate.closedUntil(host), attempt.wall()))
  })

  return Effect.fnUntraced(function* (
    attempt: Attempt,
    unsigned: () => HttpClientRequest.HttpClientRequest
  ): Effect.fn.Return<Reading, SendError> {
    if (isSentAgain(attempt)) return yield* exchange.requestError(unsigned(), sentAgain)
    const { charges, now, priority } = attempt
    const sending: sendings.Sending = { phase: sendings.queued }
    attempt.sendings.push(sending)
    attempt.call.sendings.push(sending)
    const closed = (until: number) => Effect.suspend(() => held(attempt, sending, until))
    const unlimited = ({ message: detail }: RateLimitStore.StoreUnreachable) =>
      Effect.fail(
        new Failure.ConnectionFailed({
          operation: attempt.operation,
          attempts: attempt.attempts,
          reason: "RateLimitStore",
          sent: false,
          detail
        })
      )
    const references = yield* Effect.context<never>()
    const failsWhenBanned = Context.get(references, BanGate.WhenBanned) === "fail"
    const closedUntil = yield* gate.closedUntil(host)
    // Checked before anything is taken from a rate limit.
    if (failsWhenBanned && closedUntil > 0) return yield* closed(closedUntil)
    const sent = signedAndSent(attempt, sending, unsigned, references)
    // A call that waits for the end of a ban waits for it without its places, as it fails without them: a lease in a shared store is shorter than a
    // ban, and others would be given the places that this call then uses.
    const passed = gate.pass(sent, { host, isBanned: isBan, closed })
    const turn = Effect.suspend(() => {
      const queuedAt = now()
      const measured = Effect.suspend(() => {
        attempt.waited += now() - queuedAt
        return passed
      })
      return limiter
        .charged(measured, {
          charges: charges.all,
          priority,
          turn: attempt.turn,
          chargeOutcome: () => sendings.chargeOutcome(sending.phase),
          arrivesWithin: () =>
            Duration.millis(sendings.arrivesWithin(sending.phase, now(), Duration.toMillis(arrivesWithin))),
          unless: Effect.flatMap(gate.whenClosed(host), closed)
        })
        .pipe(Effect.catchTag("StoreUnreachable", unlimited))
    })
    // A call that a ban has held takes and signs anew after its end.
    const reading = yield* failsWhenBanned
      ? turn
      : Effect.retry(whenOpen(attempt, turn), { while: () => sending.phase._tag === "Held" })
    return isBan(reading) ? yield* banned(attempt) : reading
  })
}
