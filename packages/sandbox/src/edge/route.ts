import * as Decoder from "@effect-venue/schemas/siblings/Decoder"
import * as Encoder from "@effect-venue/schemas/siblings/Encoder"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Refusals from "@effect-venue/schemas/siblings/Refusals"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import type * as Exchange from "../state/Exchange.js"
import type * as Handler from "../handling/handler.js"
import * as Categories from "./categories.js"
import * as OpenValues from "./openValues.js"
import * as Refusal from "../handling/refusal.js"
import * as Spelling from "./spelling.js"

/** The outcome of a request: the encoded result and the next state. */
export interface Outcome {
  readonly result: unknown
  readonly state: Exchange.State
}

/** An endpoint with its handler. The types of request and result are hidden behind the wire side. */
export type Route =
  | {
      readonly endpoint: Endpoint.Any
      readonly access: "signed"
      readonly run: (
        parameters: Readonly<Record<string, unknown>>,
        context: Handler.Context
      ) => Either.Either<Outcome, Refusal.Refusal>
    }
  | {
      readonly endpoint: Endpoint.Any
      readonly access: "public"
      readonly run: (
        parameters: Readonly<Record<string, unknown>>,
        context: Handler.Public
      ) => Either.Either<Outcome, Refusal.Refusal>
    }

const refusal = (issue: ParseResult.ParseIssue): Refusal.Refusal => {
  const { path, rule } = Refusals.list(issue, "parameters")[0] ?? { path: [], rule: "is not valid" }
  return Refusal.make(10001, `params error: ${path.length === 0 ? "request" : path.join(".")} ${rule}`)
}

const runner = <Req, ReqWire, Res, ResWire, C extends Handler.Public>(
  endpoint: Pick<Endpoint.Endpoint<Req, ReqWire, Res, ResWire>, "name" | "request" | "result">,
  handler: (request: Req, context: C) => Handler.Handled<Res>
) => {
  const decode = Decoder.total(endpoint.request.ast, ParseResult.decodeUnknownEither(endpoint.request))
  const encode = Encoder.encodeSync(endpoint.result)
  const foreign = Categories.makeCheck(endpoint)
  const read = (parameters: Readonly<Record<string, unknown>>): Either.Either<Req, Refusal.Refusal> =>
    Option.match(foreign(parameters), {
      onNone: () => Either.mapLeft(decode(parameters), refusal),
      onSome: Refusal.parameter
    })
  return (parameters: Readonly<Record<string, unknown>>, context: C): Either.Either<Outcome, Refusal.Refusal> =>
    read(parameters).pipe(
      Either.flatMap((request) => OpenValues.check(endpoint.name, request)),
      Either.flatMap((request) => handler(request, context)),
      // A result that its schema refuses is a defect of the sandbox and throws.
      Either.map(({ result, state }) => ({ result: encode(Spelling.ofResult(result)), state }))
    )
}

type Endpoints = Readonly<Record<string, Endpoint.Any>>

/** The handlers of a domain, by endpoint name. */
type Handlers<Of extends Endpoints, C extends Handler.Public> = {
  readonly [Name in keyof Of]: Handler.Handler<Of[Name], C>
}

const join = <Of extends Endpoints, C extends Handler.Public>(endpoints: Of, handlers: Handlers<Of, C>) =>
  // The keys of the record are the names of the endpoints.
  (Object.keys(endpoints) as ReadonlyArray<keyof Of>).map((name) => {
    const endpoint: Of[keyof Of] = endpoints[name]
    return { endpoint, run: runner(endpoint, handlers[name]) }
  })

/** Creates the routes of operations that need a key. */
export const joinSigned = <Of extends Endpoints>(
  endpoints: Of,
  handlers: Handlers<NoInfer<Of>, Handler.Context>
): ReadonlyArray<Route & { readonly access: "signed" }> =>
  join<Of, Handler.Context>(endpoints, handlers).map((route) => ({ ...route, access: "signed" }))

/** Creates the routes of public operations. */
export const open = <Of extends Endpoints>(
  endpoints: Of,
  handlers: Handlers<NoInfer<Of>, Handler.Public>
): ReadonlyArray<Route> =>
  join<Of, Handler.Public>(endpoints, handlers).map((route) => ({ ...route, access: "public" }))
