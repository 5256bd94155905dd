import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { spawn } from "node:child_process"

/** How a process ended. */
export interface Ended {
  readonly code: number | null
  readonly isKilled: boolean
  readonly err: string
  /** From its start to its end. */
  readonly millis: number
}

/** Runs a command to its end, or kills it, with no way for it to do anything about that, as soon as `doom` has come. */
export const run = (
  file: string,
  args: ReadonlyArray<string>,
  options: {
    readonly cwd: string
    readonly env: Readonly<Record<string, string>>
    readonly doom: Effect.Effect<void>
  }
): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const ended = yield* Deferred.make<Omit<Ended, "millis">>()
    const kill = yield* Effect.acquireRelease(
      Effect.sync(() => {
        const child = spawn(process.execPath, [file, ...args], {
          cwd: options.cwd,
          env: { ...options.env },
          stdio: ["ignore", "ignore", "pipe"]
        })
        let err = ""
        child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()))
        child.on("close", (code, signal) =>
          Deferred.unsafeDone(ended, Effect.succeed({ code, err, isKilled: signal === "SIGKILL" }))
        )
        return () => void child.kill("SIGKILL")
      }),
      (kill) => Effect.sync(kill)
    )
    yield* Effect.fork(Effect.zipRight(options.doom, Effect.sync(kill)))
    const outcome = yield* Deferred.await(ended)
    return { ...outcome, millis: (yield* Clock.currentTimeMillis) - started }
  }).pipe(Effect.scoped)
