import * as Executions from "@effect-venue/schemas/Executions"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Connections from "@effect-venue/transport/Connections"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClientRequest } from "@effect/platform"
import { NodeHttpClient, Undici } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import {
  Cause,
  Chunk,
  Context,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Option,
  Runtime,
  Schedule,
  Scope,
  Stream
} from "effect"
import * as net from "node:net"
import * as zlib from "node:zlib"
import * as calls from "./utils/calls.js"
import { once } from "./utils/calls.js"
import { listen } from "@effect-venue/testing/Listening"
import { transportTo } from "./utils/servers.js"

/** A far end of bare sockets: it says what the script writes, byte for byte, whatever a server would make of it. */
const answering = (script: (socket: net.Socket, request: string) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const run = Runtime.runFork(yield* Effect.runtime())
    const requests: Array<string> = []
    const server = net.createServer((socket) => {
      socket.on("data", (bytes) => {
        const request = bytes.toString("utf8")
        requests.push(request)
        run(script(socket, request))
      })
    })
    const { open, url } = yield* listen(server)
    return {
      url,
      requests,
      open,
      closed: Effect.suspend(() => (open.size === 0 ? Effect.void : Effect.fail(open.size))).pipe(
        Effect.retry(Schedule.spaced("5 millis"))
      ),
      layer: transportTo(url, NodeConnections.layer)
    }
  })

const answered = (result: unknown): string =>
  JSON.stringify({ retCode: 0, retMsg: "OK", result, retExtInfo: {}, time: Date.now() })

const whole = (body: string, status = "200 OK", headers = ""): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const write = (socket: net.Socket, bytes: string | Uint8Array) => Effect.sync(() => void socket.write(bytes))

const emptyPage = answered({ category: "linear", list: [], nextPageCursor: "" })

const list = Effect.flatMap(Transport.Transport, (transport) =>
  transport.callWire(Executions.list, { category: "linear" })
).pipe(once)

const cancelAll = once(calls.cancelAll)

const get = (url: string) =>
  Effect.flatMap(Connections.Connections, (connections) => connections.use((client) => client.get(url)))

describe("on a runtime without undici", () => {
  it.effect("building the layer fails with UnsupportedRuntime, before any call", () =>
    Effect.gen(function* () {
      // Bun's module of the name `undici` has classes without methods.
      const stub = Layer.succeed(NodeHttpClient.Dispatcher, Object.create(null) as Undici.Dispatcher)
      const exit = yield* Effect.exit(Effect.scoped(Layer.build(NodeConnections.layerDispatcher(stub))))
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toBeInstanceOf(NodeConnections.UnsupportedRuntime)
    })
  )
})

describe("an answer", () => {
  it.scopedLive("is complete for any division into chunks, even within a character", () =>
    Effect.gen(function* () {
      const cursor = "é漢😀".repeat(50)
      const text = answered({ category: "linear", list: [], nextPageCursor: cursor })
      const body = Buffer.from(text)
      const far = yield* answering((socket) =>
        Effect.gen(function* () {
          yield* Effect.sync(() => socket.setNoDelay(true))
          yield* write(socket, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
          for (const byte of body) {
            yield* write(socket, Buffer.concat([Buffer.from("1\r\n"), Buffer.of(byte), Buffer.from("\r\n")]))
          }
          yield* write(socket, "0\r\n\r\n")
        })
      )
      const { nextPageCursor } = yield* Effect.provide(list, far.layer)
      expect(nextPageCursor).toBe(cursor)
    })
  )

  it.scopedLive("is the final one, not an informational one before it", () =>
    Effect.gen(function* () {
      const far = yield* answering((socket) =>
        write(socket, `HTTP/1.1 103 Early Hints\r\nlink: </style.css>\r\n\r\n${whole(emptyPage)}`)
      )
      expect(yield* Effect.provide(list, far.layer)).toMatchObject({ list: [] })
    })
  )

  it.scopedLive("that is truncated is a failure, with a length and in chunks", () =>
    Effect.gen(function* () {
      const far = yield* answering((socket, request) =>
        Effect.sync(() => {
          socket.end(
            request.includes("linear")
              ? `HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n${emptyPage}`
              : `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${emptyPage.length.toString(16)}\r\n${emptyPage}\r\n`
          )
        })
      )
      const failure = yield* Effect.flip(Effect.provide(list, far.layer))
      expect(failure).toMatchObject({ _tag: "ConnectionFailed", reason: "Connection", sent: true })
      const chunked = Effect.flatMap(Transport.Transport, (transport) =>
        transport.call(Executions.list, { category: "spot" })
      ).pipe(Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none))
      expect(yield* Effect.flip(Effect.provide(chunked, far.layer))).toMatchObject({
        _tag: "ConnectionFailed",
        reason: "Connection",
        sent: true
      })
    })
  )

  it.scopedLive("supports every method of a platform response", () =>
    Effect.gen(function* () {
      const far = yield* answering((socket) =>
        write(socket, whole('{"one":1}', "200 OK", "set-cookie: a=b\r\nx-several: 1\r\nx-several: 2\r\n"))
      )
      yield* Effect.gen(function* () {
        const response = yield* get(`${far.url}/x?y=z`)
        expect(yield* response.json).toEqual({ one: 1 })
        expect(yield* response.text).toBe('{"one":1}')
        expect(Buffer.from(yield* response.arrayBuffer).toString("utf8")).toBe('{"one":1}')
        expect(Buffer.concat(Chunk.toArray(yield* Stream.runCollect((yield* get(far.url)).stream))).toString()).toBe(
          '{"one":1}'
        )
        expect(yield* (yield* get(far.url)).urlParamsBody).toEqual([['{"one":1}', ""]])
        expect(response.headers["x-several"]).toBe("1, 2")
        expect(response.cookies.cookies).toMatchObject({ a: { value: "b" } })
        expect(response.toString()).toContain('"status": 200')
        expect(far.requests[0]?.split("\r\n")[0]).toBe("GET /x?y=z HTTP/1.1")
        expect(far.requests[1]?.split("\r\n")[0]).toBe("GET / HTTP/1.1")
      }).pipe(Effect.provide(far.layer))
    })
  )
})

describe("a request", () => {
  it.scopedLive("requests an uncompressed response, so that the text of a ban can be read", () =>
    Effect.gen(function* () {
      const text = "access too frequent"
      const far = yield* answering((socket, request) =>
        write(
          socket,
          /^accept-encoding: identity\r$/im.test(request)
            ? whole(text, "403 Forbidden")
            : Buffer.concat([
                Buffer.from(
                  `HTTP/1.1 403 Forbidden\r\ncontent-encoding: gzip\r\ncontent-length: ${zlib.gzipSync(text).length}\r\n\r\n`
                ),
                zlib.gzipSync(text)
              ])
        )
      )
      expect(yield* Effect.flip(Effect.provide(list, far.layer))).toMatchObject({ _tag: "Banned" })
    })
  )

  it.scopedLive("times out without a response, and its socket is closed", () =>
    Effect.gen(function* () {
      const far = yield* answering(() => Effect.void)
      const slow = Effect.provideService(cancelAll, CallOptions.AttemptTimeout, Duration.millis(50))
      yield* Effect.gen(function* () {
        expect(yield* Effect.flip(slow)).toMatchObject({
          _tag: "OutcomeUnknown",
          because: {
            _tag: "ConnectionFailed",
            reason: "Timeout",
            sent: true,
            detail: "UND_ERR_BODY_TIMEOUT: no answer within 50ms"
          }
        })
        yield* far.closed
      }).pipe(Effect.provide(far.layer))
      expect(far.requests).toHaveLength(1)
    })
  )

  /** Takes requests, and has no connection for them. `begin` is all that it does with one that begins; returns why it was aborted. */
  const busyDispatcher = () => {
    let waiting: Undici.Dispatcher.DispatchHandler | undefined
    const dispatcher = new Undici.Agent().compose(() => (_, handler) => {
      waiting = handler
      return true
    })
    const begin = (): ReadonlyArray<unknown> => {
      const aborted: Array<unknown> = []
      const controller = { abort: (reason: Error) => void aborted.push(reason.message) }
      waiting?.onRequestStart?.(controller as unknown as Undici.Dispatcher.DispatchController, {})
      return aborted
    }
    const layer = NodeConnections.layerDispatcher(Layer.sync(NodeHttpClient.Dispatcher, () => dispatcher))
    return { begin, layer, isTaken: () => waiting !== undefined }
  }

  it.scopedLive.each([0, 1])(
    "is not sent after the connections were renewed, if it had begun %s times before",
    (begun) =>
      Effect.gen(function* () {
        const busy = busyDispatcher()
        const connections = yield* Layer.build(busy.layer)
        const call = yield* Effect.provide(
          cancelAll,
          transportTo("http://venue.test", Layer.succeedContext(connections))
        ).pipe(Effect.flip, Effect.fork)
        yield* Effect.repeat(Effect.sleep("1 millis"), { until: busy.isTaken })
        for (let time = 0; time < begun; time++) expect(busy.begin()).toEqual([])
        yield* Context.get(connections, Connections.Connections).renew
        expect(busy.begin()).toEqual(["the connections were renewed before it was sent"])
        expect(yield* Fiber.join(call)).toMatchObject({ _tag: "ConnectionFailed", sent: false })
      })
  )

  it.live("that gets no connection in time was not sent and is never sent", () =>
    Effect.gen(function* () {
      const busy = busyDispatcher()
      const connections = yield* Layer.build(busy.layer)
      const failure = yield* cancelAll.pipe(
        Effect.provideService(CallOptions.AttemptTimeout, Duration.millis(50)),
        Effect.provide(transportTo("http://venue.test", Layer.succeedContext(connections))),
        Effect.flip
      )
      expect(failure).toMatchObject({ _tag: "ConnectionFailed", reason: "Timeout", sent: false })
      expect(busy.begin()).toEqual(["no answer within 50ms"])
    }).pipe(Effect.scoped)
  )

  it.scopedLive("times out if its response stops halfway", () =>
    Effect.gen(function* () {
      const far = yield* answering((socket) => write(socket, "HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"))
      const failure = yield* Effect.flip(
        Effect.provide(Effect.provideService(list, CallOptions.AttemptTimeout, Duration.millis(50)), far.layer)
      )
      expect(failure).toMatchObject({ _tag: "ConnectionFailed", reason: "Timeout", sent: true })
    })
  )

  it.scopedLive("that is interrupted closes its socket", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<void>()
      const far = yield* answering(() => Effect.asVoid(Deferred.succeed(arrived, undefined)))
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.fork(list)
        yield* Deferred.await(arrived)
        expect(far.open.size).toBe(1)
        yield* Fiber.interrupt(fiber)
        yield* far.closed
      }).pipe(Effect.provide(far.layer))
    })
  )

  it.scopedLive("has no timeout if none is set", () =>
    Effect.gen(function* () {
      const far = yield* answering((socket) => Effect.delay(write(socket, whole(emptyPage)), "100 millis"))
      const patient = Effect.provideService(list, CallOptions.AttemptTimeout, Duration.infinity)
      expect(yield* Effect.provide(patient, far.layer)).toMatchObject({ list: [] })
    })
  )

  it.live("with a streamed body or without a URL is refused before sending", () =>
    Effect.gen(function* () {
      const agent = new Undici.Agent()
      const client = NodeConnections.makeClient(() => agent)
      const request = HttpClientRequest.post("http://127.0.0.1:9/").pipe(
        HttpClientRequest.bodyStream(Stream.make(new Uint8Array(1)))
      )
      expect(yield* Effect.flip(client.execute(request))).toMatchObject({ _tag: "RequestError", reason: "Encode" })
      expect(yield* Effect.flip(client.get("/no/host"))).toMatchObject({ _tag: "RequestError", reason: "InvalidUrl" })
    })
  )
})

describe("connections that were renewed", () => {
  it.live(
    "take no call to the dispatcher that was left, and do not wait at the end for what it is under way with",
    () =>
      Effect.gen(function* () {
        const arrived = yield* Deferred.make<void>()
        const far = yield* answering((socket, request) =>
          request.startsWith("GET /hangs")
            ? Effect.asVoid(Deferred.succeed(arrived, undefined))
            : write(socket, whole(emptyPage))
        )
        const scope = yield* Scope.make()
        const connections = Context.get(
          yield* Layer.buildWithScope(NodeConnections.layer, scope),
          Connections.Connections
        )
        const hanging = yield* Effect.fork(Effect.exit(connections.use((client) => client.get(`${far.url}/hangs`))))
        yield* Deferred.await(arrived)
        // Renewed between the moment in which a call is given the client and the one in which it sends.
        const between = connections.use((client) =>
          Effect.zipRight(connections.renew, client.get(`${far.url}/between`))
        )
        expect((yield* between).status).toBe(200)
        yield* Effect.timeout(Scope.close(scope, Exit.void), "1 minute")
        expect(Option.isNone(yield* Fiber.poll(hanging))).toBe(true)
        yield* Fiber.interrupt(hanging)
        yield* far.closed
      }).pipe(Effect.scoped)
  )
})

describe("connections that are renewed while a request waits for one", () => {
  it.scopedLive("send no byte of it, and prove that", () =>
    Effect.gen(function* () {
      const arrived = yield* Deferred.make<net.Socket>()
      const server = yield* answering((socket, request) =>
        request.startsWith("GET /first ")
          ? Effect.asVoid(Deferred.succeed(arrived, socket))
          : write(socket, whole(emptyPage))
      )
      const oneConnection = NodeConnections.layerDispatcher(
        Layer.sync(NodeHttpClient.Dispatcher, () => new Undici.Agent({ connections: 1, pipelining: 1 }))
      )
      yield* Effect.gen(function* () {
        const connections = yield* Connections.Connections
        const first = yield* Effect.fork(get(`${server.url}/first`))
        const socket = yield* Deferred.await(arrived)
        const second = yield* Effect.fork(Effect.flip(get(`${server.url}/second`)))
        yield* Effect.sleep("20 millis")
        yield* connections.renew
        const error = yield* Fiber.join(second)
        expect(connections.isNotSent?.(error)).toBe(true)
        // What was begun goes on, and the connections that came instead are of use.
        expect((yield* get(`${server.url}/third`)).status).toBe(200)
        yield* write(socket, whole(emptyPage))
        expect((yield* Fiber.join(first)).status).toBe(200)
        yield* Effect.sleep("50 millis")
        expect(server.requests.map((request) => request.split(" ")[1])).toEqual(["/first", "/third"])
      }).pipe(Effect.provide(oneConnection))
    })
  )
})

describe("a custom dispatcher", () => {
  it.scopedLive("is used by calls, and is built again when connections are renewed", () =>
    Effect.gen(function* () {
      const far = yield* answering((socket) => write(socket, whole(emptyPage)))
      let built = 0
      const dispatched: Array<number> = []
      const dispatcher = Layer.scoped(
        NodeHttpClient.Dispatcher,
        Effect.map(NodeHttpClient.makeDispatcher, (agent) => {
          const mine = ++built
          return agent.compose((dispatch) => (options, handler) => {
            dispatched.push(mine)
            return dispatch(options, handler)
          })
        })
      )
      yield* Effect.gen(function* () {
        const { renew } = yield* Connections.Connections
        yield* get(far.url)
        yield* renew
        yield* get(far.url)
      }).pipe(Effect.provide(NodeConnections.layerDispatcher(dispatcher)))
      // One more is for the client that the rest of the application uses.
      expect(built).toBe(3)
      expect(new Set(dispatched).size).toBe(2)
    })
  )

  it.effect("ends an attempt when a replaced timer fires, and clears the timer of an interrupted attempt", () =>
    Effect.gen(function* () {
      class Silent extends Undici.Dispatcher {
        override dispatch(): boolean {
          return true
        }
      }
      const timers: Array<{ readonly milliseconds: number; readonly fire: () => void }> = []
      let cancelled = 0
      const dispatcher = new Silent()
      const send = NodeConnections.makeClient(() => dispatcher)
        .get("http://127.0.0.1/")
        .pipe(
          Effect.provideService(CallOptions.AttemptTimeout, Duration.seconds(3)),
          Effect.provideService(NodeConnections.AttemptTimer, (milliseconds, fire) => {
            timers.push({ milliseconds, fire })
            return () => {
              cancelled += 1
            }
          })
        )
      const fiber = yield* Effect.fork(Effect.flip(send))
      yield* Effect.yieldNow()
      expect(timers.map(({ milliseconds }) => milliseconds)).toEqual([3_000])
      expect(cancelled).toBe(0)
      timers[0]?.fire()
      expect(yield* Fiber.join(fiber)).toMatchObject({
        _tag: "RequestError",
        cause: { _tag: "TimedOut", code: "UND_ERR_CONNECT_TIMEOUT" }
      })
      expect(cancelled).toBe(1)

      const interrupted = yield* Effect.fork(send)
      yield* Effect.yieldNow()
      yield* Fiber.interrupt(interrupted)
      expect(cancelled).toBe(2)
    })
  )
})
