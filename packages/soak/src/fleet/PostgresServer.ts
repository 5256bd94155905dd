import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { chownSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import * as Processes from "../shared/Processes.js"

// Postgres does not run as root.
const unprivileged = 65_534

const user = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}

const listens = (port: number): Effect.Effect<void> =>
  Effect.async<void, Error>((resume) => {
    const socket = connect({ host: "127.0.0.1", port })
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.void)
    })
    socket.once("error", (error) => {
      resume(Effect.fail(error))
    })
  }).pipe(Effect.retry(Schedule.intersect(Schedule.spaced("100 millis"), Schedule.recurs(300))), Effect.orDie)

/** A separate Postgres, until the scope ends, that can be restarted. Dies if there is no `initdb` on the PATH. */
export const make = Effect.gen(function* () {
  const folder = yield* Processes.temporaryFolder
  if (user.uid !== undefined) chownSync(folder, unprivileged, unprivileged)
  const data = join(folder, "data")
  yield* Effect.async<void>((resume) => {
    execFile("initdb", ["-D", data, "-A", "trust", "-U", "postgres", "--no-sync"], user, (error) => {
      resume(error === null ? Effect.void : Effect.die(error))
    })
  })
  const port = yield* Processes.freePort
  const args = ["-D", data, "-p", String(port), "-k", folder, "-c", "listen_addresses=127.0.0.1", "-c", "fsync=off"]
  let server: ChildProcess | undefined
  const start = Effect.zipRight(
    Effect.sync(() => {
      server = spawn("postgres", args, { ...user, stdio: "ignore" })
    }),
    listens(port)
  )
  /** Ends its connections, and waits until it has ended. */
  const stop = Effect.async<void>((resume) => {
    server?.once("exit", () => {
      resume(Effect.void)
    })
    server?.kill("SIGINT")
  })
  yield* Effect.acquireRelease(start, () => stop)
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, start, stop }
})
