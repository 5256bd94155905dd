/** Calls through a proxy. The proxy's dispatcher owns the connections, so that a ban closes them, as the service requires. */
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Connections through an HTTP proxy, such as `http://127.0.0.1:3128`. Limits and bans apply to the proxy's address: provide a separate
 * `Venue.layerShared` to the accounts behind it.
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
