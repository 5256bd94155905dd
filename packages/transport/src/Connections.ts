/**
 * The connections that calls use. After a ban the service asks for all sessions to end: `layer` makes a client whose
 * connections can be closed, without aborting calls that are under way.
 *
 * @since 0.1.0
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Scope from "effect/Scope"
import * as Reloadable from "./internal/connections/reloadable.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class Connections extends Context.Tag("@effect-venue/transport/Connections")<Connections, Connections.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace Connections {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** Runs a call, from the request to the last byte of the answer, on a client that stays open until then. */
    readonly use: <A, E, R>(call: (client: HttpClient.HttpClient) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /**
     * Set where the client itself aborts a request that took longer than `CallOptions.AttemptTimeout`: distinguishes such a
     * failure from others. Without it every attempt is raced against a sleep, which costs it two fibers.
     */
    readonly isTimeout?: ((error: HttpClientError.HttpClientError) => boolean) | undefined
    /**
     * Whether an error proves that no byte of its request left, for clients that report when they start one. Defaults to the error's
     * own evidence: a system call that ends before a connection is established, undici's connect timeout, a refused certificate.
     */
    readonly isNotSent?: ((error: HttpClientError.HttpClientError) => boolean) | undefined
    /** Closes all connections, as soon as no call is under way on them; later calls open new ones. */
    readonly renew: Effect.Effect<void>
  }
}

/** Settings for a client that is not made for this service: no spans, no trace headers, no redirects, no repetition. */
const configured = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  // The client's own span has the full URL and, by default, the key; and it sends trace headers to the venue.
  HttpClient.transform(
    HttpClient.withTracerDisabledWhen(client, () => true),
    sentOnce
  )

/** Makes `fetch` send a request once: it follows no redirect, which would carry the signature and a write to somewhere else. */
const sentOnce = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.contextWithEffect((context: Context.Context<R>) =>
    Effect.provide(
      effect,
      Context.empty().pipe(
        Context.add(FetchHttpClient.RequestInit, {
          ...Option.getOrElse(Context.getOption(context, FetchHttpClient.RequestInit), () => ({})),
          redirect: "manual"
        }),
        Context.add(
          FetchHttpClient.Fetch,
          withOneShotBody(Option.getOrElse(Context.getOption(context, FetchHttpClient.Fetch), () => globalThis.fetch))
        )
      )
    )
  )

/**
 * `fetch` repeats a request by itself when it is answered with HTTP 421, unless its body is a stream, which can be read once. The length of
 * the body is known, and is sent as for any other body where the runtime allows it.
 */
const withOneShotBody =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  (input, init) => {
    const body = init?.body
    if (!(body instanceof Uint8Array)) return fetch(input, init)
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(body)
        controller.close()
      }
    })
    const headers = new Headers(init?.headers)
    headers.set("content-length", String(body.length))
    // The types of some runtimes lack `duplex`, which a stream requires.
    const once: RequestInit & { readonly duplex: "half" } = { ...init, headers, body: stream, duplex: "half" }
    return fetch(input, once)
  }

/**
 * Connections that the client manages itself: nothing else closes them. A client of `fetch` on Node closes an
 * idle connection after a few seconds by itself.
 *
 * @since 0.1.0
 * @category constructors
 */
export const fromClient = (client: HttpClient.HttpClient): Connections.Shape => {
  const configuredClient = configured(client)
  return { use: (call) => call(configuredClient), renew: Effect.void }
}

/** A client, and its calls that are under way. */
interface Generation {
  readonly client: HttpClient.HttpClient
  readonly scope: Scope.CloseableScope
  calls: number
  isRetired: boolean
}

/**
 * Connections over a layer of a client that ends its connections with its scope, such as `NodeHttpClient.layerUndici`. To end
 * them, the client is built anew, and the old one released as soon as its last call has ended; a layer that fails to build then
 * leaves the old one in place.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = <E, R>(
  client: Layer.Layer<HttpClient.HttpClient, E, R>
): Effect.Effect<Connections.Shape, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const generations = yield* Reloadable.make(HttpClient.HttpClient, client, (service, scope): Generation => ({
      client: configured(service),
      scope,
      calls: 0,
      isRetired: false
    }))

    const release = (generation: Generation) =>
      Effect.suspend(() =>
        generation.isRetired && generation.calls === 0 ? Scope.close(generation.scope, Exit.void) : Effect.void
      )

    return {
      use: (call) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            const generation = generations.current()
            generation.calls += 1
            return generation
          }),
          (generation) => call(generation.client),
          (generation) => {
            generation.calls -= 1
            return release(generation)
          }
        ),
      renew: Effect.uninterruptible(
        Effect.flatMap(
          generations.reload,
          Option.match({
            onNone: () => Effect.void,
            onSome: (retired) => {
              retired.isRetired = true
              return release(retired)
            }
          })
        )
      )
    }
  })

/**
 * The same as a layer, with an `HttpClient` for whatever else the application calls: it has connections of its own, which a ban
 * leaves alone.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = <E, R>(
  client: Layer.Layer<HttpClient.HttpClient, E, R>
): Layer.Layer<Connections | HttpClient.HttpClient, E, R> =>
  Layer.merge(Layer.scoped(Connections, make(client)), client)
