import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Signer from "@effect-venue/signing/Signer"
import type * as Wire from "@effect-venue/signing/Wire"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as BanGate from "../BanGate.js"
import type * as Budgets from "../Budgets.js"
import type * as BudgetStore from "../BudgetStore.js"
import * as CallOptions from "../CallOptions.js"
import type * as Connections from "../Connections.js"
import * as Failure from "../Failure.js"
import type * as Lane from "../Lane.js"
import * as Metrics from "../Metrics.js"
import { ReturnCodeTable } from "../ReturnCodeTable.js"
import * as ServerClock from "../ServerClock.js"
import * as answers from "./answer.js"
import { describeCause, wasSent } from "./connection.js"
import * as keys from "./metricKeys.js"

/** What one attempt knows of itself while it is under way. */
export interface Sending {
  readonly endpoint: Endpoint.Properties
  readonly parameters: Wire.Parameters
  readonly context: answers.Context
  readonly charges: ReadonlyArray<BudgetStore.Charge>
  /** The charge that the service's headers tell about. */
  readonly ofUid: Option.Option<BudgetStore.Charge>
  readonly lane: Lane.Name
  /** Bytes may have left, and no answer has come that says what became of them. */
  mayBeExecuted: boolean
  /** The last sending was given up because no answer came in time. */
  timedOut: boolean
  /** How often it was sent; wrapped clients may send more than once. */
  sends: number
  /** What stopped it before it was sent. */
  refused: Failure.Banned | undefined
  received: Received | undefined
  waited: number
}

/** An answer and what it says. */
export interface Received {
  readonly response: HttpClientResponse.HttpClientResponse
  readonly answer: answers.Answer
  readonly reading: answers.Reading
  readonly sample: Option.Option<ServerClock.Sample>
}

/** The attempt that a client, wrapped or not, is sending for. */
class Current extends Context.Reference<Current>()("@effect-venue/transport/internal/Current", {
  defaultValue: (): Option.Option<Sending> => Option.none()
}) {}

interface Surroundings {
  readonly host: string
  readonly connections: Connections.Connections.Shape
  readonly signer: Signer.Signer.Shape
  readonly budgets: Budgets.Budgets.Shape
  readonly gate: BanGate.BanGate.Shape
  readonly clock: ServerClock.ServerClock.Shape
}

const requestOf = (host: string, signed: Signer.Signed): HttpClientRequest.HttpClientRequest => {
  // The query goes in as text: as an URL object, or as parameters, it would be encoded again and no longer be what was signed.
  const url = `${host}${signed.path}${signed.query === "" ? "" : `?${signed.query}`}`
  const request = HttpClientRequest.make(signed.method)(url, { headers: signed.headers, acceptJson: true })
  return signed.body === undefined
    ? request
    : HttpClientRequest.setBody(request, HttpBody.text(signed.body, "application/json"))
}

// A redirect would carry the signature, and a write, to somewhere else.
const withoutRedirects = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.serviceOption(FetchHttpClient.RequestInit), (options) =>
    Effect.provideService(effect, FetchHttpClient.RequestInit, {
      ...Option.getOrElse(options, () => ({})),
      redirect: "manual"
    })
  )

const failed = (request: HttpClientRequest.HttpClientRequest, description: string) =>
  new HttpClientError.RequestError({ request, reason: "Transport", description })

const isBan = ({ reading }: Received): boolean => Either.isLeft(reading) && reading.left._tag === "IpBanned"

const serverTimeOf = (reading: answers.Reading): Option.Option<DateTime.Utc> =>
  Either.match(reading, {
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

/** One sending for an attempt: a client that is wrapped may make several. */
interface Transmission {
  readonly sending: Sending
  readonly unsigned: HttpClientRequest.HttpClientRequest
  settlement: BudgetStore.Settlement
}

/**
 * Charges, gate, signature, sending, reading: all that has to happen anew whenever something is sent.
 *
 * Its generators are made once, not with every call: the engine keeps a generator function and all that it has seen until its
 * rarest collection, and answers that are kept that long cost a call more than all its checks. (decision 20)
 */
const makeTransmit = ({ budgets, clock, connections, gate, host, signer }: Surroundings) => {
  const begin = Effect.fnUntraced(function* (transmission: Transmission) {
    const { endpoint, parameters } = transmission.sending
    const timestamp = yield* clock.now(host)
    const signed = yield* signer.sign({ endpoint, parameters, timestamp })
    const timeout = yield* CallOptions.AttemptTimeout
    const sentAt = yield* Clock.currentTimeMillis
    transmission.sending.sends += 1
    transmission.sending.mayBeExecuted = true
    transmission.sending.timedOut = false
    transmission.settlement = "counted"
    return { request: requestOf(host, signed), sentAt, timeout }
  })

  const exchanged = (
    { sending }: Transmission,
    request: HttpClientRequest.HttpClientRequest,
    timeout: Duration.Duration
  ) => {
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

  /** What an answer tells, of which the clock and the budgets learn. */
  const understand = Effect.fnUntraced(function* (
    transmission: Transmission,
    { answer, response }: Exchanged,
    sentAt: number
  ) {
    const { context, endpoint, ofUid } = transmission.sending
    const codes = yield* ReturnCodeTable
    const receivedAt = yield* Clock.currentTimeMillis
    const reading = answers.read(context, endpoint, answer, codes)
    const sample = Option.map(serverTimeOf(reading), (time): ServerClock.Sample => ({
      sentAt,
      receivedAt,
      serverTime: DateTime.toEpochMillis(time)
    }))
    if (Option.isSome(sample)) {
      yield* Metric.set(Metrics.skew, ServerClock.skew(sample.value))
      if (Either.isRight(reading)) yield* clock.learn(host, sample.value)
    }
    if (Option.isSome(ofUid)) {
      const refused = Either.isLeft(reading) && reading.left._tag === "OverLimit"
      if (refused) transmission.settlement = "refused"
      const ahead = (yield* clock.now(host)) - receivedAt
      const { limit, remaining, resetAt } = answers.limits(answer)
      if (remaining !== undefined) {
        yield* Metric.set(keys.remainingOf(endpoint.name), remaining)
      }
      yield* budgets.observe(ofUid.value, {
        sentAt,
        receivedAt,
        refused,
        limit,
        remaining,
        resetAt: resetAt === undefined ? undefined : resetAt - ahead
      })
    }
    return { response, answer, reading, sample } satisfies Received
  })

  const send = (transmission: Transmission): Effect.Effect<Received, HttpClientError.HttpClientError> =>
    Effect.flatMap(begin(transmission), ({ request, sentAt, timeout }) =>
      exchanged(transmission, request, timeout).pipe(
        Effect.tapError((error) =>
          Effect.sync(() => {
            if (connections.isTimeout?.(error) === true) transmission.sending.timedOut = true
            if (error._tag === "RequestError" && !wasSent(error.cause)) {
              transmission.settlement = "unsent"
              transmission.sending.mayBeExecuted = false
            }
          })
        ),
        withoutRedirects,
        Effect.flatMap((come) => understand(transmission, come, sentAt))
      )
    )

  const banned = ({ sending, unsigned }: Transmission, until: number) =>
    Effect.suspend(() => {
      sending.refused = new Failure.Banned({
        operation: sending.context.operation,
        attempts: sending.context.attempts,
        until: DateTime.unsafeMake(until)
      })
      return Effect.fail(failed(unsigned, "this address is banned"))
    })

  return Effect.fnUntraced(function* (sending: Sending, unsigned: HttpClientRequest.HttpClientRequest) {
    const { charges, endpoint, lane } = sending
    if (endpoint.safety === "write" && sending.mayBeExecuted) {
      return yield* failed(unsigned, "a wrapped client wanted to send a write again whose answer never came")
    }
    const transmission: Transmission = { sending, unsigned, settlement: "unsent" }
    const failsWhenBanned = (yield* BanGate.WhenBanned) === "fail"
    const closedUntil = yield* gate.closedUntil(host)
    // Known before anything is taken from a budget.
    if (failsWhenBanned && closedUntil > 0) return yield* banned(transmission, closedUntil)
    const closed = (until: number) => banned(transmission, until)
    const queuedAt = yield* Clock.currentTimeMillis
    const passed = gate.pass(send(transmission), { host, isBanned: isBan, closed })
    const measured = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      sending.waited += now - queuedAt
      return passed
    })
    const received = yield* budgets.charged(measured, {
      charges,
      lane,
      settlement: () => transmission.settlement,
      unless: failsWhenBanned ? Effect.flatMap(gate.whenClosed(host), closed) : undefined
    })
    sending.received = received
    if (isBan(received)) {
      yield* Metric.increment(Metrics.bans)
      yield* connections.renew
    }
    return received.response
  })
}

/**
 * A client that does for every request what a sending needs. Applications may wrap it as they like: it is what is wrapped that
 * takes the budgets and signs.
 */
export const makeClient = (surroundings: Surroundings): HttpClient.HttpClient => {
  const transmit = makeTransmit(surroundings)
  return HttpClient.makeWith(
    (request: Effect.Effect<HttpClientRequest.HttpClientRequest, HttpClientError.HttpClientError>) =>
      Effect.flatMap(request, (unsigned) =>
        Effect.flatMap(
          Current,
          Option.match({
            onNone: () => Effect.fail(failed(unsigned, "this client sends for the transport only")),
            onSome: (sending) => transmit(sending, unsigned)
          })
        )
      ),
    Effect.succeed
  )
}

const executed = Effect.fnUntraced(function* (client: HttpClient.HttpClient, host: string, sending: Sending) {
  const { context, endpoint } = sending
  const unsigned = HttpClientRequest.make(endpoint.method)(`${host}${endpoint.path}`)
  const response = yield* client.execute(unsigned)
  const { received } = sending
  // The engine has the context that carries this in its oldest memory: an answer left here would outlive its call by far.
  sending.received = undefined
  if (received?.response === response) return received
  // A wrapping client made an answer of its own.
  const answer: answers.Answer = {
    status: response.status,
    headers: response.headers,
    body: yield* response.text
  }
  return {
    response,
    answer,
    reading: answers.read(context, endpoint, answer, yield* ReturnCodeTable),
    sample: Option.none()
  }
})

/** Sends through a client, wrapped or not, and gives what came back. */
export const execute = (
  client: HttpClient.HttpClient,
  host: string,
  sending: Sending
): Effect.Effect<Received, Failure.Banned | Failure.ConnectionFailed> =>
  executed(client, host, sending).pipe(
    Effect.provideService(Current, Option.some(sending)),
    Effect.mapError((error) => {
      const { context, mayBeExecuted, refused, timedOut } = sending
      if (refused !== undefined) return refused
      return new Failure.ConnectionFailed({
        operation: context.operation,
        attempts: context.attempts,
        reason: timedOut ? "Timeout" : "Connection",
        sent: mayBeExecuted,
        detail: context.scrub(describeCause(error))
      })
    })
  )
