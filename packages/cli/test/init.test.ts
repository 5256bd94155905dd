import { Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { folder, sharedExchange, venue } from "./utils/venue.js"

const { current } = sharedExchange()

const init = (typed: ReadonlyArray<string>, ...args: ReadonlyArray<string>) =>
  venue(["init", ...args], {}, undefined, typed)

describe("venue init", () => {
  it("asks for an account, writes a file that only its owner can read, and checks the account", async () => {
    const { apiKey, apiSecret, baseUrl } = current().credentials.main
    const [key, secret] = [Redacted.value(apiKey), Redacted.value(apiSecret)]
    const { code, err, out } = await init([baseUrl, "", key, secret])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("venue.config.json is written, and only you can read it.")
    expect(out).toMatch(/\n0 problems, 1 notice, \d+ ok\n$/)
    expect(out).not.toContain(secret)
    const file = path.join(folder(), "venue.config.json")
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(fs.readFileSync(file, "utf8"))).toEqual({
      baseUrl,
      accounts: { main: { apiKey: key, apiSecret: secret } }
    })
    expect((await venue(["accounts"])).code).toBe(0)
    expect(await init([])).toMatchObject({
      code: 2,
      err: "venue: venue.config.json exists: --overwrite replaces it, --config names another file\n"
    })
  })

  it("exits with 1 if the service refuses the key", async () => {
    const { baseUrl } = current().credentials.main
    const { code, err } = await init(
      [baseUrl, "other", "EXAMPLEKEY0001", "example-secret-0001"],
      "--config",
      "other.json"
    )
    expect(code).toBe(1)
    expect(err).toMatch(/^venue: \d+ problems?\n$/)
  })

  it("fails without a terminal", async () => {
    expect(await venue(["init", "--config", "none.json"])).toMatchObject({
      code: 2,
      err: "venue: init asks on a terminal: write none.json yourself, or set VENUE_BASE_URL, VENUE_API_KEY and VENUE_API_SECRET\n"
    })
  })
})
