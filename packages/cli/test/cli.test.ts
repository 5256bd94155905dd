import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const tsx = pathToFileURL(path.join(root, "node_modules/tsx/dist/loader.mjs")).href

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** The command as a person runs it: a process of its own, with an environment of its own. */
const venue = (
  args: ReadonlyArray<string>,
  env: Record<string, string> = {},
  onOutput?: (out: string, kill: () => void) => void
) =>
  new Promise<Ended>((resolve) => {
    const child = spawn(process.execPath, ["--import", tsx, path.join(root, "src/bin.ts"), ...args], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString()
      onOutput?.(out, () => child.kill("SIGINT"))
    })
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
    child.on("close", (code) => resolve({ code, out, err }))
  })

let folder = os.tmpdir()

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "venue-cli-"))
})

afterAll(() => {
  fs.rmSync(folder, { recursive: true, force: true })
})

const timeout = 60_000

describe("venue start", () => {
  it(
    "exports 60 days of trade history from a sandbox, checks the file, and says so",
    async () => {
      const { code, err, out } = await venue(["start", "--out", "data"])
      expect(err).toBe("")
      expect(code).toBe(0)
      const [file = "", ...others] = fs.readdirSync(path.join(folder, "data"))
      expect(file).toBe("executions-linear.ndjson")
      expect(others).toEqual(["manifest.json"])
      const rows = fs
        .readFileSync(path.join(folder, "data", file), "utf8")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as { readonly execId: string; readonly execTime: string })
      expect(rows.length).toBeGreaterThanOrEqual(5000)
      expect(new Set(rows.map(({ execId }) => execId)).size).toBe(rows.length)
      const told = rows.length.toLocaleString("en-US")
      expect(out).toMatch(/\d+\/9 windows {2}\d+ pages? {2}[\d,]+ rows/)
      expect(out).toMatch(/period .* \(60 days\)/)
      expect(out).toContain(`rows      ${told}`)
      expect(out).toContain(`the sandbox holds ${told} rows in this period: the file has each of them once`)
    },
    timeout
  )
})

describe("a command that is stopped before it is done", () => {
  it(
    "ends with code 130",
    async () => {
      const { code, err } = await venue(["start", "--out", "stopped"], {}, (out, kill) => {
        if (out.includes("Starting the sandbox")) kill()
      })
      expect({ code, err }).toEqual({ code: 130, err: "" })
      const left = fs.readdirSync(folder, { recursive: true }).map(String)
      expect(left.filter((name) => name.startsWith("stopped") && name.endsWith(".ndjson"))).toEqual([])
    },
    timeout
  )
})

describe("venue operations", () => {
  it(
    "lists the 25 documented and the 11 listed operations for machines",
    async () => {
      const { code, out } = await venue(["operations", "--json"])
      expect(code).toBe(0)
      const operations = JSON.parse(out) as ReadonlyArray<Record<string, unknown>>
      expect(operations.filter(({ evidence }) => evidence === "documented")).toHaveLength(25)
      expect(operations.filter(({ evidence }) => evidence === "listed")).toHaveLength(11)
      for (const operation of operations) {
        expect(Object.keys(operation)).toEqual(
          expect.arrayContaining([
            "name",
            "method",
            "path",
            "signing",
            "envelope",
            "limit",
            "safety",
            "paging",
            "window"
          ])
        )
      }
      expect(operations.find(({ name }) => name === "executions.list")).toMatchObject({
        method: "GET",
        path: "/cloud/trade/v3/execution/list",
        signing: "header",
        envelope: "A",
        limit: { count: 10, windowSeconds: 1, scope: "uid x category" },
        safety: "read",
        paging: { cursor: "nextPageCursor", size: { min: 1, max: 100, default: 50 } },
        window: { unit: "ms", spanDays: 7, reachBackDays: 730 }
      })
    },
    timeout
  )

  it(
    "lists them for people, a line each",
    async () => {
      const { out } = await venue(["operations"])
      expect(out.trimEnd().split("\n")).toHaveLength(37)
      expect(out).toMatch(
        /^assets\.transfer +POST +\/private\/v1\/asset\/transfer\/single-account-transfer +parameter +B +1\/s/m
      )
    },
    timeout
  )
})

describe("a call that cannot be done", () => {
  const from = ["--from", "2026-01-01"]
  const cases: ReadonlyArray<
    readonly [what: string, args: ReadonlyArray<string>, code: number, line: RegExp, env?: Record<string, string>]
  > = [
    ["an unknown dataset", ["export", "nothing", ...from, "--sandbox"], 2, /executions, pre-upgrade-executions/],
    ["an unknown command", ["nonsense"], 2, /Invalid subcommand/],
    [
      "a date that is none",
      ["export", "executions", "--from", "yesterday", "--sandbox"],
      2,
      /"yesterday" is not a date/
    ],
    ["a missing date", ["export", "executions", "--sandbox"], 2, /--from/],
    [
      "a period that ends before it begins",
      ["export", "executions", ...from, "--to", "2025-12-31", "--sandbox"],
      1,
      /^venue: executions\.list: from must be before to$/
    ],
    [
      "a dataset that the category does not have",
      ["export", "pre-upgrade-closed-pnl", "--category", "spot", ...from, "--sandbox"],
      1,
      /^venue: .*category must be linear or inverse$/
    ],
    [
      "a folder that cannot be written",
      ["export", "executions", "--from", "2026-11-01", "--sandbox", "--out", "/dev/null/data"],
      1,
      /^venue: cannot write \/dev\/null\/data: .*not a directory/
    ],
    ["no credentials", ["export", "executions", ...from], 1, /^venue: set VENUE_BASE_URL/],
    [
      "an address that is none",
      ["export", "executions", ...from],
      1,
      /VENUE_BASE_URL.*must be an absolute http or https address/,
      { VENUE_BASE_URL: "ftp://venue.test", VENUE_API_KEY: "EXAMPLEKEY0001", VENUE_API_SECRET: "example-secret-0001" }
    ],
    [
      "a service that is not there",
      ["export", "executions", "--from", "2026-11-20", "--to", "2026-11-21"],
      1,
      /^venue: executions\.list: connection failed.*ECONNREFUSED/,
      {
        VENUE_BASE_URL: "http://127.0.0.1:9",
        VENUE_API_KEY: "EXAMPLEKEY0001",
        VENUE_API_SECRET: "example-secret-0001"
      }
    ]
  ]
  for (const [what, args, code, line, env] of cases) {
    it(
      `because of ${what} ends with code ${code} and one line`,
      async () => {
        const ended = await venue(args, env)
        expect(ended.code).toBe(code)
        const lines = ended.err.trim().split("\n")
        expect(lines).toHaveLength(1)
        expect(lines[0]).toMatch(line)
        expect(ended.err + ended.out).not.toMatch(/\n\s+at /)
        expect(ended.err + ended.out).not.toContain("example-secret-0001")
      },
      timeout
    )
  }

  it(
    "because its port is in use ends with one line",
    async () => {
      const server = net.createServer()
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as net.AddressInfo
      const { code, err } = await venue(["start", "--port", String(port)])
      server.close()
      expect(code).toBe(1)
      expect(err).toBe(`venue: 127.0.0.1:${port} is in use\n`)
    },
    timeout
  )
})

/** What `venue sandbox` prints for others to use. */
const variablesOf = (out: string): Record<string, string> =>
  Object.fromEntries([...out.matchAll(/^export (VENUE_\w+)=(.+)$/gm)].map(([, name = "", value = ""]) => [name, value]))

/** Runs a sandbox, does something with it once it listens, and stops it as a person would. */
const withSandbox = async <A>(
  args: ReadonlyArray<string>,
  use: (variables: Record<string, string>) => Promise<A>
): Promise<Ended & { readonly used: A | undefined }> => {
  let using: Promise<A> | undefined
  const ended = await venue(["sandbox", ...args], {}, (out, kill) => {
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
      expect(fs.readdirSync(path.join(folder, "from-sandbox"))).toEqual(["executions-linear.ndjson", "manifest.json"])
    },
    timeout
  )

  it(
    "keeps its state in a file, and goes on from there",
    async () => {
      const args = ["--limits", "off", "--state", "kept/state.json"]
      fs.mkdirSync(path.join(folder, "kept"))
      const first = await withSandbox(args, (variables) => control(variables, "openAccount", { uid: "77" }))
      expect(first).toMatchObject({ code: 0, err: "", used: { uid: "77" } })
      expect(first.out).toContain("The state is in kept/state.json.")
      expect(fs.readdirSync(path.join(folder, "kept"))).toEqual(["state.json"])
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
        fs.writeFileSync(path.join(folder, "broken.json"), "{}")
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
