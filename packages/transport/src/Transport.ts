/**
 * The way of one call, from a typed request to a typed result:
 *
 * encode and check the rules, take the budgets, pass the ban gate, sign, send, unwrap, read the return code, decode. An attempt
 * that failed and may be repeated goes the whole way again from the budgets on, so that every sending is signed anew.
 *
 * @since 0.1.0
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Envelope from "@effect-venue/schemas/Envelope"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import type * as Wire from "@effect-venue/signing/Wire"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpBody from "@effect/platform/HttpBody"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as BanGate from "./BanGate.js"
import * as Budgets from "./Budgets.js"
import * as Failure from "./Failure.js"
import * as answers from "./internal/answer.js"
import { codecOf, type Mismatch } from "./internal/codec.js"
import { describeCause, wasSent } from "./internal/connection.js"
import * as RetryPolicy from "./RetryPolicy.js"
import { ReturnCodeTable } from "./ReturnCodeTable.js"
import * as ServerClock from "./ServerClock.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class Transport extends Context.Tag("@effect-venue/transport/Transport")<Transport, Transport.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace Transport {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** Calls an operation and gives its result on the domain side. */
    readonly call: <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
      endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
      request: Req
    ) => Effect.Effect<Res, Failure.Of<S>>
    /** Calls an operation and gives its result as it came, checked: unknown fields and spellings are kept. */
    readonly callWire: <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
      endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
      request: Req
    ) => Effect.Effect<ResWire, Failure.Of<S>>
  }
}

/**
 * How long one attempt may take, from sending to the last byte of the answer: 10 seconds unless replaced.
 *
 * @since 0.1.0
 * @category references
 */
export class AttemptTimeout extends Context.Reference<AttemptTimeout>()("@effect-venue/transport/AttemptTimeout", {
  defaultValue: (): Duration.Duration => Duration.seconds(10)
}) {}

/** What an attempt ended with, and what the next one has to know. */
type Outcome<A> = Either.Either<A, answers.Refusal>

/** Parameters that name a write in a later query. */
const identifying = ["category", "symbol", "orderId", "orderLinkId", "requestId", "positionIdx"]

const identifiersOf = (parameters: Wire.Parameters): Record<string, string> =>
  Object.fromEntries(
    identifying.flatMap((name) => {
      const value = parameters[name]
      return typeof value === "string" || typeof value === "number" ? [[name, String(value)]] : []
    })
  )

/** Whether after this failure nobody knows what became of a write. */
const isAmbiguous = (
  failure: Failure.ReadFailure
): failure is Failure.ConnectionFailed | Failure.Unavailable | Failure.UnexpectedResponse => {
  switch (failure._tag) {
    case "ConnectionFailed":
      return failure.sent
    case "Unavailable":
      return failure.executed === "unknown"
    case "UnexpectedResponse":
      return true
    default:
      return false
  }
}

/**
 * @since 0.1.0
 * @category constructors
 */
export const make: Effect.Effect<
  Transport.Shape,
  never,
  | HttpClient.HttpClient
  | Credentials.Credentials
  | Signer.Signer
  | Budgets.Budgets
  | BanGate.BanGate
  | ServerClock.ServerClock
> = Effect.gen(function* () {
  // The client's own span has the full URL and, unless told otherwise, the key; and it sends trace headers to the venue.
  const client = HttpClient.withTracerDisabledWhen(yield* HttpClient.HttpClient, () => true)
  const credentials = yield* Credentials.Credentials
  const signer = yield* Signer.Signer
  const budgets = yield* Budgets.Budgets
  const gate = yield* BanGate.BanGate
  const clock = yield* ServerClock.ServerClock

  const host = credentials.baseUrl
  const apiKey = Redacted.value(credentials.apiKey)
  const apiSecret = Redacted.value(credentials.apiSecret)
  const hasKey = apiKey !== "" && apiSecret !== ""

  const scrub = (text: string): string =>
    [apiSecret, apiKey]
      .filter((secret) => secret !== "")
      .reduce((scrubbed, secret) => scrubbed.replaceAll(secret, "<redacted>"), text)
      .replace(/\b[0-9a-f]{64}\b/g, "<redacted>")

  const endpointBudget = (endpoint: Endpoint.Properties, parameters: Wire.Parameters): Option.Option<Budgets.Charge> =>
    Option.map(endpoint.rateLimit, ({ count, scope, window }) => {
      const category = scope === "uid x category" ? ` ${String(parameters.category)}` : ""
      return { key: `${host} ${apiKey} ${endpoint.path}${category}`, limit: count, window, cost: 1 }
    })

  const ipBudget: Budgets.Charge = {
    key: host,
    limit: Budgets.perIp.count,
    window: Budgets.perIp.window,
    cost: 1
  }

  const requestOf = (signed: Signer.Signed): HttpClientRequest.HttpClientRequest => {
    // The query goes in as text: as an URL object, or as parameters, it would be encoded again and no longer be what was signed.
    const url = `${host}${signed.path}${signed.query === "" ? "" : `?${signed.query}`}`
    const request = HttpClientRequest.make(signed.method)(url, { headers: signed.headers, acceptJson: true })
    return signed.body === undefined
      ? request
      : HttpClientRequest.setBody(request, HttpBody.text(signed.body, "application/json"))
  }

  const send = (
    context: answers.Context,
    signed: Signer.Signed
  ): Effect.Effect<answers.Answer, Failure.ConnectionFailed> => {
    const failed = (reason: "Timeout" | "Connection", sent: boolean, detail: string) =>
      new Failure.ConnectionFailed({
        operation: context.operation,
        attempts: context.attempts,
        reason,
        sent,
        detail: scrub(detail)
      })
    const answered = (error: HttpClientError.HttpClientError) =>
      failed("Connection", error._tag === "ResponseError" || wasSent(error.cause), describeCause(error))
    return Effect.gen(function* () {
      const timeout = yield* AttemptTimeout
      const fetchOptions = yield* Effect.serviceOption(FetchHttpClient.RequestInit)
      return yield* client.execute(requestOf(signed)).pipe(
        Effect.flatMap((response) =>
          Effect.map(response.text, (body): answers.Answer => ({
            status: response.status,
            headers: response.headers,
            body
          }))
        ),
        Effect.mapError(answered),
        Effect.timeoutFail({
          duration: timeout,
          onTimeout: () => failed("Timeout", true, `no answer within ${Duration.format(timeout)}`)
        }),
        // A redirect would carry the signature, and a write, to somewhere else.
        Effect.provideService(FetchHttpClient.RequestInit, {
          ...Option.getOrElse(fetchOptions, () => ({})),
          redirect: "manual"
        })
      )
    })
  }

  /** One sending: from the gate to the envelope. */
  const attempt = (
    endpoint: Endpoint.Properties,
    context: answers.Context,
    parameters: Wire.Parameters,
    budget: Option.Option<Budgets.Charge>
  ): Effect.Effect<
    {
      readonly outcome: Outcome<Envelope.Unwrapped>
      readonly answer: answers.Answer
      readonly skew: Option.Option<ServerClock.Sample>
    },
    Failure.ConnectionFailed | Failure.Banned
  > =>
    Effect.gen(function* () {
      const closed = yield* gate.closedUntil(host)
      if (Option.isSome(closed)) {
        return yield* new Failure.Banned({ ...headOf(context), until: closed.value })
      }
      const timestamp = yield* clock.now(host)
      const signed = yield* signer.sign({ endpoint, parameters, timestamp })
      const sentAt = yield* Clock.currentTimeMillis
      const answer = yield* send(context, signed)
      const receivedAt = yield* Clock.currentTimeMillis
      const outcome = answers.read(context, endpoint, answer, yield* ReturnCodeTable)
      const serverTime = Either.match(outcome, {
        onLeft: (refusal) => (refusal._tag === "Skewed" ? refusal.serverTime : Option.none()),
        onRight: ({ time }) => time
      })
      const sample = Option.map(serverTime, (time) => ({
        sentAt,
        receivedAt,
        serverTime: DateTime.toEpochMillis(time)
      }))
      if (Either.isRight(outcome) && Option.isSome(sample)) yield* clock.learn(host, sample.value)
      return { outcome, answer, skew: sample }
    }).pipe(budgets.charged([ipBudget, ...Option.toArray(budget)]))

  const headOf = (context: answers.Context) => ({ operation: context.operation, attempts: context.attempts })

  /** One attempt with what follows from its refusal: the gate is closed, the budget is corrected, the clock is set. */
  const settled = (
    endpoint: Endpoint.Properties,
    context: answers.Context,
    parameters: Wire.Parameters,
    mayRelearn: boolean
  ): Effect.Effect<{ readonly unwrapped: Envelope.Unwrapped; readonly answer: answers.Answer }, Failure.ReadFailure> =>
    Effect.gen(function* () {
      const budget = endpointBudget(endpoint, parameters)
      const { answer, outcome, skew } = yield* attempt(endpoint, context, parameters, budget)
      if (Either.isRight(outcome)) return { unwrapped: outcome.right, answer }
      const refusal = outcome.left
      switch (refusal._tag) {
        case "Failed":
          return yield* Effect.fail(refusal.failure)
        case "IpBanned":
          return yield* new Failure.Banned({ ...headOf(context), until: yield* gate.close(host) })
        case "OverLimit": {
          const now = yield* clock.now(host)
          const window = Option.match(budget, {
            onNone: () => 60_000,
            onSome: (charge) => Duration.toMillis(charge.window)
          })
          const reset = answers.resetAt(answer, now, window)
          const local = yield* Clock.currentTimeMillis
          if (Option.isSome(budget)) {
            const wait = Option.match(reset, { onNone: () => window, onSome: (at) => at - now })
            yield* budgets.exhausted(budget.value.key, local + wait)
          }
          return yield* new Failure.RateLimited({
            ...headOf(context),
            ...refusal.said,
            ...Option.match(Option.flatMap(reset, DateTime.make), {
              onNone: () => ({}),
              onSome: (at) => ({ resetAt: at })
            })
          })
        }
        case "Skewed": {
          if (Option.isSome(skew)) {
            yield* clock.relearn(host, skew.value)
            // Refused for its timestamp, so not executed: this may be sent again whatever it is.
            if (mayRelearn) return yield* settled(endpoint, context, parameters, false)
          }
          return yield* new Failure.ClockSkew({
            ...headOf(context),
            ...refusal.said,
            skewMillis: Option.match(skew, { onNone: () => 0, onSome: ServerClock.skew })
          })
        }
      }
    })

  const repeated = <A>(
    endpoint: Endpoint.Properties,
    once: (context: answers.Context) => Effect.Effect<A, Failure.ReadFailure>,
    ambiguousAs: (
      because: Failure.OutcomeUnknown["because"],
      attempts: ReadonlyArray<Failure.Attempt>
    ) => Failure.OutcomeUnknown
  ): Effect.Effect<A, Failure.Failure> =>
    Effect.gen(function* () {
      const policy = yield* RetryPolicy.RetryPolicy
      const driver = yield* Schedule.driver(policy.schedule)
      const attempts: Array<Failure.Attempt> = []
      let ambiguous: Failure.OutcomeUnknown["because"] | undefined
      for (;;) {
        const at = yield* DateTime.now
        const result = yield* Effect.either(once({ operation: endpoint.name, attempts: [...attempts], scrub }))
        if (Either.isRight(result)) return result.right
        const failure = result.left
        if (endpoint.safety !== "read" && isAmbiguous(failure)) ambiguous ??= failure
        const failedAt = yield* Clock.currentTimeMillis
        const goesOn =
          policy.mayRepeat(failure, endpoint.safety) && Option.isSome(yield* Effect.option(driver.next(failure)))
        if (!goesOn) {
          // Once an attempt may have been executed, no later refusal unsays it.
          return yield* ambiguous === undefined ? Effect.fail(failure) : Effect.fail(ambiguousAs(ambiguous, attempts))
        }
        attempts.push(
          new Failure.Attempt({
            at,
            failure: failure._tag,
            message: failure.message,
            wait: Duration.millis((yield* Clock.currentTimeMillis) - failedAt)
          })
        )
      }
    })

  const callWith = <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety, A>(
    endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
    request: Req,
    decode: (result: unknown) => Either.Either<A, Mismatch>
  ): Effect.Effect<A, Failure.Of<S>> => {
    const run = Effect.gen(function* () {
      const parameters = yield* codecOf(endpoint).encode(request)
      if (endpoint.signing !== "public" && !hasKey) {
        return yield* new Failure.Unauthorized({ operation: endpoint.name, attempts: [], reason: "Credentials" })
      }
      return yield* repeated(
        endpoint,
        (context) =>
          Effect.flatMap(settled(endpoint, context, parameters, true), ({ answer, unwrapped }) =>
            Either.mapLeft(decode(unwrapped.result), ({ expected, path }) =>
              answers.unexpected(context, answer, path, expected)
            )
          ),
        (because, attempts) =>
          new Failure.OutcomeUnknown({
            operation: endpoint.name,
            attempts: [...attempts],
            identifiers: identifiersOf(parameters),
            because
          })
      )
    }).pipe(
      Effect.withSpan(`venue.${endpoint.name}`, {
        kind: "client",
        captureStackTrace: false,
        attributes: { "http.request.method": endpoint.method, "url.path": endpoint.path, "server.address": host }
      })
    )
    // `repeated` fails with an OutcomeUnknown only for writes, and with an UnexpectedResponse only for reads; that this is what
    // `Of` says for the endpoint's safety is checked by the tests, since the compiler cannot follow a type parameter through it.
    return run as Effect.Effect<A, Failure.Of<S>>
  }

  return {
    call: (endpoint, request) => callWith(endpoint, request, codecOf(endpoint).decode),
    callWire: (endpoint, request) => callWith(endpoint, request, codecOf(endpoint).validate)
  }
})

/**
 * A transport over what surrounds it: the HTTP client, budgets, ban gate and clock may be shared by many accounts.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = Layer.effect(Transport, make)

/**
 * A transport with a signer, budgets, a ban gate and a clock of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerStandalone: Layer.Layer<Transport, never, HttpClient.HttpClient | Credentials.Credentials> =
  layer.pipe(Layer.provide([Signer.layer, Budgets.layerMemory, BanGate.layer, ServerClock.layer]))
