import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as fs from "node:fs"
import * as path from "node:path"

// What an export left behind: of a folder every byte, of a database every row.

/** The file of a result, or the table, with all that is in it. */
export type Result = ReadonlyMap<string, string>

export const database = "venue.sqlite"

/**
 * `run` says how the run went: when it was started, when it ended, how often, what was asked for again. It is all of a manifest in which
 * two exports of the same may differ.
 */
const withoutRun = (manifest: string): string => {
  const parsed: unknown = JSON.parse(manifest)
  return JSON.stringify(parsed, (key, value: unknown) =>
    key === "" && Predicate.isRecord(value) ? { ...value, run: null } : value
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

/** Of a folder with a database the rows, and which files there are beside; of any other every byte. */
export const read = (folder: string): Effect.Effect<Result> =>
  Effect.suspend(() =>
    fs.existsSync(path.join(folder, database))
      ? Effect.map(
          rows(path.join(folder, database)),
          (result) => new Map([...result, ["files", fs.readdirSync(folder).sort().join(" ")]])
        )
      : Effect.succeed(files(folder))
  )

/**
 * How far an export had come when it was killed. `opening`: nothing was asked for yet, or nothing of it kept. `reading`: some windows are
 * kept. `finishing`: all are, and the result is being made of them. `finished`: it is there.
 */
export type Phase = "opening" | "reading" | "finishing" | "finished"

/** The windows of parts, or of the lines of their checkpoints. */
const windowsOf = (all: ReadonlyArray<unknown>): number =>
  all.reduce<number>(
    (sum, one) => sum + (Predicate.hasProperty(one, "windows") && Array.isArray(one.windows) ? one.windows.length : 0),
    0
  )

const parsed = (line: string): unknown => JSON.parse(line)

const phase = (isBegun: boolean, isFinished: boolean, kept: number, windows: number): Phase => {
  if (!isBegun) return isFinished ? "finished" : "opening"
  return kept === 0 ? "opening" : kept < windows ? "reading" : "finishing"
}

/** Reads the phase from a copy of the database: opening it after a kill repairs it. */
const phaseOfDatabase = (folder: string, aside: string, windows: number): Effect.Effect<Phase> =>
  Effect.gen(function* () {
    fs.rmSync(aside, { recursive: true, force: true })
    fs.cpSync(folder, aside, { recursive: true })
    const sql = yield* Effect.provide(SqlClient.SqlClient, open(path.join(aside, database)))
    const found = yield* sql<{
      readonly checkpoint: string | null
      readonly manifest: string | null
    }>`SELECT checkpoint, manifest FROM venue_exports`
    const [state] = found
    const lines = yield* sql<{ readonly line: string }>`SELECT line FROM venue_checkpoints`
    const kept = windowsOf(lines.map(({ line }) => parsed(line)))
    return phase(typeof state?.checkpoint === "string", typeof state?.manifest === "string", kept, windows)
  }).pipe(
    Effect.scoped,
    // There is no table in it yet.
    Effect.catchAllCause(() => Effect.succeed<Phase>("opening"))
  )

export const phaseOf = (folder: string, aside: string, windows: number): Effect.Effect<Phase> =>
  Effect.suspend(() => {
    if (fs.existsSync(path.join(folder, database))) return phaseOfDatabase(folder, aside, windows)
    const work = path.join(folder, ".venue")
    const file = path.join(work, "checkpoint.json")
    const head: unknown = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")) : undefined
    const names = Predicate.hasProperty(head, "files") && Array.isArray(head.files) ? head.files : []
    const kept = windowsOf(
      names.flatMap((name) =>
        fs
          .readFileSync(path.join(work, String(name)), "utf8")
          .split("\n")
          .slice(0, -1)
          .map(parsed)
      )
    )
    const isFinished = fs.existsSync(path.join(folder, "manifest.json"))
    return Effect.succeed(phase(head !== undefined, isFinished, kept, windows))
  })

/** How many windows an export has, by its result. */
export const windowsIn = (result: Result): number => {
  const manifest = result.get("manifest.json")
  const [line = "{}"] = (result.get("venue_exports") ?? "").split("\n")
  const row: unknown = manifest === undefined ? JSON.parse(line) : { manifest }
  const text = Predicate.hasProperty(row, "manifest") ? row.manifest : undefined
  const found = typeof text === "string" ? parsed(text) : undefined
  return Predicate.hasProperty(found, "parts") && Array.isArray(found.parts) ? windowsOf(found.parts) : 0
}
