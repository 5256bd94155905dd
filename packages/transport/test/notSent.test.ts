import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import { type HttpClient } from "@effect/platform"
import { NodeHttpClient, Undici } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, FastCheck, Fiber, Layer, TestClock } from "effect"
import * as net from "node:net"
import { cancelAll, once } from "./utils/calls.js"
import * as scripted from "./utils/scripted.js"
import { listen } from "@effect-venue/testing/Listening"
import { clients, transportTo } from "./utils/servers.js"

// Proof that a write was not sent. It needs the instant at which a connection failed, and an error code alone does not say it: an
// established connection dies with EHOSTUNREACH when a route goes away, and with ECONNREFUSED behind some firewalls.

const systemCodes = ["EHOSTUNREACH", "ENETUNREACH", "ECONNREFUSED", "ETIMEDOUT", "ECONNRESET", "EPIPE", "ENOTFOUND"]

const systemError = (syscall: string | undefined, code: string) =>
  Object.assign(new Error(`${syscall ?? "?"} ${code}`), {
    code,
    errno: -113,
    ...(syscall === undefined ? {} : { syscall })
  })

/** A server that runs `onRequest` for every request and never answers. */
const serve = (onRequest: () => void) => {
  const requests: Array<string> = []
  const server = net.createServer((socket) => {
    socket.on("data", (bytes) => {
      requests.push(bytes.toString("utf8"))
      onRequest()
    })
  })
  return Effect.map(listen(server), ({ url }) => ({ requests, url }))
}

type Connect = Undici.buildConnector.connector

const dispatcher = (connect: Connect) =>
  Layer.scoped(
    NodeHttpClient.Dispatcher,
    Effect.acquireRelease(
      Effect.sync(() => new Undici.Agent({ connect })),
      (agent) => Effect.promise(() => agent.destroy())
    )
  )

/** Clients whose connections a test makes itself. */
const connecting: Readonly<Record<string, (connect: Connect) => Layer.Layer<HttpClient.HttpClient>>> = {
  NodeConnections: (connect) => NodeConnections.layerDispatcher(dispatcher(connect)),
  undici: (connect) => NodeHttpClient.layerUndiciWithoutDispatcher.pipe(Layer.provide(dispatcher(connect))),
  "node:http": (connect) =>
    NodeHttpClient.layerWithoutAgent.pipe(
      Layer.provide(
        Layer.scoped(
          NodeHttpClient.HttpAgent,
          Effect.map(NodeHttpClient.makeAgent(), (agents) => {
            agents.http.createConnection = ({ host, port }, callback) => {
              const hostname = host ?? ""
              connect({ hostname, host: hostname, protocol: "http:", port: String(port) }, (error, socket) => {
                if (error === null) callback?.(null, socket)
                else callback?.(error, new net.Socket())
              })
              return undefined
            }
            return agents
          })
        )
      )
    )
}

for (const [name, client] of Object.entries(connecting)) {
  describe(`a write over ${name}`, () => {
    for (const code of systemCodes) {
      it.scopedLive(`returns OutcomeUnknown when its established connection dies with read ${code}`, () =>
        Effect.gen(function* () {
          let opened: net.Socket | undefined
          const { requests, url } = yield* serve(() => opened?.destroy(systemError("read", code)))
          const connections = client(({ port }, callback) => {
            const socket = net.connect(Number(port), "127.0.0.1", () => callback(null, socket))
            opened = socket
          })
          const failure = yield* Effect.flip(Effect.provide(cancelAll, transportTo(url, connections)))
          expect(failure).toMatchObject({ _tag: "OutcomeUnknown", because: { _tag: "ConnectionFailed", sent: true } })
          expect(requests).toHaveLength(1)
        })
      )

      it.live(`returns ConnectionFailed with sent: false when there is no connection because of connect ${code}`, () =>
        Effect.gen(function* () {
          const connections = client((_, callback) => callback(systemError("connect", code), null))
          const failure = yield* Effect.flip(
            Effect.provide(once(cancelAll), transportTo("http://127.0.0.1:9", connections))
          )
          expect(failure).toMatchObject({ _tag: "ConnectionFailed", sent: false })
        })
      )
    }
  })
}

describe("a write over NodeConnections whose request was never started", () => {
  it.live("returns ConnectionFailed with sent: false for every error", () =>
    Effect.gen(function* () {
      for (const error of [new Error("Proxy response (407) !== 200"), systemError("read", "ECONNRESET")]) {
        const connections = NodeConnections.layerDispatcher(dispatcher((_, callback) => callback(error, null)))
        const failure = yield* Effect.flip(
          Effect.provide(once(cancelAll), transportTo("http://127.0.0.1:9", connections))
        )
        expect(failure).toMatchObject({ _tag: "ConnectionFailed", sent: false })
      }
    })
  )
})

describe("a write to an address without a service", () => {
  for (const [name, client] of Object.entries(clients)) {
    it.live(`returns ConnectionFailed with sent: false over ${name}`, () =>
      Effect.gen(function* () {
        const { url } = yield* Effect.scoped(serve(() => undefined))
        for (const baseUrl of [url, url.replace("127.0.0.1", "localhost"), "http://no-such-host.invalid"]) {
          const failure = yield* Effect.flip(Effect.provide(once(cancelAll), transportTo(baseUrl, client)))
          expect(failure).toMatchObject({ _tag: "ConnectionFailed", sent: false })
        }
      })
    )
  }
})

describe("a write over a client that only reports the error of its connection", () => {
  const failed = (cause: unknown) =>
    Effect.gen(function* () {
      const far = scripted.make(() => ({ fail: cause }))
      const fiber = yield* Effect.fork(Effect.flip(Effect.provide(cancelAll, far.layer)))
      yield* TestClock.adjust("5 minutes")
      return { failure: yield* Fiber.join(fiber), sent: far.arrived.length }
    })

  const refusals = [
    "UND_ERR_CONNECT_TIMEOUT",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    // X509 certificate error codes of the documentation of Node.js, in its order.
    "CERT_NOT_YET_VALID",
    "CERT_HAS_EXPIRED",
    "CRL_NOT_YET_VALID",
    "CRL_HAS_EXPIRED",
    "CERT_REVOKED",
    "UNABLE_TO_GET_ISSUER_CERT",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "CERT_CHAIN_TOO_LONG",
    "UNABLE_TO_GET_CRL",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "CERT_UNTRUSTED",
    "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
    "UNABLE_TO_DECRYPT_CRL_SIGNATURE",
    "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
    "CERT_SIGNATURE_FAILURE",
    "CRL_SIGNATURE_FAILURE",
    "ERROR_IN_CERT_NOT_BEFORE_FIELD",
    "ERROR_IN_CERT_NOT_AFTER_FIELD",
    "ERROR_IN_CRL_LAST_UPDATE_FIELD",
    "ERROR_IN_CRL_NEXT_UPDATE_FIELD",
    "INVALID_CA",
    "PATH_LENGTH_EXCEEDED",
    "INVALID_PURPOSE",
    "CERT_REJECTED",
    "HOSTNAME_MISMATCH"
  ]

  const aggregate = (...errors: ReadonlyArray<unknown>) =>
    Object.assign(new AggregateError(errors), { code: "ECONNREFUSED" })

  const proofs: Readonly<Record<string, unknown>> = {
    "syscall connect": systemError("connect", "ECONNREFUSED"),
    "syscall getaddrinfo": systemError("getaddrinfo", "ENOTFOUND"),
    "several attempts to connect": aggregate(
      systemError("connect", "ECONNREFUSED"),
      systemError("connect", "ENETUNREACH")
    ),
    ...Object.fromEntries(refusals.map((code) => [code, systemError(undefined, code)]))
  }
  for (const [name, cause] of Object.entries(proofs)) {
    it.effect(`returns ConnectionFailed with sent: false for ${name}, also as the cause of another error`, () =>
      Effect.gen(function* () {
        for (const error of [cause, new Error("fetch failed", { cause })]) {
          const { failure } = yield* failed(error)
          expect(failure).toMatchObject({ _tag: "ConnectionFailed", sent: false })
        }
      })
    )
  }

  const doubts: Readonly<Record<string, unknown>> = {
    "a code without its syscall": systemError(undefined, "ECONNREFUSED"),
    "a read after which connecting again was refused": new Error("retried", {
      cause: Object.assign(systemError("read", "ECONNRESET"), { cause: systemError("connect", "ECONNREFUSED") })
    }),
    "attempts of which one read": aggregate(systemError("connect", "ECONNREFUSED"), systemError("read", "ECONNRESET")),
    "attempts of which nothing is said": aggregate(),
    "attempts of which one says nothing": aggregate(systemError("connect", "ECONNREFUSED"), new Error("?")),
    "a read by a certificate's code": systemError("read", "CERT_HAS_EXPIRED")
  }
  for (const [name, cause] of Object.entries(doubts)) {
    it.effect(`returns OutcomeUnknown for ${name}`, () =>
      Effect.gen(function* () {
        const { failure, sent } = yield* failed(cause)
        expect(failure).toMatchObject({ _tag: "OutcomeUnknown", because: { sent: true } })
        expect(sent).toBe(1)
      })
    )
  }

  const error = FastCheck.record({
    code: FastCheck.constantFrom(...systemCodes, ...refusals, "UND_ERR_SOCKET"),
    syscall: FastCheck.option(FastCheck.constantFrom("read", "write", "shutdown", "connect", "getaddrinfo"), {
      nil: undefined
    })
  })

  it.effect.prop(
    "returns OutcomeUnknown whenever an error of a read or write is among the causes",
    {
      chain: FastCheck.array(error, { maxLength: 3 }),
      at: FastCheck.nat(3),
      syscall: FastCheck.constantFrom("read", "write")
    },
    ({ at, chain, syscall }) =>
      Effect.gen(function* () {
        const links = [...chain.slice(0, at), { code: "ECONNREFUSED", syscall }, ...chain.slice(at)]
        const cause = links.reduceRight<unknown>((inner, { code, syscall: call }) => {
          const outer = systemError(call, code)
          return inner === undefined ? outer : Object.assign(outer, { cause: inner })
        }, undefined)
        const { failure, sent } = yield* failed(cause)
        expect(failure).toMatchObject({ _tag: "OutcomeUnknown" })
        expect(sent).toBe(1)
      })
  )
})
