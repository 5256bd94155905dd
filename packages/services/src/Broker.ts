/** The direct customers of a broker and their trading volume. */
import * as Endpoints from "@effect-venue/schemas/Broker"
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
  CustomersRequest,
  CustomersResult,
  TradeVolumeRequest,
  TradeVolumeResult,
  Volume
} from "@effect-venue/schemas/Broker"

export class Broker extends Context.Tag("@effect-venue/services/Broker")<Broker, Broker.Shape>() {}

export declare namespace Broker {
  export interface Shape {
    /**
     * Returns the UIDs of the direct customers who joined between `begin` and `end`. Fails as any read does. Limit: 5 calls a second.
     * (docs/reference/broker/customers.md)
     */
    readonly customers: (
      request?: Endpoints.CustomersRequest
    ) => Effect.Effect<Endpoints.CustomersResult, Failure.ReadFailure>
    /**
     * Returns one page of the trading volume of direct customers, ordered by UID; 1 to 50 UIDs, default 20. Fails as any read does. Limit:
     * 5 calls a second. (docs/reference/broker/tradeVolume.md)
     */
    readonly tradeVolume: (
      request?: Endpoints.TradeVolumeRequest
    ) => Effect.Effect<Endpoints.TradeVolumeResult, Failure.ReadFailure>
    /** All pages of `tradeVolume`, row by row. Each page is a call, and fails as `tradeVolume` does. */
    readonly tradeVolumeStream: (
      request?: Endpoints.TradeVolumeRequest
    ) => Stream.Stream<Endpoints.Volume, Failure.ReadFailure>
  }
}

export const make = (transport: Transport.Transport.Shape): Broker.Shape => {
  const tradeVolume = (request: Endpoints.TradeVolumeRequest = {}) => transport.call(Endpoints.tradeVolume, request)
  const tradeVolumePage = (request: Endpoints.TradeVolumeRequest) =>
    Effect.map(tradeVolume(request), ({ nextCursor, list }) => Pages.page(list, nextCursor))

  return Trace.namedAll<Broker.Shape>("Broker", {
    customers: (request = {}) => transport.call(Endpoints.customers, request),
    tradeVolume,
    tradeVolumeStream: (request) => Pages.rows(Endpoints.tradeVolume, request, tradeVolumePage)
  })
}

export const layer: Layer.Layer<Broker, never, Transport.Transport> = Layer.effect(
  Broker,
  Effect.map(Transport.Transport, make)
)

/**
 * For tests: a service with only these members. Calling another member dies with an error that names it, such as `Broker.customers`; a missing stream
 * dies when it is run.
 */
export const layerTest = (members: Partial<Broker.Shape>): Layer.Layer<Broker> =>
  layerOf(Broker, "Broker", make, members)
