/**
 * The way of one call, from a typed request to a typed result:
 *
 * encode and check the rules, take the rate limits, pass the ban gate, sign, send, unwrap, read the return code, decode. An attempt
 * that failed and may be repeated goes the whole way again from the rate limits on, so that every sending is signed anew.
 *
 * @since 0.1.0
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Hmac from "@effect-venue/signing/Hmac"
import * as Signer from "@effect-venue/signing/Signer"
import type * as Wire from "@effect-venue/signing/Wire"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as BanGate from "./BanGate.js"
import * as RateLimiter from "./RateLimiter.js"
import type * as RateLimitStore from "./RateLimitStore.js"
import * as CallOptions from "./CallOptions.js"
import * as Connections from "./Connections.js"
import * as Failure from "./Failure.js"
import * as address from "./internal/address.js"
import * as answers from "./internal/answer.js"
import * as attempts from "./internal/attempts.js"
import * as chargeKeys from "./internal/chargeKeys.js"
import { codecOf, type Mismatch } from "./internal/codec.js"
import { isAmbiguous } from "./internal/departure.js"
import { scrubber } from "./internal/scrub.js"
import * as sending from "./internal/sending.js"
import * as telemetry from "./internal/telemetry.js"
import * as Priority from "./Priority.js"
import * as Limits from "./Limits.js"
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
    /**
     * Calls an operation and gives its result as it came, checked: unknown fields and spellings are kept. Of an extended operation
     * that is `{ result, extInfo }`.
     */
    readonly callWire: <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
      endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
      request: Req
    ) => Effect.Effect<ResWire, Failure.Of<S>>
    /** Refuses a request as `call` would, and sends nothing. */
    readonly check: <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
      endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
      request: Req
    ) => Effect.Effect<void, Failure.InvalidRequest>
    /** How much one call may cost for all of it to be served: the limit per UID that is in force now, `none` where there is none. */
    readonly allowance: (
      endpoint: Endpoint.Properties,
      category: string | undefined
    ) => Effect.Effect<Option.Option<number>>
    /** The failure of one part of a write that the service takes or refuses part by part. */
    readonly partFailure: <Req, ReqWire, Res, ResWire>(
      part: Part<Req, ReqWire, Res, ResWire>,
      because: PartRefusal | Failure.OutcomeUnknown["because"]
    ) => Effect.Effect<Failure.WriteFailure>
    /** The service's clock in milliseconds, as its answers have stated it; the local clock before the first answer. */
    readonly serverTime: Effect.Effect<number>
    /** Takes note of calls a second that the service has granted; they count for the account whose UID the credentials name. */
    readonly granted: (uid: string, bizType: string, rate: number) => Effect.Effect<void>
  }
}

/**
 * One part of a write, such as one order of a batch: the operation that was called, and the request that would have asked for this
 * part alone.
 *
 * @since 0.1.0
 * @category models
 */
export interface Part<in out Req, in out ReqWire, in out Res, in out ResWire> {
  readonly of: Endpoint.Properties
  readonly alone: Endpoint.Endpoint<Req, ReqWire, Res, ResWire>
  readonly request: Req
}

/**
 * What the service said of a part that it refused.
 *
 * @since 0.1.0
 * @category models
 */
export interface PartRefusal {
  readonly code: number
  readonly msg: string
}

/** What came of an attempt that the service did not refuse. */
interface Attempted extends sending.Received {
  readonly result: unknown
}

/** Parameters that name a write in a later query. */
const identifying = ["category", "symbol", "orderId", "orderLinkId", "requestId", "positionIdx"]

const identifiersOf = (parameters: Readonly<Record<string, unknown>>, prefix = ""): Record<string, string> =>
  Object.fromEntries([
    ...identifying.flatMap((name): ReadonlyArray<readonly [string, string]> => {
      const value = parameters[name]
      return typeof value === "string" || typeof value === "number" ? [[`${prefix}${name}`, String(value)]] : []
    }),
    // The orders of a batch, each by its place.
    ...(Array.isArray(parameters.request)
      ? parameters.request.map((item: object, index) => Object.entries(identifiersOf({ ...item }, `request.${index}.`)))
      : []
    ).flat()
  ])

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
  | RateLimiter.RateLimiter
  | BanGate.BanGate
  | ServerClock.ServerClock
> = Effect.gen(function* () {
  const credentials = yield* Credentials.Credentials
  const limiter = yield* RateLimiter.RateLimiter
  const gate = yield* BanGate.BanGate
  const clock = yield* ServerClock.ServerClock
  const host = credentials.baseUrl
  const apiKey = Redacted.value(credentials.apiKey)
  const apiSecret = Redacted.value(credentials.apiSecret)
  const hasKey = apiKey !== "" && apiSecret !== ""
  const { sha256Hex } = yield* Hmac.Hmac
  // Keys of one UID share its limits; without the UID the key has to stand for it.
  const owner = credentials.uid === undefined ? chargeKeys.ofApiKey(sha256Hex, apiKey) : `uid:${credentials.uid}`
  const chargedTo = address.of(host)
  const scrub = scrubber([apiSecret, apiKey])
  const transform = yield* CallOptions.TransformClient
  const http = yield* HttpClient.HttpClient
  const execute = sending.make(
    {
      host,
      connections: Option.getOrElse(yield* Effect.serviceOption(Connections.Connections), () =>
        Connections.fromClient(http)
      ),
      signer: yield* Signer.Signer,
      limiter,
      gate,
      clock,
      arrivesWithin: Duration.min(credentials.recvWindow, longestJourney)
    },
    transform
  )

  const chargesOf = (endpoint: Endpoint.Properties, parameters: Wire.Parameters, limits: Limits.Shape) => {
    const category = typeof parameters.category === "string" ? parameters.category : undefined
    const cost = endpoint.cost?.(parameters) ?? 1
    const bizType = category === "spot" ? "SPOT" : "DERIVATIVES"
    const ofUid = Option.map(limits.perUid(endpoint, category), ({ count, scope, window }): RateLimitStore.Charge => {
      const granted =
        Option.exists(endpoint.rateLimit, ({ upgradable }) => upgradable === true) && credentials.uid !== undefined
          ? limiter.granted(host, credentials.uid, bizType)
          : undefined
      const part = scope === "uid x category" ? ` ${category ?? ""}` : ""
      return {
        key: `${chargedTo} ${owner} ${endpoint.path}${part}`,
        scope: "uid",
        limit: granted ?? count,
        window,
        cost
      }
    })
    const ofIp = Option.map(limits.perIp, ({ count, window }): RateLimitStore.Charge => ({
      key: chargedTo,
      scope: "ip",
      limit: count,
      window,
      cost: 1
    }))
    return { ofUid, charges: [...Option.toArray(ofIp), ...Option.toArray(ofUid)] }
  }

  /** One attempt with what follows from its refusal. A generator that is made once: see `makeTransmit`. */
  const attempt = Effect.fnUntraced(function* (
    endpoint: Endpoint.Properties,
    parameters: Wire.Parameters,
    context: answers.Context,
    progress: attempts.Progress,
    mayRelearn: boolean
  ): Effect.fn.Return<Attempted, Failure.ReadFailure> {
    const references = yield* Effect.context<never>()
    const priority = Context.get(references, Priority.Priority)
    const one: sending.Sending = {
      endpoint,
      parameters,
      context,
      ...chargesOf(endpoint, parameters, Context.get(references, Limits.Limits)),
      priority: priority === "by operation" ? Priority.ofEndpoint(endpoint) : priority,
      departures: progress.departures,
      signatures: progress.signatures,
      timedOut: false,
      sends: 0,
      refused: undefined,
      received: undefined,
      waited: 0
    }
    const received = yield* telemetry.attempt(execute(one), one)
    const { verdict, sample } = received
    if (Either.isRight(verdict)) {
      const { extInfo, result } = verdict.right
      return { ...received, result: endpoint.extended === true ? { result, extInfo } : result }
    }
    const head = { operation: context.operation, attempts: context.attempts }
    const refusal = verdict.left
    switch (refusal._tag) {
      case "Failed":
        return yield* Effect.fail(refusal.failure)
      case "IpBanned": {
        const now = yield* Clock.currentTimeMillis
        const until = yield* gate.closedUntil(host)
        return yield* new Failure.Banned({ ...head, until: DateTime.unsafeMake(Math.max(until, now)) })
      }
      case "OverLimit": {
        const told = answers.limits(received.answer).resetAt
        const now = yield* Clock.currentTimeMillis
        // The service tells it by its clock; a caller waits by ours.
        const resetAt = told === undefined ? undefined : told - ((yield* clock.now(host)) - now)
        const isSane = resetAt !== undefined && resetAt > now && resetAt <= now + longestWindow
        return yield* new Failure.RateLimited({
          ...head,
          ...refusal.said,
          ...(isSane ? { resetAt: DateTime.unsafeMake(resetAt) } : {})
        })
      }
      case "Skewed": {
        if (Option.isSome(sample)) {
          yield* clock.relearn(host, sample.value)
          // Refused for its timestamp, so not executed: this may be sent again whatever it is.
          if (mayRelearn) return yield* attempt(endpoint, parameters, context, progress, false)
        }
        return yield* new Failure.ClockSkew({
          ...head,
          ...refusal.said,
          skewMillis: Option.match(sample, { onNone: () => 0, onSome: ServerClock.skew })
        })
      }
    }
  })

  const unknownOutcome = (
    { lookUp, name }: Pick<Endpoint.Properties, "name" | "lookUp">,
    parameters: Wire.Parameters,
    because: Failure.OutcomeUnknown["because"],
    before: ReadonlyArray<Failure.Attempt>
  ): Failure.OutcomeUnknown => {
    const failure = new Failure.OutcomeUnknown({
      operation: name,
      attempts: [...before],
      identifiers: identifiersOf(parameters),
      because
    })
    return lookUp === undefined
      ? failure
      : Failure.withLookUp(
          failure,
          lookUp(parameters, (read, request) => call(read, request))
        )
  }

  const callWith = <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety, A>(
    endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
    request: Req,
    decode: (result: unknown) => Either.Either<A, Mismatch>
  ): Effect.Effect<A, Failure.Of<S>> => {
    const run = Effect.flatMap(
      Effect.suspend(() => codecOf(endpoint).encode(request)),
      (parameters): Effect.Effect<A, Failure.Failure> =>
        endpoint.signing !== "public" && !hasKey
          ? Effect.fail(new Failure.Unauthorized({ operation: endpoint.name, attempts: [], reason: "Credentials" }))
          : attempts.repeated(
              endpoint,
              scrub,
              (context, progress) =>
                Effect.flatMap(attempt(endpoint, parameters, context, progress, true), ({ answer, result }) =>
                  Either.mapLeft(decode(result), ({ expected, path }) =>
                    answers.unexpected(context, answer, path, expected)
                  )
                ),
              (because, before) => unknownOutcome(endpoint, parameters, because, before)
            )
    )
    // The loop fails with an OutcomeUnknown only for writes, and with an UnexpectedResponse only for reads; that this is what
    // `Of` says for the endpoint's safety is checked by the tests, since the compiler cannot follow a type parameter through it.
    return telemetry.call(run, endpoint, host) as Effect.Effect<A, Failure.Of<S>>
  }

  const call: Transport.Shape["call"] = (endpoint, request) => callWith(endpoint, request, codecOf(endpoint).decode)

  const partFailure: Transport.Shape["partFailure"] = (part, because) =>
    Effect.gen(function* () {
      const head = { operation: part.of.name, attempts: [] }
      // It was judged as part of the whole already.
      const parameters = Either.getOrElse(codecOf(part.alone).encode(part.request), (): Wire.Parameters => ({}))
      const unknown = (ambiguous: Failure.OutcomeUnknown["because"]) =>
        unknownOutcome({ ...part.alone, name: part.of.name }, parameters, ambiguous, [])
      if ("_tag" in because) return unknown(because)
      const answered = { code: because.code, message: because.msg, time: Option.none() }
      const refusal = answers.byCode({ ...head, scrub }, 200, answered, yield* ReturnCodeTable)
      const now = yield* Clock.currentTimeMillis
      switch (refusal._tag) {
        case "Failed":
          return isAmbiguous(refusal.failure) ? unknown(refusal.failure) : refusal.failure
        case "OverLimit":
          return new Failure.RateLimited({ ...head, ...refusal.said })
        case "Skewed":
          return new Failure.ClockSkew({ ...head, ...refusal.said, skewMillis: (yield* clock.now(host)) - now })
        case "IpBanned": {
          const until = Math.max(yield* gate.closedUntil(host), now)
          return new Failure.Banned({ ...head, until: DateTime.unsafeMake(until) })
        }
      }
    })

  return {
    call,
    check: (endpoint, request) => Effect.asVoid(codecOf(endpoint).encode(request)),
    allowance: (endpoint, category) =>
      Effect.flatMap(Limits.Limits, (limits) =>
        Option.match(chargesOf(endpoint, category === undefined ? {} : { category }, limits).ofUid, {
          onNone: () => Effect.succeedNone,
          onSome: (charge) => Effect.map(limiter.limit(charge), Option.some)
        })
      ),
    partFailure,
    callWire: (endpoint, request) => callWith(endpoint, request, codecOf(endpoint).validate),
    serverTime: clock.now(host),
    granted: (uid, bizType, rate) => limiter.grant(host, uid, bizType, rate)
  }
})

// A request whose connection was closed is not under way for longer, however long its signature is good.
const longestJourney = Duration.seconds(10)

// No documented window is longer than a minute: a reset further away is absurd.
const longestWindow = 61_000

/**
 * A transport over what surrounds it: the HTTP client, rate limits, ban gate and clock may be shared by many accounts.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = Layer.effect(Transport, make)

/**
 * A transport with a signer, rate limits, a ban gate and a clock of its own.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerStandalone: Layer.Layer<Transport, never, HttpClient.HttpClient | Credentials.Credentials> =
  layer.pipe(Layer.provide([Signer.layer, RateLimiter.layerMemory, BanGate.layer, ServerClock.layer]))
