import * as HttpClient from "@effect/platform/HttpClient"
import { ConfigProvider, Effect, Exit, Layer } from "effect"
import * as http from "node:http"
import * as net from "node:net"
import { describe, expect, it } from "vitest"
import { layer } from "../src/account/connections.js"

/** A proxy that tunnels every host to one server. */
const withProxy = async <A>(use: (proxy: string, tunnels: ReadonlyArray<string>) => Promise<A>): Promise<A> => {
  const server = http.createServer((_, response) => response.end("reached"))
  const tunnels: Array<string> = []
  const proxy = http.createServer()
  const portOf = (of: http.Server) => (of.address() as net.AddressInfo).port
  proxy.on("connect", (request, socket) => {
    tunnels.push(request.url ?? "")
    const upstream = net.connect(portOf(server), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n")
      upstream.pipe(socket).pipe(upstream)
    })
    socket.on("error", () => upstream.destroy())
    upstream.on("error", () => socket.destroy())
  })
  for (const each of [server, proxy]) await new Promise<void>((done) => each.listen(0, "127.0.0.1", done))
  try {
    return await use(`http://127.0.0.1:${portOf(proxy)}`, tunnels)
  } finally {
    for (const each of [server, proxy]) each.close().closeAllConnections()
  }
}

const get = (url: string, variables: Record<string, string>) =>
  Effect.flatMap(HttpClient.get(url), ({ text }) => text).pipe(
    Effect.scoped,
    Effect.provide(layer),
    Effect.withConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables)))),
    Effect.runPromiseExit
  )

describe("the connections of the command", () => {
  for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY"]) {
    it(`use the proxy in ${name}`, () =>
      withProxy(async (proxy, tunnels) => {
        expect(await get("http://service.invalid/", { [name]: proxy })).toEqual(Exit.succeed("reached"))
        expect(tunnels).toEqual(["service.invalid:80"])
      }))
  }

  it("do not use it for hosts in NO_PROXY, nor for this machine", () =>
    withProxy(async (proxy, tunnels) => {
      const variables = { HTTP_PROXY: proxy, NO_PROXY: "service.invalid" }
      expect(Exit.isFailure(await get("http://service.invalid/", variables))).toBe(true)
      await get("http://127.0.0.1:9/", variables)
      expect(tunnels).toEqual([])
    }))

  it("refuse a proxy of another kind, without its password", async () => {
    const exit = await Effect.runPromiseExit(
      Effect.scoped(Layer.build(layer)).pipe(
        Effect.withConfigProvider(
          ConfigProvider.fromMap(new Map([["HTTPS_PROXY", "socks5://user:password@127.0.0.1:1080"]]))
        )
      )
    )
    expect(String(exit)).toMatch(/HTTPS_PROXY: a proxy must be http:/)
    expect(String(exit)).not.toMatch(/password/)
  })
})
