import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Redis } from "ioredis"
import type { ChildProcess } from "node:child_process"
import * as processes from "../processes.js"

/** A private Redis that is disturbed. */
export const make = Effect.gen(function* () {
  const port = yield* processes.freePort
  let current: { readonly server: ChildProcess; readonly scope: Scope.CloseableScope } | undefined
  const start = Effect.gen(function* () {
    const scope = yield* Scope.make()
    current = { scope, server: yield* Scope.extend(processes.redisServer(port), scope) }
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
  /** Takes 15 seconds. */
  const frozenAndKilled = Effect.gen(function* () {
    yield* Effect.sleep("4 seconds")
    yield* signal("SIGSTOP")
    yield* Effect.sleep("3 seconds")
    yield* signal("SIGCONT")
    yield* Effect.sleep("6 seconds")
    yield* kill
    yield* Effect.sleep("2 seconds")
    yield* start
  })
  return {
    url,
    /** Frozen, killed, and started without its state. */
    frozenAndKilled,
    /** Its state is removed under load, twice within a window and once after it, before it is frozen and killed. Takes 24 seconds. */
    flushed: Effect.gen(function* () {
      yield* flush
      yield* Effect.sleep("2 seconds")
      yield* flush
      yield* Effect.sleep("7 seconds")
      yield* flush
      yield* frozenAndKilled
    })
  }
})
