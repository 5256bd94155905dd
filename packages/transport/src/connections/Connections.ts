/**
 * The connections of calls. After a ban the service requires all sessions to end: `layer` makes a client whose connections can be closed without aborting
 * calls in flight.
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
import * as Reloadable from "./reloadable.js"

export class Connections extends Context.Tag("@effect-venue/transport/Connections")<Connections, Connections.Shape>() {}

export declare namespace Connections {
  export interface Shape {
    /** Runs a call, from the request to the last byte of the response, on a client that stays open until then. */
    readonly use: <A, E, R>(call: (client: HttpClient.HttpClient) => Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /**
     * Distinguishes timeouts from other failures, for clients that end an attempt after `CallOptions.AttemptTimeout` themselves, and when they are interrupted.
     * Any other client runs in a separate fiber that is abandoned when the time is over.
     */
    readonly isTimeout?: ((error: HttpClientError.HttpClientError) => boolean) | undefined
    /**
     * Whether an error proves that no byte of its request left, for clients that report when they start a request. Defaults to the evidence in the error: a
     * system call that ends before a connection is established, undici's connect timeout, a refused certificate.
     */
    readonly isNotSent?: ((error: HttpClientError.HttpClientError) => boolean) | undefined
    /** Closes each connection as soon as it has no call in flight. Later calls open new connections. */
    readonly renew: Effect.Effect<void>
  }
}

/** Settings for a general client: no spans, no trace headers, no redirects, no repetition. */
const configure = (client: HttpClient.HttpClient): HttpClient.HttpClient =>
  // The client's span would contain the full URL and, by default, the key, and the client would send trace headers to the venue.
  HttpClient.transform(
    HttpClient.withTracerDisabledWhen(client, () => true),
    sendOnce
  )

/** Makes `fetch` send a request once. It follows no redirect, which would carry the signature and a write to a different server. */
const sendOnce = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
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
 * `fetch` repeats a request by itself after HTTP 421, unless the body is a stream, which can be read only once. The length of the body is known, and is sent
 * like that of any other body if the runtime allows it.
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
 * Connections that the client manages itself: `renew` does not close them. A `fetch` client on Node closes idle connections after a few seconds.
 *
 * @category constructors
 */
export const fromClient = (client: HttpClient.HttpClient): Connections.Shape => {
  const configuredClient = configure(client)
  return { use: (call) => call(configuredClient), renew: Effect.void }
}

/** A client and its calls in flight. */
interface Generation {
  readonly client: HttpClient.HttpClient
  readonly scope: Scope.CloseableScope
  calls: number
  isRetired: boolean
}

/**
 * Connections over the layer of a client that closes its connections with its scope, such as `NodeHttpClient.layerUndici`. To close the connections, the
 * client is built anew, and the old client is released as soon as its last call has ended. If the layer fails to build, the old client stays in use.
 */
export const make = <E, R>(
  client: Layer.Layer<HttpClient.HttpClient, E, R>
): Effect.Effect<Connections.Shape, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const generations = yield* Reloadable.make(HttpClient.HttpClient, client, (service, scope): Generation => ({
      client: configure(service),
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

/** The connections as a layer, with an `HttpClient` for the application's other requests. That client has separate connections, which a ban does not close. */
export const layer = <E, R>(
  client: Layer.Layer<HttpClient.HttpClient, E, R>
): Layer.Layer<Connections | HttpClient.HttpClient, E, R> =>
  Layer.merge(Layer.scoped(Connections, make(client)), client)
