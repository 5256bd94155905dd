/**
 * Runs exports against a server of generated executions, each in separate processes and from compiled code, so that the memory of the
 * compiler is not counted.
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { build } from "esbuild"
import { type ChildProcess, fork } from "node:child_process"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

/** A process ended before it sent its message. */
export class Died extends Data.TaggedError("Died")<{ readonly message: string }> {}

const here = fileURLToPath(new URL(".", import.meta.url))
const compiled = path.join(here, "..", "build", "export")

/** Compiles our code; installed packages are used in place. */
export const compile = Effect.promise(() =>
  build({
    entryPoints: ["exportChild.ts", "exportServer.ts", "fleetChild.ts", "fleetServer.ts"].map((name) =>
      path.join(here, name)
    ),
    outdir: compiled,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    external: ["effect", "@effect/platform*", "@effect/sql*"],
    logLevel: "warning"
  })
)

/** Starts a compiled program in a process that ends with the scope. */
export const started = (
  name: string,
  args: ReadonlyArray<string | number>
): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() =>
      fork(path.join(compiled, `${name}.mjs`), args.map(String), {
        execArgv: [],
        stdio: ["ignore", "inherit", "inherit", "ipc"]
      })
    ),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** The first message of a process. */
export const said = (child: ChildProcess) =>
  Effect.async<unknown, Died>((resume) => {
    child.once("message", (message) => resume(Effect.succeed(message)))
    child.once("exit", (code) =>
      resume(Effect.fail(new Died({ message: `ended with ${String(code)}, and said nothing` })))
    )
  })

const Outcome = Schema.Struct({
  rows: Schema.Number,
  verdict: Schema.String,
  pages: Schema.Number,
  retries: Schema.Number,
  /** Microseconds of processor time of the export, and of parsing and printing its pages; the latter is 0 if limits are enforced. */
  processor: Schema.Number,
  parsing: Schema.Number,
  seconds: Schema.Number,
  mebibytes: Schema.Number
})

/** A range that contains `count` executions. */
export interface World {
  readonly from: number
  readonly to: number
  readonly count: number
}

export type Format = "ndjson" | "ndjson.gz" | "csv" | "parquet" | "sqlite"

export const formats: ReadonlyArray<Format> = ["ndjson", "ndjson.gz", "csv", "parquet", "sqlite"]

/** A folder that is removed with the scope. */
export const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(path.join(tmpdir(), "export-"))),
  (name) => Effect.promise(() => rm(name, { recursive: true, force: true }))
)

/** The rate limit of executions, per second. (rule limits/executions.list) */
export const documentedRate = 10

/** Exports a world and returns the result. Dies if the export is incomplete. */
export const run = (
  { count, from, to }: World,
  format: Format,
  limits: "documented" | "none"
): Effect.Effect<typeof Outcome.Type> =>
  Effect.gen(function* () {
    const server = yield* started("exportServer", [from, to, count, limits === "documented" ? documentedRate : 0])
    const port = yield* said(server)
    const target = `http://127.0.0.1:${String(port)}`
    const child = yield* started("exportChild", [target, format, yield* folder, from, to, limits])
    const outcome = yield* Effect.flatMap(said(child), Schema.decodeUnknown(Outcome))
    if (outcome.rows !== count || outcome.verdict !== "complete") {
      return yield* new Died({ message: `${outcome.rows} of ${count} rows, ${outcome.verdict}` })
    }
    return outcome
  }).pipe(Effect.scoped, Effect.orDie)
