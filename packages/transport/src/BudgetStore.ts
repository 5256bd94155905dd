/**
 * Where the budgets are kept. One operation decides: it takes every charge of a call in one step, or none and says when to
 * ask again. A store that several processes share needs nothing more than to do this atomically.
 *
 * The windows are exact: a call counts from its sending until one window after its answer. The service counts it at some
 * instant in between, so whatever the latency, it never sees more than the limit in any window.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Usage } from "./internal/usage.js"

/**
 * @since 0.1.0
 * @category tags
 */
export class BudgetStore extends Context.Tag("@effect-venue/transport/BudgetStore")<BudgetStore, BudgetStore.Shape>() {}

/**
 * @since 0.1.0
 */
export declare namespace BudgetStore {
  /**
   * All instants are milliseconds of the caller's clock.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** Takes all charges, or none of them. */
    readonly reserve: (charges: ReadonlyArray<Charge>, now: number) => Effect.Effect<Reservation>
    /** The answer came, or the call was given up: its places are free again one window from now. */
    readonly settle: (ticket: Ticket, now: number, settlement: Settlement) => Effect.Effect<void>
    /** What the service said about a budget. */
    readonly observe: (charge: Charge, observation: Observation) => Effect.Effect<void>
    /** How a budget stands. */
    readonly state: (charge: Charge, now: number) => Effect.Effect<State>
  }
}

/**
 * What a call takes from one budget. `limit` is what is known without asking the service.
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
 * What was taken, to be settled later.
 *
 * @since 0.1.0
 * @category models
 */
export interface Ticket {
  readonly id: number
  readonly charges: ReadonlyArray<Charge>
}

/**
 * `counted`: the service may have counted the call. `unsent`: it provably never got it, so its places are free at once.
 * `refused`: the service refused it for its limit, so it does not count.
 *
 * @since 0.1.0
 * @category models
 */
export type Settlement = "counted" | "unsent" | "refused"

/**
 * `Full`: `keys` had no room; `retryAt` is when they may have, infinite when that depends on an answer that is still out.
 *
 * @since 0.1.0
 * @category models
 */
export type Reservation =
  | { readonly _tag: "Taken"; readonly ticket: Ticket }
  | { readonly _tag: "Full"; readonly keys: ReadonlyArray<string>; readonly retryAt: number }

/**
 * What an answer tells about a budget, as far as it tells anything. `sentAt` orders observations: one that was overtaken by a
 * later call's is stale.
 *
 * @since 0.1.0
 * @category models
 */
export interface Observation {
  readonly sentAt: number
  readonly receivedAt: number
  /** The limit that the service says is in force. */
  readonly limit?: number | undefined
  /** How many calls the service says are left. */
  readonly remaining?: number | undefined
  /** The call was refused for the limit. */
  readonly refused: boolean
  /** When the service says it takes calls again, by the caller's clock. */
  readonly resetAt?: number | undefined
}

/**
 * How a budget stands: the limit in force, how many calls it has room for now, and when it next has room for one.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly limit: number
  readonly remaining: number
  readonly nextFreeAt: number
}

interface Budget {
  readonly usage: Usage
  closedUntil: number
  observedAt: number
  /** The limit that the service was seen to keep, and until when that is believed. */
  learnt: { readonly limit: number; readonly until: number } | undefined
}

// The service's clock ticks in milliseconds too: one more is kept between windows, so that rounding cannot bring two together.
const margin = 1

// A limit that was only guessed from a refusal is not believed forever: whoever used up the rest may be gone.
const guessLasts = Duration.toMillis("10 minutes")

const absurdlyHigh = 1_000_000

const isSane = (limit: number | undefined): limit is number =>
  limit !== undefined && Number.isInteger(limit) && limit > 0 && limit <= absurdlyHigh

/**
 * Budgets in the memory of this process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeMemory: Effect.Effect<BudgetStore.Shape> = Effect.sync(() => {
  const budgets = new Map<string, Budget>()
  let tickets = 0

  const budgetOf = (key: string): Budget => {
    const known = budgets.get(key)
    if (known !== undefined) return known
    const budget: Budget = {
      usage: new Usage(),
      closedUntil: Number.NEGATIVE_INFINITY,
      observedAt: Number.NEGATIVE_INFINITY,
      learnt: undefined
    }
    budgets.set(key, budget)
    return budget
  }

  const spanOf = ({ window }: Charge): number => Duration.toMillis(window) + margin

  const limitOf = (charge: Charge, budget: Budget, now: number): number =>
    budget.learnt !== undefined && now < budget.learnt.until ? budget.learnt.limit : charge.limit

  const forget = (charge: Charge, { usage }: Budget, now: number): void => {
    usage.forget(now - spanOf(charge))
  }

  /** The earliest instant at which the charge fits; `now` or earlier when it fits already. */
  const freeAt = (charge: Charge, now: number): number => {
    const budget = budgetOf(charge.key)
    forget(charge, budget, now)
    // A call that costs more than the whole limit is let through alone: waiting would not make it smaller.
    const allowed = Math.max(limitOf(charge, budget, now) - charge.cost, 0)
    let { used } = budget.usage
    if (used <= allowed) return Math.max(now, budget.closedUntil)
    const span = spanOf(charge)
    let at = now
    for (const taken of budget.usage.all()) {
      used -= taken.cost
      at = taken.settledAt + span
      if (used <= allowed) break
    }
    return Math.max(at, budget.closedUntil)
  }

  const reserve = (charges: ReadonlyArray<Charge>, now: number): Reservation => {
    const full = charges.map((charge) => ({ key: charge.key, at: freeAt(charge, now) })).filter(({ at }) => at > now)
    if (full.length > 0) {
      return { _tag: "Full", keys: full.map(({ key }) => key), retryAt: Math.max(...full.map(({ at }) => at)) }
    }
    const id = ++tickets
    for (const { cost, key } of charges) {
      budgetOf(key).usage.take(id, cost, now)
    }
    return { _tag: "Taken", ticket: { id, charges } }
  }

  const settle = ({ charges, id }: Ticket, now: number, settlement: Settlement): void => {
    for (const charge of charges) {
      const { usage } = budgetOf(charge.key)
      if (settlement === "unsent") usage.giveBack(id)
      else usage.settle(id, now)
    }
  }

  /** Calls that the service counts and we did not make: somebody else uses the same UID. */
  const takeForOthers = (charge: Charge, budget: Budget, limit: number, observation: Observation): void => {
    if (observation.remaining === undefined || observation.remaining < 0) return
    const ours = budget.usage.between(observation.receivedAt, observation.sentAt - spanOf(charge))
    const theirs = limit - observation.remaining - ours
    if (theirs > 0) budget.usage.takeSettled(++tickets, theirs, observation.receivedAt)
  }

  const observe = (charge: Charge, observation: Observation): void => {
    const budget = budgetOf(charge.key)
    const { limit, receivedAt, refused, resetAt, sentAt } = observation
    const span = spanOf(charge)
    if (sentAt >= budget.observedAt) {
      budget.observedAt = sentAt
      if (isSane(limit)) {
        budget.learnt = limit === charge.limit ? undefined : { limit, until: Number.POSITIVE_INFINITY }
        takeForOthers(charge, budget, limit, observation)
      }
    }
    if (!refused) return
    const isResetSane = resetAt !== undefined && resetAt > receivedAt && resetAt <= receivedAt + span
    budget.closedUntil = Math.max(budget.closedUntil, isResetSane ? resetAt : receivedAt + span)
    if (!isSane(limit)) {
      // Nothing but the refusal tells of the limit: it is what the service had taken when it refused.
      let accepted = 0
      for (const { cost, settledAt } of budget.usage.all()) {
        if (settledAt <= receivedAt && settledAt + span > sentAt) accepted += cost
      }
      const guess = Math.max(1, Math.min(accepted, limitOf(charge, budget, receivedAt)))
      budget.learnt = { limit: guess, until: receivedAt + guessLasts }
    }
  }

  const state = (charge: Charge, now: number): State => {
    const budget = budgetOf(charge.key)
    forget(charge, budget, now)
    const limit = limitOf(charge, budget, now)
    const { used } = budget.usage
    return {
      limit,
      remaining: now < budget.closedUntil ? 0 : Math.max(limit - used, 0),
      nextFreeAt: freeAt({ ...charge, cost: 1 }, now)
    }
  }

  return {
    reserve: (charges, now) => Effect.sync(() => reserve(charges, now)),
    settle: (ticket, now, settlement) => Effect.sync(() => settle(ticket, now, settlement)),
    observe: (charge, observation) => Effect.sync(() => observe(charge, observation)),
    state: (charge, now) => Effect.sync(() => state(charge, now))
  }
})

/**
 * Budgets in the memory of this process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<BudgetStore> = Layer.effect(BudgetStore, makeMemory)
