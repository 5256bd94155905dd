/**
 * One value per operation of the service: the single source of its name, its path, its signature and envelope, its parameters
 * and result, how often it may be called, and whether calling it twice does harm. Transport,
 * services, the sandbox's routing, the reference pages and the command line all read it.
 *
 * @since 0.1.0
 */
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type * as Envelope from "./Envelope.js"
import type * as Instant from "./Instant.js"

/**
 * The domains; each is a file of this name in every package. An operation that an application adds may have any name.
 *
 * @since 0.1.0
 * @category models
 */
export type Domain =
  "Orders" | "Positions" | "Executions" | "Instruments" | "Account" | "Assets" | "Broker" | "ApiLimits" | (string & {})

/**
 * `public`: not signed. `header`: the signature covers the text sent and travels in headers. `parameter`: the sorted,
 * decoded parameters are signed, and the signature travels among them. (docs/reference/signing.md)
 *
 * @since 0.1.0
 * @category models
 */
export type Signing = "public" | "header" | "parameter"

/**
 * The effect of a second sending. `read`: none. `idempotent`: none, because the service executes the request once for its id.
 * `write`: possibly the same change again.
 *
 * @since 0.1.0
 * @category models
 */
export type Safety = "read" | "idempotent" | "write"

/**
 * A documented limit: at most `count` calls in any `window`. Always per UID; where the limits table has a column per
 * category, each category has a rate limit of its own. (docs/reference/limits.md)
 *
 * @since 0.1.0
 * @category models
 */
export interface RateLimit {
  readonly count: number
  readonly window: Duration.Duration
  readonly scope: "uid" | "uid x category"
  /** An account may be granted a higher one (column "upgradable" of the limits table). */
  readonly upgradable?: true
}

/**
 * How a list is paged. `items` and `cursor` are fields of the result, `cursorParameter` and `sizeParameter` of the
 * request.
 *
 * @since 0.1.0
 * @category models
 */
export interface Paging {
  readonly items: string
  readonly cursor: string
  readonly cursorParameter: string
  readonly sizeParameter: string
  /** Page-size bounds; `none` where none are documented. */
  readonly size: Option.Option<{ readonly min: number; readonly max: number; readonly default: number }>
}

/**
 * How a list is bounded in time. `span` is the longest range of one request, `reachBack` the retention of the records;
 * `none` where it is not documented.
 *
 * @since 0.1.0
 * @category models
 */
export interface HistoryWindow {
  readonly from: string
  readonly to: string
  readonly unit: Instant.Unit
  readonly span: Option.Option<Duration.Duration>
  readonly reachBack: Option.Option<Duration.Duration>
}

/**
 * `documented`: the payload is in the service's document. `listed`: only the path is there, the payload comes from public pages.
 * (docs/reference/listed-operations.md)
 *
 * @since 0.1.0
 * @category models
 */
export type Evidence = "documented" | "listed"

/**
 * The result of a look-up, with the records that were read as `evidence` (orders, transfers or positions). `yes`: the requested state
 * is in force. `no`: the service lists the write as failed. `undetermined`: neither; a record that differs from the request may have
 * been changed again since, or the write may still be on its way.
 *
 * @since 0.1.0
 * @category models
 */
export interface Finding {
  readonly executed: "yes" | "no" | "undetermined"
  readonly evidence: ReadonlyArray<unknown>
}

/**
 * The record that a write creates under an id of its caller's. `id` is the parameter with it, of a batch the parameter of each part. The
 * look-up finds the record by this id for `listedFor` at least: until then a record that is not found does not exist, once the request
 * can arrive no more.
 *
 * @since 0.1.0
 * @category models
 */
export interface Creation {
  readonly id: string
  readonly listedFor: Duration.Duration
}

/**
 * Calls a read.
 *
 * @since 0.1.0
 * @category models
 */
export type ReadCall<E> = <Req, ReqWire, Res, ResWire>(
  endpoint: Endpoint<Req, ReqWire, Res, ResWire, "read">,
  request: Req
) => Effect.Effect<Res, E>

/**
 * Determines the outcome of a write, from its parameters on the wire side, by calling reads.
 *
 * @since 0.1.0
 * @category models
 */
export type LookUp = <E>(parameters: Readonly<Record<string, unknown>>, read: ReadCall<E>) => Effect.Effect<Finding, E>

/**
 * A field of a result that repeats a parameter with another value.
 *
 * @since 0.1.0
 * @category models
 */
export interface Contradiction {
  readonly field: string
  readonly sent: string
  readonly received: string
}

/**
 * Compares the result of a write with its parameters, both on the wire side: `undefined` if no field contradicts them.
 *
 * @since 0.1.0
 * @category models
 */
export type Contradicts = (
  parameters: Readonly<Record<string, unknown>>,
  result: Readonly<Record<string, unknown>>
) => Contradiction | undefined

/**
 * What `venue doctor` makes a request from: the window of a history in milliseconds, and the page of a list. `uid` is the UID of the
 * account; empty where the credentials do not declare it.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ask {
  readonly from: number
  readonly to: number
  readonly uid: string
  readonly cursor: string | undefined
  readonly size: number
}

/**
 * A request with which `venue doctor` examines a read.
 *
 * @since 0.1.0
 * @category models
 */
export interface Probe<out Req> {
  readonly request: (ask: Ask) => Req
  /** What the request is about, such as `linear`. Defaults to nothing: there is one request only. */
  readonly variant?: string
  /** What the wire calls the cursor of an answer, where that is not what the endpoint calls it. */
  readonly cursor?: string
  /** The answer has no cursor: it is one page. */
  readonly unpaged?: true
  readonly needsUid?: true
}

/**
 * What every endpoint has, whatever its payloads.
 *
 * @since 0.1.0
 * @category models
 */
export interface Properties<out S extends Safety = Safety> {
  /** `domain.method`, as in the services: `executions.list`. */
  readonly name: string
  readonly domain: Domain
  /** Its description, in one line. */
  readonly summary: string
  readonly method: "GET" | "POST"
  readonly path: string
  readonly signing: Signing
  readonly envelope: Envelope.Kind
  /** The response's ext info belongs to its result: the decoded value is `{ result, extInfo }`. */
  readonly extended?: true
  readonly rateLimit: Option.Option<RateLimit>
  readonly safety: S
  /** How many calls this one counts as, given its parameters. Defaults to 1. */
  readonly cost?: (parameters: Readonly<Record<string, unknown>>) => number
  /** Of a write: how to determine the outcome of one whose response was lost. */
  readonly lookUp?: LookUp
  /** Of a write whose look-up finds what it creates by an id in the request. */
  readonly creates?: Creation
  /** Of a write whose result repeats parameters: how to recognise the result of another request. */
  readonly contradicts?: Contradicts
  /** Takes coins out of an account: only a documented return code proves that it was not executed. */
  readonly movesFunds?: true
  /** Reduces or corrects risk: its priority is the highest. */
  readonly urgent?: true
  readonly paging: Option.Option<Paging>
  readonly historyWindow: Option.Option<HistoryWindow>
  readonly evidence: Evidence
  readonly deprecated: boolean
  /** Where it is specified: a section of docs/reference/rules.md, or of docs/reference/listed-operations.md. */
  readonly source: string
}

/**
 * An operation from typed request to typed result. The encoded side of `request` is what is sent: for GET a record of
 * texts, for POST a JSON object. The encoded side of `result` is the envelope's `result`, unmodified, or `{ result, extInfo }` of an
 * extended one.
 *
 * @since 0.1.0
 * @category models
 */
export interface Endpoint<
  in out Req,
  in out ReqWire,
  in out Res,
  in out ResWire,
  out S extends Safety = Safety
> extends Properties<S> {
  readonly request: Schema.Schema<Req, ReqWire>
  readonly result: Schema.Schema<Res, ResWire>
  /** A request that tests send and the reference shows. Those of the library, sent in the order of `Endpoints.all`, are all accepted. */
  readonly example?: NoInfer<Req>
  /** Of a read: the requests with which `venue doctor` examines it. */
  readonly probes?: ReadonlyArray<Probe<NoInfer<Req>>>
}

/**
 * Any endpoint, for code that reads the properties and ignores the payloads.
 *
 * @since 0.1.0
 * @category models
 */
export interface Any extends Properties {
  readonly request: Schema.Schema.AnyNoContext
  readonly result: Schema.Schema.AnyNoContext
  readonly example?: unknown
  readonly probes?: ReadonlyArray<Probe<unknown>>
}

/**
 * The request of an endpoint.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Request<E extends Any> = Schema.Schema.Type<E["request"]>

/**
 * The result of an endpoint.
 *
 * @since 0.1.0
 * @category type-level
 */
export type Result<E extends Any> = Schema.Schema.Type<E["result"]>

/**
 * The result of an endpoint on the wire side, unmodified.
 *
 * @since 0.1.0
 * @category type-level
 */
export type ResultWire<E extends Any> = Schema.Schema.Encoded<E["result"]>

/**
 * An endpoint as it is written: what it does not state is as usual.
 *
 * @since 0.1.0
 * @category models
 */
export interface Definition<Req, ReqWire, Res, ResWire, S extends Safety> extends Omit<
  Endpoint<Req, ReqWire, Res, ResWire, S>,
  "deprecated" | "envelope" | "evidence" | "historyWindow" | "paging" | "rateLimit" | "signing"
> {
  /** Defaults to `header`. */
  readonly signing?: Signing
  /** Defaults to `standard`. */
  readonly envelope?: Envelope.Kind
  /** Defaults to none: only the limit of the address holds. */
  readonly rateLimit?: RateLimit
  /** Of a list in pages. Defaults to none. */
  readonly paging?: Paging
  /** Of a list that is bounded in time. Defaults to none. */
  readonly historyWindow?: HistoryWindow
  /** Defaults to `documented`. */
  readonly evidence?: Evidence
  /** Defaults to `false`. */
  readonly deprecated?: boolean
}

/**
 * Makes an endpoint from what differs from the usual.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <Req, ReqWire, Res, ResWire, const S extends Safety>({
  historyWindow,
  paging,
  rateLimit,
  ...definition
}: Definition<Req, ReqWire, Res, ResWire, S>): Endpoint<Req, ReqWire, Res, ResWire, S> => ({
  signing: "header",
  envelope: "standard",
  evidence: "documented",
  deprecated: false,
  ...definition,
  rateLimit: Option.fromNullable(rateLimit),
  paging: Option.fromNullable(paging),
  historyWindow: Option.fromNullable(historyWindow)
})

/**
 * A limit of `count` calls a second.
 *
 * @since 0.1.0
 * @category constructors
 */
export const perSecond = (count: number, scope: RateLimit["scope"] = "uid"): RateLimit => ({
  count,
  window: Duration.seconds(1),
  scope
})

/**
 * A limit of `count` calls a minute.
 *
 * @since 0.1.0
 * @category constructors
 */
export const perMinute = (count: number): RateLimit => ({ count, window: Duration.minutes(1), scope: "uid" })

/**
 * A limit that an account may be granted more of.
 *
 * @since 0.1.0
 * @category combinators
 */
export const upgradable = (limit: RateLimit): RateLimit => ({ ...limit, upgradable: true })

/**
 * A probe for each category.
 *
 * @since 0.1.0
 * @category constructors
 */
export const probeEach = <const Category extends string, Req>(
  categories: ReadonlyArray<Category>,
  request: (category: Category, ask: Ask) => Req
): ReadonlyArray<Probe<Req>> =>
  categories.map((category) => ({ variant: category, request: (ask) => request(category, ask) }))
