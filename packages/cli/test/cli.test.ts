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

describe("venue sandbox", () => {
  it(
    "runs until it is stopped, and an export can use it by the variables that it prints",
    async () => {
      let exported: Promise<Ended> | undefined
      const { code, err } = await venue(["sandbox"], {}, (out, kill) => {
        const variables = [...out.matchAll(/^export (VENUE_\w+)=(.+)$/gm)].map(([, name = "", value = ""]) => [
          name,
          value
        ])
        if (variables.length < 3 || exported !== undefined) return
        const yesterday = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
        exported = venue(
          ["export", "executions", "--from", yesterday, "--out", "from-sandbox"],
          Object.fromEntries(variables) as Record<string, string>
        ).finally(kill)
      })
      expect(err).toBe("")
      expect(code).toBe(130)
      const ended = await exported
      expect(ended).toMatchObject({ code: 0, err: "" })
      expect(fs.readdirSync(path.join(folder, "from-sandbox"))).toEqual(["executions-linear.ndjson", "manifest.json"])
    },
    timeout
  )
})
