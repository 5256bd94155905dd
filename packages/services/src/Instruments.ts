/** Instruments: the tradable contracts and spot pairs, with the steps and bounds of their prices and quantities. */
import * as Endpoints from "@effect-venue/schemas/Instruments"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Trace from "@effect-venue/transport/siblings/Trace"
import * as Transport from "@effect-venue/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { layerOf } from "./calls/making.js"
import * as Pages from "./calls/pages.js"

export { Instrument, ListRequest, ListResult } from "@effect-venue/schemas/Instruments"

export class Instruments extends Context.Tag("@effect-venue/services/Instruments")<Instruments, Instruments.Shape>() {}

export declare namespace Instruments {
  export interface Shape {
    /**
     * Returns one page of instruments; 1 to 1000 rows, default 500. Public: no key is needed. Fails as any read does. Limit: none is
     * documented. (docs/reference/instruments/list.md)
     */
    readonly list: (request: Endpoints.ListRequest) => Effect.Effect<Endpoints.ListResult, Failure.ReadFailure>
    /** All pages of `list`, row by row. Each page is a call, and fails as `list` does. */
    readonly listStream: (request: Endpoints.ListRequest) => Stream.Stream<Endpoints.Instrument, Failure.ReadFailure>
  }
}

export const make = (transport: Transport.Transport.Shape): Instruments.Shape => {
  const list = (request: Endpoints.ListRequest) => transport.call(Endpoints.list, request)
  // The list of spot pairs has no pages and no cursor.
  const listPage = (request: Endpoints.ListRequest) =>
    Effect.map(list(request), (page) => Pages.page(page.list, page.nextPageCursor, request.category !== "spot"))

  return Trace.namedAll<Instruments.Shape>("Instruments", {
    list,
    listStream: (request) => Pages.rows(Endpoints.list, request, listPage)
  })
}

export const layer: Layer.Layer<Instruments, never, Transport.Transport> = Layer.effect(
  Instruments,
  Effect.map(Transport.Transport, make)
)

/**
 * For tests: a service with only these members. Calling another member dies with an error that names it, such as `Instruments.list`; a missing stream
 * dies when it is run.
 */
export const layerTest = (members: Partial<Instruments.Shape>): Layer.Layer<Instruments> =>
  layerOf(Instruments, "Instruments", make, members)
