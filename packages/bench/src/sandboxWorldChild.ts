/**
 * Makes sandboxes in a process of its own, started by `sandboxWorlds.ts`, and reports what they cost: `made` only makes them, `balance`
 * also answers a wallet balance of each one's main account, `everything` looks at all of each one's world.
 *
 * @since 0.1.0
 */
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as State from "@effect-venue/sandbox/State"
import * as Effect from "effect/Effect"
import { used } from "./heap.js"
import * as Requests from "./sandboxRequests.js"

export interface Cost {
  /** Milliseconds of processor time of the first sandbox, and the median of the others. */
  readonly first: number
  readonly next: number
  /** MiB of heap for each sandbox besides the first. */
  readonly memory: number
}

const [look = "made", count = "200"] = process.argv.slice(2)

const walk = (value: unknown): number =>
  typeof value !== "object" || value === null
    ? 1
    : value instanceof Map
      ? Array.from(value.values()).reduce<number>((sum, item) => sum + walk(item), 0)
      : Array.isArray(value)
        ? value.length
        : Object.values(value).reduce<number>((sum, item) => sum + walk(item), 0)

const lookAt = (state: State.State): number =>
  Array.from(state.accounts.values()).reduce((sum, account) => sum + walk(account), walk(state.listings))

const make: Effect.Effect<Sandbox.Sandbox.Shape> =
  look === "balance"
    ? Effect.flatMap(Requests.prepare, ({ requests, sandbox }) =>
        Effect.as(Requests.send(sandbox, requests.slice(0, 1), 1), sandbox)
      )
    : Effect.tap(Sandbox.make({ seed: 1 }), (sandbox) =>
        look === "everything" ? Effect.map(sandbox.snapshot, lookAt) : Effect.void
      )

/** Sandboxes of one instant share a world: each gets an instant of its own, as under a clock that goes on. */
const laterInstant = (since: number): void => {
  while (Date.now() <= since) {
    // Nothing else runs in this process.
  }
}

const measured = Effect.gen(function* () {
  const kept: Array<Sandbox.Sandbox.Shape> = []
  const times: Array<number> = []
  let first = { heap: 0 }
  for (let index = 0; index < Number(count); index++) {
    laterInstant(Date.now())
    const start = process.cpuUsage()
    kept.push(yield* make)
    const { system, user } = process.cpuUsage(start)
    times.push((system + user) / 1000)
    if (index === 0) first = yield* used
  }
  const last = yield* used
  const others = times.slice(1).sort((one, other) => one - other)
  return {
    first: times[0] ?? 0,
    next: others[Math.floor(others.length / 2)] ?? 0,
    memory: (last.heap - first.heap) / Math.max(1, kept.length - 1)
  } satisfies Cost
})

process.send?.(await Effect.runPromise(measured))
