/** The sandbox on a real socket, for programs in any language and for tests of the whole way. Listens on loopback by default. */
import * as Credentials from "@effect-venue/signing/Credentials"
import { formatAddress } from "@effect-venue/schemas/siblings/Words"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import type * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { createServer, type IncomingMessage, type Server as HttpServer } from "node:http"
import * as Control from "../control/Control.js"
import * as Faults from "../faults/Faults.js"
import * as Edge from "../edge/Edge.js"
import * as Access from "../control/access.js"
import * as ControlPath from "../control/path.js"
import { checkBoth, checkServer, ofSandbox, ofServer, type OptionInvalid } from "./checkOptions.js"
import * as WebPages from "../page/pages.js"
import * as Sandbox from "./Sandbox.js"

export class Server extends Context.Tag("@effect-venue/sandbox/Server")<Server, Server.Shape>() {}

export declare namespace Server {
  export interface Shape {
    /** Its URL, without a slash at the end. */
    readonly url: string
    /** Credentials of the seeded keys, for `url`. */
    readonly credentials: Sandbox.Sandbox.Shape["credentials"]
  }
}

/**
 * The server could not listen.
 *
 * `PortInUse`: another process listens there. `NotAllowed`: the operating system does not allow this port. `NotLoopback`: other machines could
 * reach it, and `exposed` is not set. `InvalidOption`: an option has a wrong type or value, `cause` names it. `Other`: see `cause`.
 */
export class ServeFailed extends Schema.TaggedError<ServeFailed>("@effect-venue/sandbox/ServeFailed")("ServeFailed", {
  reason: Schema.Literal("PortInUse", "NotAllowed", "NotLoopback", "InvalidOption", "Other"),
  host: Schema.String,
  port: Schema.Number,
  cause: Schema.Defect
}) {
  override get message(): string {
    if (this.reason === "InvalidOption")
      return this.cause instanceof Error ? this.cause.message : "an option is not valid"
    const where = formatAddress(this.host, this.port)
    switch (this.reason) {
      case "PortInUse":
        return `${where} is in use`
      case "NotAllowed":
        return `${where} may not be listened on`
      case "NotLoopback":
        return `${this.host} can be reached from other machines: set \`exposed\` (--allow-remote) to allow this`
      case "Other":
        return `cannot listen on ${where}: ${this.cause instanceof Error ? this.cause.message : String(this.cause)}`
    }
  }
}

export interface ServeOptions {
  /** Defaults to 0, any free port. */
  readonly port?: number | undefined
  /** Defaults to 127.0.0.1. */
  readonly host?: string | undefined
  /** Whether to allow a `host` that other machines can reach. Defaults to false. */
  readonly exposed?: boolean | undefined
  /**
   * Accepts commands at `/sandbox/control`, which need no key, and serves the page. Defaults to true on loopback hosts and with a
   * `controlToken`, to false elsewhere.
   */
  readonly control?: boolean | undefined
  /**
   * The token that commands send as `Authorization: Bearer ...`, and the password of the page, under any user name. Defaults to none: both are
   * then open to this machine alone.
   */
  readonly controlToken?: Redacted.Redacted | undefined
  /** The time limit for open requests when the scope ends. Defaults to 5 seconds. */
  readonly grace?: Duration.DurationInput | undefined
}

const reasons = new Map<unknown, ServeFailed["reason"]>([
  ["EADDRINUSE", "PortInUse"],
  ["EACCES", "NotAllowed"]
])

const codeOf = (cause: unknown): unknown =>
  typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined

// Node reads the request line byte by byte; as text it is UTF-8, like the body.
const target = (url: string): string => Buffer.from(url, "latin1").toString("utf8")

// The client sees a reset, not an end. The response counts as sent, so that nothing more is tried with it.
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

/** The parts of a server. */
interface Parts {
  readonly handle: Edge.Edge["handle"]
  readonly control: Control.SandboxControl.Shape
  readonly access: Access.Access
  readonly pages: WebPages.Pages
}

const app = ({ access, control, handle, pages }: Parts) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const url = target(request.originalUrl)
    const page = request.method === "GET" ? pages.get(url) : undefined
    const isControl = ControlPath.owns(url)
    if (isControl || page?.isGuarded === true) {
      const refused = Access.refusal(access, request, isControl ? "Bearer" : "Basic")
      if (refused !== undefined) return respond(refused)
    }
    if (page !== undefined) return yield* page.response
    const most = isControl ? largestCommand : Edge.largestBody
    const body = yield* readBody(NodeHttpServerRequest.toIncomingMessage(request), most)
    if (body === undefined && isControl) return respond(ControlPath.tooLarge(most))
    const raw = {
      method: request.method,
      target: url,
      headers: request.headers,
      body: body ?? Edge.unreadBody
    }
    const response = yield* isControl ? ControlPath.handle(control, raw) : handle(raw)
    return response.breaksAfter === undefined
      ? respond(response)
      : yield* breakOff(request, response, response.breaksAfter)
  }).pipe(Effect.catchTag("ConnectionReset", () => Effect.flatMap(HttpServerRequest.HttpServerRequest, reset)))

const respond = ({ body, headers, status }: Edge.Response): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(body, { status, headers, contentType: headers["content-type"] ?? "" })

// A state is some 25 MB, mostly history.
const largestCommand = 250_000_000

/**
 * Reads a body; `undefined` if it has more than `most` bytes, as soon as that is known. The rest is then discarded as it arrives: if the
 * connection closed before it, the client could lose the response.
 */
const readBody = (
  message: IncomingMessage,
  most: number
): Effect.Effect<Uint8Array | undefined, Faults.ConnectionReset> =>
  Effect.async((resume) => {
    const chunks: Array<Uint8Array> = []
    let size = 0
    const finish = (result: Effect.Effect<Uint8Array | undefined, Faults.ConnectionReset>) => {
      message.off("data", take).off("end", end).off("error", fail)
      message.on("error", () => undefined).resume()
      resume(result)
    }
    const end = () => finish(Effect.sync(() => Buffer.concat(chunks, size)))
    const fail = () => finish(Effect.fail(new Faults.ConnectionReset()))
    const take = (chunk: Uint8Array) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > most) finish(Effect.succeed(undefined))
    }
    if (Number(message.headers["content-length"] ?? 0) > most) finish(Effect.succeed(undefined))
    else message.on("data", take).on("end", end).on("error", fail)
  })

const defaultGrace = Duration.seconds(5)

/** Takes no new requests, lets those under way finish, and breaks off what takes too long. */
const drain = (server: HttpServer, grace: Duration.DurationInput): Effect.Effect<void> =>
  Effect.async<void>((resume) => {
    server.close(() => resume(Effect.void))
  }).pipe(
    // Finalizers cannot be interrupted; this wait can be.
    Effect.interruptible,
    Effect.timeoutTo({
      duration: grace,
      onSuccess: () => undefined,
      onTimeout: () => server.closeAllConnections()
    })
  )

const addressOf = ({ host = "127.0.0.1", port = 0 }: ServeOptions) => ({ host, port })

// Without validation, because the host or the port can be what is not valid.
const invalidOption = (options: ServeOptions) => (cause: OptionInvalid) =>
  new ServeFailed({ reason: "InvalidOption", ...addressOf(options), cause }, true)

/**
 * Serves the sandbox of the context until the scope ends. Besides the exchange it has the control path, the OpenAPI document at
 * `/openapi.json`, a page of the state and the operations at `/`, and `/healthz` with the version and whether requests are taken.
 */
export const serve = (
  options: ServeOptions = {}
): Effect.Effect<Server.Shape, ServeFailed, Scope.Scope | Sandbox.Sandbox> =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    yield* Effect.mapError(checkServer(options), invalidOption(options))
    const { host, port } = addressOf(options)
    const isLocal = Access.isLoopback(host)
    if (!isLocal && options.exposed !== true) {
      return yield* new ServeFailed({ reason: "NotLoopback", host, port, cause: undefined })
    }
    const node = createServer()
    const server = yield* NodeHttpServer.make(() => node, { host, port }).pipe(
      Effect.mapError(
        ({ cause }) => new ServeFailed({ reason: reasons.get(codeOf(cause)) ?? "Other", host, port, cause })
      )
    )
    const bound = server.address._tag === "TcpAddress" ? server.address.port : port
    const url = `http://${formatAddress(host, bound)}`
    yield* server.serve(
      app({
        handle: sandbox.handle,
        control: sandbox.control,
        access: {
          allowed: options.control ?? (isLocal || options.controlToken !== undefined),
          token: options.controlToken,
          isLocal
        },
        pages: WebPages.make()
      })
    )
    // Before the handler is removed: a request that has arrived on an open connection still needs it.
    yield* Effect.addFinalizer(() => drain(node, options.grace ?? defaultGrace))
    return { url, credentials: Record.map(sandbox.credentials, (credentials) => ({ ...credentials, baseUrl: url })) }
  })

/** The control of a sandbox whose exchange is reached at another address: its credentials are for that address. */
const controlAt = (control: Control.SandboxControl.Shape, baseUrl: string): Control.SandboxControl.Shape => ({
  ...control,
  openAccount: (options) => Effect.map(control.openAccount(options), (credentials) => ({ ...credentials, baseUrl })),
  openScenario: (options) => Effect.map(control.openScenario(options), (credentials) => ({ ...credentials, baseUrl })),
  openKey: (options) => Effect.map(control.openKey(options), (credentials) => ({ ...credentials, baseUrl }))
})

/** A sandbox with its server, its control, and credentials of the main account for the server's address. */
export const layer = (
  options: ServeOptions & Sandbox.Options = {}
): Layer.Layer<
  Server | Sandbox.Sandbox | Control.SandboxControl | Faults.Faults | Credentials.Credentials,
  ServeFailed
> =>
  Layer.scopedContext(
    Effect.gen(function* () {
      yield* Effect.mapError(checkBoth(options), invalidOption(options))
      const sandbox = yield* Sandbox.make(ofSandbox(options))
      const server = yield* Effect.provideService(serve(ofServer(options)), Sandbox.Sandbox, sandbox)
      return Context.make(Sandbox.Sandbox, sandbox).pipe(
        Context.add(Server, server),
        Context.add(Control.SandboxControl, controlAt(sandbox.control, server.url)),
        Context.add(Faults.Faults, sandbox.faults),
        Context.add(Credentials.Credentials, server.credentials.main)
      )
    })
  )
