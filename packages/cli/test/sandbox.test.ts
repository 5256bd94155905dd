import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { type Ended, folder, launched, timeout, venue } from "./utils/venue.js"

/** What `venue sandbox` prints for others to use. */
const variablesOf = (out: string): Record<string, string> =>
  Object.fromEntries([...out.matchAll(/^export (VENUE_\w+)=(.+)$/gm)].map(([, name = "", value = ""]) => [name, value]))

/** Runs a sandbox, does something with it once it listens, and stops it as a person would. */
const withSandbox = async <A>(
  args: ReadonlyArray<string>,
  use: (variables: Record<string, string>) => Promise<A>
): Promise<Ended & { readonly used: A | undefined }> => {
  let using: Promise<A> | undefined
  const ended = await launched(["sandbox", ...args], {}, (out, kill) => {
    const variables = variablesOf(out)
    if (Object.keys(variables).length === 3) using ??= use(variables).finally(kill)
  })
  return { ...ended, used: await using }
}

const control = async (variables: Record<string, string>, name: string, body: unknown): Promise<unknown> => {
  const answer = await fetch(`${variables.VENUE_BASE_URL}/sandbox/control/${name}`, {
    method: "POST",
    body: JSON.stringify(body)
  })
  return answer.json()
}

describe("venue sandbox", () => {
  it(
    "runs until it is stopped, and an export can use it by the variables that it prints",
    async () => {
      const { code, err, used } = await withSandbox([], (variables) => {
        const yesterday = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
        return venue(["export", "executions", "--from", yesterday, "--out", "from-sandbox"], variables)
      })
      expect(err).toBe("")
      expect(code).toBe(0)
      expect(used).toMatchObject({ code: 0, err: "" })
      expect(fs.readdirSync(path.join(folder(), "from-sandbox"))).toEqual(["executions-linear.ndjson", "manifest.json"])
    },
    timeout
  )

  it(
    "keeps its state in a file, and goes on from there",
    async () => {
      const args = ["--limits", "off", "--state", "kept/state.json"]
      fs.mkdirSync(path.join(folder(), "kept"))
      const first = await withSandbox(args, (variables) => control(variables, "openAccount", { uid: "77" }))
      expect(first).toMatchObject({ code: 0, err: "", used: { uid: "77" } })
      expect(first.out).toContain("The state is in kept/state.json.")
      expect(fs.readdirSync(path.join(folder(), "kept"))).toEqual(["state.json"])
      const second = await withSandbox(args, (variables) => control(variables, "openAccount", { uid: "77" }))
      expect(second).toMatchObject({ code: 0, err: "", used: { error: "Conflict", field: "uid" } })
      expect(variablesOf(second.out).VENUE_API_KEY).toBe(variablesOf(first.out).VENUE_API_KEY)
    },
    2 * timeout
  )

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
      /^venue: 0\.0\.0\.0 can be reached from other machines: that has to be allowed$/
    ]
  ]
  for (const [what, args, line] of refused) {
    it(
      `does not start with ${what}, and says so in one line`,
      async () => {
        fs.writeFileSync(path.join(folder(), "broken.json"), "{}")
        const { code, err, out } = await venue(["sandbox", ...args])
        expect({ code, out }).toEqual({ code: 1, out: "" })
        expect(err.trim()).toMatch(line)
        expect(err.trim().split("\n")).toHaveLength(1)
      },
      timeout
    )
  }

  it(
    "listens for others when that is allowed, without the control path",
    async () => {
      const { code, used } = await withSandbox(["--host", "0.0.0.0", "--allow-remote"], (variables) => {
        const { port } = new URL(variables.VENUE_BASE_URL ?? "")
        return control({ VENUE_BASE_URL: `http://127.0.0.1:${port}` }, "reset", {})
      })
      expect(code).toBe(0)
      expect(used).toMatchObject({ error: "Forbidden" })
    },
    timeout
  )
})
