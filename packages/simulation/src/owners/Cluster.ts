/**
 * A stand-in for the cluster: it runs the singleton of an address on one machine at a time, by locks in the shared database that expire. It keeps the
 * times of `FleetCluster.shardingConfig`. As the cluster does, it gives a lock away without waiting for the end of what ran under it, and a machine that
 * was frozen goes on until it hears that its lock is gone.
 */
import type * as Sharding from "@effect/cluster/Sharding"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import type * as Database from "./Database.js"

/** In milliseconds. */
const lockExpiration = 12_000
const refreshEvery = 4_000
const assignEvery = 1_000

interface Lock {
  machine: string
  until: number
}

export type Locks = ReturnType<typeof makeLocks>

/** The locks, in the database. `now` is its clock. */
export const makeLocks = (now: () => number) => {
  const locks = new Map<string, Lock>()
  /** When each machine was last heard of. */
  const heard = new Map<string, number>()
  const isFree = (name: string, machine: string) => {
    const lock = locks.get(name)
    return lock === undefined || lock.machine === machine || lock.until <= now()
  }
  return {
    /** Prolongs the locks of a machine. Returns those that it still has. */
    refresh: (machine: string, names: ReadonlyArray<string>) => {
      heard.set(machine, now())
      const kept = names.filter((name) => locks.get(name)?.machine === machine)
      for (const name of kept) locks.set(name, { machine, until: now() + lockExpiration })
      return kept
    },
    acquire: (machine: string, names: ReadonlyArray<string>) => {
      const acquired = names.filter((name) => isFree(name, machine))
      for (const name of acquired) locks.set(name, { machine, until: now() + lockExpiration })
      return acquired
    },
    release: (machine: string, names: ReadonlyArray<string>) => {
      for (const name of names) if (locks.get(name)?.machine === machine) locks.delete(name)
    },
    leave: (machine: string) => {
      heard.delete(machine)
      for (const [name, lock] of locks) if (lock.machine === machine) locks.delete(name)
    },
    machines: () => [...heard].filter(([, at]) => at > now() - lockExpiration).map(([machine]) => machine)
  }
}

/** Spreads names over machines; a machine that joins or leaves moves its own share alone. */
const score = (name: string, machine: string): number => {
  let hash = 0x811c9dc5
  for (const character of `${name} of ${machine}`) hash = Math.imul(hash ^ character.charCodeAt(0), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

const chosen = (name: string, machines: ReadonlyArray<string>): string | undefined =>
  [...machines].sort((one, other) => score(name, other) - score(name, one)).at(0)

export interface Member {
  readonly sharding: Context.Tag.Service<Sharding.Sharding>
  /** Acquires locks and runs what is registered under them, until it is interrupted: then it ends that, and releases the locks. */
  readonly run: Effect.Effect<never, never, Scope.Scope>
}

type Ask = <A>(operation: string, act: () => A) => Effect.Effect<A, Database.Unreachable>

/** `changed` is called with the names of singletons, `ended` when all of them have been ended on purpose. */
export const member = (
  machine: string,
  locks: Locks,
  ask: Ask,
  changed: (event: "acquired" | "lost", name: string) => void,
  ended: () => void
): Member => {
  const singletons = new Map<string, Effect.Effect<unknown>>()
  const running = new Map<string, Fiber.RuntimeFiber<unknown>>()
  const releasing = new Set<string>()
  let isHealthy = true

  // Of a cluster, `FleetCluster` calls this one.
  const sharding = {
    registerSingleton: <E, R>(name: string, run: Effect.Effect<void, E, R>) =>
      Effect.map(Effect.context<R>(), (context) => {
        singletons.set(name, Effect.scoped(Effect.orDie(Effect.provide(run, context))))
      })
  } as unknown as Context.Tag.Service<Sharding.Sharding>

  const start = (name: string, scope: Scope.Scope) =>
    Effect.gen(function* () {
      const run = singletons.get(name)
      if (run === undefined || running.has(name)) return
      changed("acquired", name)
      running.set(name, yield* Effect.forkIn(Effect.interruptible(run), scope))
    })

  /** Interrupts what runs under a lock, and gives the lock away at once. */
  const lose = (name: string, scope: Scope.Scope) =>
    Effect.gen(function* () {
      const fiber = running.get(name)
      if (fiber === undefined) return
      changed("lost", name)
      running.delete(name)
      releasing.add(name)
      yield* Fiber.interruptFork(fiber)
      const release = Effect.retry(
        Effect.timeout(
          ask("release", () => {
            locks.release(machine, [name])
          }),
          refreshEvery
        ),
        Schedule.spaced(assignEvery)
      )
      yield* Effect.forkIn(
        Effect.ensuring(
          Effect.ignore(release),
          Effect.sync(() => releasing.delete(name))
        ),
        scope
      )
    })

  const refresh = (scope: Scope.Scope) =>
    Effect.gen(function* () {
      const kept = yield* Effect.option(
        Effect.timeout(
          ask("refresh", () => locks.refresh(machine, [...running.keys()])),
          refreshEvery
        )
      )
      isHealthy = kept._tag === "Some"
      for (const name of [...running.keys()]) {
        if (kept._tag === "None" || !kept.value.includes(name)) yield* lose(name, scope)
      }
    })

  const assign = (scope: Scope.Scope) =>
    Effect.gen(function* () {
      const machines = yield* Effect.timeout(ask("machines", locks.machines), refreshEvery)
      const own = [...singletons.keys()].filter((name) => chosen(name, machines) === machine)
      for (const name of [...running.keys()]) if (!own.includes(name)) yield* lose(name, scope)
      const wanted = own.filter((name) => isHealthy && !running.has(name) && !releasing.has(name))
      if (wanted.length === 0) return
      const acquired = yield* Effect.timeout(
        ask("acquire", () => locks.acquire(machine, wanted)),
        refreshEvery
      )
      for (const name of acquired) if (isHealthy && !releasing.has(name)) yield* start(name, scope)
    }).pipe(Effect.ignore)

  const stop = Effect.gen(function* () {
    yield* Fiber.interruptAll(running.values())
    ended()
    const leave = ask("leave", () => {
      locks.leave(machine)
    })
    yield* Effect.ignore(Effect.timeout(Effect.interruptible(leave), refreshEvery))
  })

  const run = Effect.gen(function* () {
    const scope = yield* Effect.scope
    yield* Effect.addFinalizer(() => stop)
    yield* Effect.forkScoped(Effect.repeat(refresh(scope), Schedule.fixed(refreshEvery)))
    return yield* Effect.forever(Effect.zipRight(assign(scope), Effect.sleep(assignEvery)))
  })

  return { sharding, run }
}
