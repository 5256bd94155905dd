/**
 * Where the rate limits are kept. One operation decides: it takes every charge of a call in one step, or none and returns how long to
 * wait before the next try.
 *
 * The windows are exact: a call counts from its reservation until one window after its response. The service counts it at some
 * instant in between, so whatever the latency, it never sees more than the limit in any window.
 *
 * A store measures time by its own monotonic clock: only durations cross its interface, so processes and machines whose clocks
 * differ may share one. `RateLimitStoreLaws` has the laws that a store keeps.
 *
 * @since 0.1.0
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as local from "./internal/call/local.js"
import * as monotonic from "./internal/monotonic.js"
import * as reachability from "./internal/reachability.js"
import { Usage } from "./internal/limitUsage.js"

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
   * @since 0.1.0
   * @category models
   */
  export interface Shape {
    /**
     * Takes all charges, or none of them. Never fails and never dies: a store that cannot be reached returns `Unreachable`, and takes
     * nothing.
     */
    readonly reserve: (charges: ReadonlyArray<Charge>) => Effect.Effect<ReserveResult>
    /**
     * Ends a reservation. Its places are free one window after the last instant at which the service may have counted the call: that is
     * now, or `arrivesWithin` from now where there was no response and the request may still be on its way. A second settlement of one reservation
     * changes nothing.
     */
    readonly settle: (
      reservation: Reservation,
      outcome: ChargeOutcome,
      arrivesWithin: Duration.Duration
    ) => Effect.Effect<void>
    /** Applies what a response that was just received says about a rate limit. */
    readonly observe: (charge: Charge, observation: Observation) => Effect.Effect<void>
    /** The present state of a rate limit. */
    readonly state: (charge: Charge) => Effect.Effect<State>
    /**
     * Whether every operation ends in the step that begins it, as in a store in memory. Otherwise an operation runs in a fiber of its own, so
     * that a caller can be interrupted while it waits for the store. Defaults to `false`.
     */
    readonly isLocal?: boolean | undefined
  }
}

/**
 * The charge of a call to one rate limit.
 *
 * @since 0.1.0
 * @category models
 */
export interface Charge {
  /** Names the rate limit. It holds no API key: a keyed digest stands for it. */
  readonly key: string
  /** What the limit is counted by: the egress address of this process (`ip`), or the account (`uid`). */
  readonly scope: "ip" | "uid"
  /** Calls in a window, as far as known without the service. */
  readonly limit: number
  readonly window: Duration.Duration
  /** Places that the call takes. */
  readonly cost: number
  /**
   * Places that this call leaves free for calls of higher priorities, in this process and in others that share the store. A call still goes
   * when the whole limit is free. Defaults to 0.
   */
  readonly spare?: number | undefined
}

/**
 * A reservation, to be settled later.
 *
 * @since 0.1.0
 * @category models
 */
export interface Reservation {
  /** Unique within the store. */
  readonly id: number | string
  readonly charges: ReadonlyArray<Charge>
}

/**
 * `counted`: the service may have counted the call. `unsent`: it provably never received it, so its places are free at once.
 * `refused`: the service refused it for its limit; its places are free one window later, as those of a counted call.
 *
 * @since 0.1.0
 * @category models
 */
export type ChargeOutcome = "counted" | "unsent" | "refused"

/**
 * `Full`: the rate limits in `keys` had no room, and will have after `retryAfter` unless other calls take it; infinite when that depends
 * on a call without a response yet. `Unreachable`: the store could not be reached, and has taken nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type ReserveResult =
  | { readonly _tag: "Taken"; readonly reservation: Reservation }
  | { readonly _tag: "Full"; readonly keys: ReadonlyArray<string>; readonly retryAfter: Duration.Duration }
  | { readonly _tag: "Unreachable" }

/**
 * The store of the rate limits could not be reached for `waited`. Nothing was sent, since a call needs the store.
 *
 * @since 0.1.0
 * @category failures
 */
export class StoreUnreachable extends Data.TaggedError("StoreUnreachable")<{ readonly waited: Duration.Duration }> {
  override get message(): string {
    return `the store of the rate limits could not be reached for ${reachability.rounded(this.waited)}`
  }
}

/**
 * What a response says about a rate limit.
 *
 * @since 0.1.0
 * @category models
 */
export interface Observation {
  /** From sending to response. It orders observations: one whose call was sent before that of an earlier one is stale. */
  readonly roundTrip: Duration.Duration
  /** The limit that the service says is in force. Ignored unless a whole number from 1 to 1,000,000. */
  readonly limit?: number | undefined
  /** The remaining calls, as the service says. */
  readonly remaining?: number | undefined
  /** The call was refused for the limit. */
  readonly refused: boolean
  /** How long from the response until the service accepts calls again. Ignored unless within the window. */
  readonly resetAfter?: Duration.Duration | undefined
}

/**
 * The state of a rate limit.
 *
 * @since 0.1.0
 * @category models
 */
export interface State {
  /** The limit in force: the one that the service was seen to keep, otherwise the charge's. */
  readonly limit: number
  /** Calls that there is room for now. */
  readonly remaining: number
  /** How long until there is room for one call; zero when there is, infinite when that depends on a call without a response yet. */
  readonly retryAfter: Duration.Duration
}

interface Entry {
  readonly usage: Usage
  closedUntil: number
  observedAt: number
  /** The limit that the service was seen to keep, and until when it is assumed. */
  learnt: { readonly limit: number; readonly until: number } | undefined
}

// The service's clock ticks in milliseconds too: one more is kept between windows, so that rounding cannot bring two together.
const margin = 1

// How long before its response a call may have been sent for its `remaining` to be compared with the calls of this store: the default of
// `AttemptTimeout`. Calls that are over are remembered for as long.
const longestRoundTrip = Duration.toMillis("10 seconds")

// A limit that was only guessed from a refusal expires: the other client that used up the rest may be gone.
const guessLasts = Duration.toMillis("10 minutes")

const absurdlyHigh = 1_000_000

const isSane = (limit: number | undefined): limit is number =>
  limit !== undefined && Number.isInteger(limit) && limit > 0 && limit <= absurdlyHigh

const spanOf = ({ window }: Charge): number => Duration.toMillis(window) + margin

const limitOf = (charge: Charge, { learnt }: Entry, now: number): number =>
  learnt !== undefined && now < learnt.until ? learnt.limit : charge.limit

const until = (instant: number, now: number): Duration.Duration =>
  instant <= now ? Duration.zero : Number.isFinite(instant) ? Duration.millis(instant - now) : Duration.infinity

/** The rate limits of one store in memory. All instants are monotonic milliseconds. */
class Memory {
  readonly #entries = new Map<string, Entry>()
  #ids = 0

  /** A window that ends after `restsFrom` begins as if it were used up; `-Infinity` for none that does. */
  constructor(readonly restsFrom: number) {}

  reserve(charges: ReadonlyArray<Charge>, now: number): ReserveResult {
    let latest = now
    const full: Array<string> = []
    for (const charge of charges) {
      const at = this.#freeAt(charge, now)
      if (at <= now) continue
      full.push(charge.key)
      latest = Math.max(latest, at)
    }
    if (full.length > 0) return { _tag: "Full", keys: full, retryAfter: until(latest, now) }
    const id = ++this.#ids
    for (const charge of charges) this.#entryOf(charge).usage.take(id, charge.cost)
    return { _tag: "Taken", reservation: { id, charges } }
  }

  settle({ charges, id }: Reservation, outcome: ChargeOutcome, countedBy: number): void {
    for (const charge of charges) {
      const { usage } = this.#entryOf(charge)
      if (outcome === "unsent") usage.giveBack(id)
      else usage.settle(id, countedBy)
    }
  }

  observe(charge: Charge, { limit, refused, remaining, resetAfter, roundTrip }: Observation, now: number): void {
    const entry = this.#entryOf(charge)
    const span = spanOf(charge)
    const sentAt = now - Duration.toMillis(roundTrip)
    if (sentAt >= entry.observedAt) {
      entry.observedAt = sentAt
      if (isSane(limit)) {
        entry.learnt = limit === charge.limit ? undefined : { limit, until: Number.POSITIVE_INFINITY }
        // Calls that the service counts and this store does not know: another program uses the same UID.
        const isJudged = remaining !== undefined && remaining >= 0 && now - sentAt <= longestRoundTrip
        const theirs = isJudged ? limit - remaining - entry.usage.since(sentAt - span) : 0
        if (theirs > 0) entry.usage.takeSettled(++this.#ids, theirs, now)
      }
    }
    if (!refused) return
    const reset = resetAfter === undefined ? 0 : Duration.toMillis(resetAfter)
    entry.closedUntil = Math.max(entry.closedUntil, now + (reset > 0 && reset <= span ? reset : span))
    if (!isSane(limit)) entry.learnt = { limit: this.#guess(charge, entry, sentAt, now), until: now + guessLasts }
  }

  state(charge: Charge, now: number): State {
    const entry = this.#entryOf(charge)
    entry.usage.expire(now - spanOf(charge))
    const limit = limitOf(charge, entry, now)
    return {
      limit,
      remaining: now < entry.closedUntil ? 0 : Math.max(limit - entry.usage.used, 0),
      retryAfter: until(this.#freeAt({ ...charge, cost: 1, spare: 0 }, now), now)
    }
  }

  #entryOf(charge: Charge): Entry {
    const found = this.#entries.get(charge.key)
    if (found !== undefined) return found
    const entry: Entry = {
      usage: new Usage(longestRoundTrip),
      closedUntil: this.restsFrom + spanOf(charge),
      observedAt: Number.NEGATIVE_INFINITY,
      learnt: undefined
    }
    this.#entries.set(charge.key, entry)
    return entry
  }

  /** The earliest instant at which the charge fits; `now` or earlier when it fits already. */
  #freeAt(charge: Charge, now: number): number {
    const entry = this.#entryOf(charge)
    const span = spanOf(charge)
    entry.usage.expire(now - span)
    // A call that costs more than the whole limit is let through alone: waiting would not make it smaller.
    const allowed = Math.max(limitOf(charge, entry, now) - charge.cost - (charge.spare ?? 0), 0)
    let { used } = entry.usage
    if (used <= allowed) return Math.max(now, entry.closedUntil)
    let at = now
    for (const taken of entry.usage.all()) {
      used -= taken.cost
      at = taken.settledAt + span
      if (used <= allowed) break
    }
    return Math.max(at, entry.closedUntil)
  }

  /** What a refusal says about a limit: what the service had accepted when it refused. */
  #guess(charge: Charge, entry: Entry, sentAt: number, now: number): number {
    const accepted = entry.usage.answered(sentAt - spanOf(charge), now)
    return Math.max(1, Math.min(accepted, limitOf(charge, entry, now)))
  }
}

/**
 * How a store in memory begins.
 *
 * @since 0.1.0
 * @category models
 */
export interface MemoryOptions {
  /**
   * Begins as if every window were used up, and so admits no call for one window: for a process that is restarted, whose predecessor
   * may have used up the limits a moment ago. Defaults to `false`.
   */
  readonly rest?: boolean | undefined
}

/**
 * Rate limits in the memory of this process.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeMemoryWith = ({ rest = false }: MemoryOptions): Effect.Effect<RateLimitStore.Shape> =>
  Effect.map(monotonic.millis, (startedAt) => {
    const memory = new Memory(rest ? startedAt : Number.NEGATIVE_INFINITY)
    const at = <A>(use: (now: number) => A): Effect.Effect<A> =>
      Effect.clockWith((clock) => Effect.succeed(use(monotonic.unsafeMillis(clock))))
    const store: RateLimitStore.Shape = {
      reserve: (charges) => at((now) => memory.reserve(charges, now)),
      settle: (reservation, outcome, arrivesWithin) =>
        at((now) => memory.settle(reservation, outcome, now + Duration.toMillis(arrivesWithin))),
      observe: (charge, observation) => at((now) => memory.observe(charge, observation, now)),
      state: (charge) => at((now) => memory.state(charge, now)),
      isLocal: true
    }
    local.stores.set(store, memory)
    return store
  })

/**
 * Rate limits in the memory of this process, with room in every window at first.
 *
 * @since 0.1.0
 * @category constructors
 */
export const makeMemory: Effect.Effect<RateLimitStore.Shape> = makeMemoryWith({})

/**
 * The store as the processes of one egress address see it, for a store that processes of several addresses share: they share the limits of
 * UIDs, and each address has its own limits for the address.
 *
 * @since 0.1.0
 * @category combinators
 */
export const withEgress = (store: RateLimitStore.Shape, egress: string): RateLimitStore.Shape => {
  const prefix = `${egress} `
  const outward = (charge: Charge): Charge =>
    charge.scope === "ip" ? { ...charge, key: `${prefix}${charge.key}` } : charge
  const inward = (key: string, charges: ReadonlyArray<Charge>): string =>
    charges.find((charge) => outward(charge).key === key)?.key ?? key
  return {
    ...store,
    reserve: (charges) =>
      Effect.map(store.reserve(charges.map(outward)), (result) =>
        result._tag === "Full" ? { ...result, keys: result.keys.map((key) => inward(key, charges)) } : result
      ),
    observe: (charge, observation) => store.observe(outward(charge), observation),
    state: (charge) => store.state(outward(charge))
  }
}

/**
 * Rate limits in the memory of this process.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemoryWith = (options: MemoryOptions): Layer.Layer<RateLimitStore> =>
  Layer.effect(RateLimitStore, makeMemoryWith(options))

/**
 * Rate limits in the memory of this process, with room in every window at first.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerMemory: Layer.Layer<RateLimitStore> = Layer.effect(RateLimitStore, makeMemory)
