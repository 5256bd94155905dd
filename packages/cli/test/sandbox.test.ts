import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { control, inProcess, withSandbox } from "./utils/sandbox.js"
import { folder, venue } from "./utils/venue.js"

describe("venue sandbox", () => {
  it("runs until it is stopped, and an export can use it with the printed variables", async () => {
    const { code, err, used } = await withSandbox([], (variables) => {
      const yesterday = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
      return venue(["export", "executions", "--from", yesterday, "--out", "from-sandbox"], variables)
    })
    expect(err).toBe("")
    expect(code).toBe(0)
    expect(used).toMatchObject({ code: 0, err: "" })
    expect(fs.readdirSync(path.join(folder(), "from-sandbox"))).toEqual([
      "executions-linear.ndjson",
      "manifest.json",
      "views.sql"
    ])
  })

  const refused: ReadonlyArray<readonly [what: string, args: ReadonlyArray<string>, line: RegExp]> = [
    [
      "a state file that is none",
      ["--state", "broken.json"],
      /^venue: broken\.json: not a state of the sandbox: format /
    ],
    ["a folder that is not there", ["--state", "nowhere/state.json"], /^venue: nowhere\/state\.json: /],
    [
      "a host that others can reach",
      ["--host", "0.0.0.0"],
      /^venue: 0\.0\.0\.0 can be reached from other machines: --allow-remote allows this$/
    ]
  ]
  for (const [what, args, line] of refused) {
    it(`does not start with ${what}, and prints one line`, async () => {
      fs.writeFileSync(path.join(folder(), "broken.json"), "{}")
      const { code, err, out } = await venue(["sandbox", ...args])
      expect({ code, out }).toEqual({ code: 2, out: "" })
      expect(err.trim()).toMatch(line)
      expect(err.trim().split("\n")).toHaveLength(1)
    })
  }

  it("accepts other machines with --allow-remote, and refuses their commands without a control token", async () => {
    const used = await inProcess(["--host", "0.0.0.0", "--allow-remote"], async ({ VENUE_BASE_URL = "" }) => {
      return [await control({ VENUE_BASE_URL }, "reset", {}), (await fetch(`${VENUE_BASE_URL}/healthz`)).status]
    })
    expect(used).toMatchObject([{ error: "Forbidden" }, 200])
  })

  it("accepts commands from other machines with the control token", async () => {
    const token = "a token of this test"
    const args = ["--host", "0.0.0.0", "--allow-remote", "--control-token", token]
    const used = await inProcess(args, async (variables) => {
      const { port } = new URL(variables.VENUE_BASE_URL ?? "")
      const reset = (headers: Record<string, string>) =>
        fetch(`http://127.0.0.1:${port}/sandbox/control/reset`, { method: "POST", headers })
      return [(await reset({})).status, (await reset({ authorization: `Bearer ${token}` })).status]
    })
    expect(used).toEqual([401, 200])
  })

  it("starts with a scenario, and prints the key of its account", async () => {
    const used = await inProcess(["--scenario", "about-to-be-liquidated"], async (variables) => {
      const accounts = await fetch(`${variables.VENUE_BASE_URL}/sandbox/control/accounts`)
      const json = (await accounts.json()) as {
        readonly accounts: ReadonlyArray<{
          readonly uid: string
          readonly keys: ReadonlyArray<{ readonly apiKey: string }>
        }>
      }
      const { uid = "" } =
        json.accounts.find(({ keys }) => keys.some(({ apiKey }) => apiKey === variables.VENUE_API_KEY)) ?? {}
      const state = await fetch(`${variables.VENUE_BASE_URL}/sandbox/control/state?account=${uid}`)
      return ((await state.json()) as { readonly accounts: ReadonlyArray<{ readonly positions: unknown }> }).accounts[0]
        ?.positions
    })
    expect(used).toMatchObject([{ symbol: "BTCUSDT", side: "Buy" }])
  })
})
