import * as Recording from "@effect-venue/transport/Recording"
import { Effect, Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { folder, sharedExchange, venue } from "./utils/venue.js"

const { current, faults } = sharedExchange()

describe("venue doctor", () => {
  it("prints the verdicts, and writes a bundle without the key", async () => {
    const bundle = path.join(folder(), "bundle.json")
    const { code, err, out } = await venue(["doctor", "--days", "1", "--bundle", bundle], current().variables)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/^\S+ at \S+\n0 problems, /)
    expect(out).toContain("\nHistories\n")

    const text = fs.readFileSync(bundle, "utf8")
    const { apiKey, apiSecret } = current().sandbox.credentials.main
    for (const secret of [apiKey, apiSecret]) expect(text).not.toContain(Redacted.value(secret))
    const { exchanges } = await Effect.runPromise(Recording.parse(text))
    expect(out).toContain(`${bundle}: ${exchanges.length} exchanges`)
  })

  it("exits with 1 if there are problems, and lists them", async () => {
    await faults({ fault: { kind: "internal", executed: false }, operations: ["account.walletBalance"] })
    const { code, err, out } = await venue(["doctor", "--days", "1"], current().variables)
    expect({ code, err }).toEqual({ code: 1, err: "venue: 1 problem\n" })
    expect(out).toContain("PROBLEM  account.walletBalance: ")
  })
})
