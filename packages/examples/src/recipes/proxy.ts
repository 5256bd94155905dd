/**
 * Calls through a proxy. The connections are those of the proxy's dispatcher, so that a ban ends these, as the service asks.
 *
 * @since 0.1.0
 */
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Connections by way of an HTTP proxy, such as `http://127.0.0.1:3128`. Limits and bans count for the proxy's address: give the accounts
 * behind it a `Venue.layerShared` of their own.
 *
 * @since 0.1.0
 * @category examples
 */
export const layerProxy = (uri: string) =>
  NodeConnections.layerDispatcher(
    Layer.scoped(
      NodeHttpClient.Dispatcher,
      Effect.acquireRelease(
        Effect.sync(() => new Undici.ProxyAgent({ uri, proxyTunnel: true })),
        (agent) => Effect.promise(() => agent.destroy())
      )
    )
  )
