import * as Signer from "@effect-venue/signing/Signer"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import { NodeHttpClient, Undici } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as https from "node:https"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { cancelAll, once } from "./utils/calls.js"
import { listen } from "@effect-venue/testing/Listening"
import { transportTo } from "./utils/servers.js"

// Connections of the real kind that come to nothing. NodeConnections knows of each that no byte of the request left.

const cancel = once(cancelAll)

const notSent = { _tag: "ConnectionFailed", sent: false }

/** A server of bare sockets, which counts its connections and answers what is sent to it. */
const receiving = (answer?: string) => {
  const received: Array<string> = []
  let connections = 0
  const server = net.createServer((socket) => {
    connections += 1
    socket.on("data", (bytes) => {
      received.push(bytes.toString("latin1"))
      if (answer !== undefined) socket.end(answer)
    })
  })
  return Effect.map(listen(server), ({ port, url }) => ({ port, url, received, connections: () => connections }))
}

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
      const { port } = yield* listen(https.createServer({ cert, key }, () => void (requests += 1)))
      const failure = yield* Effect.flip(
        Effect.provide(cancel, transportTo(`https://localhost:${port}`, NodeConnections.layer))
      )
      expect(failure).toMatchObject(notSent)
      expect(failure.message).toContain("DEPTH_ZERO_SELF_SIGNED_CERT")
      expect(requests).toBe(0)
    })
  )

  it.scopedLive("when TLS is used on a plain port", () =>
    Effect.gen(function* () {
      const { port, received } = yield* receiving("HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n")
      const failure = yield* Effect.flip(
        Effect.provide(cancel, transportTo(`https://localhost:${port}`, NodeConnections.layer))
      )
      expect(failure).toMatchObject(notSent)
      expect(received.join("")).not.toContain("cancel-all")
    })
  )

  it.scopedLive("when the process has no free file descriptor", () =>
    Effect.gen(function* () {
      const { connections, url } = yield* receiving()
      const layer = yield* Layer.build(transportTo(url, NodeConnections.layer))
      const taken: Array<number> = []
      const failure = yield* Effect.acquireUseRelease(
        Effect.sync(() => {
          try {
            for (;;) taken.push(fs.openSync("/dev/null", "r"))
          } catch (error) {
            expect(error).toMatchObject({ code: "EMFILE" })
          }
        }),
        () => Effect.flip(Effect.provide(cancel, layer)),
        () => Effect.sync(() => taken.forEach((descriptor) => fs.closeSync(descriptor)))
      )
      expect(failure).toMatchObject(notSent)
      expect(failure.message).toContain("EMFILE")
      expect(connections()).toBe(0)
    })
  )

  it.scopedLive("when a proxy refuses to connect", () =>
    Effect.gen(function* () {
      const answer = "HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n"
      const proxy = yield* receiving(answer)
      const dispatcher = Layer.scoped(
        NodeHttpClient.Dispatcher,
        Effect.acquireRelease(
          Effect.sync(() => new Undici.ProxyAgent(proxy.url)),
          (agent) => Effect.promise(() => agent.destroy())
        )
      )
      const connections = NodeConnections.layerDispatcher(dispatcher)
      const failure = yield* Effect.flip(Effect.provide(cancel, transportTo("https://venue.test", connections)))
      expect(failure).toMatchObject(notSent)
      expect(proxy.received.map((request) => request.split(" ")[0])).toEqual(["CONNECT"])
    })
  )

  it.scopedLive("when a header has an invalid character", () =>
    Effect.gen(function* () {
      const { received, url } = yield* receiving()
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
        const layer = transportTo(url, NodeConnections.layer, signer)
        expect(yield* Effect.flip(Effect.provide(cancel, layer))).toMatchObject(notSent)
      }
      expect(received).toEqual([])
    })
  )
})
