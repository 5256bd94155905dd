import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import type * as Signer from "@effect-venue/signing/Signer"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Cause from "effect/Cause"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as BanGate from "../BanGate.js"
import * as CallOptions from "../CallOptions.js"
import type * as Connections from "../Connections.js"
import * as Failure from "../Failure.js"
import * as Limits from "../Limits.js"
import * as Metrics from "../Metrics.js"
import * as Priority from "../Priority.js"
import type * as RateLimiter from "../RateLimiter.js"
import type * as RateLimitStore from "../RateLimitStore.js"
import { ReturnCodeTable } from "../ReturnCodeTable.js"
import type * as ServerClock from "../ServerClock.js"
import type { WriteJournal } from "../WriteJournal.js"
import type { Attempt, Call } from "./attempt.js"
import type { ChargesOf } from "./charges.js"
import { codecOf, type Mismatch } from "./codec.js"
import { describeCause } from "./connection.js"
import * as exchange from "./exchange.js"
import * as journalHook from "./journalHook.js"
import * as journalTag from "./journalTag.js"
import * as monotonic from "./monotonic.js"
import { repeated } from "./retry.js"
import type { Scrub } from "./scrub.js"
import * as sendings from "./sending.js"
import * as telemetry from "./telemetry.js"
import * as unknownOutcome from "./unknownOutcome.js"
import * as verdict from "./verdict.js"

export interface Dependencies {
  readonly host: string
  readonly scrub: Scrub
  readonly hasKey: boolean
  readonly chargesOf: ChargesOf
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
  /** How the application wraps the client. */
  readonly wrap: (client: CallOptions.Client) => CallOptions.Client
}

/** Why no answer came of a sending. */
type SendError = HttpClientError.HttpClientError | Failure.Banned | Failure.ConnectionFailed

const sentAgain = "a wrapped client wanted to send a write again that may have been executed"

const isSentAgain = ({ call, sendings: sent }: Attempt): boolean =>
  call.endpoint.safety === "write" && sendings.mayBeExecuted(sent)

const isRefusedWith = ({ verdict }: verdict.Reading, tag: Failure.ReadFailure["_tag"]): boolean =>
  Either.isLeft(verdict) && verdict.left._tag === tag

const isBan = (reading: verdict.Reading): boolean => isRefusedWith(reading, "Banned")

/** What an answer that was received at `receivedAt`, monotonic, means, and the limits that its headers state. */
const interpret = (
  attempt: Attempt,
  answer: verdict.Answer,
  codes: ReturnCodes.Table,
  { receivedAt, sentAt, serverTime }: ServerClock.Sample
) => {
  const timing: verdict.Timing = { sentAt, receivedAt, ahead: serverTime - receivedAt, wall: attempt.wall() }
  const limits = verdict.limitHeaders(answer, timing)
  return { limits, reading: verdict.fromAnswer(attempt, attempt.call.endpoint, answer, codes, timing, limits) }
}

/** The attempt that a client, wrapped or not, is sending for. */
class Current extends Context.Reference<Current>()("@effect-venue/transport/internal/Current", {
  defaultValue: (): Option.Option<Attempt> => Option.none()
}) {}

/**
 * One sending: rate limits, ban gate, signature, bytes, headers, verdict; all that has to happen anew whenever something is sent.
 *
 * Its generators are made once, not with every call: the engine keeps a generator function and all that it has seen until its
 * rarest collection, and answers that are kept that long cost a call more than all its checks. (docs/decisions/0020)
 */
const makeTransmit = (dependencies: Dependencies) => {
  const { arrivesWithin, clock, connections, gate, host, limiter, signer, writer } = dependencies
  const send = exchange.make(connections)
  const evidence = exchange.evidenceOf(connections)

  /** Reads an answer, and feeds the clock, the limits and the metrics from it. */
  const read = Effect.fnUntraced(function* (
    attempt: Attempt,
    sending: sendings.Sending,
    answer: verdict.Answer,
    codes: ReturnCodes.Table,
    sentAt: number
  ) {
    const { ofUid } = attempt.charges
    const receivedAt = attempt.now()
    const serverTime = yield* clock.now(host)
    const { limits, reading } = interpret(attempt, answer, codes, { sentAt, receivedAt, serverTime })
    sending.phase = sendings.answered(reading)
    const { sample } = reading
    if (Option.isSome(sample)) {
      if (Either.isRight(reading.verdict)) yield* clock.learn(host, sample.value)
      else if (isRefusedWith(reading, "ClockSkew")) yield* clock.relearn(host, sample.value)
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
            ? sendings.unanswered(error, verdict.fromError(error, evidence), sentAt)
            : sendings.answered(reading)
        return reading === undefined ? Effect.fail(error) : Effect.succeed(reading)
      }
    })
  })

  /** The end of a sending that a ban keeps from leaving. */
  const held = ({ attempts, operation }: Attempt, sending: sendings.Sending, until: number) => {
    sending.phase = { _tag: "Held", until }
    return new Failure.Banned({ operation, attempts, until: DateTime.unsafeMake(until) })
  }

  /** A ban ends all connections, as the service asks, and travels as an error. */
  const banned = Effect.fnUntraced(function* ({ attempts, operation, wall }: Attempt) {
    yield* Metric.increment(Metrics.bans)
    yield* connections.renew
    const until = Math.max(yield* gate.closedUntil(host), wall())
    return yield* new Failure.Banned({ operation, attempts, until: DateTime.unsafeMake(until) })
  })

  return Effect.fnUntraced(function* (
    attempt: Attempt,
    unsigned: () => HttpClientRequest.HttpClientRequest
  ): Effect.fn.Return<verdict.Reading, SendError> {
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
    if (failsWhenBanned && closedUntil > 0) return yield* held(attempt, sending, closedUntil)
    const sent = signedAndSent(attempt, sending, unsigned, references)
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
          unless: failsWhenBanned ? Effect.flatMap(gate.whenClosed(host), closed) : undefined
        })
        .pipe(Effect.catchTag("StoreUnreachable", unlimited))
    })
    // A ban that came while the request was signed: a call that waits for its end takes and signs anew.
    const reading = yield* failsWhenBanned ? turn : Effect.retry(turn, { while: () => sending.phase._tag === "Held" })
    return isBan(reading) ? yield* banned(attempt) : reading
  })
}

const failureOf = (attempt: Attempt, error: SendError): Failure.ReadFailure => {
  if (error._tag === "Banned" || error._tag === "ConnectionFailed") return error
  const last = attempt.sendings.at(-1)?.phase
  const reason = last?._tag === "NotSent" || last?._tag === "Lost" ? last.reason : "Connection"
  return sendings.connectionFailed(attempt, reason, sendings.mayBeExecuted(attempt.sendings), describeCause(error))
}

/**
 * Sends for an attempt through the client as the application has wrapped it: rate limits, gate and signature are inside, so that
 * whatever is sent again takes and signs anew. (docs/decisions/0009) A client that is not wrapped is left out.
 */
const makeExecute = (dependencies: Dependencies) => {
  const { clock, host, wrap } = dependencies
  const transmit = makeTransmit(dependencies)
  const unsignedOf = ({ call: { endpoint } }: Attempt) =>
    HttpClientRequest.make(endpoint.method)(`${host}${endpoint.path}`)

  const own: CallOptions.Client = HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest.HttpClientRequest, SendError>) =>
      Effect.flatMap(request, (unsigned) =>
        Effect.flatMap(
          Current,
          Option.match({
            onNone: () => Effect.fail(exchange.requestError(unsigned, "this client sends for the transport only")),
            onSome: (attempt) =>
              Effect.map(
                transmit(attempt, () => unsigned),
                (reading) => {
                  attempt.reading = reading
                  return reading.answer.response
                }
              )
          })
        )
      ),
    Effect.succeed
  )

  const wrapped = wrap(own)
  if (wrapped === own) {
    return (attempt: Attempt): Effect.Effect<verdict.Reading, Failure.ReadFailure> =>
      Effect.mapError(
        transmit(attempt, () => unsignedOf(attempt)),
        (error) => failureOf(attempt, error)
      )
  }
  // Ours makes no spans. What it was wrapped into might, with the URL and the key in them.
  const client = HttpClient.withTracerDisabledWhen(wrapped, () => true)

  const executed = Effect.fnUntraced(function* (attempt: Attempt) {
    const response = yield* client.execute(unsignedOf(attempt))
    const { reading } = attempt
    // The engine has the context that carries this in its oldest memory: an answer left here would outlive its call by far.
    attempt.reading = undefined
    if (reading?.answer.response === response) return reading
    // A wrapping client answered by itself: that says nothing of the service's clock.
    const answer = yield* exchange.receive(response, yield* CallOptions.MaxResponseBytes)
    const now = attempt.now()
    const serverTime = yield* clock.now(host)
    const sample: ServerClock.Sample = { sentAt: now, receivedAt: now, serverTime }
    return { ...interpret(attempt, answer, yield* ReturnCodeTable, sample).reading, sample: Option.none() }
  })

  return (attempt: Attempt): Effect.Effect<verdict.Reading, Failure.ReadFailure> =>
    Effect.mapError(Effect.provideService(executed(attempt), Current, Option.some(attempt)), (error) =>
      failureOf(attempt, error)
    )
}

/** Reads the content of an envelope; `body` is the text of the whole answer. */
type Decode<A> = (result: unknown, body: string) => Either.Either<A, Mismatch>

/**
 * The way of one call:
 *
 * request -> encode and check the rules -> [ rate limits -> ban gate -> sign -> send -> headers feed the limits -> envelope -> return
 * code -> decode ] -> result, or a typed failure, after which the retry policy repeats what is in brackets.
 */
export const make = (dependencies: Dependencies) => {
  const { chargesOf, hasKey, host, scrub } = dependencies
  const execute = makeExecute(dependencies)

  const head = ({ attempts, endpoint, signatures }: Call): verdict.Head => ({
    operation: endpoint.name,
    attempts: [...attempts],
    scrub: (text) => scrub(text, signatures)
  })

  const begin = (call: Call, references: Context.Context<never>, time: Clock.Clock): Attempt => {
    const priority = Context.get(references, Priority.Priority)
    return {
      ...head(call),
      call,
      charges: chargesOf(call.endpoint, call.parameters, Context.get(references, Limits.Limits)),
      priority: priority === "by operation" ? Priority.ofEndpoint(call.endpoint) : priority,
      turn: Context.get(references, Priority.Turn),
      sendings: [],
      now: () => monotonic.unsafeMillis(time),
      wall: () => time.unsafeCurrentTimeMillis(),
      waited: 0,
      reading: undefined
    }
  }

  const attempted = Effect.fnUntraced(function* <A>(attempt: Attempt, decode: Decode<A>) {
    const { extended } = attempt.call.endpoint
    let reading = yield* execute(attempt)
    // Refused for its timestamp, so not executed, and the clock has been learnt: sent again whatever it is, once.
    if (isRefusedWith(reading, "ClockSkew") && Option.isSome(reading.sample)) reading = yield* execute(attempt)
    const unwrapped = yield* reading.verdict
    const { extInfo, result } = unwrapped
    if (extended === true && attempt.call.entry !== undefined) yield* attempt.call.entry.answered(unwrapped)
    const content = extended === true ? { result, extInfo } : result
    return yield* Either.mapLeft(decode(content, reading.answer.body), ({ expected, path }) =>
      verdict.unexpected(attempt, reading.answer, path, expected)
    )
  })

  /** The failure of the call after the failure of its last attempt: of a write unknown if any sending may have been executed. */
  const doubt = (call: Call, failure: Failure.ReadFailure): verdict.Ambiguous | undefined => {
    if (call.endpoint.safety === "read") return undefined
    const own = verdict.isAmbiguous(failure) ? failure : undefined
    const dropped = "a wrapped client did not return the answer"
    return (
      sendings.doubt(
        call.sendings,
        head(call),
        () => own ?? sendings.connectionFailed(head(call), "Connection", true, dropped)
      ) ?? own
    )
  }

  const inDoubt = (call: Call, because: verdict.Ambiguous, isAccepted = false): Failure.OutcomeUnknown =>
    unknownOutcome.make(
      call.endpoint,
      call.parameters,
      because,
      [...call.attempts],
      (read, request) => run(read, request, codecOf(read).decode),
      isAccepted
    )

  const ended = (call: Call, failure: Failure.ReadFailure): Failure.Failure => {
    const because = doubt(call, failure)
    return because === undefined ? failure : inDoubt(call, because)
  }

  /** The failure of a call that is cut short where it stands. */
  const cutShort = (call: Call, detail: string): Failure.Failure =>
    ended(call, sendings.connectionFailed(head(call), "Timeout", sendings.mayBeExecuted(call.sendings), detail))

  /** What to report of a write that is interrupted: nothing if none of its sendings may have been executed. */
  const interrupted = (call: Call): Failure.OutcomeUnknown | undefined => {
    // The parts of a batch are accepted or refused one by one, which its caller judges.
    if (call.endpoint.extended !== true && call.sendings.some(sendings.isExecuted)) {
      const detail = "after the service had accepted it"
      return inDoubt(call, sendings.connectionFailed(head(call), "Interrupted", true, detail), true)
    }
    const failure = cutShort(call, "interrupted")
    return failure._tag === "OutcomeUnknown" ? failure : undefined
  }

  // Not Effect.raceFirst: interrupted in the one step between making its fibers and starting them, it waits for them forever.
  const withinCallTimeout = <A>(call: Call, effect: Effect.Effect<A, Failure.Failure>) =>
    Effect.flatMap(CallOptions.CallTimeout, (timeout) =>
      Duration.isFinite(timeout)
        ? Effect.timeoutTo(effect, {
            duration: timeout,
            onSuccess: (value): Exit.Exit<A, Failure.Failure> => Exit.succeed(value),
            onTimeout: () => Exit.fail(cutShort(call, `not done within ${Duration.format(timeout)}`))
          }).pipe(Effect.flatten)
        : effect
    )

  /**
   * An interrupted write has no caller left to fail to. This is the outermost frame of a call: an interruption that comes after its
   * outcome and before its end takes the outcome from the caller too.
   */
  const reportedWhenInterrupted = <A>(call: Call, effect: Effect.Effect<A, Failure.Failure>) => {
    if (call.endpoint.safety === "read") return effect
    const report = Effect.suspend(() => {
      const failure = interrupted(call)
      return failure === undefined
        ? Effect.void
        : Effect.flatMap(CallOptions.OnInterruptedWrite, (report) => report(failure))
    })
    return Effect.checkInterruptible((isInterruptible) =>
      Effect.uninterruptibleMask((restore) =>
        Effect.flatMap(Effect.exit(restore(effect)), (exit) => {
          const ended = Effect.withFiberRuntime<A, Failure.Failure>((fiber) => {
            const isPending = isInterruptible && !Cause.isEmpty(fiber.getFiberRef(FiberRef.interruptedCause))
            return isPending || Exit.isInterrupted(exit) ? Effect.zipRight(report, exit) : exit
          })
          return call.entry === undefined ? ended : Effect.zipRight(call.entry.conclude(exit), ended)
        })
      )
    )
  }

  const sent = <A>(call: Call, decode: Decode<A>): Effect.Effect<A, Failure.Failure> => {
    const attempt = Effect.flatMap(Effect.context<never>(), (references) =>
      Effect.clockWith((time) => {
        const attempt = begin(call, references, time)
        return telemetry.attempt(attempted(attempt, decode), attempt)
      })
    )
    const decisive = (failure: Failure.ReadFailure) =>
      call.endpoint.safety === "write" ? (doubt(call, failure) ?? failure) : failure
    const concluded = Effect.mapError(repeated(call, attempt, decisive), (failure) => ended(call, failure))
    return withinCallTimeout(call, concluded)
  }

  const run = <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety, A>(
    endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
    request: Req,
    decode: Decode<A>
  ): Effect.Effect<A, Failure.Of<S>> => {
    const started = Effect.suspend((): Effect.Effect<A, Failure.Failure> => {
      const encoded = codecOf(endpoint).encode(request)
      if (Either.isLeft(encoded)) return telemetry.call(Effect.fail(encoded.left), endpoint, host)
      if (endpoint.signing !== "public" && !hasKey) {
        const failure = new Failure.Unauthorized({ operation: endpoint.name, attempts: [], reason: "Credentials" })
        return telemetry.call(failure, endpoint, host)
      }
      const call: Call = {
        endpoint,
        parameters: encoded.right,
        attempts: [],
        sendings: [],
        signatures: [],
        entry: undefined
      }
      return reportedWhenInterrupted(call, telemetry.call(sent(call, decode), endpoint, host))
    })
    // It fails with an OutcomeUnknown only for writes, and with an UnexpectedResponse only for reads; that this is what `Of` says for
    // the endpoint's safety is checked by the tests, since the compiler cannot follow a type parameter through it.
    return started as Effect.Effect<A, Failure.Of<S>>
  }

  return run
}
