import { Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { day, folder, sharedExchange, venue } from "./utils/venue.js"

const { current } = sharedExchange()

const read = (page: string) => fs.readFileSync(new URL(`../../../docs/${page}`, import.meta.url), "utf8")

describe("a door page", () => {
  it("leads from the first command to the next month, as export-your-history.md states", async () => {
    const page = read("export-your-history.md")
    const commands = Array.from(page.matchAll(/^npx venue ([^#\n]*?) *(# needs an account.*)?$/gm))
    // Ten days instead of a year, since the year would take half a minute.
    const from = new Date(Date.now() - 10 * day).toISOString().slice(0, 10)
    const words = commands.map(([, command = ""]) =>
      command
        .replace(/--from \S+/, `--from ${from}`)
        .replace(/--month \S+/, `--month ${from.slice(0, 7)}`)
        .split(" ")
    )
    const month = ["export", "verify", "report", "log"]
    expect(words.map(([name]) => name)).toEqual(["--version", "init", ...month, ...month])
    const marked = commands.filter(([, , mark]) => mark !== undefined)
    expect(marked.map(([, command = ""]) => command.split(" ")[0])).toEqual(["init", "export", "export"])
    const { apiKey, apiSecret, baseUrl } = current().credentials.main
    const typed = [baseUrl, "", Redacted.value(apiKey), Redacted.value(apiSecret)]
    for (const args of words) {
      const { code, err } = await venue(args, {}, undefined, args[0] === "init" ? typed : undefined)
      expect({ args, code, err }).toMatchObject({ args, code: 0 })
      expect(err).not.toContain("venue: ")
    }
    const written = fs.readdirSync(path.join(folder(), "year"))
    expect(written).toEqual(expect.arrayContaining(["executions-linear.csv", "deposits.csv", "report.html"]))
    expect(fs.readFileSync(path.join(folder(), "log.csv"), "utf8").split("\n").length).toBeGreaterThan(100)
  })

  it("has control commands that the sandbox obeys, as test-a-bot.md states", async () => {
    const { baseUrl } = current().credentials.main
    const page = read("test-a-bot.md")
    const commands = Array.from(page.matchAll(/^curl (-X POST )?"\$control\/([^"]+)"(?: -d '(.*)')?$/gm))
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
