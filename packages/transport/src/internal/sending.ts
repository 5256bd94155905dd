import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import type * as Signer from "@effect-venue/signing/Signer"
import type * as Wire from "@effect-venue/signing/Wire"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as BanGate from "../BanGate.js"
import type * as RateLimiter from "../RateLimiter.js"
import type * as RateLimitStore from "../RateLimitStore.js"
import * as CallOptions from "../CallOptions.js"
import type * as Connections from "../Connections.js"
import * as Failure from "../Failure.js"
import type * as Priority from "../Priority.js"
import * as Metrics from "../Metrics.js"
import { ReturnCodeTable } from "../ReturnCodeTable.js"
import * as ServerClock from "../ServerClock.js"
import * as answers from "./answer.js"
import { describeCause, isBeforeSending } from "./connection.js"
import * as departure from "./departure.js"
import * as keys from "./metricKeys.js"
import * as monotonic from "./monotonic.js"

/** What one attempt knows of itself while it is under way. */
export interface Sending {
  readonly endpoint: Endpoint.Properties
  readonly parameters: Wire.Parameters
  readonly context: answers.Context
  readonly charges: ReadonlyArray<RateLimitStore.Charge>
  /** The charge that the service's headers tell about. */
  readonly ofUid: Option.Option<RateLimitStore.Charge>
  readonly priority: Priority.Name
  /** Every departure of the attempt, oldest first. */
  readonly departures: Array<departure.Departure>
  /** The signatures that were sent, to be scrubbed from what is said of the call. */
  readonly signatures: Array<string>
  /** The last sending was given up because no answer came in time. */
  timedOut: boolean
  /** How often it was sent; wrapped clients may send more than once. */
  sends: number
  /** What stopped it before it was sent. */
  refused: Failure.Banned | Failure.ConnectionFailed | undefined
  received: Received | undefined
  waited: number
}

/** An answer and what it says. */
export interface Received {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly answer: answers.Answer
  readonly verdict: answers.Verdict
  readonly sample: Option.Option<ServerClock.Sample>
}

/** The attempt that a client, wrapped or not, is sending for. */
class Current extends Context.Reference<Current>()("@effect-venue/transport/internal/Current", {
  defaultValue: (): Option.Option<Sending> => Option.none()
}) {}

interface Dependencies {
  readonly host: string
  readonly connections: Connections.Connections.Shape
  readonly signer: Signer.Signer.Shape
  readonly limiter: RateLimiter.RateLimiter.Shape
  readonly gate: BanGate.BanGate.Shape
  readonly clock: ServerClock.ServerClock.Shape
  /** How long after its sending a request may still arrive where the service takes it. */
  readonly arrivesWithin: Duration.Duration
}

const requestOf = (host: string, signed: Signer.Signed): HttpClientRequest.HttpClientRequest => {
  // The query goes in as text: as an URL object, or as parameters, it would be encoded again and no longer be what was signed.
  const url = `${host}${signed.path}${signed.query === "" ? "" : `?${signed.query}`}`
  const request = HttpClientRequest.make(signed.method)(url, { headers: signed.headers, acceptJson: true })
  return signed.body === undefined
    ? request
    : HttpClientRequest.setBody(request, HttpBody.text(signed.body, "application/json"))
}

const failed = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  new HttpClientError.RequestError({ request, reason: "Transport", description })

const lost = (
  { context, timedOut }: Sending,
  sent: boolean,
  error: HttpClientError.HttpClientError
): Failure.ConnectionFailed =>
  new Failure.ConnectionFailed({
    operation: context.operation,
    attempts: context.attempts,
    reason: timedOut ? "Timeout" : "Connection",
    sent,
    detail: context.scrub(describeCause(error))
  })

const sentAgain = "a wrapped client wanted to send a write again that may have been executed"

const isSentAgain = ({ departures, endpoint }: Sending): boolean =>
  endpoint.safety === "write" && departure.mayBeExecuted(departures)

const isBan = ({ verdict }: Received): boolean => Either.isLeft(verdict) && verdict.left._tag === "IpBanned"

const serverTimeOf = (verdict: answers.Verdict): Option.Option<DateTime.Utc> =>
  Either.match(verdict, {
    onLeft: (refusal) => (refusal._tag === "Skewed" ? refusal.serverTime : Option.none()),
    onRight: ({ time }) => time
  })

interface Exchanged {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly answer: answers.Answer
}

/** From the request to the last byte of the answer. */
const exchange = (client: HttpClient.HttpClient, request: HttpClientRequest.HttpClientRequest) =>
  Effect.flatMap(client.execute(request), (response) =>
    Effect.map(response.text, (body) => ({
      response,
      answer: { status: response.status, headers: response.headers, body } satisfies answers.Answer
    }))
  )

/** A request that is about to leave. */
interface Begun {
  readonly request: HttpClientRequest.HttpClientRequest
  readonly sentAt: number
  readonly departed: departure.Departure
}

/** One sending for an attempt: a client that is wrapped may make several. */
interface Transmission {
  readonly sending: Sending
  readonly unsigned: () => HttpClientRequest.HttpClientRequest
  /** Monotonic milliseconds. */
  readonly now: () => number
  chargeOutcome: RateLimitStore.ChargeOutcome
  /** Until when the request may still arrive, in monotonic milliseconds, while no answer has come. */
  arrivesBy: number
}

/**
 * Charges, gate, signature, sending, reading: all that has to happen anew whenever something is sent.
 *
 * Its generators are made once, not with every call: the engine keeps a generator function and all that it has seen until its
 * rarest collection, and answers that are kept that long cost a call more than all its checks. (decision 20)
 */
const makeTransmit = ({ arrivesWithin, limiter, clock, connections, gate, host, signer }: Dependencies) => {
  const begin = Effect.fnUntraced(function* (transmission: Transmission) {
    const { sending, unsigned } = transmission
    const { endpoint, parameters } = sending
    const timestamp = yield* clock.now(host)
    const signed = yield* signer.sign({ endpoint, parameters, timestamp })
    // Looked at again: another sending of this attempt may have departed during the waits.
    if (isSentAgain(sending)) return yield* failed(unsigned(), sentAgain)
    const sentAt = transmission.now()
    const departed: departure.Departure = { knowledge: departure.inFlight }
    sending.departures.push(departed)
    const signature = signed.headers["X-BAPI-SIGN"]
    if (signature !== undefined) sending.signatures.push(signature)
    sending.sends += 1
    sending.timedOut = false
    sending.refused = undefined
    transmission.chargeOutcome = "counted"
    transmission.arrivesBy = sentAt + Duration.toMillis(arrivesWithin)
    return { request: requestOf(host, signed), sentAt, departed } satisfies Begun
  })

  const isNotSent =
    connections.isNotSent ??
    ((error: HttpClientError.HttpClientError) => error._tag === "RequestError" && isBeforeSending(error.cause))

  const exchanged = (sending: Sending, request: HttpClientRequest.HttpClientRequest, timeout: Duration.Duration) => {
    const exchanging = connections.use((client) => exchange(client, request))
    if (connections.isTimeout !== undefined) return exchanging
    return Effect.timeoutFail(exchanging, {
      duration: timeout,
      onTimeout: () => {
        sending.timedOut = true
        return failed(request, `no answer within ${Duration.format(timeout)}`)
      }
    })
  }

  /** What an answer tells, of which the clock and the rate limits learn. */
  const learn = Effect.fnUntraced(function* (
    transmission: Transmission,
    codes: ReturnCodes.Table,
    { answer, response }: Exchanged,
    { departed, sentAt }: Begun
  ) {
    const { context, endpoint, ofUid } = transmission.sending
    const receivedAt = transmission.now()
    transmission.arrivesBy = 0
    const verdict = answers.read(context, endpoint, answer, codes)
    departed.knowledge = departure.ofVerdict(verdict)
    const sample = Option.map(serverTimeOf(verdict), (time): ServerClock.Sample => ({
      sentAt,
      receivedAt,
      serverTime: DateTime.toEpochMillis(time)
    }))
    if (Option.isSome(sample) && Either.isRight(verdict)) yield* clock.learn(host, sample.value)
    const told = Option.map(ofUid, (charge) => ({ charge, ...answers.limits(answer) }))
    yield* keys.update((tags) => {
      if (Option.isSome(sample)) Metrics.skew.unsafeUpdate(ServerClock.skew(sample.value), tags)
      if (Option.isSome(told) && told.value.remaining !== undefined) {
        keys.remainingOf(endpoint.name).unsafeUpdate(told.value.remaining, tags)
      }
    })
    if (Option.isSome(told)) {
      const { charge, limit, remaining, resetAt } = told.value
      const refused = Either.isLeft(verdict) && verdict.left._tag === "OverLimit"
      if (refused) transmission.chargeOutcome = "refused"
      // The service tells it by its clock, which is asked for only where it matters.
      const ahead = refused && resetAt !== undefined ? (yield* clock.now(host)) - receivedAt : 0
      const resetAfter = resetAt === undefined ? 0 : resetAt - ahead - receivedAt
      yield* limiter.observe(charge, {
        roundTrip: Duration.millis(receivedAt - sentAt),
        refused,
        limit,
        remaining,
        resetAfter: resetAfter > 0 ? Duration.millis(resetAfter) : undefined
      })
    }
    return { response, answer, verdict, sample } satisfies Received
  })

  const send = (
    transmission: Transmission,
    codes: ReturnCodes.Table,
    timeout: Duration.Duration
  ): Effect.Effect<Received, HttpClientError.HttpClientError> =>
    Effect.flatMap(begin(transmission), (begun) =>
      Effect.matchEffect(exchanged(transmission.sending, begun.request, timeout), {
        onFailure: (error) => {
          const { sending } = transmission
          if (connections.isTimeout?.(error) === true) sending.timedOut = true
          const notSent = isNotSent(error)
          if (notSent) transmission.chargeOutcome = "unsent"
          // A connection that broke delivers nothing more. One that was given up may.
          if (!sending.timedOut) transmission.arrivesBy = 0
          begun.departed.knowledge = notSent
            ? departure.notExecuted
            : { _tag: "Unknown", because: lost(sending, true, error) }
          return Effect.fail(error)
        },
        onSuccess: (come) => learn(transmission, codes, come, begun)
      })
    )

  const banned = ({ sending, unsigned }: Transmission, until: number) =>
    Effect.suspend(() => {
      sending.refused = new Failure.Banned({
        operation: sending.context.operation,
        attempts: sending.context.attempts,
        until: DateTime.unsafeMake(until)
      })
      return Effect.fail(failed(unsigned(), "this address is banned"))
    })

  const unlimited = ({ sending, unsigned }: Transmission, { message }: RateLimitStore.StoreUnreachable) =>
    Effect.suspend(() => {
      const { attempts, operation } = sending.context
      sending.refused = new Failure.ConnectionFailed({
        operation,
        attempts,
        reason: "RateLimitStore",
        sent: false,
        detail: message
      })
      return Effect.fail(failed(unsigned(), message))
    })

  return Effect.fnUntraced(function* (sending: Sending, unsigned: () => HttpClientRequest.HttpClientRequest) {
    const { charges, priority } = sending
    if (isSentAgain(sending)) return yield* failed(unsigned(), sentAgain)
    const time = yield* Effect.clock
    const now = () => monotonic.unsafeMillis(time)
    const transmission: Transmission = { sending, unsigned, now, chargeOutcome: "unsent", arrivesBy: 0 }
    const closed = (until: number) => banned(transmission, until)
    const references = yield* Effect.context<never>()
    const failsWhenBanned = Context.get(references, BanGate.WhenBanned) === "fail"
    const closedUntil = yield* gate.closedUntil(host)
    // Known before anything is taken from a rate limit.
    if (failsWhenBanned && closedUntil > 0) return yield* closed(closedUntil)
    const sent = send(
      transmission,
      Context.get(references, ReturnCodeTable),
      Context.get(references, CallOptions.AttemptTimeout)
    )
    const passed = gate.pass(sent, { host, isBanned: isBan, closed })
    const queuedAt = now()
    const measured = Effect.suspend(() => {
      sending.waited += now() - queuedAt
      return passed
    })
    const charged = limiter.charged(measured, {
      charges,
      priority,
      chargeOutcome: () => transmission.chargeOutcome,
      arrivesWithin: () => Duration.millis(Math.max(transmission.arrivesBy - now(), 0)),
      unless: failsWhenBanned ? Effect.flatMap(gate.whenClosed(host), closed) : undefined
    })
    const received = yield* Effect.catchTag(charged, "StoreUnreachable", (error) => unlimited(transmission, error))
    if (isBan(received)) {
      yield* Metric.increment(Metrics.bans)
      yield* connections.renew
    }
    return received
  })
}

/** Gives what came back for a sending, or why nothing did. */
export type Execute = (sending: Sending) => Effect.Effect<Received, Failure.Banned | Failure.ConnectionFailed>

const failureOf = (sending: Sending, error: HttpClientError.HttpClientError) =>
  sending.refused ?? lost(sending, departure.mayBeExecuted(sending.departures), error)

/**
 * What sends: a client that does for every request what a sending needs, as the application has wrapped it. It is what is wrapped
 * that takes the rate limits and signs. A client that nobody wraps is left out.
 */
export const make = (
  dependencies: Dependencies,
  wrap: (client: HttpClient.HttpClient) => HttpClient.HttpClient
): Execute => {
  const transmit = makeTransmit(dependencies)
  const { host } = dependencies
  const unsignedOf = ({ endpoint }: Sending) => HttpClientRequest.make(endpoint.method)(`${host}${endpoint.path}`)

  const own = HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest.HttpClientRequest, HttpClientError.HttpClientError>) =>
      Effect.flatMap(request, (unsigned) =>
        Effect.flatMap(
          Current,
          Option.match({
            onNone: () => Effect.fail(failed(unsigned, "this client sends for the transport only")),
            onSome: (sending) =>
              Effect.map(
                transmit(sending, () => unsigned),
                (received) => {
                  sending.received = received
                  return received.response
                }
              )
          })
        )
      ),
    Effect.succeed
  )

  const wrapped = wrap(own)
  if (wrapped === own) {
    return (sending) =>
      Effect.mapError(
        transmit(sending, () => unsignedOf(sending)),
        (error) => failureOf(sending, error)
      )
  }
  // Ours makes no spans. What it was wrapped into might, with the URL and the key in them.
  const client = HttpClient.withTracerDisabledWhen(wrapped, () => true)

  const executed = Effect.fnUntraced(function* (sending: Sending) {
    const { context, endpoint } = sending
    const response = yield* client.execute(unsignedOf(sending))
    const { received } = sending
    // The engine has the context that carries this in its oldest memory: an answer left here would outlive its call by far.
    sending.received = undefined
    if (received?.response === response) return received
    // A wrapping client made an answer of its own.
    const answer: answers.Answer = { status: response.status, headers: response.headers, body: yield* response.text }
    const verdict = answers.read(context, endpoint, answer, yield* ReturnCodeTable)
    return { response, answer, verdict, sample: Option.none() } satisfies Received
  })

  return (sending) =>
    Effect.mapError(Effect.provideService(executed(sending), Current, Option.some(sending)), (error) =>
      failureOf(sending, error)
    )
}
