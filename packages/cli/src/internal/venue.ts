import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import type * as Transport from "@effect-venue/transport/Transport"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as ConfigError from "effect/ConfigError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Query } from "./datasets.js"

/** Where an export comes from. */
export interface Source {
  readonly credentials: Credentials.Credentials.Shape
  readonly layer: Layer.Layer<Transport.Transport, never, HttpClient.HttpClient>
  /** How many rows of a dataset the source knows it holds; `none` when only an export can tell. */
  readonly holds: (dataset: string, query: Query) => Effect.Effect<Option.Option<number>>
}

const layerOf = (
  credentials: Credentials.Credentials.Shape
): Layer.Layer<Transport.Transport, never, HttpClient.HttpClient> =>
  Venue.layer.pipe(Layer.provide(Layer.succeed(Credentials.Credentials, credentials)))

/** What is wrong with each variable. */
const lines = (error: ConfigError.ConfigError): ReadonlyArray<string> =>
  error._op === "And" || error._op === "Or"
    ? [...lines(error.left), ...lines(error.right)]
    : [`${error.path.join(".")} ${error.message}`]

/** The environment does not say where the service is, or who calls. */
export class NotConfigured extends Data.TaggedError("NotConfigured")<{ readonly message: string }> {}

/** The service that the environment names. */
export const live: Effect.Effect<Source, NotConfigured> = Credentials.config.pipe(
  Effect.mapError(
    (error) =>
      new NotConfigured({
        message: ConfigError.isMissingDataOnly(error)
          ? "set VENUE_BASE_URL, VENUE_API_KEY and VENUE_API_SECRET, or add --sandbox to try it without an account"
          : lines(error).join("; ")
      })
  ),
  Effect.map((credentials) => ({
    credentials,
    layer: layerOf(credentials),
    holds: () => Effect.succeedNone
  }))
)

const counts: Readonly<Record<string, "executions" | "preUpgradeExecutions" | "preUpgradeClosedPnl">> = {
  executions: "executions",
  "pre-upgrade-executions": "preUpgradeExecutions",
  "pre-upgrade-closed-pnl": "preUpgradeClosedPnl"
}

/** A sandbox behind a real socket on this machine, until the scope ends. */
export const sandbox = (options: {
  readonly seed: number
  readonly port: number
}): Effect.Effect<Source, Server.ServeFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const exchange = yield* Sandbox.make({ seed: options.seed })
    const server = yield* Effect.provideService(Server.serve({ port: options.port }), Sandbox.Sandbox, exchange)
    const credentials = server.credentials.main
    return {
      credentials,
      layer: layerOf(credentials),
      holds: (dataset, { symbol, ...query }) => {
        const name = counts[dataset]
        // It counts whole categories; an export of one symbol is a part of that.
        return name === undefined || symbol !== undefined
          ? Effect.succeedNone
          : Effect.map(exchange.holds(query), (holds) => Option.some(holds[name].count))
      }
    }
  })
