import * as Duration from "effect/Duration"
import type { Charge, ChargeOutcome, Observation, Reservation, ReserveResult, State } from "./RateLimitStore.js"
import { Usage } from "./limitUsage.js"

interface LimitState {
  readonly usage: Usage
  closedUntil: number
  observedAt: number
  /** The limit learnt from the service, and until when it is assumed. */
  learnt: { readonly limit: number; readonly until: number } | undefined
}

// The service's clock ticks in milliseconds too, so one more millisecond is kept between windows against rounding.
const margin = 1

// The longest time from sending to response for which `remaining` is compared with the calls of this store: the default of `AttemptTimeout`. Ended calls are
// remembered for as long.
const longestRoundTrip = Duration.toMillis("10 seconds")

// A limit that was only guessed from a refusal expires, because the client that used up the rest can be gone.
const guessLasts = Duration.toMillis("10 minutes")

const absurdlyHigh = 1_000_000

const never = Number.NEGATIVE_INFINITY

/** Whether a reported limit can be one. */
export const isSane = (limit: number | undefined): limit is number =>
  limit !== undefined && Number.isInteger(limit) && limit > 0 && limit <= absurdlyHigh

const spanOf = ({ window }: Charge): number => Duration.toMillis(window) + margin

const limitOf = (charge: Charge, { learnt }: LimitState, now: number): number =>
  learnt !== undefined && now < learnt.until ? learnt.limit : charge.limit

const until = (instant: number, now: number): Duration.Duration =>
  instant <= now ? Duration.zero : Number.isFinite(instant) ? Duration.millis(instant - now) : Duration.infinity

/** The rate limits of one store in memory, without effects and without a clock. All instants are monotonic milliseconds. */
export class RollingLimits {
  readonly #entries = new Map<string, LimitState>()
  #ids = 0

  /**
   * Of a process that follows another one, at the instant of its start. Every window begins as if it were full; if the usage that its predecessor `left` is known,
   * by key, only that much is taken.
   */
  constructor(
    readonly after?: { readonly startedAt: number; readonly left: ReadonlyMap<string, number> | undefined } | undefined
  ) {}

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

  /** `countedBy`: the latest instant at which the service has counted the call. */
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
    entry.usage.expire(now - span)
    if (sentAt >= entry.observedAt) {
      entry.observedAt = sentAt
      if (isSane(limit)) {
        // The reported limit applies to every charge of the key, even if callers name different limits.
        entry.learnt = { limit, until: Number.POSITIVE_INFINITY }
        // The service counts calls that this store does not know: another program uses the same UID.
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

  #entryOf(charge: Charge): LimitState {
    const found = this.#entries.get(charge.key)
    if (found !== undefined) return found
    const { after } = this
    const entry: LimitState = {
      usage: new Usage(longestRoundTrip),
      closedUntil: after === undefined || after.left !== undefined ? never : after.startedAt + spanOf(charge),
      observedAt: never,
      learnt: undefined
    }
    const used = after?.left?.get(charge.key) ?? 0
    // A call that the predecessor had in flight at its end can arrive later.
    if (after !== undefined && used > 0) entry.usage.takeSettled(++this.#ids, used, after.startedAt + longestRoundTrip)
    this.#entries.set(charge.key, entry)
    return entry
  }

  /** The earliest instant at which the charge fits; `now` or earlier when it fits already. */
  #freeAt(charge: Charge, now: number): number {
    const entry = this.#entryOf(charge)
    const span = spanOf(charge)
    entry.usage.expire(now - span)
    // A call that costs more than the whole limit passes alone, since waiting would not help.
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

  /** Guesses a limit from a refusal: the number of calls that the service had accepted when it refused. */
  #guess(charge: Charge, entry: LimitState, sentAt: number, now: number): number {
    const accepted = entry.usage.answered(sentAt - spanOf(charge), now)
    return Math.max(1, Math.min(accepted, limitOf(charge, entry, now)))
  }
}
