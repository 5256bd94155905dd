/** The market maker of docs/bot.md as a process, at the service of `VENUE_BASE_URL`. */
import * as Venue from "@effect-venue/services/Venue"
import { FetchHttpClient } from "@effect/platform"
import { NodeRuntime } from "@effect/platform-node"
import * as Effect from "effect/Effect"
import { marketMaker } from "../../src/marketMaker.js"

marketMaker({ rounds: 1000, every: "1 second" }).pipe(
  Effect.provide(Venue.layerConfig),
  Effect.provide(FetchHttpClient.layer),
  NodeRuntime.runMain
)
