import * as Effect from "effect/Effect"
import * as net from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { declare, password, schemaNamed, server } from "./utils/fleets.js"
import { ago, exchange, venue } from "./utils/venue.js"

const { credentials, sandbox } = await exchange({ limits: "off" })

const roles = ["main", "sub", "customer"] as const

const masters = Object.fromEntries(roles.map((role) => [role, { masterUid: role }]))

const database = schemaNamed("fleet")

describe.skipIf(server.isSkipped)(`venue fleet in a database, ${server.label}`, () => {
  beforeAll(database.create)
  afterAll(database.drop)

  it("exports every row of every account once into shared tables, and shows its status without the password", async () => {
    const environment = { DATABASE_URL: database.address }
    const choice = ["--database", "env:DATABASE_URL"]
    expect(await venue(["fleet", "status", ...choice], environment)).toMatchObject({
      code: 1,
      err: "venue: there is no fleet in env:DATABASE_URL\n"
    })
    const file = declare(credentials, "database", masters)
    const ended = await venue(["fleet", "run", file, ...choice, "--once"], environment)
    expect({ code: ended.code, err: ended.err }).toMatchObject({ code: 0 })
    expect(ended.out).toMatch(/3\/3 exports done {2}0 due {2}0 running/)
    for (const role of roles) {
      const holds = await Effect.runPromise(
        sandbox.holds({ uid: sandbox.uids[role], category: "linear", from: ago(75), to: ago(61) })
      )
      const [rows] = await database.query<{ readonly count: string; readonly ids: string }>(
        `SELECT count(*) AS count, count(DISTINCT "execId") AS ids FROM venue_executions
            WHERE venue_account = '${role}' AND venue_category = 'linear'`
      )
      expect(rows).toEqual({ count: String(holds.executions.count), ids: String(holds.executions.count) })
      const verified = await venue(["verify", database.address, "--name", `${role}/executions-linear`])
      expect(verified).toMatchObject({ code: 0 })
    }
    const status = await venue(["fleet", "status", "--database", database.address])
    expect(status.code).toBe(0)
    expect(status.out).toMatch(/^address +accounts +exports/)
    const json = await venue(["fleet", "status", ...choice, "--json"], environment)
    expect(JSON.parse(json.out)).toMatchObject({ accounts: 3, exports: 3, done: 3, due: 0, failing: 0, troubled: [] })
    for (const { err, out } of [ended, status, json]) expect(`${out}${err}`).not.toContain(password)
    expect(process.title).not.toContain(password)
  })

  it("waits at its start while connections to the database are cut", async () => {
    const url = new URL(database.address)
    const [host, port] = [url.hostname, Number(url.port || 5432)]
    let cut = 0
    const gate = net.createServer((socket) => {
      socket.on("error", () => socket.destroy())
      // The first connection is that which finds the address of this machine.
      if (cut < 4) {
        cut += 1
        socket.destroy()
        return
      }
      const upstream = net.connect(port, host)
      upstream.on("error", () => socket.destroy())
      upstream.on("close", () => socket.destroy())
      socket.on("close", () => upstream.destroy())
      upstream.pipe(socket).pipe(upstream)
    })
    await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve))
    url.hostname = "127.0.0.1"
    url.port = String((gate.address() as net.AddressInfo).port)
    const file = declare(credentials, "cut", masters)
    const ended = await venue(["fleet", "run", file, "--database", url.href, "--once"])
    gate.close()
    expect({ code: ended.code, cut, err: ended.err }).toMatchObject({ code: 0, cut: 4 })
    expect(`${ended.err}${ended.progress}`).toMatch(/waits for the database/)
  })

  it("fails if another process uses the address of --listen", async () => {
    const taken = net.createServer()
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve))
    const { port } = taken.address() as net.AddressInfo
    const file = declare(credentials, "taken", masters)
    const ended = await venue([
      ...["fleet", "run", file, "--database", database.address],
      ...["--listen", `127.0.0.1:${port}`, "--once"]
    ])
    taken.close()
    expect(ended.code).toBe(2)
    expect(ended.err).toContain(`--listen 127.0.0.1:${port}: listen EADDRINUSE`)
    expect(ended.err).not.toContain(password)
  })
})

describe("venue fleet in a database", () => {
  const run = ["fleet", "run", "refused.json"]
  const address = `postgres://someone:${password}@127.0.0.1:9/books`

  it.each([
    [
      "a folder beside a database",
      [...run, "--database", address, "--out", "x"],
      2,
      /--out cannot be used with --data/
    ],
    ["a format", [...run, "--database", address, "--format", "csv"], 2, /--format cannot be used with --database/],
    ["compression", [...run, "--database", address, "--gzip"], 2, /--gzip cannot be used with --database/],
    ["an address to listen on without a database", [...run, "--listen", "a:1"], 2, /--listen cannot be used without/],
    [
      "an address to listen on without port",
      [...run, "--database", address, "--listen", "a"],
      2,
      /"a" is not host:port/
    ],
    ["another database", [...run, "--database", `mysql://x:${password}@h/d`], 2, /must be postgres:\/\/host\/database/],
    [
      "an address that is none",
      [...run, "--database", `postgres://x:${password}/@h:z`],
      2,
      /must be postgres:\/\/host/
    ],
    ["a variable that is not set", [...run, "--database", "env:NOT_SET"], 2, /env:NOT_SET: the variable is not set/],
    ["a database that is not there", [...run, "--database", address], 2, /127\.0\.0\.1:9\/books: the database cannot/],
    [
      "a status of one that is not there",
      ["fleet", "status", "--database", address],
      2,
      /9\/books: the database cannot/
    ]
  ] as const)("refuses %s, and does not show a password", async (_, args, code, message) => {
    declare(credentials, "refused", masters)
    const ended = await venue(args)
    expect(ended.err).toMatch(message)
    expect(ended.code).toBe(code)
    expect(`${ended.out}${ended.err}`).not.toContain(password)
  })
})
