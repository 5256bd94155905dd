import { Redacted } from "effect"
import { execFile, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { day, folder, sharedExchange, venue } from "./utils/venue.js"

const { current } = sharedExchange()

const read = (page: string) => fs.readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8")

/** A day that is near enough for an export of a second. */
const from = new Date(Date.now() - 10 * day).toISOString().slice(0, 10)

/** The commands of a text, with recent dates. */
const commandsIn = (text: string) =>
  Array.from(text.matchAll(/^npx venue ([^#\n]*?) *(#.*)?$/gm), ([, words = "", comment = ""]) => ({
    args: words
      .replace(/--from \S+/, `--from ${from}`)
      .replace(/--month \S+/, `--month ${from.slice(0, 7)}`)
      .split(" "),
    isMarked: comment.startsWith("# needs an account")
  }))

describe("a door page", () => {
  it("leads from the first command to the next month, as export-your-history.md states", async () => {
    const commands = commandsIn(read("export-your-history.md"))
    const month = ["export", "verify", "report", "log"]
    expect(commands.map(({ args }) => args[0])).toEqual(["--version", "init", ...month, ...month])
    const marked = commands.filter(({ isMarked }) => isMarked)
    expect(marked.map(({ args }) => args[0])).toEqual(["init", "export", "export"])
    const { apiKey, apiSecret, baseUrl } = current().credentials.main
    const typed = [baseUrl, "", Redacted.value(apiKey), Redacted.value(apiSecret)]
    for (const { args } of commands) {
      const { code, err } = await venue(args, {}, undefined, args[0] === "init" ? typed : undefined)
      expect({ args, code, err }).toMatchObject({ args, code: 0 })
      expect(err).not.toContain("venue: ")
    }
    const written = fs.readdirSync(path.join(folder(), "year"))
    expect(written).toEqual(expect.arrayContaining(["executions-linear.csv", "deposits.csv", "report.html"]))
    expect(fs.readFileSync(path.join(folder(), "log.csv"), "utf8").split("\n").length).toBeGreaterThan(100)
  })

  it("begins with a session on the embedded exchange, as cli.md states", async () => {
    const [session = ""] = read("cli.md").split("\n## ")
    const commands = commandsIn(session)
    expect(commands).toHaveLength(5)
    for (const { args } of commands) expect({ args, ...(await venue(args)) }).toMatchObject({ args, code: 0 })
  })

  it("has a line that recognizes the service, as service.md states", async () => {
    const page = read("service.md")
    const [, path = ""] = /^curl "\$VENUE_BASE_URL([^"]*)"$/m.exec(page) ?? []
    const [, beginning = ""] = /If the answer begins with `([^`]*)`/.exec(page) ?? []
    const response = await fetch(`${current().credentials.main.baseUrl}${path}`)
    expect(beginning).toContain("retCode")
    expect((await response.text()).slice(0, beginning.length)).toBe(beginning)
  })

  it.skipIf(spawnSync("python3", ["--version"]).error !== undefined)(
    "has a first call in Python that prints what it states, as test-a-bot.md: needs python3",
    async () => {
      const page = read("test-a-bot.md")
      const [, program = "", printed] = /```python\n(.*?)```\n\n```text\n(.*?)```/s.exec(page) ?? []
      const env = { ...process.env, ...current().variables }
      // The sandbox is in this process, which must not wait.
      const { stderr, stdout } = await promisify(execFile)("python3", ["-c", program], { env })
      expect({ stdout, stderr }).toEqual({ stdout: printed, stderr: "" })
    }
  )

  it("has control commands that the sandbox obeys, as test-a-bot.md states", async () => {
    const { baseUrl } = current().credentials.main
    const page = read("test-a-bot.md")
    const commands = Array.from(
      page.matchAll(
        /^curl (?:--silent --output \/dev\/null )?(-X POST )?"(?:\$control|localhost:8080\/sandbox\/control)\/([^"]+)"(?: -d '(.*)')?$/gm
      )
    )
    expect(commands).toHaveLength(page.split("\n").filter((line) => line.startsWith("curl ")).length)
    for (const [, post, command = "", body] of commands) {
      const response = await fetch(`${baseUrl}/sandbox/control/${command}`, {
        method: post === undefined ? "GET" : "POST",
        body: body ?? null
      })
      expect({ command, status: response.status }).toEqual({ command, status: 200 })
    }
  })
})
