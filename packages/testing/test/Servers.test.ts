import * as Servers from "@effect-venue/testing/Servers"
import { expect, it } from "@effect/vitest"
import { createServer } from "node:net"
import { onTestFinished } from "vitest"

const listening = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
    onTestFinished(() => {
      server.close()
    })
  })

it("runs the tests of a server that listens at the address in the environment", async () => {
  const url = `redis://127.0.0.1:${await listening()}`
  expect(await Servers.redis({ VENUE_TEST_REDIS: url })).toEqual({ url, label: "Redis", isSkipped: false })
})

it("skips the tests of a server that is not there, and names the command that starts one", async () => {
  const server = await Servers.postgres({ VENUE_TEST_POSTGRES: "postgres://127.0.0.1:9/books" })
  expect(server.isSkipped).toBe(true)
  expect(server.label).toContain("docker run -p 5432:5432")
})

it("runs, and so fails, the tests of a missing server where servers are required", async () => {
  const environment = { VENUE_TEST_REDIS: "redis://127.0.0.1:9", VENUE_REQUIRE_SERVERS: "1" }
  expect((await Servers.redis(environment)).isSkipped).toBe(false)
})
