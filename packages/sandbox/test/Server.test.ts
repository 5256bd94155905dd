import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Effect, Either, Layer } from "effect"
import * as net from "node:net"
import * as Raw from "./utils/raw.js"
import { onServer } from "./utils/tests.js"

const executions = "/cloud/trade/v3/execution/list"
const transfer = "/private/v1/asset/transfer/single-account-transfer"

/** Sends the bytes on a socket, and returns all that it receives. */
const speak = (url: string, bytes: string) =>
  Effect.async<string>((resume) => {
    const socket = net.connect(Number(new URL(url).port), "127.0.0.1", () => socket.end(bytes))
    let answer = ""
    socket.setEncoding("utf8")
    socket.on("data", (chunk: string) => (answer += chunk))
    socket.on("close", () => resume(Effect.succeed(answer)))
  })

/** Sends the bytes on a socket that stays open, and returns the first part of the answer. */
const answerTo = (url: string, bytes: string) =>
  Effect.async<string>((resume) => {
    const socket = net.connect(Number(new URL(url).port), "127.0.0.1", () => socket.write(bytes))
    socket.on("error", () => undefined).setEncoding("utf8")
    socket.on("data", (chunk: string) => {
      socket.destroy()
      resume(Effect.succeed(chunk))
    })
  })

describe("Server", () => {
  onServer("passes request line and body on unchanged", function* () {
    const server = yield* Server.Server
    expect((yield* Credentials.Credentials).baseUrl).toBe(server.url)
    const { credentials } = server
    const timestamp = yield* Clock.currentTimeMillis
    // A comma as it is and a comma escaped are both signed as they stand; an URL parser would make nothing of either.
    for (const query of [
      "accountType=UNIFIED&coin=BTC,USDT",
      "accountType=UNIFIED&coin=BTC%2cUSDT",
      "accountType=UNIFIED&&coin=BTC%2CUSDT&x='|\"^"
    ]) {
      const path = "/cloud/trade/v3/account/wallet-balance"
      const signed = Raw.request({ path: `${path}?`, credentials: credentials.main, timestamp, parameters: {} })
      const mac = Raw.sign(credentials.main, timestamp, "5000", query)
      const headers = Object.entries({ ...signed.headers, "x-bapi-sign": mac }).map(
        ([name, value]) => `${name}: ${value}\r\n`
      )
      const answer = yield* speak(
        server.url,
        `GET ${path}?${query} HTTP/1.1\r\nHost: sandbox\r\nConnection: close\r\n${headers.join("")}\r\n`
      )
      expect(answer).toContain("200 OK")
      expect(answer).toContain('"retCode":0')
    }
    const bad = yield* speak(server.url, "get / HTTP/1.1\r\nHost: sandbox\r\nConnection: close\r\n\r\n")
    expect(bad).toContain("400 Bad Request")
  })

  onServer("answers 413 to a body that is too large, before the rest of it arrives", function* () {
    const { url } = yield* Server.Server
    const mb = 1_000_000
    for (const [path, most] of [
      [transfer, mb],
      ["/sandbox/control/openAccount", 250 * mb]
    ] as const) {
      const head = `POST ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n`
      // Nothing of the announced body is ever sent.
      expect(yield* answerTo(url, `${head}Content-Length: ${most + 1}\r\n\r\n`)).toContain("413 Payload Too Large")
    }
    const chunk = `${(mb / 2).toString(16)}\r\n${"a".repeat(mb / 2)}\r\n`
    const chunked = `POST ${transfer} HTTP/1.1\r\nHost: sandbox\r\nTransfer-Encoding: chunked\r\n\r\n`
    expect(yield* answerTo(url, chunked + chunk.repeat(3))).toContain("413 Payload Too Large")
    expect(yield* answerTo(url, `${chunked}${chunk.repeat(2)}0\r\n\r\n`)).toContain("200 OK")
  })

  onServer("reads the whole of a refused body, so that a client that first sends it gets the answer", function* () {
    const { url } = yield* Server.Server
    const body = "a".repeat(20_000_000)
    const head = `POST ${transfer} HTTP/1.1\r\nHost: sandbox\r\nContent-Length: ${body.length}\r\n\r\n`
    expect(yield* speak(url, head + body)).toContain("413 Payload Too Large")
    expect((yield* Effect.promise(() => fetch(`${url}/healthz`))).status).toBe(200)
  })

  it.scopedLive("fails with a typed error if the port is in use, and frees the port when its scope ends", () =>
    Effect.gen(function* () {
      const sandbox = Layer.effect(Sandbox.Sandbox, Sandbox.make({ seed: 5 }))
      yield* Effect.gen(function* () {
        const port = yield* Effect.scoped(
          Effect.gen(function* () {
            const first = yield* Server.serve()
            const port = Number(new URL(first.url).port)
            const second = yield* Effect.either(Effect.scoped(Server.serve({ port })))
            expect(Either.isLeft(second) && second.left._tag).toBe("ServeFailed")
            expect(Either.isLeft(second) && second.left.reason).toBe("PortInUse")
            expect(Either.isLeft(second) && second.left.message).toBe(`127.0.0.1:${port} is in use`)
            return port
          })
        )
        const again = yield* Effect.scoped(Server.serve({ port }))
        expect(again.url).toBe(`http://127.0.0.1:${port}`)
        const impossible = yield* Effect.either(Effect.scoped(Server.serve({ port: 99_999 })))
        expect(Either.isLeft(impossible) && impossible.left.reason).toBe("InvalidOption")
        expect(Either.isLeft(impossible) && impossible.left.message).toBe(
          "port must be a port from 0 to 65535, not 99999"
        )
      }).pipe(Effect.provide(sandbox))
    })
  )
})

describe("Sandbox.layer", () => {
  it.effect.each([
    [undefined, "http://sandbox.invalid"],
    ["https://api.example.com", "https://api.example.com"]
  ] as const)("with the base URL %j answers for %s and refuses every other host", ([baseUrl, address]) =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const { control } = yield* Sandbox.Sandbox
      expect((yield* Credentials.Credentials).baseUrl).toBe(address)
      expect((yield* control.openAccount()).baseUrl).toBe(address)
      expect((yield* client.get(`${address}${executions}`)).status).toBe(401)
      const { hostname } = new URL(address)
      for (const url of ["https://hooks.example.org/alert", `http://api.${hostname}`, `http://${hostname}:8080/`]) {
        const refused = yield* Effect.flip(client.post(url))
        expect(refused).toMatchObject({ _tag: "RequestError", reason: "InvalidUrl" })
        expect(refused.message).toContain(`does not reach ${new URL(url).host}, only the sandbox at ${address}`)
      }
      expect(yield* control.requests()).toHaveLength(1)
    }).pipe(Effect.provide(Sandbox.layer({ seed: 5, baseUrl })))
  )

  it.effect("is an HttpClient without sockets that receives the URL as it would be sent", () =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const credentials = yield* Credentials.Credentials
      expect(credentials.baseUrl).toBe("http://sandbox.invalid")
      const signed = Raw.request({
        path: executions,
        parameters: { category: "linear", limit: 2 },
        credentials,
        timestamp: 0
      })
      const headers = Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name, value ?? ""]))
      const response = yield* client.execute(
        HttpClientRequest.get(credentials.baseUrl + signed.target).pipe(HttpClientRequest.setHeaders(headers))
      )
      expect(response.status).toBe(200)
      expect(response.headers["x-bapi-limit"]).toBe("10")
      expect(yield* response.json).toMatchObject({ retCode: 0, time: 0 })
      const body = Raw.request({ path: transfer, method: "POST", parameters: { coin: "ü" }, credentials, timestamp: 0 })
      const posted = yield* client.execute(
        HttpClientRequest.post(credentials.baseUrl + body.target).pipe(
          HttpClientRequest.setHeaders(
            Object.fromEntries(Object.entries(body.headers).map(([name, value]) => [name, value ?? ""]))
          ),
          HttpClientRequest.bodyUint8Array(body.body, "application/json")
        )
      )
      expect(yield* posted.json).toMatchObject({ ret_code: 10001 })
    }).pipe(Effect.provide(Sandbox.layer({ seed: 5 })))
  )
})
