import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { declare, password, schemaNamed, server } from "./utils/fleets.js"
import { ago, exchange, launch } from "./utils/venue.js"

// Two processes of the command on one Postgres, of which one is killed.

const { credentials, sandbox } = await exchange({ limits: "off" })

const database = schemaNamed("fleet_killed")

/** Days with many records. */
const days = { from: ago(20), to: ago(1) }

const accounts = Object.fromEntries(
  ["main", "sub", "customer"].flatMap((role) =>
    Array.from({ length: 4 }, (_, index) => [`${role}-${index}`, { masterUid: `${role}-${index}` }])
  )
)

/** A key of its own for each account: two accounts with one key are refused. */
const keysOf = (names: ReadonlyArray<string>) =>
  Effect.runPromise(
    Effect.forEach(names, (name) =>
      Effect.map(
        sandbox.control.openKey({ uid: sandbox.uids[name.split("-")[0] as "main" | "sub" | "customer"] }),
        (key) => [name, key] as const
      )
    )
  )

const pause = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

/** Asks until something is true of the database; tables that are not there yet have no rows. */
const until = async (question: string) => {
  for (;;) {
    const [row] = await database.query<{ readonly is: boolean }>(question).catch(() => [])
    if (row?.is === true) return
    await pause(50)
  }
}

describe.skipIf(server.isSkipped)(`two processes of a fleet, ${server.label}`, () => {
  beforeAll(database.create)
  afterAll(database.drop)

  it("export every row of every account once if one is killed, and the other ends when nothing is due", async () => {
    const keys = { ...credentials, ...Object.fromEntries(await keysOf(Object.keys(accounts))) }
    const file = declare(keys, "killed", accounts, {
      ...days,
      datasets: ["executions", "closed-pnl"],
      egresses: [
        { name: "second", localAddress: "127.0.0.2" },
        { name: "third", localAddress: "127.0.0.3" }
      ]
    })
    // Slow enough to be killed in the middle.
    await Effect.runPromise(sandbox.faults.set([{ fault: { kind: "delay", millis: 600, executed: "atOnce" } }]))
    const environment = { DATABASE_URL: database.address }
    const args = ["fleet", "run", file, "--database", "env:DATABASE_URL", "--once", "--accounts-at-once", "2"]
    const processes = [launch(args, environment), launch(args, environment)] as const
    await until("SELECT count(*) = 2 AS is FROM cluster_runners")
    await until("SELECT count(*) > 4 AS is FROM venue_windows")
    // Both may own an address or one of them all: the one that is killed is at work.
    const [owner] = await database.query<{ readonly pid: string }>(
      `SELECT split_part(owner, ' ', -1) AS pid FROM venue_fleet_egresses JOIN venue_fleet_exports ON egress = name
          WHERE state = 'running' LIMIT 1`
    )
    const first = processes[0].pid === Number(owner?.pid) ? 0 : 1
    expect(processes[first].pid).toBe(Number(owner?.pid))
    const epochs = async () =>
      (await database.query<{ readonly epochs: string }>("SELECT sum(epoch) AS epochs FROM venue_fleet_egresses"))[0]
    const before = await epochs()
    processes[first].kill("SIGKILL")
    const killed = await processes[first].ended
    const survivor = await processes[1 - first]?.ended
    expect(killed.signal).toBe("SIGKILL")
    expect(survivor).toMatchObject({ code: 0, signal: null })
    // What is logged does not mix with how far it is.
    expect(survivor?.out).not.toContain("INFO")
    expect(survivor?.err).toMatch(/INFO .*: owns (second|third) in epoch \d+/)
    expect(`${survivor?.out ?? ""}${survivor?.err ?? ""}`).not.toContain(password)
    // Its address was taken over: the kill was before the end.
    expect(Number((await epochs())?.epochs)).toBeGreaterThan(Number(before?.epochs))
    const [exports] = await database.query(
      "SELECT count(*) AS all, count(manifest) AS finished, count(runner) AS running FROM venue_exports"
    )
    expect(exports).toEqual({ all: "24", finished: "24", running: "0" })
    for (const account of Object.keys(accounts)) {
      const role = account.split("-")[0] as "main" | "sub" | "customer"
      const range = { uid: sandbox.uids[role], category: "linear" as const, ...days }
      const { executions } = await Effect.runPromise(sandbox.holds(range))
      const [rows] = await database.query(
        `SELECT count(*) AS count, count(DISTINCT "execId") AS ids FROM venue_executions WHERE venue_account = '${account}'`
      )
      expect(rows).toEqual({ count: String(executions.count), ids: String(executions.count) })
    }
  })
})
