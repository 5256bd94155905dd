/**
 * Connections for Node, on the dispatcher that `NodeHttpClient` also uses, with as little overhead as possible: every response is read in one piece, without a
 * stream. Redirects are not followed. Responses with gzip, deflate or br are decompressed, up to `CallOptions.MaxResponseBytes`, although none is requested.
 *
 * This module is not in the package's index, because it needs `@effect/platform-node`.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Undici from "@effect/platform-node/Undici"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Headers from "@effect/platform/Headers"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import { onEnd } from "../model/exits.js"
import * as CallOptions from "../model/CallOptions.js"
import { getProvided } from "../model/Inherit.js"
import * as Connections from "./Connections.js"
import { type Body, decompress } from "./decompress.js"
import * as Reloadable from "./reloadable.js"
import { BoundedBody, ResponseTooLarge, WholeResponse } from "../response/wholeResponse.js"
import * as SecretUrl from "./SecretUrl.js"

/** The runtime has no working `undici`. Bun has a module of this name, but its classes send nothing. */
export class UnsupportedRuntime extends Data.TaggedError("UnsupportedRuntime") {
  override get message(): string {
    return "NodeConnections needs Node, because it sends with undici, which this runtime does not have: provide FetchHttpClient.layer of @effect/platform instead"
  }
}

const isDispatcher = (dispatcher: Partial<Undici.Dispatcher>): boolean => typeof dispatcher.dispatch === "function"

/** Why a request without a response was aborted. `code` has a value that the dispatcher uses, and shows whether the request had begun. */
class TimedOut extends Data.TaggedError("TimedOut")<{ readonly message: string; readonly code: string }> {}

const isTimeout = ({ cause }: HttpClientError.HttpClientError): boolean => cause instanceof TimedOut

/** The error of a request that the dispatcher never started. The dispatcher starts a request before it writes the first byte. */
class NotStarted extends HttpClientError.RequestError {}

const isNotSent = (error: HttpClientError.HttpClientError): boolean => error instanceof NotStarted

const renewed = "the connections were renewed before it was sent"

type Outcome = Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError>

/**
 * Receives one response and reports it once: after its last byte, or when it cannot complete. The dispatcher keeps this object for longer, so its end clears
 * what it refers to.
 */
class Exchange implements Undici.Dispatcher.DispatchHandler {
  private controller: Undici.Dispatcher.DispatchController | undefined
  private givenUp: Error | undefined
  private status = 0
  private headers: Headers.Headers = Headers.empty
  private body: BoundedBody
  private isEnded = false
  private isOutdated = false
  private unread: Outcome | undefined
  private resume: ((outcome: Outcome) => void) | undefined
  cancelTimer: (() => void) | undefined

  /** `open` contains the requests that have not ended. */
  constructor(
    private readonly request: HttpClientRequest.HttpClientRequest,
    private readonly limit: number,
    private readonly open: Set<Exchange>
  ) {
    this.body = new BoundedBody(limit)
    open.add(this)
  }

  /** The response, or the error. It can be read once. */
  readonly outcome: Outcome = Effect.async((resume) => {
    if (this.unread === undefined) this.resume = resume
    else resume(this.unread)
    this.unread = undefined
  })

  onRequestStart(controller: Undici.Dispatcher.DispatchController): void {
    // The dispatcher calls this again if it finds that a connection was dead before anything could be written to it.
    if (this.isOutdated) {
      this.controller = undefined
      this.cancel(new Error(renewed))
    }
    if (this.givenUp === undefined) this.controller = controller
    else controller.abort(this.givenUp)
  }

  onResponseStart(_: Undici.Dispatcher.DispatchController, status: number, headers: Headers.Input): void {
    // Responses below 200 are interim; the final response follows.
    if (status < 200) return
    this.status = status
    this.headers = Headers.fromInput(headers)
  }

  onResponseData(controller: Undici.Dispatcher.DispatchController, chunk: Uint8Array): void {
    const tooLarge = this.body.push(chunk)
    if (tooLarge === undefined) return
    this.tell(Effect.fail(this.broken(tooLarge)))
    controller.abort(tooLarge)
  }

  onResponseEnd(): void {
    const decompressed = decompress(this.received(), this.limit)
    this.tell(
      decompressed instanceof ResponseTooLarge
        ? Effect.fail(this.broken(decompressed))
        : Effect.succeed(this.response(decompressed))
    )
  }

  onResponseError(_: Undici.Dispatcher.DispatchController, cause: Error): void {
    this.tell(Effect.fail(this.failed(cause)))
  }

  /** Aborts the request. A request that still waits for a connection is never started. */
  private giveUp(because: Error, controller: Undici.Dispatcher.DispatchController | undefined): void {
    this.open.delete(this)
    this.givenUp = because
    controller?.abort(because)
  }

  timeOut(timeout: Duration.Duration): void {
    const message = `no answer within ${Duration.format(timeout)}`
    const code = this.controller === undefined ? "UND_ERR_CONNECT_TIMEOUT" : "UND_ERR_BODY_TIMEOUT"
    this.cancel(new TimedOut({ message, code }))
  }

  /** Ends it with an error. */
  cancel(because: Error): void {
    const { controller } = this
    this.tell(Effect.fail(this.failed(because)))
    this.giveUp(because, controller)
  }

  /** The connections are renewed: it does not begin any more, and not again. */
  renew(): void {
    if (this.controller === undefined) this.cancel(new Error(renewed))
    else this.isOutdated = true
  }

  interrupt(): void {
    if (this.isEnded) return
    this.cancelTimer?.()
    this.giveUp(new Error("interrupted"), this.controller)
  }

  private tell(outcome: Outcome): void {
    if (this.isEnded) return
    const { resume } = this
    this.isEnded = true
    this.open.delete(this)
    this.cancelTimer?.()
    this.cancelTimer = this.controller = this.resume = undefined
    this.headers = Headers.empty
    if (resume === undefined) this.unread = outcome
    else resume(outcome)
  }

  private failed(cause: Error): HttpClientError.HttpClientError {
    return this.status === 0 ? this.withoutResponse(cause) : this.broken(cause)
  }

  private withoutResponse(cause: Error): HttpClientError.RequestError {
    const { controller, request } = this
    const props = { request, reason: "Transport", cause } as const
    return controller === undefined ? new NotStarted(props) : new HttpClientError.RequestError(props)
  }

  /** The error of an incomplete response, with the part that was received. */
  private broken(cause: Error): HttpClientError.ResponseError {
    const { request } = this
    const received = this.received()
    const decompressed = cause instanceof ResponseTooLarge ? received : decompress(received, this.limit)
    const body = decompressed instanceof ResponseTooLarge ? received : decompressed
    return new HttpClientError.ResponseError({ request, response: this.response(body), reason: "Decode", cause })
  }

  private received(): Body {
    return { headers: this.headers, chunks: this.body.chunks }
  }

  private response({ chunks, headers }: Body): WholeResponse {
    const { limit, request, status } = this
    this.body = new BoundedBody(limit)
    return new WholeResponse(request, status, headers, chunks)
  }
}

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): Uint8Array | null | undefined => {
  switch (body._tag) {
    case "Empty":
      return null
    case "Uint8Array":
      return body.body
    default:
      return undefined
  }
}

// A longer timer fires at once.
const longestTimer = 2 ** 31 - 1

const realTimer = (milliseconds: number, fire: () => void): (() => void) => {
  // eslint-disable-next-line no-restricted-globals -- a sleep would be a fiber for every attempt
  const timer = setTimeout(fire, Math.min(milliseconds, longestTimer))
  return () => {
    clearTimeout(timer)
  }
}

/** The timer of `CallOptions.AttemptTimeout`, for programs that run in virtual time. Defaults to `setTimeout`. */
export class AttemptTimer extends Context.Reference<AttemptTimer>()(
  "@effect-venue/transport/NodeConnections/AttemptTimer",
  { defaultValue: () => realTimer }
) {}

const startsWithOrigin = /^https?:\/\/[^/?#]+/

/** A request that has begun, or waits for a connection. */
interface Begun {
  readonly response: Outcome
  /** Aborts it unless it has ended. */
  readonly giveUp: () => void
}

/** Begins a request synchronously. */
type Begin = (request: HttpClientRequest.HttpClientRequest, references: Context.Context<never>) => Begun

/**
 * A client for the requests of the transport, over the dispatcher in use when a request is sent. Requests have an empty body or bytes, and are aborted after
 * `CallOptions.AttemptTimeout` or `CallOptions.MaxResponseBytes`. The client creates no spans and sends no trace headers. The URL is sent verbatim, because it
 * was signed.
 */
export const makeClient = (dispatcher: () => Undici.Dispatcher): HttpClient.HttpClient =>
  clientOf(beginOn(dispatcher, new Set(), realTimer))

const clientOf = (begin: Begin): HttpClient.HttpClient => {
  return HttpClient.makeWith(
    (requests: Effect.Effect<HttpClientRequest.HttpClientRequest, HttpClientError.HttpClientError>) =>
      Effect.flatMap(requests, (request) =>
        Effect.uninterruptibleMask((restore) =>
          Effect.withFiberRuntime((fiber) => {
            const { giveUp, response } = begin(request, fiber.getFiberRef(FiberRef.currentContext))
            return onEnd(restore(response), (exit) => {
              if (Exit.isFailure(exit)) giveUp()
              return exit
            })
          })
        )
      ),
    Effect.succeed
  )
}

const refuse = (error: NotStarted): Begun => ({ response: Effect.fail(error), giveUp: () => undefined })

/** Sends a request immediately. */
const beginOn =
  (dispatcher: () => Undici.Dispatcher, open: Set<Exchange>, timer: typeof realTimer) =>
  (request: HttpClientRequest.HttpClientRequest, references: Context.Context<never>): Begun => {
    const origin = startsWithOrigin.exec(request.url)?.[0]
    if (origin === undefined) return refuse(new NotStarted({ request, reason: "InvalidUrl" }))
    const body = bodyOf(request)
    if (body === undefined) {
      const description = `a body of ${request.body._tag} has no place in a request of the transport`
      return refuse(new NotStarted({ request, reason: "Encode", description }))
    }
    const timeout = Context.get(references, CallOptions.AttemptTimeout)
    const exchange = new Exchange(request, Context.get(references, CallOptions.MaxResponseBytes), open)
    if (Duration.isFinite(timeout)) {
      const start = getProvided(references, AttemptTimer) ?? timer
      exchange.cancelTimer = start(Duration.toMillis(timeout), () => exchange.timeOut(timeout))
    }
    dispatcher().dispatch(
      {
        origin,
        path: request.url.slice(origin.length) || "/",
        method: request.method,
        // A response to a request without this header can have any encoding, and not every one can be decompressed.
        headers: { "accept-encoding": "identity", ...request.headers },
        body,
        // The dispatcher's timeouts have a resolution of half a second.
        headersTimeout: 0,
        bodyTimeout: 0
      },
      exchange
    )
    return { response: exchange.outcome, giveUp: () => exchange.interrupt() }
  }

const make = <E, R>(dispatchers: Layer.Layer<NodeHttpClient.Dispatcher, E, R>) =>
  Effect.gen(function* () {
    const whole = yield* Effect.scope
    const generations = yield* Reloadable.make(NodeHttpClient.Dispatcher, dispatchers, (dispatcher, scope) => ({
      dispatcher,
      scope
    }))
    if (!isDispatcher(generations.current().dispatcher)) return yield* Effect.die(new UnsupportedRuntime())
    // The dispatcher is read at the moment of sending, because a dispatcher that was replaced meanwhile accepts no more requests.
    const open = new Set<Exchange>()
    const current = () => generations.current().dispatcher
    const client = clientOf(beginOn(current, open, yield* AttemptTimer))
    // Requests that have not begun were created before the ban that renews the connections was known. When they are sent again, they wait at the gate.
    const cancelWaiting = Effect.sync(() => {
      for (const exchange of [...open]) exchange.renew()
    })

    return Connections.Connections.of({
      use: (call) => call(client),
      isTimeout,
      isNotSent,
      renew: Effect.uninterruptible(
        Effect.flatMap(
          Effect.zipRight(cancelWaiting, generations.reload),
          Option.match({
            onNone: () => Effect.void,
            // A closed dispatcher ends after its calls. No caller waits for this, not even when the layer is released.
            onSome: ({ dispatcher, scope }) =>
              Effect.promise(() => dispatcher.close()).pipe(
                Effect.zipRight(Scope.close(scope, Exit.void)),
                Effect.interruptible,
                Effect.forkIn(whole)
              )
          })
        )
      )
    })
  })

/**
 * Connections over the dispatchers of a layer, such as one with a proxy. The layer is built anew whenever the connections are renewed, and the old dispatcher
 * is closed when its calls have ended. If the layer then fails to build, the old dispatcher stays in use. A request that is waiting for a connection at that
 * time fails as not sent. The `HttpClient` is Effect's client, for the application's other requests.
 */
export const layerDispatcher = <E, R>(
  dispatcher: Layer.Layer<NodeHttpClient.Dispatcher, E, R>
): Layer.Layer<Connections.Connections | HttpClient.HttpClient, E, R> =>
  Layer.merge(
    Layer.scoped(Connections.Connections, make(dispatcher)),
    NodeHttpClient.layerUndiciWithoutDispatcher.pipe(Layer.provide(dispatcher))
  )

const layerOf = (make: () => Undici.Dispatcher) =>
  layerDispatcher(
    Layer.scoped(
      NodeHttpClient.Dispatcher,
      Effect.acquireRelease(
        Effect.filterOrDie(Effect.sync(make), isDispatcher, () => new UnsupportedRuntime()),
        (dispatcher) => Effect.promise(() => dispatcher.destroy())
      )
    )
  )

/** Connections for Node, renewed after a ban. Dies with `UnsupportedRuntime` on a runtime without undici, such as Bun. */
export const layer: Layer.Layer<Connections.Connections | HttpClient.HttpClient> = layerOf(() => new Undici.Agent())

/**
 * Connections from one address of this machine, such as `203.0.113.7`, renewed after a ban. A connection fails, before anything is sent, if the machine does
 * not have the address.
 */
export const layerAddress = (localAddress: string): Layer.Layer<Connections.Connections | HttpClient.HttpClient> =>
  // `localAddress` is an option of the agent; in `connect` it would be ignored.
  layerOf(() => new Undici.Agent({ localAddress }))

/**
 * Connections through an HTTP proxy, such as `http://10.0.0.2:3128`, renewed after a ban. The URL can contain a user and a password, percent-encoded. Dies if
 * the text is not a URL; the message does not contain it.
 */
export const layerProxy = (
  uri: string | Redacted.Redacted
): Layer.Layer<Connections.Connections | HttpClient.HttpClient> =>
  layerOf(
    () =>
      new Undici.ProxyAgent({
        uri: SecretUrl.getOrThrow(uri, "NodeConnections.layerProxy: uri", ["http", "https"]),
        proxyTunnel: true
      })
  )
