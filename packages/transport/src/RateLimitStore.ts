/**
 * Where the rate limits are kept. One operation decides: it takes every charge of a call in one step, or none and says when to
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
export class RateLimitStore extends Context.Tag("@effect-venue/transport/RateLimitStore")<
  RateLimitStore,
  RateLimitStore.Shape
>() {}

/**
 * @since 0.1.0
 */
export declare namespace RateLimitStore {
  /**
   * All instants are milliseconds of the caller's clock.
   *
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /** Takes all charges, or none of them. */
    readonly reserve: (charges: ReadonlyArray<Charge>, now: number) => Effect.Effect<ReserveResult>
    /** The answer came, or the call was given up: its places are free again one window from now. */
    readonly settle: (reservation: Reservation, now: number, chargeOutcome: ChargeOutcome) => Effect.Effect<void>
    /** What the service said about a rate limit. */
    readonly observe: (charge: Charge, observation: Observation) => Effect.Effect<void>
    /** How a rate limit stands. */
    readonly state: (charge: Charge, now: number) => Effect.Effect<State>
  }
}

/**
 * What a call takes from one rate limit. `limit` is what is known without asking the service.
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
export interface Reservation {
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
export type ChargeOutcome = "counted" | "unsent" | "refused"

/**
 * `Full`: `keys` had no room; `retryAt` is when they may have, infinite when that depends on an answer that is still out.
 *
 * @since 0.1.0
 * @category models
 */
export type ReserveResult =
  | { readonly _tag: "Taken"; readonly reservation: Reservation }
  | { readonly _tag: "Full"; readonly keys: ReadonlyArray<string>; readonly retryAt: number }

/**
 * What an answer tells about a rate limit, as far as it tells anything. `sentAt` orders observations: one that was overtaken by a
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
 * How a rate limit stands: the limit in force, how many calls it has room for now, and when it next has room for one.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  readonly limit: number
  readonly remaining: number
  readonly nextFreeAt: number
}

interface Usages {
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
 * Rate limits in the memory of this process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeMemory: Effect.Effect<RateLimitStore.Shape> = Effect.sync(() => {
  const entries = new Map<string, Usages>()
  let reservations = 0

  const entryOf = (key: string): Usages => {
    const known = entries.get(key)
    if (known !== undefined) return known
    const entry: Usages = {
      usage: new Usage(),
      closedUntil: Number.NEGATIVE_INFINITY,
      observedAt: Number.NEGATIVE_INFINITY,
      learnt: undefined
    }
    entries.set(key, entry)
    return entry
  }

  const spanOf = ({ window }: Charge): number => Duration.toMillis(window) + margin

  const limitOf = (charge: Charge, entry: Usages, now: number): number =>
    entry.learnt !== undefined && now < entry.learnt.until ? entry.learnt.limit : charge.limit

  const forget = (charge: Charge, { usage }: Usages, now: number): void => {
    usage.forget(now - spanOf(charge))
  }

  /** The earliest instant at which the charge fits; `now` or earlier when it fits already. */
  const freeAt = (charge: Charge, now: number): number => {
    const entry = entryOf(charge.key)
    forget(charge, entry, now)
    // A call that costs more than the whole limit is let through alone: waiting would not make it smaller.
    const allowed = Math.max(limitOf(charge, entry, now) - charge.cost, 0)
    let { used } = entry.usage
    if (used <= allowed) return Math.max(now, entry.closedUntil)
    const span = spanOf(charge)
    let at = now
    for (const taken of entry.usage.all()) {
      used -= taken.cost
      at = taken.settledAt + span
      if (used <= allowed) break
    }
    return Math.max(at, entry.closedUntil)
  }

  const reserve = (charges: ReadonlyArray<Charge>, now: number): ReserveResult => {
    const full = charges.map((charge) => ({ key: charge.key, at: freeAt(charge, now) })).filter(({ at }) => at > now)
    if (full.length > 0) {
      return { _tag: "Full", keys: full.map(({ key }) => key), retryAt: Math.max(...full.map(({ at }) => at)) }
    }
    const id = ++reservations
    for (const { cost, key } of charges) {
      entryOf(key).usage.take(id, cost, now)
    }
    return { _tag: "Taken", reservation: { id, charges } }
  }

  const settle = ({ charges, id }: Reservation, now: number, chargeOutcome: ChargeOutcome): void => {
    for (const charge of charges) {
      const { usage } = entryOf(charge.key)
      if (chargeOutcome === "unsent") usage.giveBack(id)
      else usage.settle(id, now)
    }
  }

  /** Calls that the service counts and we did not make: somebody else uses the same UID. */
  const takeForOthers = (charge: Charge, entry: Usages, limit: number, observation: Observation): void => {
    if (observation.remaining === undefined || observation.remaining < 0) return
    const ours = entry.usage.between(observation.receivedAt, observation.sentAt - spanOf(charge))
    const theirs = limit - observation.remaining - ours
    if (theirs > 0) entry.usage.takeSettled(++reservations, theirs, observation.receivedAt)
  }

  const observe = (charge: Charge, observation: Observation): void => {
    const entry = entryOf(charge.key)
    const { limit, receivedAt, refused, resetAt, sentAt } = observation
    const span = spanOf(charge)
    if (sentAt >= entry.observedAt) {
      entry.observedAt = sentAt
      if (isSane(limit)) {
        entry.learnt = limit === charge.limit ? undefined : { limit, until: Number.POSITIVE_INFINITY }
        takeForOthers(charge, entry, limit, observation)
      }
    }
    if (!refused) return
    const isResetSane = resetAt !== undefined && resetAt > receivedAt && resetAt <= receivedAt + span
    entry.closedUntil = Math.max(entry.closedUntil, isResetSane ? resetAt : receivedAt + span)
    if (!isSane(limit)) {
      // Nothing but the refusal tells of the limit: it is what the service had taken when it refused.
      let accepted = 0
      for (const { cost, settledAt } of entry.usage.all()) {
        if (settledAt <= receivedAt && settledAt + span > sentAt) accepted += cost
      }
      const guess = Math.max(1, Math.min(accepted, limitOf(charge, entry, receivedAt)))
      entry.learnt = { limit: guess, until: receivedAt + guessLasts }
    }
  }

  const state = (charge: Charge, now: number): State => {
    const entry = entryOf(charge.key)
    forget(charge, entry, now)
    const limit = limitOf(charge, entry, now)
    const { used } = entry.usage
    return {
      limit,
      remaining: now < entry.closedUntil ? 0 : Math.max(limit - used, 0),
      nextFreeAt: freeAt({ ...charge, cost: 1 }, now)
    }
  }

  return {
    reserve: (charges, now) => Effect.sync(() => reserve(charges, now)),
    settle: (reservation, now, chargeOutcome) => Effect.sync(() => settle(reservation, now, chargeOutcome)),
    observe: (charge, observation) => Effect.sync(() => observe(charge, observation)),
    state: (charge, now) => Effect.sync(() => state(charge, now))
  }
})

/**
 * Rate limits in the memory of this process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<RateLimitStore> = Layer.effect(RateLimitStore, makeMemory)
