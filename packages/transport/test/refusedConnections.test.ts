import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import { NodeHttpClient, Undici } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as https from "node:https"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"

// Connections of the real kind that come to nothing. NodeConnections knows of each that no byte of the request left.

const cancelAll = Effect.flatMap(Transport.Transport, (transport) =>
  transport.call(Orders.cancelAll, { category: "linear", settleCoin: "USDT" })
).pipe(Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none))

const transportTo = (baseUrl: string, connections = NodeConnections.layer, signer = Signer.layer) =>
  Transport.layer.pipe(
    Layer.provide(signer),
    Layer.provide(Layer.mergeAll(connections, RateLimiter.layerMemory, BanGate.layer, ServerClock.layer)),
    Layer.provide(Credentials.layer({ baseUrl, apiKey: "EXAMPLEKEY0001", apiSecret: Redacted.make("example-secret") }))
  )

const notSent = { _tag: "ConnectionFailed", sent: false }

const listening = (server: net.Server) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<net.Server>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))),
      () => Effect.sync(() => void server.close())
    ),
    () => {
      const address = server.address()
      return typeof address === "object" && address !== null ? address.port : 0
    }
  )

/** A certificate that this machine made for itself. */
const selfSigned = Effect.acquireRelease(
  Effect.sync(() => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "certificate-"))
    const [key, cert] = [path.join(folder, "key.pem"), path.join(folder, "cert.pem")]
    execFileSync(
      "openssl",
      [
        ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"],
        ...["-keyout", key, "-out", cert]
      ],
      { stdio: "ignore" }
    )
    return { folder, key: fs.readFileSync(key), cert: fs.readFileSync(cert) }
  }),
  ({ folder }) => Effect.sync(() => fs.rmSync(folder, { recursive: true }))
)

describe("a write over NodeConnections is proved not sent", () => {
  it.scopedLive("when the certificate is self-signed", () =>
    Effect.gen(function* () {
      let requests = 0
      const { cert, key } = yield* selfSigned
      const port = yield* listening(https.createServer({ cert, key }, () => void (requests += 1)))
      const failure = yield* Effect.flip(Effect.provide(cancelAll, transportTo(`https://localhost:${port}`)))
      expect(failure).toMatchObject(notSent)
      expect(failure.message).toContain("DEPTH_ZERO_SELF_SIGNED_CERT")
      expect(requests).toBe(0)
    })
  )

  it.scopedLive("when TLS is used on a plain port", () =>
    Effect.gen(function* () {
      const received: Array<string> = []
      const port = yield* listening(
        net.createServer((socket) => {
          socket.on("error", () => undefined)
          socket.on("data", (bytes) => {
            received.push(bytes.toString("latin1"))
            socket.end("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
          })
        })
      )
      const failure = yield* Effect.flip(Effect.provide(cancelAll, transportTo(`https://localhost:${port}`)))
      expect(failure).toMatchObject(notSent)
      expect(received.join("")).not.toContain("cancel-all")
    })
  )

  it.scopedLive("when the process has no free file descriptor", () =>
    Effect.gen(function* () {
      let requests = 0
      const port = yield* listening(
        net.createServer((socket) => {
          socket.on("error", () => undefined)
          requests += 1
        })
      )
      const layer = yield* Layer.build(transportTo(`http://127.0.0.1:${port}`))
      const taken: Array<number> = []
      const failure = yield* Effect.acquireUseRelease(
        Effect.sync(() => {
          try {
            for (;;) taken.push(fs.openSync("/dev/null", "r"))
          } catch (error) {
            expect(error).toMatchObject({ code: "EMFILE" })
          }
        }),
        () => Effect.flip(Effect.provide(cancelAll, layer)),
        () => Effect.sync(() => taken.forEach((descriptor) => fs.closeSync(descriptor)))
      )
      expect(failure).toMatchObject(notSent)
      expect(failure.message).toContain("EMFILE")
      expect(requests).toBe(0)
    })
  )

  it.scopedLive("when a proxy refuses to connect", () =>
    Effect.gen(function* () {
      const requests: Array<string> = []
      const proxy = yield* listening(
        net.createServer((socket) => {
          socket.on("error", () => undefined)
          socket.on("data", (bytes) => {
            requests.push(bytes.toString("latin1"))
            socket.end("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
          })
        })
      )
      const dispatcher = Layer.scoped(
        NodeHttpClient.Dispatcher,
        Effect.acquireRelease(
          Effect.sync(() => new Undici.ProxyAgent(`http://127.0.0.1:${proxy}`)),
          (agent) => Effect.promise(() => agent.destroy())
        )
      )
      const connections = NodeConnections.layerDispatcher(dispatcher)
      const failure = yield* Effect.flip(Effect.provide(cancelAll, transportTo("https://venue.test", connections)))
      expect(failure).toMatchObject(notSent)
      expect(requests.map((request) => request.split(" ")[0])).toEqual(["CONNECT"])
    })
  )

  it.scopedLive("when a header has an invalid character", () =>
    Effect.gen(function* () {
      let requests = 0
      const port = yield* listening(
        net.createServer((socket) => {
          socket.on("error", () => undefined)
          socket.on("data", () => void (requests += 1))
        })
      )
      for (const value of ["key\nnext", "key\u0000", "schl\u00fcssel\u2603"]) {
        const signer = Layer.effect(
          Signer.Signer,
          Effect.map(Signer.Signer, ({ sign }) => ({
            sign: (request: Signer.Unsigned) =>
              Effect.map(sign(request), (signed) => ({
                ...signed,
                headers: { ...signed.headers, "X-BAPI-API-KEY": value }
              }))
          }))
        ).pipe(Layer.provide(Signer.layer))
        const layer = transportTo(`http://127.0.0.1:${port}`, NodeConnections.layer, signer)
        expect(yield* Effect.flip(Effect.provide(cancelAll, layer))).toMatchObject(notSent)
      }
      expect(requests).toBe(0)
    })
  )
})
