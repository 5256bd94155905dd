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
  readonly answered: number
  readonly refused: number
  readonly failed: Readonly<Record<string, number>>
  /** The window, of the mean time from a call to the first one that has its place in the next window. */
  readonly used: number
  /** The smallest share of a process, of their mean. */
  readonly smallestShare: number
  /** Calls answered in the last five seconds. */
  readonly last: number
}

/** The limit of an address. (interface.md, IP limits) */
const limit = { calls: 600, window: 5000 }

// Until all processes are started, and the first window is over, at which a store without state rests.
const warmUp = 12_000

/**
 * How much of the limit is used. Calls go in bursts, one a window, so their number in a time depends on where in a burst it begins; the time
 * from each call to the one 600 later does not.
 */
const usedOf = (answers: ReadonlyArray<number>): number => {
  const windows = Math.floor((answers.length - 1) / limit.calls)
  const cycles = answers.flatMap((at, index) => {
    const later = answers[index + windows * limit.calls]
    return later === undefined || windows === 0 ? [] : [(later - at) / windows]
  })
  return (limit.window * cycles.length) / cycles.reduce((total, cycle) => total + cycle, 0)
}

const reportOf = (works: ReadonlyArray<Work>, end: number): Report => {
  const failed: Record<string, number> = {}
  for (const work of works) {
    for (const [tag, times] of Object.entries(work.failed)) failed[tag] = (failed[tag] ?? 0) + times
  }
  const answers = works.flatMap((work) => work.answers).sort((a, b) => a - b)
  return {
    answered: answers.length,
    refused: works.reduce((total, { refused }) => total + refused, 0),
    failed,
    used: usedOf(answers),
    smallestShare: (Math.min(...works.map((work) => work.answers.length)) * works.length) / answers.length,
    last: answers.filter((at) => at >= end - limit.window).length
  }
}

/** Processes with as many fibers each, that call a sandbox of their own from one address. */
export const run = (options: Options): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const server = Context.get(
      yield* Effect.orDie(Layer.build(Server.layer({ seed: 1, prices: "still", grace: 0 }))),
      Server.Server
    )
    const end = (yield* Clock.currentTimeMillis) + warmUp + options.seconds * 1000
    const order: Order = {
      url: server.url,
      redis: options.redis,
      prefix: `venue-fleet-${yield* Random.nextIntBetween(0, 2 ** 48)}`,
      fibers: options.fibers,
      end
    }
    const children = yield* Effect.replicateEffect(processes.started("./caller.ts", order), options.processes)
    if (options.disturbance !== undefined) yield* Effect.forkScoped(Effect.delay(options.disturbance, warmUp))
    const works = yield* Effect.forEach(children, (child) => processes.reported(child, Work), {
      concurrency: "unbounded"
    })
    return reportOf(works, end)
  }).pipe(Effect.scoped)
