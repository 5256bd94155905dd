/** The executions (trades) of this account. */
import * as Endpoints from "@effect-venue/schemas/Executions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Trace from "@effect-venue/transport/siblings/Trace"
import * as Transport from "@effect-venue/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { layerOf } from "./calls/making.js"
import * as Pages from "./calls/pages.js"

export {
  Execution,
  ListRequest,
  ListResult,
  PreUpgradeExecution,
  PreUpgradeRequest,
  PreUpgradeResult
} from "@effect-venue/schemas/Executions"

export class Executions extends Context.Tag("@effect-venue/services/Executions")<Executions, Executions.Shape>() {}

export declare namespace Executions {
  export interface Shape {
    /**
     * Returns one page of the trade history, newest first: at most 7 days, by default the last 7; 1 to 100 rows, default 50. Fails as any
     * read does. Limit: 10 calls a second per category, for spot assumed. (docs/reference/executions/list.md)
     */
    readonly list: (request: Endpoints.ListRequest) => Effect.Effect<Endpoints.ListResult, Failure.ReadFailure>
    /**
     * All pages of `list`, row by row. Each page is a call, and fails as `list` does. For a range of any length, use
     * `History.stream` with `History.executions`.
     */
    readonly listStream: (request: Endpoints.ListRequest) => Stream.Stream<Endpoints.Execution, Failure.ReadFailure>
    /**
     * Returns one page of the trade history from before the upgrade to a unified account, newest first; bounds as in `list`. Fails as any
     * read does. Limit: none is documented. (docs/reference/executions/preUpgrade.md)
     */
    readonly preUpgrade: (
      request: Endpoints.PreUpgradeRequest
    ) => Effect.Effect<Endpoints.PreUpgradeResult, Failure.ReadFailure>
    /**
     * All pages of `preUpgrade`, row by row. Each page is a call, and fails as `preUpgrade` does. For a range of any length, use
     * `History.stream` with `History.preUpgradeExecutions`.
     */
    readonly preUpgradeStream: (
      request: Endpoints.PreUpgradeRequest
    ) => Stream.Stream<Endpoints.PreUpgradeExecution, Failure.ReadFailure>
  }
}

export const make = (transport: Transport.Transport.Shape): Executions.Shape => {
  const list = (request: Endpoints.ListRequest) => transport.call(Endpoints.list, request)
  const listPage = (request: Endpoints.ListRequest) => Pages.toPage(list(request))

  const preUpgrade = (request: Endpoints.PreUpgradeRequest) => transport.call(Endpoints.preUpgrade, request)
  const preUpgradePage = (request: Endpoints.PreUpgradeRequest) => Pages.toPage(preUpgrade(request))

  return Trace.namedAll<Executions.Shape>("Executions", {
    list,
    listStream: (request) => Pages.rows(Endpoints.list, request, listPage),
    preUpgrade,
    preUpgradeStream: (request) => Pages.rows(Endpoints.preUpgrade, request, preUpgradePage)
  })
}

export const layer: Layer.Layer<Executions, never, Transport.Transport> = Layer.effect(
  Executions,
  Effect.map(Transport.Transport, make)
)

/**
 * For tests: a service with only these members. Calling another member dies with an error that names it, such as `Executions.list`; a missing stream
 * dies when it is run.
 */
export const layerTest = (members: Partial<Executions.Shape>): Layer.Layer<Executions> =>
  layerOf(Executions, "Executions", make, members)
