/**
 * The sandbox on a real socket, for programs in any language and for tests of the whole way. Loopback unless told otherwise.
 *
 * @since 0.1.0
 */
import * as Credentials from "@effect-venue/signing/Credentials"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { createServer } from "node:http"
import type * as Edge from "./Edge.js"
import * as Sandbox from "./Sandbox.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class Server extends Context.Tag("@effect-venue/sandbox/Server")<Server, Server.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace Server {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** Where it listens, without a slash at the end. */
    readonly url: string
    /** Credentials of the seeded keys, for `url`. */
    readonly credentials: Sandbox.Sandbox.Shape["credentials"]
  }
}

/**
 * It could not listen. `PortInUse`: something else does.
 *
 * @since 0.1.0
 * @category errors
 */
export class ServeFailed extends Schema.TaggedError<ServeFailed>("@effect-venue/sandbox/ServeFailed")("ServeFailed", {
  reason: Schema.Literal("PortInUse", "NotAllowed", "Other"),
  host: Schema.String,
  port: Schema.Number,
  cause: Schema.Defect
}) {
  override get message(): string {
    const where = `${this.host}:${this.port}`
    switch (this.reason) {
      case "PortInUse":
        return `${where} is in use`
      case "NotAllowed":
        return `${where} may not be listened on`
      case "Other":
        return `cannot listen on ${where}`
    }
  }
}

/**
 * @since 0.1.0
 * @category models
 */
export interface ServeOptions {
  /** 0, any free port, unless told. */
  readonly port?: number | undefined
  /** 127.0.0.1 unless told. */
  readonly host?: string | undefined
}

const reasons = new Map<unknown, ServeFailed["reason"]>([
  ["EADDRINUSE", "PortInUse"],
  ["EACCES", "NotAllowed"]
])

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

// Node reads the request line byte by byte; as text it is UTF-8, like the body.
const target = (url: string): string => Buffer.from(url, "latin1").toString("utf8")

// Whoever is at the other end sees a reset, not an end. The response counts as sent, so that nothing more is tried with it.
const reset = (request: HttpServerRequest.HttpServerRequest): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.sync(() => {
    NodeHttpServerRequest.toIncomingMessage(request).socket.resetAndDestroy()
    NodeHttpServerRequest.toServerResponse(request).end()
    return HttpServerResponse.empty()
  })

/** Promises all of the body, sends the beginning of it, and breaks off. */
const breakOff = (
  request: HttpServerRequest.HttpServerRequest,
  { body, headers, status }: Edge.Response,
  after: number
): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.async<undefined>((resume) => {
    const response = NodeHttpServerRequest.toServerResponse(request)
    response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) })
    response.write(body.slice(0, after), () => resume(Effect.succeed(undefined)))
  }).pipe(Effect.zipRight(reset(request)))

const app = (handle: Edge.Edge["handle"]) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const body = yield* request.arrayBuffer
    const response = yield* handle({
      method: request.method,
      target: target(request.originalUrl),
      headers: request.headers,
      body: new Uint8Array(body)
    })
    const { body: text, breaksAfter, headers, status } = response
    return breaksAfter === undefined
      ? HttpServerResponse.text(text, { status, headers, contentType: headers["content-type"] ?? "" })
      : yield* breakOff(request, response, breaksAfter)
  }).pipe(Effect.catchTag("ConnectionReset", () => Effect.flatMap(HttpServerRequest.HttpServerRequest, reset)))

/**
 * Serves the sandbox of the context until the scope ends.
 *
 * @since 0.1.0
 * @category constructors
 */
export const serve = (
  options: ServeOptions = {}
): Effect.Effect<Server.Shape, ServeFailed, Scope.Scope | Sandbox.Sandbox> =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    const host = options.host ?? "127.0.0.1"
    const port = options.port ?? 0
    const server = yield* NodeHttpServer.make(() => createServer(), { host, port }).pipe(
      Effect.mapError(
        ({ cause }) => new ServeFailed({ reason: reasons.get(codeOf(cause)) ?? "Other", host, port, cause })
      ),
      // A port that is no port at all is thrown, not reported.
      Effect.catchAllDefect((cause) => Effect.fail(new ServeFailed({ reason: "Other", host, port, cause })))
    )
    yield* server.serve(app(sandbox.handle))
    const bound = server.address._tag === "TcpAddress" ? server.address.port : port
    const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`
    return { url, credentials: Sandbox.credentialsAt(sandbox.credentials, url) }
  })

/**
 * A sandbox of its own and its server, with credentials of the main account for the server's address.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: ServeOptions & Sandbox.Options = {}
): Layer.Layer<Server | Sandbox.Sandbox | Credentials.Credentials, ServeFailed> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.make(options)
      const server = yield* Effect.provideService(serve(options), Sandbox.Sandbox, sandbox)
      return Context.make(Sandbox.Sandbox, sandbox).pipe(
        Context.add(Server, server),
        Context.add(Credentials.Credentials, server.credentials.main)
      )
    })
  )
