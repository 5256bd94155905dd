import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { describe, expect, it } from "vitest"

/** Bun, by the path in the environment or else by its name. */
const bun = process.env.VENUE_TEST_BUN ?? "bun"

const isThere = spawnSync(bun, ["--version"]).status === 0

const label = isThere ? "on Bun" : "on Bun, not installed (VENUE_TEST_BUN is its path): npm pack @oven/bun-linux-x64"

/** The outcome of a call over a client, in a process of Bun. */
const outcome = (client: string): string => {
  const program = `
    import { FetchHttpClient } from "@effect/platform"
    import * as Instruments from "@effect-venue/schemas/Instruments"
    import * as Credentials from "@effect-venue/signing/Credentials"
    import * as NodeConnections from "@effect-venue/transport/NodeConnections"
    import * as Transport from "@effect-venue/transport/Transport"
    import { Cause, Effect, Layer } from "effect"
    const result = { category: "linear", list: [], nextPageCursor: "" }
    const server = Bun.serve({ port: 0, fetch: () => Response.json({ retCode: 0, retMsg: "OK", result, retExtInfo: {}, time: Date.now() }) })
    const transport = Transport.layerStandalone.pipe(
      Layer.provide(${client}),
      Layer.provide(Credentials.layerPublic({ baseUrl: "http://127.0.0.1:" + server.port }))
    )
    const call = Effect.flatMap(Transport.Transport, (transport) => transport.call(Instruments.list, { category: "linear" }))
    const exit = await Effect.runPromiseExit(Effect.provide(call, transport))
    console.log(exit._tag === "Success" ? "answered" : Cause.pretty(exit.cause))
    process.exit()
  `
  const { stderr, stdout } = spawnSync(bun, ["--eval", program], {
    cwd: path.resolve(import.meta.dirname, ".."),
    encoding: "utf8"
  })
  return `${stdout}${stderr}`.trim()
}

describe.skipIf(!isThere)(label, () => {
  it("a call is answered over FetchHttpClient.layer", () => {
    expect(outcome("FetchHttpClient.layer")).toBe("answered")
  })

  it.each(["layer", 'layerAddress("127.0.0.1")', 'layerProxy("http://127.0.0.1:9")'])(
    "NodeConnections.%s fails by name and names the client to use",
    (layer) => {
      const text = outcome(`NodeConnections.${layer}`)
      expect(text).toMatch(/^UnsupportedRuntime: NodeConnections needs Node.*FetchHttpClient\.layer/)
      expect(text).not.toContain("TypeError")
    }
  )
})
