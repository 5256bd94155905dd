import * as Server from "@effect-venue/sandbox/Server"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as processes from "../processes.js"
import { type Order, type Store, Work } from "./work.js"

export interface Options {
  readonly processes: number
  readonly fibers: number
  readonly seconds: number
  readonly store: Store
  /** They use up the limit of one UID, with cancels among their exports; that of their address without it. */
  readonly cancels?: "own limit" | "same limit" | undefined
  /** What happens meanwhile. */
  readonly disturbance?: Effect.Effect<void, never, Scope.Scope> | undefined
}

/** How processes that share a limit have fared, by the sandbox's rolling count. */
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

type Limit = (typeof limits)[keyof typeof limits]

/** How long cancels have waited. */
export interface Waits {
  readonly cancels: number
  /** From asking to the response, in milliseconds. */
  readonly p50: number
  readonly longest: number
  /** The most export pages of other processes that took a place while a cancel was waiting and then found none. */
  readonly overtakes: number
}

/** The limit of an address, and that of a UID on the operation. (docs/reference/rules.md#limits-ip-and-stream) */
const limits = {
  address: { calls: 600, window: 5000 },
  uid: { calls: 10, window: 1000 }
} as const

// Until all processes are started, and the first window is over, at which a store without state rests.
const warmUp = 12_000

/**
 * How much of the limit is used. Calls go in bursts, one a window, so their number in a time depends on where in a burst it begins; the time
 * from each call to the one a whole limit later does not.
 */
const usedOf = (answers: ReadonlyArray<number>, limit: Limit): number => {
  const windows = Math.floor((answers.length - 1) / limit.calls)
  const cycles = answers.flatMap((at, index) => {
    const later = answers[index + windows * limit.calls]
    return later === undefined || windows === 0 ? [] : [(later - at) / windows]
  })
  return (limit.window * cycles.length) / cycles.reduce((total, cycle) => total + cycle, 0)
}

const reportOf = (works: ReadonlyArray<Work>, end: number, limit: Limit): Report => {
  const failed: Record<string, number> = {}
  for (const work of works) {
    for (const [tag, times] of Object.entries(work.failed)) failed[tag] = (failed[tag] ?? 0) + times
  }
  const answers = works.flatMap((work) => work.answers).sort((a, b) => a - b)
  return {
    answered: answers.length,
    refused: works.reduce((total, { refused }) => total + refused, 0),
    failed,
    used: usedOf(answers, limit),
    smallestShare: (Math.min(...works.map((work) => work.answers.length)) * works.length) / answers.length,
    last: answers.filter((at) => at >= end - 5000).length
  }
}

/** Of the cancels from an instant on. */
const waitsOf = (works: ReadonlyArray<Work>, from: number): Waits => {
  const waits: Array<number> = []
  const overtakes = works.flatMap(({ cancels }, process) => {
    const pages = works.filter((_, other) => other !== process).flatMap((work) => work.pages)
    const measured = cancels.filter(({ askedAt }) => askedAt >= from)
    return measured.map(({ answeredAt, askedAt, fullAt }) => {
      waits.push(answeredAt - askedAt)
      return fullAt === undefined ? 0 : pages.filter((at) => at > askedAt && at < fullAt).length
    })
  })
  waits.sort((a, b) => a - b)
  return {
    cancels: waits.length,
    p50: waits[Math.floor(waits.length / 2)] ?? Number.NaN,
    longest: waits[waits.length - 1] ?? Number.NaN,
    overtakes: Math.max(...overtakes)
  }
}

/** Processes with as many fibers each, that call a sandbox of their own. */
const worked = (options: Options) =>
  Effect.gen(function* () {
    const { cancels } = options
    const server = Context.get(
      yield* Effect.orDie(Layer.build(Server.layer({ seed: 1, prices: "still", grace: 0 }))),
      Server.Server
    )
    const { apiKey, apiSecret } = server.credentials.main
    const end = (yield* Clock.currentTimeMillis) + warmUp + options.seconds * 1000
    const order: Order = {
      url: server.url,
      store: options.store,
      uid:
        cancels === undefined
          ? undefined
          : { apiKey: Redacted.value(apiKey), apiSecret: Redacted.value(apiSecret), cancels },
      fibers: options.fibers,
      end
    }
    const children = yield* Effect.replicateEffect(
      processes.started(new URL("./caller.ts", import.meta.url), order),
      options.processes
    )
    if (options.disturbance !== undefined) yield* Effect.forkScoped(Effect.delay(options.disturbance, warmUp))
    const works = yield* Effect.forEach(children, (child) => processes.reported(child, Work), {
      concurrency: "unbounded"
    })
    return { works, end }
  }).pipe(Effect.scoped)

/** On one address. */
export const ofAddress = (options: Omit<Options, "cancels">): Effect.Effect<Report> =>
  Effect.map(worked(options), ({ end, works }) => reportOf(works, end, limits.address))

/** Of one UID, with a fiber more in each process, whose calls go before all others. */
export const ofUid = (options: Options): Effect.Effect<Report & Waits> =>
  Effect.map(worked(options), ({ end, works }) => ({
    ...reportOf(works, end, limits.uid),
    ...waitsOf(works, end - options.seconds * 1000)
  }))
