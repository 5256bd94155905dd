/**
 * One value per operation of the service. It defines the name, path, signature, envelope, parameters, result, rate limit and safety of the
 * operation. Transport, services, the sandbox's routing, the reference pages and the command all read it.
 */
import * as Duration from "effect/Duration"
import type * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Refusals from "../rules/Refusals.js"

/**
 * The envelope of a response. `standard`, A in the service's document: `retCode`, `retMsg`, `result`, `retExtInfo`, `time`. `legacy`, B in the
 * document: `ret_code`, `ret_msg`, `ext_code`, `result`, `ext_info`, `time_now`. `bare`: `ret_code`, `ret_msg` and `result` only.
 * (docs/reference/rules.md#conventions)
 */
export type Envelope = "standard" | "legacy" | "bare"

/**
 * `public`: not signed. `header`, v3 in the service's document: the exact text sent is signed, and the signature is sent in headers.
 * `parameter`, v1 in the document: the sorted, decoded parameters are signed, and the signature is sent as a parameter. (docs/reference/signing.md)
 */
export type Signing = "public" | "header" | "parameter"

/**
 * The effect of sending a request twice. `read`: none. `idempotent`: none, because the service executes a request id only once. `write`:
 * the change can be made twice.
 */
export type Safety = "read" | "idempotent" | "write"

/**
 * A rate limit: at most `count` calls in any `window`, per UID. With the scope `uid x category`, each category has a separate limit.
 * (docs/reference/limits.md)
 */
export interface RateLimit {
  readonly count: number
  readonly window: Duration.Duration
  readonly scope: "uid" | "uid x category"
  /** The service can grant an account a higher limit (column "upgradable" of the limits table). */
  readonly upgradable?: true
  /**
   * The part of the limit that the service's document does not state, and for which this library assumes the same: `spot`, or `all`
   * categories. Default: none, the document states the whole limit.
   */
  readonly assumed?: "spot" | "all"
}

/** How a list is paged. `items` and `cursor` are fields of the result; `cursorParameter` and `sizeParameter` are fields of the request. */
export interface Paging {
  readonly items: string
  readonly cursor: string
  readonly cursorParameter: string
  readonly sizeParameter: string
  /** The bounds of the page size; `none` if the service documents none. */
  readonly size: Option.Option<{ readonly min: number; readonly max: number; readonly default: number }>
}

/**
 * How a list is bounded in time, by the parameters `from` and `to`. `span` is the longest range of one request, `reachBack` the retention of
 * the records; each is `none` if it is not documented.
 */
export interface HistoryWindow {
  readonly from: string
  readonly to: string
  readonly unit: "ms" | "s"
  /**
   * Which bounds belong to the range: a bracket includes a bound, a parenthesis excludes it. `[]`: rows at or after `from` and at or before
   * `to`. `()`: rows after `from` and before `to`. (docs/reference/contradictions.md#bounds-of-time-ranges)
   */
  readonly bounds: "[]" | "[)" | "(]" | "()"
  readonly span: Option.Option<Duration.Duration>
  readonly reachBack: Option.Option<Duration.Duration>
}

/**
 * What the service's document contains of an operation. `documented`: its path and payload. `path documented`: its path; the payload is
 * taken from public pages. `undocumented`: neither. (docs/reference/listed-operations.md)
 */
export type Evidence = "documented" | "path documented" | "undocumented"

/**
 * The result of looking up a write. `evidence` contains the records that were read (orders, transfers or positions). `yes`: a record shows
 * every parameter that changes something, so the requested state is in force. `no`: the service reports the write as failed. `undetermined`:
 * neither; a record that differs from the request can have been changed again since, or the write can still arrive.
 */
export interface Finding {
  readonly executed: "yes" | "no" | "undetermined"
  readonly evidence: ReadonlyArray<unknown>
  /** The lists that would contain a record under the id of the write were read in full, and contain none. Default: `false`. */
  readonly isUnlisted?: boolean
  /** The result of the write on the wire side, such as the ids of its order, if `executed` is `yes` and one record shows it. */
  readonly result?: unknown
}

/**
 * The record that a write creates under an id chosen by the caller. The look-up finds the record for at least `listedFor`. During that time
 * a record that is unlisted does not exist, unless the request can still arrive.
 */
export interface Creation {
  readonly listedFor: Duration.Duration
}

/** Calls a read. */
export type ReadCall<E> = <Req, ReqWire, Res, ResWire>(
  endpoint: Endpoint<Req, ReqWire, Res, ResWire, "read">,
  request: Req
) => Effect.Effect<Res, E>

/**
 * How a look-up uses a parameter of the write. `selects`: it selects the record, and changes nothing. `compares`: the record shows its value.
 * `unseen`: no record shows its value, so a write with this parameter is never `yes`.
 */
export type ParameterUse = "selects" | "compares" | "unseen"

/**
 * Determines the outcome of a write by calling reads. `parameters` are the write's parameters on the wire side. `uses` has an entry for each
 * parameter of the write. `makeLookUp` creates it.
 */
export interface LookUp<in Parameter extends string = never> {
  <E>(parameters: Readonly<Record<string, unknown>>, read: ReadCall<E>): Effect.Effect<Finding, E>
  readonly uses: { readonly [P in Parameter]: ParameterUse }
}

/** Creates a look-up that states how it uses each parameter. */
export const makeLookUp = <Parameter extends string>(
  uses: LookUp<Parameter>["uses"],
  lookUp: <E>(parameters: Readonly<Record<string, unknown>>, read: ReadCall<E>) => Effect.Effect<Finding, E>
): LookUp<Parameter> => Object.assign(lookUp, { uses })

/**
 * The names of the parameters of a request on the wire side, including those of the items of a batch.
 *
 * @category type-level
 */
export type ParameterOf<ReqWire> = ReqWire extends { readonly request: ReadonlyArray<infer Item> }
  ? (keyof ReqWire & string) | NameOf<Item>
  : keyof ReqWire & string

type NameOf<Item> = Item extends unknown ? keyof Item & string : never

/**
 * Compares the result of a write with its parameters, both on the wire side. Returns the first field that repeats a parameter with a
 * different value, or `undefined`.
 */
export type Contradicts = (
  parameters: Readonly<Record<string, unknown>>,
  result: Readonly<Record<string, unknown>>
) => { readonly field: string; readonly sent: string; readonly received: string } | undefined

/**
 * The input for a request of `venue doctor`: the window of a history in milliseconds, and the page of a list. `uid` is the UID of the
 * account, empty if the credentials do not declare it.
 */
export interface Ask {
  readonly from: number
  readonly to: number
  readonly uid: string
  readonly cursor: string | undefined
  readonly size: number
}

/** A request with which `venue doctor` examines a read. */
export interface Probe<out Req> {
  readonly request: (ask: Ask) => Req
  /** Distinguishes the requests of one endpoint, such as `linear`. Default: no variant, because the endpoint has only one request. */
  readonly variant?: string
  /** The wire name of the response's cursor, if it differs from the endpoint's name for it. */
  readonly cursor?: string
  /** The response has no cursor; it is a single page. */
  readonly unpaged?: true
  readonly needsUid?: true
}

/** An amount that a write costs at most: the notional of an order in a currency, or a transfer of a coin. */
export interface Spending {
  readonly kind: "orders" | "transfers"
  /** The currency or the coin. */
  readonly unit: string
  /** Decimal text, not negative. */
  readonly amount: string
}

/** The properties of every endpoint, independent of its payloads. */
export interface Properties<out S extends Safety = Safety> {
  /** `domain.method`, as in the services: `executions.list`. */
  readonly name: string
  /** The domain: a file of this name in every package. An operation that an application adds can use any name. */
  readonly domain:
    | "Orders"
    | "Positions"
    | "Executions"
    | "Instruments"
    | "Account"
    | "Assets"
    | "Broker"
    | "ApiLimits"
    | (string & {})
  /** One-line description. */
  readonly summary: string
  readonly method: "GET" | "POST"
  readonly path: string
  readonly signing: Signing
  readonly envelope: Envelope
  /** The ext info of the response is part of the result: the decoded value is `{ result, extInfo }`. */
  readonly extended?: true
  readonly rateLimit: Option.Option<RateLimit>
  readonly safety: S
  /** The number of calls that this call counts as. Default: 1. */
  readonly cost?: (parameters: Readonly<Record<string, unknown>>) => number
  /** For a write: determines the outcome if the response was lost. */
  readonly lookUp?: LookUp
  /** For a write whose look-up finds the created record by an id in the request. */
  readonly creates?: Creation
  /**
   * For a write that the service executes at most once for each id that the caller chooses: the parameter that contains the id; in a batch, the parameter of
   * each item.
   */
  readonly onceBy?: string
  /** For a write whose result repeats parameters: detects a result that belongs to another request. */
  readonly contradicts?: Contradicts
  /**
   * For a write: the fields of its result that decide its outcome, although the service can leave them out. If one has a value that cannot be read, the outcome
   * is unknown. Any other field that a result can be without is left out if it cannot be read. Default: none, the return code decides.
   */
  readonly decides?: ReadonlyArray<string>
  /** The write takes coins out of an account, so only a documented return code proves that it was not executed. */
  readonly movesFunds?: true
  /**
   * For a write that an application adds: the most that it costs, for the caps of a guard. Default: unknown, and a guard with caps refuses the
   * write unless it names the operation.
   */
  readonly spends?: (parameters: Readonly<Record<string, unknown>>) => ReadonlyArray<Spending>
  /** The write reduces risk and is sent with the highest priority. */
  readonly urgent?: true
  readonly paging: Option.Option<Paging>
  readonly historyWindow: Option.Option<HistoryWindow>
  readonly evidence: Evidence
  readonly deprecated: boolean
  /** Where the operation is specified: a section of docs/reference/rules.md or docs/reference/listed-operations.md. */
  readonly source: string
}

/**
 * An operation with a typed request and a typed result. The encoded side of `request` is sent: a record of texts for GET, a JSON object for
 * POST. The encoded side of `result` is the `result` of the envelope, unmodified, or `{ result, extInfo }` for an extended endpoint.
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
  /**
   * A request that tests send and the reference shows. The service accepts the library's examples if they are sent in the order of
   * `Endpoints.all`, with prices near those of the market.
   */
  readonly example?: NoInfer<Req>
  /** For a read: the requests that `venue doctor` sends. */
  readonly probes?: ReadonlyArray<Probe<NoInfer<Req>>>
}

/** Any endpoint, for code that does not depend on the payloads. */
export interface Any extends Properties {
  readonly request: Schema.Schema.AnyNoContext
  readonly result: Schema.Schema.AnyNoContext
  readonly example?: unknown
  readonly probes?: ReadonlyArray<Probe<unknown>>
}

/**
 * The request of an endpoint.
 *
 * @category type-level
 */
export type Request<E extends Any> = Schema.Schema.Type<E["request"]>

/**
 * The result of an endpoint.
 *
 * @category type-level
 */
export type Result<E extends Any> = Schema.Schema.Type<E["result"]>

/** The input of `make`. Optional properties have defaults. */
export interface Definition<Req, ReqWire, Res, ResWire, S extends Safety> extends Omit<
  Endpoint<Req, ReqWire, Res, ResWire, S>,
  "deprecated" | "envelope" | "evidence" | "historyWindow" | "lookUp" | "paging" | "rateLimit" | "signing"
> {
  /** For a write: determines the outcome if the response was lost. It must use every parameter of the request. */
  readonly lookUp?: LookUp<ParameterOf<ReqWire>>
  /** Defaults to `header`. */
  readonly signing?: Signing
  /** Defaults to `standard`. */
  readonly envelope?: Envelope
  /** Default: none, so only the limit of the IP address applies. */
  readonly rateLimit?: RateLimit
  /** For a paged list. Default: none. */
  readonly paging?: Paging
  /** For a list that is bounded in time. Default: none. */
  readonly historyWindow?: HistoryWindow
  /** Defaults to `documented`. */
  readonly evidence?: Evidence
  /** Defaults to `false`. */
  readonly deprecated?: boolean
}

/** Creates an endpoint and fills in the defaults. */
export const make = <Req, ReqWire, Res, ResWire, const S extends Safety>({
  historyWindow,
  paging,
  rateLimit,
  result,
  ...definition
}: Definition<Req, ReqWire, Res, ResWire, S>): Endpoint<Req, ReqWire, Res, ResWire, S> => ({
  signing: "header",
  envelope: "standard",
  evidence: "documented",
  deprecated: false,
  ...definition,
  result: Option.isSome(SchemaAST.getDecodingFallbackAnnotation(result.ast)) ? result : Refusals.result(result),
  rateLimit: Option.fromNullable(rateLimit),
  paging: Option.fromNullable(paging),
  historyWindow: Option.fromNullable(historyWindow)
})

/** A limit of `count` calls per second. */
export const perSecond = (count: number, scope: RateLimit["scope"] = "uid"): RateLimit => ({
  count,
  window: Duration.seconds(1),
  scope
})

/** The categories of orders, positions and instruments. */
export type Category = "spot" | "linear" | "inverse"

/** The category of a request. */
export interface ForCategory<out C extends Category> {
  /** Spot, USDT-linear or inverse contracts. */
  readonly category: C
}

/** Requires the parameter `K`, which is one of those of which a request needs one. */
export type Needs<K extends string, OneOf extends string = K> = { readonly [_ in K & OneOf]-?: string }

/** Requires at least one of the parameters `K`. */
export type AtLeastOne<K extends string, OneOf extends string = K> = K extends unknown ? Needs<K, OneOf> : never

declare const why: unique symbol

/** The type of a parameter that is refused. No value has this type, so the editor shows the reason. */
export type Refused<Why extends string> = Why & { readonly [why]: true }

/** Refuses the parameters `K`, which only requests for the category `C` take, with the reason in the type error. */
export type OnlyFor<C extends string, K extends string> = { readonly [P in K]?: Refused<`only for ${C}`> }

/** A request that was checked: no parameter has a refused type. */
export type Accepted<A> = A extends { readonly request: ReadonlyArray<infer Item> }
  ? Omit<A, "request"> & { readonly request: ReadonlyArray<Accepted<Item>> }
  : A extends unknown
    ? { [K in keyof A]: Exclude<A[K], Refused<string>> }
    : never
