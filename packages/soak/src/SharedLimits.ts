/**
 * Processes that share their rate limits through Redis: on one address; on one UID, with cancels among exports; while their Redis is frozen, killed or
 * loses its state. The sandbox counts, and refuses calls above a limit. Processes with separate limits are the control: it must refuse their calls.
 */
import * as Server from "@effect-venue/sandbox/Server"
import * as Servers from "@effect-venue/testing/Servers"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Cost from "./limits/Cost.js"
import { type Order, Work } from "./limits/Order.js"
import * as RedisServer from "./limits/RedisServer.js"
import * as Workload from "./shared/Workload.js"
import * as Judged from "./shared/Judged.js"
import * as Processes from "./shared/Processes.js"

export interface Load {
  readonly processes: number
  readonly fibers: number
  readonly seconds: number
}

interface Options extends Load {
  readonly redis?: Order["redis"]
  /** They use up the limit of one UID, with cancels among their exports; that of their address without it. */
  readonly cancels?: "own limit" | "same limit"
  /** What happens meanwhile. */
  readonly disturbance?: Effect.Effect<void, never, Scope.Scope>
}

/** The limit of an address, and that of a UID on the operation. (docs/reference/rules.md#limits-ip-and-stream) */
const limits = {
  address: { calls: 600, window: 5000 },
  uid: { calls: 10, window: 1000 }
} as const

type Limit = (typeof limits)[keyof typeof limits]

// Until all processes are started, and the first window is over, in which a store without state rests.
const warmUp = 12_000

/** Processes with as many fibers each, that call a separate sandbox. */
const runProcesses = (options: Options) =>
  Effect.gen(function* () {
    const { cancels, disturbance, fibers, processes, redis, seconds } = options
    const services = yield* Effect.orDie(Layer.build(Server.layer({ seed: 1, prices: "still", grace: 0 })))
    const server = Context.get(services, Server.Server)
    const { apiKey, apiSecret } = server.credentials.main
    const key = { apiKey: Redacted.value(apiKey), apiSecret: Redacted.value(apiSecret) }
    const end = (yield* Clock.currentTimeMillis) + warmUp + seconds * 1000
    const order: Order = {
      url: server.url,
      redis,
      fibers,
      end,
      uid: cancels === undefined ? undefined : { ...key, cancels }
    }
    const children = yield* Effect.replicateEffect(
      Processes.forkProcess(new URL("./limits/caller.ts", import.meta.url), order),
      processes
    )
    if (disturbance !== undefined) yield* Effect.forkScoped(Effect.delay(disturbance, warmUp))
    const works = yield* Effect.forEach(children, (child) => Processes.readReport(child, Work), {
      concurrency: "unbounded"
    })
    return { works, end, begun: end - seconds * 1000 }
  }).pipe(Effect.scoped)

/**
 * How much of the limit is used. Calls go in bursts, one a window, so their number in a time depends on where in a burst it begins; the time
 * from each call to the one a whole limit later does not.
 */
const useOf = (answers: ReadonlyArray<number>, limit: Limit): number => {
  const windows = Math.floor((answers.length - 1) / limit.calls)
  const cycles = answers.flatMap((at, index) => {
    const later = answers[index + windows * limit.calls]
    return later === undefined || windows === 0 ? [] : [(later - at) / windows]
  })
  return (limit.window * cycles.length) / cycles.reduce((total, cycle) => total + cycle, 0)
}

const reportOf = (works: ReadonlyArray<Work>, end: number, limit: Limit) => {
  const answers = works.flatMap((work) => work.answers).sort((a, b) => a - b)
  return {
    answered: answers.length,
    refused: works.reduce((total, { refused }) => total + refused, 0),
    failed: Workload.sumCounts(works.map(({ failed }) => failed)),
    used: useOf(answers, limit),
    /** The smallest share of a process, of their mean. */
    smallestShare: (Math.min(...works.map((work) => work.answers.length)) * works.length) / answers.length,
    /** Calls answered in the last five seconds. */
    last: answers.filter((at) => at >= end - 5000).length
  }
}

/** How long cancels waited, and the most export pages of other processes that took a place while a cancel waited and then found none. */
const waitsOf = (works: ReadonlyArray<Work>, from: number) => {
  const waits: Array<number> = []
  const overtakes = works.flatMap(({ cancels }, process) => {
    const pages = works.filter((_, other) => other !== process).flatMap((work) => work.pages)
    return cancels.flatMap(({ answeredAt, askedAt, fullAt }) => {
      if (askedAt < from) return []
      waits.push(answeredAt - askedAt)
      return [fullAt === undefined ? 0 : pages.filter((at) => at > askedAt && at < fullAt).length]
    })
  })
  waits.sort((a, b) => a - b)
  return {
    cancels: waits.length,
    p50: waits[Math.floor(waits.length / 2)] ?? Number.NaN,
    longest: waits.at(-1) ?? Number.NaN,
    overtakes: Math.max(...overtakes)
  }
}

const newPrefix = Effect.map(Random.nextIntBetween(0, 2 ** 48), (number) => `venue-limits-${number.toString(36)}`)

/** On one address. */
export const onAddress = (options: Omit<Options, "cancels">) =>
  Effect.map(runProcesses(options), ({ end, works }) => reportOf(works, end, limits.address))

/** On one UID, with a fiber more in each process, whose calls go before all others. */
const onUid = (options: Options) =>
  Effect.map(runProcesses(options), ({ begun, end, works }) => ({
    ...reportOf(works, end, limits.uid),
    ...waitsOf(works, begun)
  }))

/** Through one Redis that is disturbed. */
const disturbRedis = (load: Load, name: "flushed" | "frozenAndKilled") =>
  Effect.gen(function* () {
    const redis = yield* RedisServer.make
    const options = { ...load, seconds: Math.max(load.seconds, 40) }
    return yield* onAddress({ ...options, redis: { url: redis.url, prefix: "venue" }, disturbance: redis[name] })
  }).pipe(Effect.scoped)

/** The calls of a part that the service refused for their rate, as the judges of the simulation see them. */
const refusalsOf = (refused: number): ReadonlyArray<string> => {
  const refusal = {
    _tag: "Arrived",
    call: "",
    wishes: [],
    executed: [],
    code: 10006,
    status: 200,
    isCopy: false
  } as const
  const facts = Array.from({ length: refused }, (_, sending) => ({ ...refusal, sending }))
  return Judged.problems(facts, { isLimitOurs: true })
}

/** A part of the workload: its figures, the bounds that they have to keep, and what the judges find in it. */
const part = <A extends object>(
  name: string,
  measured: Effect.Effect<A>,
  bounds: (figures: A, found: ReadonlyArray<string>) => Readonly<Record<string, boolean>>
): Effect.Effect<Workload.Report> =>
  Effect.map(measured, (figures) => {
    const found = refusalsOf("refused" in figures ? Number(figures.refused) : 0)
    const kept = { "without refusals": found.length === 0, ...bounds(figures, found) }
    const broken = Object.entries(kept).filter(([, isKept]) => !isKept)
    return {
      figures: { [name]: figures },
      problems: broken.map(([bound]) => `${name}: not ${bound}: ${JSON.stringify(figures)} ${found[0] ?? ""}`)
    }
  })

export const runSharedLimits = (load: Load) =>
  Effect.gen(function* () {
    const { isSkipped, label, url } = yield* Effect.promise(() => Servers.redis())
    if (isSkipped) return yield* Effect.dieMessage(label)
    const redis = Effect.map(newPrefix, (prefix) => ({ url, prefix }))
    const through = <A>(run: (options: Options) => Effect.Effect<A>, more: Partial<Options> = {}) =>
      Effect.flatMap(redis, (redis) => run({ ...load, ...more, redis }))
    const cost = Effect.flatMap(newPrefix, (prefix) =>
      Effect.provide(Cost.measure(16, 10), RedisServer.layerStores(url, prefix, false))
    )
    const parts = yield* Effect.all([
      part("cost", cost, ({ p99, pairsPerSecond }) => ({
        "5,000 pairs a second": pairsPerSecond >= 5000,
        "p99 within 10 ms": p99 <= 10
      })),
      part("address", through(onAddress), ({ smallestShare, used }) => ({
        "97 % of the limit used": used >= 0.97,
        "shared fairly": smallestShare >= 0.7
      })),
      part("uid", through(onUid, { cancels: "own limit" }), ({ overtakes, used }) => ({
        "95 % of the limit used": used >= 0.95,
        "cancels first": overtakes <= 1
      })),
      // Nine of ten places are the exports'.
      part("uid, one limit", through(onUid, { cancels: "same limit" }), ({ overtakes, used }) => ({
        "85 % of the limit used": used >= 0.85,
        "cancels first": overtakes <= 1
      })),
      ...(["frozenAndKilled", "flushed"] as const).map((name) =>
        part(name, disturbRedis(load, name), ({ last }) => ({
          "at work at the end": last > 0
        }))
      ),
      part("alone", onAddress({ ...load, seconds: 5 }), (_, { length }) => ({
        "without refusals": true,
        "a control": length > 0
      }))
    ])
    return {
      problems: parts.flatMap(({ problems }) => problems),
      // Figures of each part have the type of a report's; Object.assign forgets it.
      figures: Object.assign({}, ...parts.map(({ figures }) => figures)) as Workload.Report["figures"]
    }
  })

export const workload: Workload.Workload = {
  title: "processes that share rate limits through Redis",
  defaults: { processes: 4, fibers: 16, seconds: 30 },
  run: (option) =>
    runSharedLimits({ processes: option("processes"), fibers: option("fibers"), seconds: option("seconds") })
}
