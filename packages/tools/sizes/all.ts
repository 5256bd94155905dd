import * as Executions from "@effect-venue/services/Executions"
import * as Venue from "@effect-venue/services/Venue"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as Effect from "effect/Effect"

export const main = Effect.flatMap(Executions.Executions, (service) => service.list({ category: "linear" })).pipe(
  Effect.provide(Venue.layerConfig),
  Effect.provide(FetchHttpClient.layer),
  Effect.runPromise
)
