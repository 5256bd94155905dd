import type * as Journal from "@effect-venue/simulation/world/Journal"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as fs from "node:fs"
import * as path from "node:path"
import type * as Judged from "../shared/Judged.js"
import type * as Processes from "../shared/Processes.js"

/** The result of an export, by file or table: each byte of a folder, each row of a database. */
export type Result = ReadonlyMap<string, string>

const database = "venue.sqlite"

/** The names of files that are not, byte for byte, those of an undisturbed export. */
export const differences = (files: Result, undisturbed: Result): ReadonlyArray<string> =>
  [...new Set([...files.keys(), ...undisturbed.keys()])].filter((name) => files.get(name) !== undisturbed.get(name))

/** Without `run`, which has times and counts of the run, and the digest of it all: nothing else differs between two equal exports. */
const withoutRun = (manifest: string): string => {
  const parsed: unknown = JSON.parse(manifest)
  return JSON.stringify(parsed, (key, value: unknown) =>
    key === "" && Predicate.isRecord(value) ? { ...value, run: null, digest: null } : value
  )
}

const files = (folder: string): Result =>
  new Map(
    fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .map((entry) => {
        const name = path.relative(folder, path.join(entry.parentPath, entry.name))
        if (!entry.isFile()) return [`${name}/`, ""] as const
        const text = fs.readFileSync(path.join(folder, name), "latin1")
        return [name, name === "manifest.json" ? withoutRun(text) : text] as const
      })
      .sort(([one], [other]) => (one < other ? -1 : 1))
  )

const open = (file: string) => LibsqlClient.layer({ url: `file:${file}` })

const rows = (file: string): Effect.Effect<Result> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = yield* sql<{
      readonly name: string
    }>`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`
    const result = new Map<string, string>()
    for (const { name } of tables) {
      const found = yield* sql<Record<string, unknown>>`SELECT * FROM ${sql(name)}`
      const lines = found.map(({ manifest, ...row }) =>
        JSON.stringify({ ...row, ...(typeof manifest === "string" ? { manifest: withoutRun(manifest) } : {}) })
      )
      result.set(name, lines.sort().join("\n"))
    }
    return result
  }).pipe(Effect.provide(open(file)), Effect.scoped, Effect.orDie)

/** Reads the result in a folder: of one with a database the rows and the names of the files beside it. */
export const read = (folder: string): Effect.Effect<Result> =>
  Effect.suspend(() =>
    fs.existsSync(path.join(folder, database))
      ? Effect.map(
          rows(path.join(folder, database)),
          (result) => new Map([...result, ["files", fs.readdirSync(folder).sort().join(" ")]])
        )
      : Effect.succeed(files(folder))
  )

/** How a process is refused whose folder is in use. */
const inUse = /another export (?:is|may be) at work here/

export type Ended = Pick<Journal.Of<"Finished">, "call" | "detail" | "end">

/** How a process ended. Of those that nothing killed, only one that is refused its folder can fail. */
export const endOf = (call: string, { code, err, isKilled }: Processes.Ended): Ended => ({
  call,
  end: isKilled ? "gone" : code === 0 ? "complete" : inUse.test(err) ? "failed" : "died",
  detail: isKilled ? "" : `code ${code}: ${err.trim().slice(0, 500)}`
})

/** The fact of an end. `isLast`: it is to finish, unless it was killed. */
export const toFact = (ended: Ended, isLast: boolean): Judged.Fact => ({
  _tag: "Finished",
  ...ended,
  isFrozen: false,
  isLast: isLast && ended.end !== "gone"
})
