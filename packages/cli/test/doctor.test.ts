import * as Recording from "@effect-venue/transport/Recording"
import { Effect, Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { folder, interruptedWhen, linesOf, sharedExchange, venue } from "./utils/venue.js"

const { current, faults } = sharedExchange()

describe("venue doctor", () => {
  it("prints the verdicts, and writes a bundle without the key", async () => {
    const bundle = path.join(folder(), "bundle.json")
    const { code, err, out, progress } = await venue(["doctor", "--days", "1", "--bundle", bundle], current().variables)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/^\n\S+ at \S+ \S+ UTC\n\nNotices\n(.*\n)+\n0 problems, 1 notice, \d+ ok\n/)
    expect(progress).toMatch(/^(\d+)\/\1 operations\n$/)

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
    expect(out).toMatch(/\nProblems\n {2}account\.walletBalance: .*\n\n1 problem, 1 notice, \d+ ok\n$/)
    expect(out).not.toContain("Histories")
  })

  it("has one line for a wrong secret, and one for each operation with --verbose", async () => {
    const variables = { ...current().variables, VENUE_API_SECRET: "wrong" }
    const about = (out: string) => linesOf(out).filter((line) => /sign/i.test(line))
    const short = await venue(["doctor", "--days", "1"], variables)
    expect(about(short.out)).toEqual([
      expect.stringMatching(/^ {2}\d\d operations, such as orders\.open \(spot\): .*sign!$/i)
    ])
    const long = await venue(["doctor", "--days", "1", "--verbose"], variables)
    expect(about(long.out)).toHaveLength(Number(/\d+/.exec(about(short.out)[0] ?? "")))
  })

  it("lists what is as expected with --verbose", async () => {
    const { out } = await venue(["doctor", "--days", "1", "--verbose"], current().variables)
    expect(out).toMatch(/\nHistories\n {2}\S.*: read to its end: \d+ rows? in \d+ pages?\n/)
  })

  it("reports how far it was when it is stopped", async () => {
    const { log } = current().sandbox.faults
    const before = (await Effect.runPromise(log)).length
    const isBegun = async () => (await Effect.runPromise(log)).length > before
    const { code, err, out } = await interruptedWhen(isBegun, ["doctor", "--days", "1"], current().variables)
    expect({ code, out }).toEqual({ code: 130, out: "" })
    expect(err).toMatch(/\nStopped after \d+ of \d+ operations: the check has no result\.\n$/)
  })
})
