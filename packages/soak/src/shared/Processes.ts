import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type ChildProcess, fork, spawn } from "node:child_process"
import * as fs from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href

/** Node's arguments for a program in TypeScript. */
export const toArguments = (file: URL): ReadonlyArray<string> => ["--import", loader, fileURLToPath(file)]

/** A folder that is removed with the scope. */
export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "venue-soak-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly isKilled: boolean
  readonly err: string
}

/** Runs Node with arguments until it ends, or until `doom` completes: then it is killed with SIGKILL. */
export const run = (
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly doom: Effect.Effect<void> }
): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<Ended>()
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, args, {
          cwd: options.cwd,
          env: { ...options.env },
          stdio: ["ignore", "ignore", "pipe"]
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
    let err = ""
    child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
    child.on("close", (code, signal) =>
      Deferred.unsafeDone(ended, Effect.succeed({ code, err, isKilled: signal === "SIGKILL" }))
    )
    yield* Effect.fork(
      Effect.zipRight(
        options.doom,
        Effect.sync(() => child.kill("SIGKILL"))
      )
    )
    return yield* Deferred.await(ended)
  }).pipe(Effect.scoped)

/** A program in TypeScript with one argument, as JSON. It is ended with the scope. */
export const forkProcess = (file: URL, order: unknown): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => fork(fileURLToPath(file), [JSON.stringify(order)], { execArgv: ["--import", loader] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** The message that a process sends before it ends. */
export const readReport = <A, I>(child: ChildProcess, schema: Schema.Schema<A, I>): Effect.Effect<A> =>
  Effect.flatMap(
    Effect.async<unknown>((resume) => {
      child.once("message", (message) => {
        resume(Effect.succeed(message))
      })
      child.once("exit", (code) => {
        resume(Effect.dieMessage(`a process ended with ${code ?? "a signal"}`))
      })
    }),
    (message) => Effect.orDie(Schema.decodeUnknown(schema)(message))
  )

/** A port that nothing listens on. */
export const freePort = Effect.async<number>((resume) => {
  const server = createServer()
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() => {
      resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
})
