/**
 * A stand-in for the cluster: it runs the singleton of an address on one machine at a time, by locks in the shared database that expire. It keeps the
 * times of `FleetCluster.shardingConfig`. As the cluster does, it gives a lock away without waiting for the end of what ran under it, and a machine that
 * was frozen goes on until it hears that its lock is gone.
 */
import type * as Sharding from "@effect/cluster/Sharding"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Hash from "effect/Hash"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"

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

/** Spreads names over machines; a machine that joins or leaves moves only its share. */
const chosen = (name: string, machines: ReadonlyArray<string>): string | undefined => {
  const score = (machine: string) => Math.imul(Hash.string(`${name} of ${machine}`), 0x9e3779b1)
  return [...machines].sort((one, other) => score(other) - score(one)).at(0)
}

export interface Member {
  readonly sharding: Context.Tag.Service<Sharding.Sharding>
  /** Acquires locks and runs what is registered under them, until it is interrupted: then it ends that, and releases the locks. */
  readonly run: Effect.Effect<never, never, Scope.Scope>
}

export interface Options {
  readonly machine: string
  readonly locks: Locks
  readonly ask: <A>(operation: string, act: () => A) => Effect.Effect<A, unknown>
  /** Called with the names of singletons. */
  readonly changed: (event: "acquired" | "lost", name: string) => void
  /** Called when all of them have been ended on purpose. */
  readonly ended: () => void
}

/** The singletons of a machine, and the locks under which they run. */
class Membership {
  readonly singletons = new Map<string, Effect.Effect<unknown>>()
  readonly running = new Map<string, Fiber.RuntimeFiber<unknown>>()
  readonly releasing = new Set<string>()
  isHealthy = true

  constructor(
    readonly options: Options,
    readonly scope: Scope.Scope
  ) {}

  /** An operation of the database, with a time limit. */
  asked<A>(operation: string, act: () => A) {
    return Effect.timeout(this.options.ask(operation, act), refreshEvery)
  }

  readonly refresh = Effect.suspend(() => {
    const { locks, machine } = this.options
    const names = () => [...this.running.keys()]
    return Effect.flatMap(Effect.option(this.asked("refresh", () => locks.refresh(machine, names()))), (kept) => {
      this.isHealthy = kept._tag === "Some"
      const lost = names().filter((name) => kept._tag === "None" || !kept.value.includes(name))
      return Effect.forEach(lost, (name) => this.lose(name), { discard: true })
    })
  })

  readonly assign = Effect.suspend(() => this.reassign()).pipe(Effect.ignore)

  private reassign() {
    const { locks, machine } = this.options
    return Effect.gen(this, function* () {
      const machines = yield* this.asked("machines", locks.machines)
      const own = [...this.singletons.keys()].filter((name) => chosen(name, machines) === machine)
      for (const name of [...this.running.keys()]) if (!own.includes(name)) yield* this.lose(name)
      const wanted = own.filter((name) => this.isHealthy && !this.running.has(name) && !this.releasing.has(name))
      if (wanted.length === 0) return
      const acquired = yield* this.asked("acquire", () => locks.acquire(machine, wanted))
      for (const name of acquired) if (this.isHealthy && !this.releasing.has(name)) yield* this.start(name)
    })
  }

  private start(name: string) {
    return Effect.gen(this, function* () {
      const run = this.singletons.get(name)
      if (run === undefined || this.running.has(name)) return
      this.options.changed("acquired", name)
      this.running.set(name, yield* Effect.forkIn(Effect.interruptible(run), this.scope))
    })
  }

  /** Interrupts the fiber that runs under a lock, and gives the lock away at once. */
  private lose(name: string) {
    return Effect.gen(this, function* () {
      const { changed, locks, machine } = this.options
      const fiber = this.running.get(name)
      if (fiber === undefined) return
      changed("lost", name)
      this.running.delete(name)
      this.releasing.add(name)
      yield* Fiber.interruptFork(fiber)
      const release = Effect.retry(
        this.asked("release", () => locks.release(machine, [name])),
        Schedule.spaced(assignEvery)
      )
      const released = Effect.sync(() => this.releasing.delete(name))
      yield* Effect.forkIn(Effect.ensuring(Effect.ignore(release), released), this.scope)
    })
  }

  readonly stop = Effect.suspend(() => {
    const { ask, ended, locks, machine } = this.options
    const leave = ask("leave", () => locks.leave(machine))
    return Fiber.interruptAll(this.running.values()).pipe(
      Effect.zipRight(Effect.sync(ended)),
      Effect.zipRight(Effect.ignore(Effect.timeout(Effect.interruptible(leave), refreshEvery)))
    )
  })
}

/** The cluster as a machine takes part in it. */
export const member = (options: Options): Member => {
  const registered = new Map<string, Effect.Effect<unknown>>()
  // Of a cluster, `FleetCluster` calls this one.
  const sharding = {
    registerSingleton: <E, R>(name: string, run: Effect.Effect<void, E, R>) =>
      Effect.map(Effect.context<R>(), (context) => {
        registered.set(name, Effect.scoped(Effect.orDie(Effect.provide(run, context))))
      })
  } as unknown as Context.Tag.Service<Sharding.Sharding>

  const run = Effect.gen(function* () {
    const membership = new Membership(options, yield* Effect.scope)
    for (const [name, singleton] of registered) membership.singletons.set(name, singleton)
    yield* Effect.addFinalizer(() => membership.stop)
    yield* Effect.forkScoped(Effect.repeat(membership.refresh, Schedule.fixed(refreshEvery)))
    return yield* Effect.forever(Effect.zipRight(membership.assign, Effect.sleep(assignEvery)))
  })
  return { sharding, run }
}
