/**
 * How often the service may be called. A call is charged to all budgets it falls under at once, and waits until each of them
 * has room.
 *
 * The windows are exact: a call counts from its sending until one window after its answer. The service counts it at some
 * instant in between, so whatever the latency, it never sees more than the limit in any window.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * @since 0.1.0
 * @category tags
 */
export class Budgets extends Context.Tag("@effect-venue/transport/Budgets")<Budgets, Budgets.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace Budgets {
  /**
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** Waits until every charge fits, takes all of them in one step, and runs the call. */
    readonly charged: (
      charges: ReadonlyArray<Charge>
    ) => <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** The service says that a budget is used up until an instant, in milliseconds. */
    readonly exhausted: (key: string, until: number) => Effect.Effect<void>
  }
}

/**
 * What a call takes from one budget.
 *
 * @since 0.1.0
 * @category models
 */
export interface Charge {
  readonly key: string
  readonly limit: number
  readonly window: Duration.Duration
  readonly cost: number
}

/**
 * The IP's budget: 600 calls in 5 seconds over all traffic to the host. (interface.md, IP limits)
 *
 * @since 0.1.0
 * @category constants
 */
export const perIp = { count: 600, window: Duration.seconds(5) } as const

interface Taken {
  readonly cost: number
  /** When the answer came; infinite while it has not. */
  settledAt: number
}

interface Budget {
  readonly taken: Array<Taken>
  closedUntil: number
}

type Wait = (until: Effect.Effect<void>) => Effect.Effect<void>

// The service's clock ticks in milliseconds too: one more is kept between windows, so that rounding cannot bring two together.
const margin = 1

/**
 * Budgets in the memory of this process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeMemory: Effect.Effect<Budgets.Shape> = Effect.sync(() => {
  const budgets = new Map<string, Budget>()

  const budgetOf = (key: string): Budget => {
    const known = budgets.get(key)
    if (known !== undefined) return known
    const budget: Budget = { taken: [], closedUntil: Number.NEGATIVE_INFINITY }
    budgets.set(key, budget)
    return budget
  }

  /** The earliest instant at which the charge may fit; `now` or earlier when it fits already. */
  const freeAt = ({ cost, key, limit, window }: Charge, now: number): number => {
    const budget = budgetOf(key)
    const span = Duration.toMillis(window) + margin
    const gone = budget.taken.findIndex(({ settledAt }) => settledAt + span > now)
    budget.taken.splice(0, gone === -1 ? budget.taken.length : gone)
    const expiries = budget.taken
      .map((taken) => ({ cost: taken.cost, at: taken.settledAt + span }))
      .sort((one, other) => one.at - other.at)
    let used = expiries.reduce((sum, taken) => sum + taken.cost, 0)
    // A call that costs more than the whole limit is let through alone: waiting would not make it smaller.
    const allowed = Math.max(limit - cost, 0)
    let at = now
    for (const expiry of expiries) {
      if (used <= allowed) break
      used -= expiry.cost
      at = expiry.at
    }
    return Math.max(at, budget.closedUntil)
  }

  // Those who wait for the answer of another call, since only then is it known when its place is free again.
  const waiting = new Set<() => void>()
  const nextAnswer = Effect.async<void>((resume) => {
    const wake = () => resume(Effect.void)
    waiting.add(wake)
    return Effect.sync(() => waiting.delete(wake))
  })

  const reserve = (charges: ReadonlyArray<Charge>, wait: Wait): Effect.Effect<ReadonlyArray<Taken>> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const at = Math.max(...charges.map((charge) => freeAt(charge, now)))
      if (at > now) {
        return Effect.zipRight(
          wait(Number.isFinite(at) ? Effect.sleep(at - now) : nextAnswer),
          Effect.suspend(() => reserve(charges, wait))
        )
      }
      return Effect.succeed(
        charges.map(({ cost, key }) => {
          const taken: Taken = { cost, settledAt: Number.POSITIVE_INFINITY }
          budgetOf(key).taken.push(taken)
          return taken
        })
      )
    })

  const settle = (taken: ReadonlyArray<Taken>): Effect.Effect<void> =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      for (const one of taken) one.settledAt = now
      const woken = [...waiting]
      waiting.clear()
      for (const wake of woken) wake()
    })

  return {
    charged: (charges) => (call) =>
      charges.length === 0
        ? call
        : Effect.uninterruptibleMask((restore) =>
            // Only the waiting can be interrupted: between taking and settling nothing may get lost.
            Effect.flatMap(reserve(charges, restore), (taken) => Effect.ensuring(restore(call), settle(taken)))
          ),
    exhausted: (key, until) =>
      Effect.sync(() => {
        const budget = budgetOf(key)
        budget.closedUntil = Math.max(budget.closedUntil, until)
      })
  }
})

/**
 * Budgets in the memory of this process, shared by everything that the layer is given to.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<Budgets> = Layer.effect(Budgets, makeMemory)
