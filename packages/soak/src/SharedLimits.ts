/**
 * Processes that share the rate limit of their address through Redis, also while it is frozen, killed or loses its state. The sandbox counts, and refuses
 * calls above the limit. Processes with separate limits are the control: it must refuse their calls.
 */
import * as Server from "@effect-venue/sandbox/Server"
import * as Servers from "@effect-venue/testing/Servers"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import { type Order, Work } from "./limits/Order.js"
import * as RedisServer from "./limits/RedisServer.js"
import * as Workload from "./shared/Workload.js"
import * as Processes from "./shared/Processes.js"

export interface Load {
  readonly processes: number
  readonly fibers: number
  readonly seconds: number
}

interface Options extends Load {
  readonly redis?: Order["redis"]
  /** What happens meanwhile. */
  readonly disturbance?: Effect.Effect<void, never, Scope.Scope>
}

/** The limit of an address. (docs/reference/rules.md#limits-ip-and-stream) */
const limit = { calls: 600, window: 5000 }

// Until all processes are started, and the first window is over, in which a store without state rests.
const warmUp = 12_000

/** Processes with as many fibers each, that call a separate sandbox. */
const runProcesses = (options: Options) =>
  Effect.gen(function* () {
    const { disturbance, fibers, processes, redis, seconds } = options
    const services = yield* Effect.orDie(Layer.build(Server.layer({ seed: 1, prices: "still", grace: 0 })))
    const server = Context.get(services, Server.Server)
    const end = (yield* Clock.currentTimeMillis) + warmUp + seconds * 1000
    const order: Order = { url: server.url, redis, fibers, end }
    const children = yield* Effect.replicateEffect(
      Processes.forkProcess(new URL("./limits/caller.ts", import.meta.url), order),
      processes
    )
    if (disturbance !== undefined) yield* Effect.forkScoped(Effect.delay(disturbance, warmUp))
    const works = yield* Effect.forEach(children, (child) => Processes.readReport(child, Work), {
      concurrency: "unbounded"
    })
    return { works, end }
  }).pipe(Effect.scoped)

/**
 * How much of the limit is used. Calls go in bursts, one a window, so their number in a time depends on where in a burst it begins; the time
 * from each call to the one a whole limit later does not.
 */
const useOf = (answers: ReadonlyArray<number>): number => {
  const windows = Math.floor((answers.length - 1) / limit.calls)
  const cycles = answers.flatMap((at, index) => {
    const later = answers[index + windows * limit.calls]
    return later === undefined || windows === 0 ? [] : [(later - at) / windows]
  })
  return (limit.window * cycles.length) / cycles.reduce((total, cycle) => total + cycle, 0)
}

const reportOf = (works: ReadonlyArray<Work>, end: number) => {
  const answers = works.flatMap((work) => work.answers).sort((a, b) => a - b)
  const failed = works.flatMap((work) => work.failed)
  const isRefused = (tag: string) => tag === "Banned" || tag === "RateLimited"
  return {
    answered: answers.length,
    refused: failed.filter(isRefused).length,
    failed: Workload.countNames(failed.filter((tag) => !isRefused(tag))),
    used: useOf(answers),
    /** The smallest share of a process, of their mean. */
    smallestShare: (Math.min(...works.map((work) => work.answers.length)) * works.length) / answers.length,
    /** Calls answered in the last five seconds. */
    last: answers.filter((at) => at >= end - 5000).length
  }
}

type Figures = ReturnType<typeof reportOf>

const newPrefix = Effect.map(Random.nextIntBetween(0, 2 ** 48), (number) => `venue-limits-${number.toString(36)}`)

export const onAddress = (options: Options) =>
  Effect.map(runProcesses(options), ({ end, works }) => reportOf(works, end))

/** Through one Redis that is disturbed. */
const disturbRedis = (load: Load, name: "flushed" | "frozenAndKilled") =>
  Effect.gen(function* () {
    const redis = yield* RedisServer.make
    const options = { ...load, seconds: Math.max(load.seconds, 40) }
    return yield* onAddress({ ...options, redis: { url: redis.url, prefix: "venue" }, disturbance: redis[name] })
  }).pipe(Effect.scoped)

/** The bounds that the figures of the parts have to keep. */
const bounds: Readonly<Record<string, (figures: Figures) => Readonly<Record<string, boolean>>>> = {
  address: ({ refused, smallestShare, used }) => ({
    "without refusals": refused === 0,
    "97 % of the limit used": used >= 0.97,
    "shared fairly": smallestShare >= 0.7
  }),
  frozenAndKilled: ({ last, refused }) => ({ "without refusals": refused === 0, "at work at the end": last > 0 }),
  flushed: ({ last, refused }) => ({ "without refusals": refused === 0, "at work at the end": last > 0 }),
  alone: ({ refused }) => ({ "a control": refused > 0 })
}

export const runSharedLimits = (load: Load): Effect.Effect<Workload.Report> =>
  Effect.gen(function* () {
    const { isSkipped, label, url } = yield* Effect.promise(() => Servers.redis())
    if (isSkipped) return yield* Effect.dieMessage(label)
    const figures: Readonly<Record<string, Figures>> = yield* Effect.all({
      address: onAddress({ ...load, redis: { url, prefix: yield* newPrefix } }),
      frozenAndKilled: disturbRedis(load, "frozenAndKilled"),
      flushed: disturbRedis(load, "flushed"),
      alone: onAddress({ ...load, seconds: 5 })
    })
    const problems = Object.entries(figures).flatMap(([name, part]) =>
      Object.entries(bounds[name]?.(part) ?? {}).flatMap(([bound, isKept]) =>
        isKept ? [] : [`${name}: not ${bound}: ${JSON.stringify(part)}`]
      )
    )
    return { problems, figures }
  })

export const workload: Workload.Workload = {
  title: "processes that share rate limits through Redis",
  defaults: { processes: 4, fibers: 16, seconds: 30 },
  run: (option) =>
    runSharedLimits({ processes: option("processes"), fibers: option("fibers"), seconds: option("seconds") })
}
