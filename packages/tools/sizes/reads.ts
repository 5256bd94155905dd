import * as Credentials from "@effect-venue/signing/Credentials"
import * as Executions from "@effect-venue/services/Executions"
import * as Transport from "@effect-venue/transport/Transport"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

const layer = Executions.layer.pipe(
  Layer.provide(Transport.layerStandalone),
  Layer.provide(Credentials.layerConfig),
  Layer.provide(FetchHttpClient.layer)
)

export const main = Effect.flatMap(Executions.Executions, (service) => service.list({ category: "linear" })).pipe(
  Effect.provide(layer),
  Effect.runPromise
)
