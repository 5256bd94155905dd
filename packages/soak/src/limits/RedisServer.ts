import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Redis } from "ioredis"
import { type ChildProcess, spawn } from "node:child_process"
import * as Processes from "../shared/Processes.js"
import * as RedisBanStore from "@effect-venue/redis/RedisBanStore"
import * as RedisClient from "@effect-venue/redis/RedisClient"
import * as RedisRateLimitStore from "@effect-venue/redis/RedisRateLimitStore"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** A Redis that keeps nothing on disk, until the scope ends. Dies if there is no `redis-server` on the PATH. */
const startProcess = (port: number): Effect.Effect<ChildProcess, never, Scope.Scope> =>
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

/** A Redis that is disturbed. */
export const make = Effect.gen(function* () {
  const port = yield* Processes.freePort
  let current: { readonly server: ChildProcess; readonly scope: Scope.CloseableScope } | undefined
  const start = Effect.gen(function* () {
    const scope = yield* Scope.make()
    current = { scope, server: yield* Scope.extend(startProcess(port), scope) }
  })
  const kill = Effect.suspend(() => (current === undefined ? Effect.void : Scope.close(current.scope, Exit.void)))
  const signal = (name: NodeJS.Signals) => Effect.sync(() => current?.server.kill(name))
  yield* Effect.acquireRelease(start, () => kill)
  const url = `redis://127.0.0.1:${port}`
  const flush = Effect.acquireUseRelease(
    Effect.sync(() => new Redis(url)),
    (redis) => Effect.promise(() => redis.flushall()),
    (redis) =>
      Effect.sync(() => {
        redis.disconnect()
      })
  )
  const pause = Effect.sleep
  /** Frozen, killed, and started without its state. Takes 15 seconds. */
  const frozenAndKilled = Effect.all(
    [
      pause("4 seconds"),
      signal("SIGSTOP"),
      pause("3 seconds"),
      signal("SIGCONT"),
      pause("6 seconds"),
      kill,
      pause("2 seconds"),
      start
    ],
    { discard: true }
  )
  /** Its state is removed under load, twice within a window and once after it, before it is frozen and killed. Takes 24 seconds. */
  const flushed = Effect.all([flush, pause("2 seconds"), flush, pause("7 seconds"), flush, frozenAndKilled], {
    discard: true
  })
  return { url, frozenAndKilled, flushed }
})

/** The stores of rate limits and bans in a Redis. */
export const layerStores = (url: string, prefix: string, rest = true) =>
  Layer.merge(RedisRateLimitStore.layer({ prefix, rest }), RedisBanStore.layer({ prefix })).pipe(
    Layer.provide(RedisClient.layerIoredis({ url: Redacted.make(url) }))
  )
