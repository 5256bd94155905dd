import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import { FetchHttpClient, type HttpClient } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { Layer, Redacted } from "effect"

export type Client = Layer.Layer<HttpClient.HttpClient>

/** The HTTP clients over which a call can be made. */
export const clients: Readonly<Record<string, Client>> = {
  NodeConnections: NodeConnections.layer,
  fetch: FetchHttpClient.layer,
  undici: NodeHttpClient.layerUndici,
  "node:http": NodeHttpClient.layer
}

/** A transport with an example key to an address, with the services that it uses. */
export const transportTo = <Provided, E>(
  baseUrl: string,
  client: Layer.Layer<Provided | HttpClient.HttpClient, E>,
  signer: Layer.Layer<Signer.Signer, never, Credentials.Credentials> = Signer.layer
) =>
  Transport.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(signer, RateLimiter.layerMemory, BanGate.layer, ServerClock.layer)),
    Layer.provideMerge(client),
    Layer.provide(
      Layer.succeed(
        Credentials.Credentials,
        Credentials.make({ baseUrl, apiKey: "EXAMPLEKEY0001", apiSecret: Redacted.make("example-secret-0001") })
      )
    )
  )
