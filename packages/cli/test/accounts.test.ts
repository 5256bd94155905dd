import { Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { folder, linesOf, nowhere, sharedExchange, variablesOf, venue } from "./utils/venue.js"

const { current } = sharedExchange()

/** Accounts of a file, by their roles; a secret that is passed is none of the sandbox. */
const write = (secrets: Readonly<Record<string, string | undefined>>) => {
  const { credentials, variables } = current()
  const accounts = Object.entries(secrets).map(([role, secret]) => {
    const { apiKey, apiSecret, uid } = credentials[role as keyof typeof credentials]
    return [role, { apiKey: Redacted.value(apiKey), apiSecret: secret ?? Redacted.value(apiSecret), uid }]
  })
  const content = { baseUrl: variables.VENUE_BASE_URL, accounts: Object.fromEntries(accounts) }
  fs.writeFileSync(path.join(folder(), "venue.config.json"), JSON.stringify(content), { mode: 0o600 })
}

describe("venue accounts", () => {
  it("lists the accounts of the file and the refused keys, without key or secret", async () => {
    write({ main: undefined, sub: undefined, expired: undefined, customer: "example-secret-0001" })
    const { code, err, out } = await venue(["accounts"])
    const [head = "", ...rows] = linesOf(out)
    expect(head).toMatch(/^account +uid +service +key$/)
    expect(rows.map((row) => row.split(/ +/).slice(0, 2).join(" "))).toEqual([
      "main 10000001",
      "sub 10000101",
      "expired 10000001",
      "customer 20000001"
    ])
    expect(rows.map((row) => row.endsWith(" accepted"))).toEqual([true, true, false, false])
    expect({ code, err }).toEqual({ code: 1, err: "venue: 2 keys not usable\n" })
    for (const { apiKey, apiSecret } of Object.values(current().credentials)) {
      expect(out).not.toContain(Redacted.value(apiKey))
      expect(out).not.toContain(Redacted.value(apiSecret))
    }
  })

  it("checks the account of the environment, with a secret in a file", async () => {
    const { VENUE_API_SECRET = "", ...variables } = variablesOf(current().credentials.main)
    fs.writeFileSync(path.join(folder(), "secret"), `${VENUE_API_SECRET}\n`, { mode: 0o600 })
    const { code, err, out } = await venue(["accounts", "--json"], { ...variables, VENUE_API_SECRET_FILE: "secret" })
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(JSON.parse(out)).toMatchObject([{ account: null, isUsable: true, key: "accepted" }])
  })

  const cases: ReadonlyArray<readonly [what: string, env: Record<string, string>, code: number, err: RegExp]> = [
    ["a service that is not there", nowhere, 1, /^venue: 1 key not usable$/],
    [
      "a file of the secret that is not there",
      { ...nowhere, VENUE_API_SECRET_FILE: "none" },
      2,
      /^venue: the file of the secret, none, cannot be read$/
    ]
  ]
  for (const [what, env, code, err] of cases) {
    it(`because of ${what} exits with ${code} and prints one line`, async () => {
      const ended = await venue(["accounts"], env)
      expect(ended.err.trimEnd()).toMatch(err)
      expect(ended.code).toBe(code)
      expect(ended.err + ended.out).not.toContain("example-secret-0001")
    })
  }
})
