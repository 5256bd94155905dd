/**
 * The exchange at the level of HTTP: a raw request in, a raw response out. It takes the steps of the service's gateway, in its order:
 * the limit per IP, method, path, signature, the limit per UID, and only then the operation itself. (docs/reference/responses.md)
 *
 * @sibling
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Ref from "effect/Ref"
import type * as Faults from "../faults/Faults.js"
import type * as RequestLog from "../faults/RequestLog.js"
import * as Answer from "../handling/answer.js"
import * as Authentication from "./authentication.js"
import * as Advance from "../engine/advance.js"
import * as Injector from "../faults/injector.js"
import * as Limits from "./limits.js"
import * as Random from "../state/random.js"
import * as RawRequest from "./rawRequest.js"
import * as Refusal from "../handling/refusal.js"
import * as RecentRequests from "../faults/recentRequests.js"
import type * as Route from "./route.js"
import { routes } from "./routes.js"
import * as Upgrades from "../handling/upgrades.js"
import * as Exchange from "../state/Exchange.js"

/** A request as received. */
export interface Request {
  readonly method: string
  /** Path and query of the request line, undecoded. */
  readonly target: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Uint8Array
}

/** A response before it is sent. */
export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The number of characters of the body that get through before the connection breaks. */
  readonly breaksAfter?: number
}

/** The size up to which the service's gateway accepts a body, in bytes: 1 MB. */
export const largestBody = 1_000_000

/** Stands for a larger body, which is refused without being read. */
export const unreadBody = new Uint8Array(largestBody + 1)

const isTooLarge = ({ body }: Request): boolean => body.length > largestBody

export interface Options {
  readonly state: Ref.Ref<Exchange.State>
  /** `off`: neither the limit per IP nor those per UID are applied. */
  readonly limits: "documented" | "off"
  /** The seed of all chance, and the size of the log. Rules are set by `Edge.faults`. */
  readonly faults?: Omit<Faults.Options, "rules"> | undefined
}

export interface Edge {
  readonly handle: (request: Request) => Effect.Effect<Response, Faults.ConnectionReset>
  readonly faults: Faults.Control
  /** The latest requests, in the order of their arrival. */
  readonly requests: Effect.Effect<ReadonlyArray<RequestLog.Entry>>
}

const byPath = new Map(routes.map((route) => [`${route.endpoint.method} ${route.endpoint.path}`, route]))

const signatureNames = ["api_key", "timestamp", "recv_window", "sign"]

// A caller that signs by the wrong method sends them to any operation.
const isNoSignature = (_: unknown, name: string): boolean => !signatureNames.includes(name)

const isGiven = (value: unknown): boolean => value !== null && value !== ""

// The orders of a batch are requests themselves.
const givenInside = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map((item: unknown) =>
        Predicate.isReadonlyRecord(item)
          ? Object.fromEntries(Object.entries(item).filter(([, value]) => isGiven(value)))
          : item
      )
    : value

// Null and empty text count as absent. The parameters of the signature do not belong to the operation.
const operationParameters = (
  route: Route.Route,
  parameters: ReadonlyMap<string, unknown>
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Array.from(parameters)
      .filter(
        ([name, value]) => isGiven(value) && !(route.endpoint.signing === "parameter" && signatureNames.includes(name))
      )
      .map(([name, value]) => [name, givenInside(value)])
  )

// The gateway's checks of market paths, before the operation runs. (docs/reference/responses.md#http-statuses)
const marketRefusal = (
  state: Exchange.State,
  parameters: Readonly<Record<string, unknown>>
): Option.Option<Answer.Answer> => {
  const category = Exchange.categories.find((name) => name === parameters.category)
  if (parameters.category === undefined) return Option.some(Answer.noCategory)
  if (category === undefined) return Option.some(Answer.unknownCategory)
  return typeof parameters.symbol === "string" && Exchange.listing(state, category, parameters.symbol) === undefined
    ? Option.some(Answer.unknownSymbol)
    : Option.none()
}

const routeOf = ({ method, target }: Request): Route.Route | undefined =>
  byPath.get(`${method} ${RawRequest.split(target).path}`)

const parametersOf = (request: Request): Either.Either<ReadonlyMap<string, unknown>, string> =>
  request.method === "GET"
    ? RawRequest.parseQuery(RawRequest.split(request.target).query)
    : RawRequest.parseBody(request.body)

const traceId = (count: number): string =>
  ["a", "b", "c", "d"].map((part) => Random.hash32(`${count} ${part}`).toString(16).padStart(8, "0")).join("")

/** A request whose parameters could be read, and its entry in the log. */
interface Parsed {
  readonly query: string
  readonly parameters: ReadonlyMap<string, unknown>
  readonly now: number
  readonly entry: RecentRequests.Written
}

/** A request to an operation before any check: its parameters, or the name of one that cannot be read. */
interface Arrival {
  readonly route: Route.Route
  readonly parameters: Either.Either<ReadonlyMap<string, unknown>, string>
}

const arrivalOf = (request: Request): Arrival | undefined => {
  const route = routeOf(request)
  return route === undefined ? undefined : { route, parameters: parametersOf(request) }
}

/** The entry of a request in the log. Nothing of the request is checked. */
const entryOf = (
  request: Request,
  arrival: Arrival | undefined,
  at: number,
  state: Exchange.State
): RecentRequests.Written => ({
  at,
  method: request.method,
  path: RawRequest.split(request.target).path,
  operation: Option.map(Option.fromNullable(arrival), ({ route }) => route.endpoint.name),
  uid: Option.fromNullable(state.keys.get(request.headers["x-bapi-api-key"] ?? "")?.uid),
  signature: "notChecked",
  parameters:
    arrival === undefined
      ? {}
      : Either.match(arrival.parameters, {
          onLeft: () => ({}),
          onRight: (parameters) => Record.filter(operationParameters(arrival.route, parameters), isNoSignature)
        }),
  fault: Option.none(),
  executed: false,
  status: Option.none(),
  code: Option.none(),
  response: Option.none()
})

/** How much of a response is logged. */
const mostLogged = 2000

/** A refusal can repeat the key and the signature of the request, which the log does not contain. */
const withoutKey = (body: string, headers: Request["headers"]): string =>
  [
    ["x-bapi-sign", "{signature}"],
    ["x-bapi-api-key", "{key}"]
  ].reduce((text, [name = "", placeholder = ""]) => {
    const value = headers[name] ?? ""
    return value === "" ? text : text.replaceAll(value, placeholder)
  }, body)

/** The state and the traffic of an edge. */
interface Parts {
  readonly ref: Ref.Ref<Exchange.State>
  /** `undefined` if no limit is applied. */
  readonly rates: ReturnType<typeof Limits.makeRateLimits> | undefined
}

// Takes places in the caller's rate limit, one for each order of a batch; returns the headers that report it.
const spend = (
  rates: Parts["rates"],
  route: Route.Route,
  account: Exchange.Account,
  parameters: ReadonlyMap<string, unknown>,
  now: number
): { readonly places: number | undefined; readonly headers: Readonly<Record<string, string>> } => {
  const limit = Option.getOrUndefined(route.endpoint.rateLimit)
  if (limit === undefined || rates === undefined) return { places: undefined, headers: {} }
  const part = limit.scope === "uid x category" ? String(parameters.get("category")) : ""
  const cost = route.endpoint.cost?.(operationParameters(route, parameters)) ?? 1
  const count = Upgrades.count(limit, account, part)
  const taken = rates
    .log(`${account.uid} ${route.endpoint.name} ${part}`)
    .take(now, count, Duration.toMillis(limit.window), cost)
  return {
    places: taken.places,
    headers: {
      "X-Bapi-Limit": String(count),
      "X-Bapi-Limit-Status": String(taken.left),
      "X-Bapi-Limit-Reset-Timestamp": String(taken.resetAt)
    }
  }
}

/** Runs an operation for the owner of a key. */
const executeFor = (
  { rates, ref }: Parts,
  route: Extract<Route.Route, { readonly access: "signed" }>,
  key: Exchange.Key,
  { now, parameters }: Parsed
): Effect.Effect<Answer.Answer> =>
  Ref.modify(ref, (before): readonly [Answer.Answer, Exchange.State] => {
    const { endpoint } = route
    const state = Advance.advance(before, now)
    const account = state.accounts.get(key.uid)
    if (account === undefined) {
      return [Answer.refusal(endpoint, now, Refusal.make(10003, "API key is invalid.")), state]
    }
    const { headers, places } = spend(rates, route, account, parameters, now)
    if (places === 0) {
      const refused = Answer.refusal(endpoint, now, Refusal.make(10006, "Too many visits!"))
      return [{ ...refused, headers }, state]
    }
    const context = { account, now, state, ...(places === undefined ? {} : { places }) }
    return Either.match(route.run(operationParameters(route, parameters), context), {
      onLeft: (refused) => [{ ...Answer.refusal(endpoint, now, refused), headers }, state],
      onRight: (outcome) => [{ ...Answer.success(endpoint, now, outcome.result), headers }, outcome.state]
    })
  })

const answerSigned = (
  parts: Parts,
  route: Extract<Route.Route, { readonly access: "signed" }>,
  request: Request,
  parsed: Parsed
): Effect.Effect<Answer.Answer> =>
  Effect.gen(function* () {
    const { endpoint } = route
    const input: Authentication.Input = {
      headers: request.headers,
      payload: endpoint.method === "GET" ? RawRequest.bytes(parsed.query) : request.body,
      parameters: parsed.parameters,
      signing: endpoint.signing === "parameter" ? "parameter" : "header",
      method: endpoint.method
    }
    const key = yield* Authentication.check(input, yield* Ref.get(parts.ref), parsed.now)
    parsed.entry.signature = "valid"
    return yield* executeFor(parts, route, key, parsed)
  }).pipe(
    Effect.catchAll((failure) => {
      parsed.entry.signature = failure.signature
      return Effect.succeed(
        failure._tag === "Unauthorized" ? Answer.unauthorized : Answer.refusal(route.endpoint, parsed.now, failure)
      )
    })
  )

const handlePublic = (
  { ref }: Parts,
  route: Extract<Route.Route, { readonly access: "public" }>,
  { entry, now, parameters }: Parsed
): Effect.Effect<Answer.Answer> =>
  Ref.modify(ref, (before): readonly [Answer.Answer, Exchange.State] => {
    entry.signature = "notNeeded"
    const state = Advance.advance(before, now)
    const operationInput = operationParameters(route, parameters)
    const answered = Option.getOrElse(marketRefusal(state, operationInput), () =>
      Either.match(route.run(operationInput, { now, state }), {
        onLeft: (refused) => Answer.refusal(route.endpoint, now, refused),
        onRight: (outcome) => Answer.success(route.endpoint, now, outcome.result)
      })
    )
    return [answered, state]
  })

const answer = (
  parts: Parts,
  request: Request,
  arrival: Arrival | undefined,
  now: number,
  entry: RecentRequests.Written
): Effect.Effect<Answer.Answer> => {
  if (isTooLarge(request)) return Effect.succeed(Answer.tooLarge)
  if (request.method !== "GET" && request.method !== "POST") return Effect.succeed(Answer.badMethod)
  if (arrival === undefined) return Effect.succeed(Answer.notFound)
  if (request.method === "GET" && request.body.length > 0) return Effect.succeed(Answer.bodyOnGet)
  const { parameters, route } = arrival
  if (Either.isLeft(parameters)) {
    return Effect.succeed(
      Answer.refusal(route.endpoint, now, Refusal.make(10001, `params error: ${parameters.left} invalid`))
    )
  }
  const { query } = RawRequest.split(request.target)
  const parsed: Parsed = { query, parameters: parameters.right, now, entry }
  return route.access === "signed" ? answerSigned(parts, route, request, parsed) : handlePublic(parts, route, parsed)
}

/** An edge over a state. Each edge counts traffic separately. */
export const make = ({ faults = {}, limits, state }: Options): Edge => {
  const log = RecentRequests.make(faults.logSize ?? RecentRequests.defaultSize)
  const injector = Injector.make(faults.seed ?? 1, log)
  const gate = Limits.makeGate()
  const limited = limits === "documented"
  const parts: Parts = { ref: state, rates: limited ? Limits.makeRateLimits() : undefined }
  let answered = 0

  return {
    faults: injector.control,
    requests: Effect.sync(log.all),
    handle: (request) =>
      Effect.gen(function* () {
        const arrivedAt = yield* Clock.currentTimeMillis
        // All traffic counts, including requests that are refused later.
        const isBanned = limited && !gate.admits(arrivedAt)
        const arrival = isTooLarge(request) ? undefined : arrivalOf(request)
        const entry = entryOf(request, arrival, arrivedAt, yield* Ref.get(state))
        log.add(entry)
        const respond = (now: number) =>
          isBanned ? Effect.succeed(Answer.tooFrequent) : answer(parts, request, arrival, now, entry)
        const reply: Injector.Reply =
          arrival === undefined
            ? { answer: yield* respond(arrivedAt), now: arrivedAt }
            : yield* injector.around(arrival.route.endpoint, entry, respond)
        entry.status = Option.some(reply.answer.status)
        entry.code = Option.fromNullable(reply.answer.code)
        answered += 1
        const { body, contentType, headers, status } = reply.answer
        entry.response = Option.some(withoutKey(body, request.headers).slice(0, mostLogged))
        return {
          status,
          headers: {
            "content-type": contentType,
            traceid: traceId(answered),
            timenow: String(reply.now),
            ...headers
          },
          body,
          ...(reply.breaksAfter === undefined ? {} : { breaksAfter: reply.breaksAfter })
        }
      })
  }
}
