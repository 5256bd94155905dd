/**
 * Records the requests and responses of a client.
 *
 * @sibling
 */
import * as Credentials from "@effect-venue/signing/Credentials"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { record } from "./record.js"
import * as secrets from "./secrets.js"
import type { Exchange, Options } from "./Recording.js"

/** Stores exchanges, in the order in which their requests end. */
export interface Sink {
  readonly put: (exchange: Exchange) => Effect.Effect<void>
}

/** Makes clients that record their requests and responses. Each response is read to its end before it is returned. */
export const make = (
  sink: Sink,
  options: Options = {}
): Effect.Effect<(client: HttpClient.HttpClient) => HttpClient.HttpClient> =>
  Effect.map(Effect.serviceOption(Credentials.Credentials), (credentials) => {
    const own = Option.match(credentials, { onNone: () => [], onSome: (shape) => [shape.apiKey, shape.apiSecret] })
    const recording = record({
      secrets: secrets.make([...own, ...(options.secrets ?? [])].map(Redacted.value)),
      transform: options.transform ?? ((exchange: Exchange) => exchange),
      put: sink.put
    })
    return HttpClient.transform(recording)
  })
