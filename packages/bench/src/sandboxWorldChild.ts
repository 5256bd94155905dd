/**
 * Makes sandboxes that each answer a page of executions and a wallet balance, in a process of its own, started by `sandboxWorlds.ts`, and reports
 * what they cost.
 *
 * @since 0.1.0
 */
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import { used } from "./heap.js"
import * as Requests from "./sandboxRequests.js"

/** Milliseconds of processor time, and MiB of heap for each sandbox. */
export interface Cost {
  /** The median of the first sandbox of a seed, in a process that has made others. */
  readonly fresh: number
  /** The median of the further sandboxes of a seed. */
  readonly next: number
  readonly memory: number
}

const further = 200

/** A sandbox that has answered. */
const answered = (seed: number) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.make({ seed })
    yield* Requests.send(sandbox, yield* Requests.ofMain(sandbox, [Requests.executions, Requests.wallet]), 2)
    return sandbox
  })

/** Sandboxes of one instant share a world: each gets an instant of its own, as under a clock that goes on. */
const laterInstant = (since: number): void => {
  while (Date.now() <= since) {
    // Nothing else runs in this process.
  }
}

const timed = (seeds: ReadonlyArray<number>) =>
  Effect.map(
    Effect.forEach(seeds, (seed) =>
      Effect.gen(function* () {
        laterInstant(Date.now())
        const start = process.cpuUsage()
        const sandbox = yield* answered(seed)
        const { system, user } = process.cpuUsage(start)
        return { sandbox, millis: (system + user) / 1000 }
      })
    ),
    (all) => ({
      sandboxes: all.map(({ sandbox }) => sandbox),
      median: all.map(({ millis }) => millis).sort((one, other) => one - other)[Math.floor(all.length / 2)] ?? 0
    })
  )

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index)

const measured = Effect.gen(function* () {
  yield* timed(range(100, 5))
  const fresh = yield* timed(range(1, 9))
  const before = yield* used
  const next = yield* timed(Array.from({ length: further }, () => 1))
  const after = yield* used
  return {
    fresh: fresh.median,
    next: next.median,
    memory: (after.heap - before.heap) / next.sandboxes.length
  } satisfies Cost
})

process.send?.(await Effect.runPromise(measured))
