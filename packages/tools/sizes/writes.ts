import * as Credentials from "@effect-venue/signing/Credentials"
import * as Orders from "@effect-venue/services/Orders"
import * as Transport from "@effect-venue/transport/Transport"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const layer = Orders.layer.pipe(
  Layer.provide(Transport.layerStandalone),
  Layer.provide(Credentials.layerConfig),
  Layer.provide(FetchHttpClient.layer)
)

export const main = Effect.flatMap(Orders.Orders, (service) =>
  service.cancel({ category: "linear", symbol: "BTCUSDT", orderId: "1" })
).pipe(Effect.provide(layer), Effect.runPromise)
