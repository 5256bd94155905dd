import * as fs from "node:fs"
import * as net from "node:net"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import { folder, launched, venue } from "./utils/venue.js"

describe("venue start", () => {
  it("exports 60 days of trade history from a sandbox, and prints that the file is verified", async () => {
    const { code, err, out, progress } = await venue(["start", "--out", "data"])
    expect(err).toBe("")
    expect(code).toBe(0)
    const [file = "", ...others] = fs.readdirSync(path.join(folder(), "data"))
    expect(file).toBe("executions-linear.ndjson")
    expect(others).toEqual(["manifest.json", "views.sql"])
    const rows = fs
      .readFileSync(path.join(folder(), "data", file), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly execId: string; readonly execTime: string })
    expect(rows.length).toBeGreaterThanOrEqual(5000)
    expect(new Set(rows.map(({ execId }) => execId)).size).toBe(rows.length)
    const told = rows.length.toLocaleString("en-US")
    expect(progress).toMatch(/\d+\/9 windows {2}\d+ pages? {2}[\d,]+ rows/)
    expect(out).toMatch(/period .* \(60 days\)/)
    expect(out).toContain(`rows      ${told}`)
    expect(out).toContain(`the sandbox holds ${told} rows in this period: the file has each of them once`)
  })

  it("exits with 130 when it is stopped", async () => {
    let isStopped = false
    const ended = await launched(["start", "--out", "stopped"], {}, (out, kill) => {
      if (isStopped || !out.includes("Starting the sandbox")) return
      isStopped = true
      kill()
    })
    expect(ended).toMatchObject({ code: 130 })
    const left = fs.readdirSync(folder(), { recursive: true }).map(String)
    expect(left.filter((name) => name.startsWith("stopped") && name.endsWith(".ndjson"))).toEqual([])
  })

  it("prints in one line that its port is in use", async () => {
    const server = net.createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as net.AddressInfo
    const { code, err } = await venue(["start", "--port", String(port)])
    server.close()
    expect(code).toBe(1)
    expect(err).toBe(`venue: 127.0.0.1:${port} is in use\n`)
  })
})
