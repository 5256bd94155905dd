/** The API rate limits of UIDs. */
import * as Endpoints from "@effect-venue/schemas/ApiLimits"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Trace from "@effect-venue/transport/siblings/Trace"
import * as Transport from "@effect-venue/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { layerOf } from "./calls/making.js"

export {
  ApiLimit,
  ApiLimitChange,
  QueryRequest,
  QueryResult,
  SetRequest,
  SetResult
} from "@effect-venue/schemas/ApiLimits"

export class ApiLimits extends Context.Tag("@effect-venue/services/ApiLimits")<ApiLimits, ApiLimits.Shape>() {}

export declare namespace ApiLimits {
  export interface Shape {
    /**
     * Sets API rate limits, in requests per second. Each entry of the result reports whether its limit was set. Fails as any write does,
     * with `Unauthorized` for callers that are not institutional. Limit: 50 calls a second. (docs/reference/api-limits/set.md)
     */
    readonly set: (request: Endpoints.SetRequest) => Effect.Effect<Endpoints.SetResult, Failure.WriteFailure>
    /**
     * Returns the API rate limits of UIDs: a master account can query itself and its sub-accounts, any other account only itself. Fails as
     * any read does. Limit: 50 calls a second. (docs/reference/api-limits/query.md)
     */
    readonly query: (request: Endpoints.QueryRequest) => Effect.Effect<Endpoints.QueryResult, Failure.ReadFailure>
  }
}

export const make = (transport: Transport.Transport.Shape): ApiLimits.Shape => {
  // Applies the limits that the service reports to the calls of this process.
  const note = (limits: ReadonlyArray<Endpoints.ApiLimit>) =>
    Effect.forEach(
      limits.flatMap(({ bizType, rate, uids }) => uids.map((uid) => [uid, bizType, rate] as const)),
      ([uid, bizType, rate]) => transport.account.grant(uid, bizType, rate),
      { discard: true }
    )
  return Trace.namedAll<ApiLimits.Shape>("ApiLimits", {
    set: (request) =>
      Effect.tap(transport.call(Endpoints.set, request), ({ list }) => note(list.filter(({ success }) => success))),
    query: (request) => Effect.tap(transport.call(Endpoints.query, request), ({ list }) => note(list))
  })
}

export const layer: Layer.Layer<ApiLimits, never, Transport.Transport> = Layer.effect(
  ApiLimits,
  Effect.map(Transport.Transport, make)
)

/**
 * For tests: a service with only these members. Calling another member dies with an error that names it, such as `ApiLimits.set`; a missing stream
 * dies when it is run.
 */
export const layerTest = (members: Partial<ApiLimits.Shape>): Layer.Layer<ApiLimits> =>
  layerOf(ApiLimits, "ApiLimits", make, members)
