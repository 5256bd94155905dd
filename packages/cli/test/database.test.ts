import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as SqlSink from "@effect-venue/history/SqlSink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Servers from "@effect-venue/testing/Servers"
import * as Transport from "@effect-venue/transport/Transport"
import { NodeContext } from "@effect/platform-node"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { Effect, Layer, Redacted } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { day, folder, venue as run } from "./utils/venue.js"

const venue = (...args: ReadonlyArray<string>) => run(args)

const server = await Servers.postgres()

const client = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 1, connectTimeout: 2000 })

const schema = `venue_report_${process.pid}`

const tell = (statement: string) =>
  Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(Effect.provide(client(server.url)))
  )

/** The address of the schema, with a password that no line may show. */
const address = (): string => {
  const url = new URL(server.url)
  if (url.password === "") url.password = "hidden-word"
  url.searchParams.set("options", `-c search_path=${schema}`)
  return url.href
}

const parts = [
  Part.make(Datasets.executions, { category: "linear" }),
  Part.make(Datasets.closedPnl, { category: "linear" })
]
const now = Date.now()
const range = { from: now - 9 * day, to: now - day }

describe.skipIf(server.isSkipped)(`an export in ${server.label}`, () => {
  beforeAll(async () => {
    await tell(`CREATE SCHEMA ${schema}`)
    const exports = Effect.gen(function* () {
      yield* History.runAll(parts, range, Sink.ndjson(path.join(folder(), "files")))
      yield* Effect.provide(History.runAll(parts, range, SqlSink.make({ name: "books" })), client(address()))
    })
    const world = Transport.layerStandalone.pipe(Layer.provide(Sandbox.layer({ seed: 5, limits: "off" })))
    await Effect.runPromise(exports.pipe(Effect.provide(Layer.merge(world, NodeContext.layer))))
  })

  afterAll(() => tell(`DROP SCHEMA ${schema} CASCADE`))

  const read = (name: string) => fs.readFileSync(path.join(folder(), name), "utf8")

  it("has the same report as an export to files", async () => {
    const { code, err, out } = await venue("report", address(), "--name", "books", "--out", "database.html")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/\nMonth +Coin .*\n(?:.*\n)+database\.html: [\d,]+ rows in 2 parts, complete\n$/)
    expect(await venue("report", "files", "--out", "files.html")).toMatchObject({ code: 0 })
    // The exports were written at different times, with different balances.
    const shared = (page: string) =>
      page
        .replace(/<h2>Statement.*?<\/section>/s, "")
        .replace(/<h2>Notes.*?<\/section>/s, "")
        .replace(/<h2>About this export.*?<\/section>/s, "")
    expect(shared(read("database.html"))).toBe(shared(read("files.html")))
    // By a variable it is the same, and is named by it. Its page is here, and in no folder of that name.
    const named = await run(["report", "env:BOOKS_URL", "--name", "books"], { BOOKS_URL: address() })
    expect(named).toMatchObject({ code: 0, err: "" })
    expect(shared(read("report.html"))).toBe(shared(read("files.html")))
  })

  it("can be verified without printing the password", async () => {
    const { code, err, out } = await venue("verify", address(), "--name", "books")
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toMatch(/rows in 2 tables, .*: complete, and as it was written/)
    const named = await run(["verify", "env:BOOKS_URL", "--name", "books", "--json"], { BOOKS_URL: address() })
    expect(named).toMatchObject({ code: 0, err: "" })
    expect(JSON.parse(named.out)).toMatchObject({ location: "env:BOOKS_URL", verdict: "complete", findings: [] })
    const absent = await venue("verify", address(), "--name", "others")
    expect(absent.code).toBe(1)
    expect(absent.err).toMatch(/^venue: postgres:\/\/[^@]*: the export is unfinished, or in another place\n$/)
  })
})

describe("an unreachable database", () => {
  const url = "postgres://someone:hidden-word@127.0.0.1:9/books"

  it.each(["verify", "report"])(
    "or that its variable does not name is shown to %s without its password, by the variable alone if it is named so",
    async (command) => {
      const cases: ReadonlyArray<readonly [location: string, variables: Record<string, string>, message: RegExp]> = [
        [url, {}, /^venue: postgres:\/\/127\.0\.0\.1:9\/books: the database cannot be reached/],
        ["env:BOOKS_URL", { BOOKS_URL: url }, /^venue: env:BOOKS_URL: the database cannot be reached/],
        ["env:BOOKS_URL", {}, /env:BOOKS_URL: the variable is not set/],
        ["env:BOOKS_URL", { BOOKS_URL: url.replace("postgres", "mysql") }, /the variable must be postgres:\/\/host/],
        ["env:", {}, /env: must be followed by the name of a variable/]
      ]
      for (const [location, variables, message] of cases) {
        const { code, err, out } = await run([command, location], variables)
        expect(err).toMatch(message)
        expect(code).toBe(2)
        expect(`${out}${err}`).not.toContain("hidden-word")
      }
    }
  )
})
