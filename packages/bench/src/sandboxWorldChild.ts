/**
 * Creates sandboxes that each return a page of executions and a wallet balance, in a separate process started by `sandboxWorlds.ts`, and
 * reports their cost.
 *
 * @since 0.1.0
 */
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Effect from "effect/Effect"
import { used } from "./heap.js"
import * as Requests from "./sandboxRequests.js"

/** Milliseconds of processor time, and MiB of heap per sandbox. */
export interface Cost {
  /** The median cost of the first sandbox of a seed, in a process that has created others. */
  readonly fresh: number
  /** The median cost of further sandboxes of the seed. */
  readonly next: number
  readonly memory: number
}

const further = 200

/** A sandbox that has served its requests. */
const answered = (seed: number) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.make({ seed })
    yield* Requests.send(sandbox, yield* Requests.ofMain(sandbox, [Requests.executions, Requests.wallet]), 2)
    return sandbox
  })

/** Each sandbox gets a different instant, as with a running clock. Those of one second share a world. */
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
      median: all.map(({ millis }) => millis).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0
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
