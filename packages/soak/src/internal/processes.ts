import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type ChildProcess, fork, spawn } from "node:child_process"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { fileURLToPath, pathToFileURL } from "node:url"

const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href

/** A process, which is ended with the scope. */
export const started = (file: URL, order: unknown): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = fork(fileURLToPath(file), [JSON.stringify(order)], {
        execArgv: ["--import", loader]
      })
      return child
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** What a process reports before it ends. */
export const reported = <A, I>(child: ChildProcess, schema: Schema.Schema<A, I>): Effect.Effect<A> =>
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

/** A Redis that keeps nothing on disk, until the scope ends. Dies where there is no `redis-server` on the PATH. */
export const redisServer = (port: number): Effect.Effect<ChildProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<ChildProcess>((resume) => {
      const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
      const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "inherit"] })
      child.once("error", (error) => {
        resume(Effect.die(error))
      })
      child.stdout.on("data", (text: Buffer) => {
        if (text.toString().includes("Ready to accept connections")) resume(Effect.succeed(child))
      })
    }),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )
