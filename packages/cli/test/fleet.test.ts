import * as Breadth from "@effect-venue/testing/Breadth"
import * as Accounts from "@effect-venue/fleet/Accounts"
import { Effect, Either, Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { describe, expect, it } from "vitest"
import * as Fleet from "../src/fleet/fleet.js"
import * as fleets from "./utils/fleets.js"
import { ago, exchange, folder, launch, linesOf, venue } from "./utils/venue.js"

const { credentials, sandbox } = await exchange({ limits: "off" })

const roles = ["main", "sub", "customer"] as const

const at = (...names: ReadonlyArray<string>) => path.join(folder(), ...names)

const declare = (name: string, accounts: Record<string, object>, more: object = {}) =>
  fleets.declare(credentials, name, accounts, more)

const masters = Object.fromEntries(roles.map((role) => [role, { masterUid: role }]))

describe("venue fleet", () => {
  it("exports every account to a separate folder, like venue export, and shows its status", async () => {
    const file = declare("all", masters, {
      egresses: [
        { name: "second", localAddress: "127.0.0.2" },
        { name: "third", localAddress: "127.0.0.3" }
      ]
    })
    const ended = await venue(["fleet", "run", file, "--out", "all", "--once"])
    expect({ code: ended.code, err: ended.err }).toEqual({ code: 0, err: "" })
    expect(ended.out).toMatch(/3\/3 exports done {2}0 due {2}0 running/)
    for (const role of roles) {
      const place = at("all", role, "executions-linear")
      expect(await venue(["verify", place])).toMatchObject({ code: 0 })
      const rows = linesOf(fs.readFileSync(path.join(place, `executions-${role}-linear.ndjson`), "utf8"))
      const holds = await Effect.runPromise(
        sandbox.holds({ uid: sandbox.uids[role], category: "linear", from: ago(75), to: ago(61) })
      )
      expect(rows).toHaveLength(holds.executions.count)
    }
    const status = await venue(["fleet", "status", "--out", "all"])
    expect(status.code).toBe(0)
    expect(status.out).toMatch(/^address +accounts +exports.* owner\n(second|third) .* \S+ \d+\n/)
    const json: unknown = JSON.parse((await venue(["fleet", "status", "--out", "all", "--json"])).out)
    expect(json).toMatchObject({ accounts: 3, exports: 3, done: 3, due: 0, failing: 0, secondsLeft: 0, troubled: [] })
    expect(json).toMatchObject({ addresses: [{ owner: expect.stringMatching(new RegExp(` ${process.pid}$`)) }] })
    // Nothing is left to do.
    expect(await venue(["fleet", "run", file, "--out", "all", "--once"])).toMatchObject({ code: 0 })
  })

  const formats = [
    ["ndjson.gz", ["--gzip"]],
    ["csv.safe", ["--format", "csv", "--spreadsheet-safe"]]
  ] as const

  it.each(Breadth.some(formats, 2, 1))(
    "writes %s, which is verified and continued as such",
    async (format, options) => {
      const out = `as-${format}`
      const run = (to: number) => {
        const file = declare(out, { main: { masterUid: "1" } }, { from: ago(65), to: ago(to) })
        return venue(["fleet", "run", file, "--out", out, ...options, "--once"])
      }
      expect(await run(63)).toMatchObject({ code: 0, err: "" })
      expect(await run(62)).toMatchObject({ code: 0, err: "" })
      const place = at(out, "main", "executions-linear")
      expect(await venue(["verify", place, "--json"])).toMatchObject({ code: 0, err: "" })
      expect(JSON.parse(fs.readFileSync(path.join(place, "manifest.json"), "utf8"))).toMatchObject({ format })
    }
  )

  it("exits with 1 if an account was stopped, exports the others, and shows the reason without a key", async () => {
    const file = declare("bad", { main: { masterUid: "1" }, expired: { masterUid: "2" } })
    const ended = await venue(["fleet", "run", file, "--out", "bad", "--once"])
    expect(ended.code).toBe(1)
    expect(ended.err).toMatch(/1 export failed, stopped or may lack rows: see venue fleet status --out bad/)
    expect(await venue(["verify", at("bad", "main", "executions-linear")])).toMatchObject({ code: 0 })
    const { out } = await venue(["fleet", "status", "--out", "bad"])
    expect(out).toMatch(/stopped {2}expired {2}executions-linear {2}.*unauthorized \(Key\)/)
    for (const secret of [credentials.expired.apiKey, credentials.expired.apiSecret]) {
      expect(`${out}${ended.out}${ended.err}`).not.toContain(Redacted.value(secret))
      expect(fs.readFileSync(at("bad", ".fleet", "ledger.db"), "latin1")).not.toContain(Redacted.value(secret))
    }
  })

  it("exports an account that is added to the file while it runs, until it is stopped", async () => {
    const file = declare("grows", { main: { masterUid: "1" } })
    const added = at("grows", "sub", "executions-linear", "manifest.json")
    const running = launch(["fleet", "run", file, "--out", "grows"])
    const isThere = async (name: string) => {
      while (!fs.existsSync(name)) await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await isThere(at("grows", "main", "executions-linear", "manifest.json"))
    declare("grows", { main: { masterUid: "1" }, sub: { masterUid: "2" } })
    await isThere(added)
    running.kill("SIGINT")
    const ended = await running.ended
    expect(ended.code).toBe(130)
    expect(ended.err).toContain("grows.json was read again")
  })

  it.each([
    [
      "a file that is not there",
      ["fleet", "run", "nowhere.json"],
      2,
      /nowhere\.json: it does not exist, or cannot be read/
    ],
    ["a status of no fleet", ["fleet", "status", "--out", "nowhere"], 1, /there is no fleet in nowhere/]
  ] as const)("refuses %s", async (_, args, code, message) => {
    const ended = await venue(args)
    expect(ended.code).toBe(code)
    expect(ended.err).toMatch(message)
  })

  it("logs an account that an older file lacks, and lists it as removed in its status", async () => {
    const none = { datasets: ["transfers"], from: ago(62) }
    await venue(["fleet", "run", declare("newer", masters, none), "--out", "older", "--once"])
    const { customer: _, ...older } = masters
    const ended = await venue(["fleet", "run", declare("older", older, none), "--out", "older", "--once"])
    expect(ended.err).toMatch(
      /WARN \(#\d+\): removed from the ledger, because .*: customer\. What they have exported stays/
    )
    const { out } = await venue(["fleet", "status", "--out", "older"])
    expect(out).toMatch(/removed {2}customer {2}1 export {2}at \S+ \S+ UTC by .+, whose accounts did not have it/)
    const json: unknown = JSON.parse((await venue(["fleet", "status", "--out", "older", "--json"])).out)
    expect(json).toMatchObject({ accounts: 2, removed: [{ account: "customer", exports: 1 }] })
    expect(fs.existsSync(at("older", "customer", "transfers", "manifest.json"))).toBe(true)
  })

  it("reports the path of a mistake in the file, and starts nothing", async () => {
    const file = declare("wrong", { main: { masterUid: "1", datasets: ["trades"] } })
    const ended = await venue(["fleet", "run", file, "--out", "wrong"])
    expect(ended.code).toBe(2)
    expect(ended.err).toContain("wrong.json: accounts.main.datasets.0 must be one of")
    expect(fs.existsSync(at("wrong"))).toBe(false)
  })

  it("uses the usual proxy variables: refuses one that it cannot use, without its password", async () => {
    const file = declare("proxied", { main: { masterUid: "1" } })
    const words = ["fleet", "run", file, "--out", "proxied", "--once"]
    const { code, err } = await venue(words, { HTTPS_PROXY: "socks5://user:hidden-word@127.0.0.1:1080" })
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/^venue: HTTPS_PROXY: a proxy must be http:/) })
    expect(err).not.toContain("hidden-word")
  })

  it("reports changes of the addresses and the source of keys since its start", () => {
    const accounts = { main: { masterUid: "1" } }
    const parsed = (more: object) =>
      Either.getOrThrow(
        Accounts.parse(
          JSON.stringify({
            baseUrl: "https://a.example",
            from: "2026-01-01",
            datasets: ["executions"],
            accounts,
            ...more
          })
        )
      )
    const egresses = (proxy: string) => [
      { name: "a", localAddress: "127.0.0.2" },
      { name: "b", proxy }
    ]
    const first = { egresses: egresses("http://a:secret@b.example"), credentials: { file: "keys.json" } }
    const isSame = (more: object) => Fleet.isStartedWith(parsed(first), parsed({ ...first, ...more }))
    expect(isSame({ accounts: { ...accounts, sub: { masterUid: "2" } } })).toBe(true)
    expect(isSame({ egresses: egresses("http://a:other@b.example") })).toBe(false)
    expect(isSame({ egresses: egresses("http://a:secret@b.example").slice(0, 1) })).toBe(false)
    expect(isSame({ credentials: { command: ["keys.json"] } })).toBe(false)
  })
})
