/**
 * Calls one operation, from a typed request to a typed result: encodes and checks the request, waits for the rate limits, passes the ban gate, signs, sends,
 * unwraps the response, reads the return code and decodes the result.
 *
 * An attempt that failed and can be repeated goes through all steps again from the rate limits on, so every request is signed anew.
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Hmac from "@effect-venue/signing/Hmac"
import * as Signer from "@effect-venue/signing/Signer"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Function from "effect/Function"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as BanGate from "../bans/BanGate.js"
import * as RateLimiter from "../limits/RateLimiter.js"
import * as CallOptions from "../model/CallOptions.js"
import * as Connections from "../connections/Connections.js"
import * as exchange from "../connections/exchange.js"
import * as Double from "./Double.js"
import type * as Failure from "../model/Failure.js"
import * as address from "../model/address.js"
import * as call from "./call.js"
import * as Inherit from "../model/Inherit.js"
import * as charges from "../limits/charges.js"
import { codecOf } from "../response/codec.js"
import * as GuardHook from "../guard/GuardHook.js"
import * as JournalHook from "../journal/JournalHook.js"
import { noWaits } from "../response/limitAnswer.js"
import { fromCode } from "../response/returnCodeFailure.js"
import { scrubber } from "../model/secretsInText.js"
import * as unknownOutcome from "../response/unknownOutcome.js"
import * as Limits from "../limits/Limits.js"
import { RetryPolicy } from "../model/RetryPolicy.js"
import * as SentWrites from "./SentWrites.js"
import * as requests from "../telemetry/requests.js"
import * as ServerClock from "../time/ServerClock.js"

export class Transport extends Context.Tag("@effect-venue/transport/Transport")<Transport, Transport.Shape>() {}

export declare namespace Transport {
  export interface Shape {
    /** Calls an operation and returns its decoded result. */
    readonly call: <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
      endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
      request: Req
    ) => Effect.Effect<Res, Failure.Of<S>>
    /**
     * Calls an operation and returns its result in its wire form, after checking it: unknown fields and spellings are kept. For an extended operation the
     * result is `{ result, extInfo }`.
     */
    readonly callWire: <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
      endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
      request: Req
    ) => Effect.Effect<ResWire, Failure.Of<S>>
    /** Fails for a request that `call` would refuse, without sending anything. */
    readonly check: <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
      endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
      request: Req
    ) => Effect.Effect<void, Failure.InvalidRequest>
    /** The account of the calls, with calls for modules that build on the transport. */
    readonly account: AccountCalls
  }
}

/** The account of a transport, and calls for modules that build on it, such as `Batch`, `OpenWrites` and exports. */
export interface AccountCalls {
  /** Identifies the account, so that a process can compare it with the account of another process. */
  readonly identity: Identity
  /** The service's clock in milliseconds, measured from its responses. Before the first response this is the local clock. */
  readonly serverTime: Effect.Effect<number>
  /** The service's clock in milliseconds, or `none` before a response has contained it. The responses of some operations never contain it. */
  readonly statedTime: Effect.Effect<Option.Option<number>>
  /**
   * Calls an operation that reads, as `call` does, and returns the text of the whole response with the result, since a number can be spelled in more ways
   * than a parsed value keeps.
   */
  readonly callText: <Req, ReqWire, Res, ResWire>(
    endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, "read">,
    request: Req
  ) => Effect.Effect<{ readonly result: Res; readonly body: string }, Failure.ReadFailure>
  /** Records a rate in calls per second that the service has granted. It applies to the account with this UID. */
  readonly grant: (uid: string, bizType: string, rate: number) => Effect.Effect<void>
  /** The limit per UID in force for an operation, or `none`. */
  readonly limit: (endpoint: Endpoint.Properties, category: string | undefined) => Effect.Effect<Option.Option<number>>
  /** Adds the options of calls that the layer of the transport was provided with. */
  readonly inherit: CallOptions.Inherit
  /** The failure for a return code of an operation. */
  readonly refusal: (of: Endpoint.Properties, code: number, message: string) => Effect.Effect<Failure.ReadFailure>
  /** Follows the ids of the items of batches. */
  readonly items: SentWrites.Items
  /** The failure of a write with an unknown outcome, including the look-up of its operation. */
  readonly outcomeUnknown: (
    of: Pick<Endpoint.Properties, "name" | "lookUp" | "onceBy">,
    parameters: Signer.Parameters,
    because: Failure.OutcomeUnknown["because"]
  ) => Failure.OutcomeUnknown
}

/** Identifies the account of the calls as far as the credentials do. It contains no secret. */
export interface Identity {
  /** Hostname of the service, followed by the port unless it is the default port. */
  readonly host: string
  /** A keyed digest of the API key, 32 hex digits. It is the same for the same key, and the key cannot be computed from it. */
  readonly key: string
  /** The UID that the credentials declare. */
  readonly uid: string | undefined
}

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
  // Keys of the same UID share its limits. Without a UID the key identifies the limits.
  const owner = credentials.uid === undefined ? charges.ofApiKey(sha256Hex, apiKey) : `uid:${credentials.uid}`
  const scrub = scrubber([apiSecret, apiKey])
  const identity: Identity = {
    host: address.of(host),
    key: charges.ofExport(sha256Hex, apiKey),
    uid: credentials.uid
  }
  const http = yield* HttpClient.HttpClient
  const chargesOf = charges.make({
    host,
    address: address.of(host),
    owner,
    uid: credentials.uid,
    granted: limiter.granted
  })
  const own = Option.getOrUndefined(yield* Effect.serviceOption(Connections.Connections))
  const connections = own ?? Connections.fromClient(http)
  const writer = { ...identity, recvWindow: Duration.toMillis(credentials.recvWindow) }
  const { guard, journal } = yield* safeguards
  const dependencies: call.CallDependencies = {
    venue: {
      host,
      limiter,
      gate,
      clock,
      signer: yield* Signer.Signer,
      connections,
      evidence: exchange.evidenceOf(connections),
      journey: Duration.toMillis(Duration.min(credentials.recvWindow, longestJourney)),
      recordIntent: journal === undefined ? undefined : JournalHook.recordIntent(journal, writer),
      beginRequest: requests.make(host)
    },
    writer,
    journal,
    guard,
    scrub,
    hasKey,
    chargesOf,
    inherit: yield* Inherit.capture(inheritable),
    sent: (yield* SentWrites.SentWrites)(own === undefined ? http : undefined)
  }
  const run = call.make(dependencies)
  return {
    call: (endpoint, request) => run(endpoint, request, codecOf(endpoint).decode),
    callWire: (endpoint, request) => run(endpoint, request, codecOf(endpoint).validate),
    check: (endpoint, request) => Effect.asVoid(codecOf(endpoint).encode(request)),
    account: accountCalls(dependencies, identity, run)
  }
})

/** The guard and the journal of all writes. A guard that counts the writes of a journal brings it. */
const safeguards = Effect.gen(function* () {
  const guard = Option.getOrUndefined(yield* Effect.serviceOption(GuardHook.Guard))?.["~hook"]
  const journal = Option.getOrUndefined(yield* Effect.serviceOption(JournalHook.WriteJournal))
  const counted = guard?.journal
  if (counted !== undefined && journal !== undefined && !counted.isOf(journal)) {
    return yield* Effect.dieMessage(
      "the guard of this transport counts the writes of one journal, and they would be recorded in another: provide only the journal of the guard"
    )
  }
  return { guard, journal: counted?.journal ?? journal }
})

/** The calls that need more of the account than its operations do. */
const accountCalls = (
  { chargesOf, inherit: add, journal, scrub, sent, venue }: call.CallDependencies,
  identity: Identity,
  run: call.Run
): AccountCalls => {
  const { clock, gate, host, limiter } = venue
  const inherit: CallOptions.Inherit = (effect) => (add === undefined ? effect : Effect.mapInputContext(effect, add))
  return {
    identity,
    serverTime: Effect.clockWith((time) => clock.now(host, time)),
    statedTime: Effect.clockWith((time) => clock.stated(host, time)),
    callText: (endpoint, request) =>
      run(endpoint, request, (result, body) =>
        Either.map(codecOf(endpoint).decode(result), (result) => ({ result, body }))
      ),
    grant: (uid, bizType, rate) => limiter.grant(host, uid, bizType, rate),
    limit: (endpoint, category) =>
      inherit(
        Effect.flatMap(Limits.Limits, (limits) =>
          Option.match(chargesOf(endpoint, category === undefined ? {} : { category }, limits).ofUid, {
            onNone: () => Effect.succeedNone,
            onSome: (charge) => Effect.map(limiter.limit(charge), Option.some)
          })
        )
      ),
    inherit,
    items: SentWrites.items(sent, identity, journal),
    refusal: (of, code, message) =>
      inherit(
        Effect.gen(function* () {
          const time = yield* Effect.clock
          const now = time.unsafeCurrentTimeMillis()
          return fromCode({ operation: of.name, attempts: [], scrub }, yield* CallOptions.ReturnCodeTable, {
            status: 200,
            retCode: code,
            message,
            waits: noWaits,
            skewMillis: Option.getOrUndefined(Option.map(yield* clock.stated(host, time), (stated) => stated - now)),
            bannedUntil: Math.max(yield* gate.closedUntil(host, time), now),
            movesFunds: of.movesFunds === true
          })
        })
      ),
    outcomeUnknown: (endpoint, parameters, because) =>
      unknownOutcome.make({ endpoint, parameters, attempts: [] }, because, (endpoint, request) =>
        run(endpoint, request, codecOf(endpoint).decode)
      )
  }
}

/** The references that a call takes from the layer of its transport. */
const inheritable = [
  Inherit.reference(CallOptions.AttemptTimeout),
  Inherit.reference(CallOptions.CallTimeout),
  Inherit.reference(CallOptions.MaxResponseBytes),
  Inherit.reference(CallOptions.OnInterruptedWrite),
  Inherit.reference(CallOptions.OnRetry),
  Inherit.reference(CallOptions.TransformClient),
  Inherit.reference(BanGate.WhenBanned),
  Inherit.reference(Limits.Limits),
  Inherit.reference(CallOptions.Priority),
  Inherit.reference(CallOptions.Turn),
  Inherit.reference(RateLimiter.StoreDeadline),
  Inherit.reference(RetryPolicy),
  Inherit.reference(CallOptions.ReturnCodeTable)
]

// Once its connection is closed, a request can stay in flight for at most this long, even if its signature is valid for longer.
const longestJourney = Duration.seconds(10)

/** A transport over its dependencies. Accounts can share the HTTP client, the rate limits, the ban gate and the clock. */
export const layer = Layer.effect(Transport, make)

/** A transport with a new signer, rate limits, ban gate and clock. */
export const layerStandalone: Layer.Layer<Transport, never, HttpClient.HttpClient | Credentials.Credentials> =
  layer.pipe(Layer.provide([Signer.layer, RateLimiter.layerMemory, BanGate.layer, ServerClock.layer]))

/** The members of a transport that a test provides. */
interface TestMembers extends Partial<Pick<Transport.Shape, "call" | "callWire" | "check">>, Partial<AccountCalls> {}

const noMembers: { readonly [K in keyof TestMembers]-?: undefined } = {
  call: undefined,
  callWire: undefined,
  check: undefined,
  identity: undefined,
  serverTime: undefined,
  statedTime: undefined,
  callText: undefined,
  grant: undefined,
  inherit: undefined,
  items: undefined,
  limit: undefined,
  refusal: undefined,
  outcomeUnknown: undefined
}

/**
 * A transport for tests. A member that is not provided dies with its name. `serverTime` defaults to the `Clock`, `identity` to the host `test.invalid` without
 * key and UID, and `inherit` adds nothing. `callOf` makes `call` from results by operation.
 */
export const layerTest = (members: TestMembers): Layer.Layer<Transport> =>
  Layer.sync(Transport, () => {
    const { call, callWire, check, ...account } = Double.make<Required<TestMembers>>("Transport", noMembers, members)
    return {
      call,
      callWire,
      check,
      account: {
        ...account,
        inherit: members.inherit ?? Function.identity,
        items: members.items ?? SentWrites.items(SentWrites.makeMemory(), { host: "test.invalid", key: "" }, undefined),
        serverTime: members.serverTime ?? Clock.currentTimeMillis,
        statedTime: members.statedTime ?? Effect.asSome(members.serverTime ?? Clock.currentTimeMillis),
        identity: members.identity ?? { host: "test.invalid", key: "", uid: undefined }
      }
    }
  })

/**
 * The result of one operation in a test. Create it with `on`.
 *
 * @category testing
 */
export interface TestAnswer {
  readonly operation: string
  readonly answer: (request: never) => Effect.Effect<unknown, unknown>
}

/**
 * Answers the calls of an operation in a test.
 *
 * @category testing
 */
export const on = <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
  endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
  answer: (request: NoInfer<Req>) => Effect.Effect<NoInfer<Res>, Failure.Of<NoInfer<S>>>
): TestAnswer => ({ operation: endpoint.name, answer })

/**
 * The `call` of a transport with these results. A call of any further operation dies with the operation's name, as in `layerTest`.
 *
 * @category testing
 */
export const callOf = (...answers: ReadonlyArray<TestAnswer>): Transport.Shape["call"] => {
  const operations = answers.map(({ operation }) => operation)
  return <Req, ReqWire, Res, ResWire, S extends Endpoint.Safety>(
    endpoint: Endpoint.Endpoint<Req, ReqWire, Res, ResWire, S>,
    request: Req
  ) => {
    const found = answers.find(({ operation }) => operation === endpoint.name)
    if (found === undefined) return Double.notGiven(endpoint.name, operations)
    // `on` has checked the result against the endpoint of this name, but the list cannot keep the type of each result.
    const answer = found.answer as (request: Req) => Effect.Effect<Res, Failure.Of<S>>
    return answer(request)
  }
}
