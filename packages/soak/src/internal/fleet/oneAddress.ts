import * as Server from "@effect-venue/sandbox/Server"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import type * as Scope from "effect/Scope"
import * as processes from "./processes.js"
import { type Order, Work } from "./work.js"

export interface Options {
  readonly processes: number
  readonly fibers: number
  readonly seconds: number
  /** The address of Redis; limits in the memory of each process without it. */
  readonly redis?: string | undefined
  /** What happens meanwhile. */
  readonly disturbance?: Effect.Effect<void, never, Scope.Scope> | undefined
}

/** How processes that call from one address have fared, by the sandbox's rolling count. */
export interface Report {
  readonly refused: number
  readonly failed: Readonly<Record<string, number>>
  /** Calls answered, of those that the limit has room for in the time. */
  readonly used: number
  /** The smallest share of a process, of their mean. */
  readonly smallestShare: number
  /** Calls answered in the last five seconds. */
  readonly last: number
}

/** The limit of an address. (interface.md, IP limits) */
const callsASecond = 120

// Until all processes are started, and the first window is over, at which a store without state rests.
const warmUp = 15_000

const reportOf = (works: ReadonlyArray<Work>, { processes: count, seconds }: Options): Report => {
  const sum = (of: (work: Work) => number) => works.reduce((total, work) => total + of(work), 0)
  const failed: Record<string, number> = {}
  for (const work of works) {
    for (const [tag, times] of Object.entries(work.failed)) failed[tag] = (failed[tag] ?? 0) + times
  }
  const counted = sum((work) => work.counted)
  return {
    refused: sum(({ refused }) => refused),
    failed,
    used: counted / (seconds * callsASecond),
    smallestShare: (Math.min(...works.map((work) => work.counted)) * count) / counted,
    last: sum(({ last }) => last)
  }
}

/** Processes with as many fibers each, that call a sandbox of their own from one address. */
export const run = (options: Options): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const server = Context.get(
      yield* Effect.orDie(Layer.build(Server.layer({ seed: 1, prices: "still", grace: 0 }))),
      Server.Server
    )
    const from = (yield* Clock.currentTimeMillis) + warmUp
    const order: Order = {
      url: server.url,
      redis: options.redis,
      prefix: `venue-fleet-${yield* Random.nextIntBetween(0, 2 ** 48)}`,
      fibers: options.fibers,
      from,
      to: from + options.seconds * 1000
    }
    const children = yield* Effect.replicateEffect(processes.started("./caller.ts", order), options.processes)
    if (options.disturbance !== undefined)
      yield* Effect.forkScoped(Effect.delay(options.disturbance, warmUp))
    const works = yield* Effect.forEach(children, (child) => processes.reported(child, Work), {
      concurrency: "unbounded"
    })
    return reportOf(works, options)
  }).pipe(Effect.scoped)
