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
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as BanGate from "./BanGate.js"
import * as RateLimiter from "./RateLimiter.js"
import * as CallOptions from "./CallOptions.js"
import * as Connections from "./Connections.js"
import * as Failure from "./Failure.js"
import * as address from "./internal/address.js"
import * as call from "./internal/call.js"
import * as chargeKeys from "./internal/chargeKeys.js"
import * as charges from "./internal/charges.js"
import { codecOf } from "./internal/codec.js"
import { scrubber } from "./internal/scrub.js"
import * as unknownOutcome from "./internal/unknownOutcome.js"
import * as verdict from "./internal/verdict.js"
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
  const scrub = scrubber([apiSecret, apiKey])
  const http = yield* HttpClient.HttpClient
  const chargesOf = charges.make({
    host,
    address: address.of(host),
    owner,
    uid: credentials.uid,
    granted: limiter.granted
  })
  const run = call.make({
    host,
    scrub,
    hasKey,
    chargesOf,
    limiter,
    gate,
    clock,
    arrivesWithin: Duration.min(credentials.recvWindow, longestJourney),
    signer: yield* Signer.Signer,
    connections: Option.getOrElse(yield* Effect.serviceOption(Connections.Connections), () =>
      Connections.fromClient(http)
    ),
    wrap: yield* CallOptions.TransformClient
  })

  const partFailure: Transport.Shape["partFailure"] = (part, because) =>
    Effect.gen(function* () {
      const head = { operation: part.of.name, attempts: [] }
      // It was judged as part of the whole already.
      const parameters = Either.getOrElse(codecOf(part.alone).encode(part.request), (): Wire.Parameters => ({}))
      const unknown = (ambiguous: Failure.OutcomeUnknown["because"]) =>
        unknownOutcome.make({ ...part.alone, name: part.of.name }, parameters, ambiguous, [], (read, request) =>
          run(read, request, codecOf(read).decode)
        )
      if ("_tag" in because) return unknown(because)
      const now = yield* Clock.currentTimeMillis
      const failure = verdict.fromCode({ ...head, scrub }, yield* ReturnCodeTable, {
        status: 200,
        retCode: because.code,
        message: because.msg,
        resetAt: undefined,
        skewMillis: (yield* clock.now(host)) - now,
        bannedUntil: Math.max(yield* gate.closedUntil(host), now),
        movesFunds: part.of.movesFunds === true
      })
      return verdict.isAmbiguous(failure) ? unknown(failure) : failure
    })

  return {
    call: (endpoint, request) => run(endpoint, request, codecOf(endpoint).decode),
    callWire: (endpoint, request) => run(endpoint, request, codecOf(endpoint).validate),
    check: (endpoint, request) => Effect.asVoid(codecOf(endpoint).encode(request)),
    allowance: (endpoint, category) =>
      Effect.flatMap(Limits.Limits, (limits) =>
        Option.match(chargesOf(endpoint, category === undefined ? {} : { category }, limits).ofUid, {
          onNone: () => Effect.succeedNone,
          onSome: (charge) => Effect.map(limiter.limit(charge), Option.some)
        })
      ),
    partFailure,
    serverTime: clock.now(host),
    granted: (uid, bizType, rate) => limiter.grant(host, uid, bizType, rate)
  }
})

// A request whose connection was closed is not under way for longer, however long its signature is good.
const longestJourney = Duration.seconds(10)

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
