import { describe, expect, it, vi } from "vitest"
import { declare } from "./utils/fleets.js"
import { exchange, timeout, venue } from "./utils/venue.js"

// Where the packages of a cluster are not installed.
vi.mock("@effect/cluster/RunnerAddress", () => {
  throw new Error("Cannot find package '@effect/cluster'")
})

const { credentials } = await exchange({ limits: "off" })

describe("venue fleet without the packages of a cluster", () => {
  it.each([["run", "packages.json"], ["status"]])(
    "names what to install for %s --database",
    async (...words) => {
      declare(credentials, "packages", { main: { masterUid: "1" } })
      const ended = await venue(["fleet", ...words, "--database", "postgres://127.0.0.1:9/books"])
      expect(ended.code).toBe(2)
      expect(ended.err).toBe(
        "venue: venue fleet --database needs npm install @effect/sql @effect/sql-pg @effect/cluster @effect/rpc @effect/workflow\n"
      )
    },
    timeout
  )

  it(
    "goes on in a folder",
    async () => {
      const ended = await venue(["fleet", "status", "--out", "nowhere"])
      expect(ended).toMatchObject({ code: 1, err: "venue: there is no fleet in nowhere\n" })
    },
    timeout
  )
})
