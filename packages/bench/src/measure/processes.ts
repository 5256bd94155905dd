import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { build } from "esbuild"
import { type ChildProcess, fork } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

// Each measurement runs in a separate process, free of the garbage and the optimised code of others.

const sources = fileURLToPath(new URL("..", import.meta.url))
const compiled = path.join(sources, "..", "build")

/**
 * Compiles a program of this package to one module, so that its process runs no compiler; installed packages stay where they are. It is as
 * deep in the package as its source, so that relative URLs stay valid.
 */
const compile = (program: string) =>
  build({
    entryPoints: [path.join(sources, `${program}.ts`)],
    outbase: sources,
    outdir: compiled,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    external: ["effect", "@effect/platform*", "@effect/sql*", "undici"],
    logLevel: "warning"
  })

/** Starts a program, such as `calls/clientProcess`, in a process that ends with the scope. */
export const start = (
  program: string,
  args: ReadonlyArray<string | number>
): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.zipRight(
    Effect.promise(() => compile(program)),
    Effect.acquireRelease(
      Effect.sync(() =>
        fork(path.join(compiled, `${program}.mjs`), args.map(String), {
          execArgv: [],
          stdio: ["ignore", "inherit", "inherit", "ipc"]
        })
      ),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    )
  )

/** Returns the next message of a process. Dies if it ends first. */
export const said = (child: ChildProcess): Effect.Effect<unknown> =>
  Effect.async((resume) => {
    const onMessage = (message: unknown) => {
      child.off("exit", onExit)
      resume(Effect.succeed(message))
    }
    const onExit = (code: number | null) => {
      child.off("message", onMessage)
      resume(Effect.dieMessage(`a process of the measurement ended with ${code ?? "a signal"}`))
    }
    child.once("message", onMessage)
    child.once("exit", onExit)
  })

/** Starts a server, and returns its address. */
export const server = (program: string, args: ReadonlyArray<string | number>) =>
  Effect.map(Effect.flatMap(start(program, args), said), String)
