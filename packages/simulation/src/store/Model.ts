/**
 * What the documentation of `RateLimitStore` says, in the plainest way: every place that was ever taken is kept and looked at. It shares no
 * code with the library.
 */
import type { Charge, Observation } from "./Plan.js"

interface Place {
  readonly reservation: number
  readonly cost: number
  /** The last instant at which the service may count it; infinite while no answer came. */
  readonly countedBy: number
}

interface Limit {
  places: ReadonlyArray<Place>
  closedUntil: number
  /** When the call with the newest observation was sent. */
  observedAt: number
  believed: { readonly limit: number; readonly until: number } | undefined
}

export type Reserved =
  | { readonly _tag: "Taken"; readonly reservation: number }
  | { readonly _tag: "Full"; readonly keys: ReadonlyArray<string>; readonly retryAfter: number }

export interface State {
  readonly limit: number
  readonly remaining: number
  readonly retryAfter: number
}

/** Of a response that was longer under way it is not known which calls it counts. */
const longestRoundTrip = 10_000

const tenMinutes = 600_000

// The service's clock ticks in milliseconds: one more keeps two windows apart.
const spanOf = ({ window }: Charge) => window + 1

const sum = (places: ReadonlyArray<Place>) => places.reduce((total, { cost }) => total + cost, 0)

const isBelievable = (limit: number | undefined): limit is number =>
  limit !== undefined && Number.isInteger(limit) && limit >= 1 && limit <= 1_000_000

export interface Model {
  readonly reserve: (charges: ReadonlyArray<Charge>, now: number) => Reserved
  readonly settle: (
    reservation: number,
    charges: ReadonlyArray<Charge>,
    outcome: "counted" | "refused" | "unsent",
    countedBy: number
  ) => void
  readonly observe: (charge: Charge, observation: Observation, now: number) => void
  readonly state: (charge: Charge, now: number) => State
}

export const make = (isResting: boolean, startedAt: number): Model => {
  const limits = new Map<string, Limit>()
  let reservations = 0

  const limitOf = (charge: Charge): Limit => {
    const found = limits.get(charge.key)
    if (found !== undefined) return found
    const limit: Limit = {
      places: [],
      closedUntil: isResting ? startedAt + spanOf(charge) : Number.NEGATIVE_INFINITY,
      observedAt: Number.NEGATIVE_INFINITY,
      believed: undefined
    }
    limits.set(charge.key, limit)
    return limit
  }

  const inForce = (charge: Charge, { believed }: Limit, now: number) =>
    believed !== undefined && now < believed.until ? believed.limit : charge.limit

  const usedAt = ({ places }: Limit, instant: number, span: number) =>
    sum(places.filter(({ countedBy }) => instant < countedBy + span))

  /** What has been over for as long as a response is compared is not known any more once the limit was asked for. */
  const forget = (limit: Limit, now: number, span: number) => {
    limit.places = limit.places.filter(({ countedBy }) => now < countedBy + span + longestRoundTrip)
  }

  const freeAt = (charge: Charge, now: number): number => {
    const limit = limitOf(charge)
    const span = spanOf(charge)
    forget(limit, now, span)
    const whole = inForce(charge, limit, now)
    const allowed = Math.max(whole - charge.cost - (charge.spare ?? 0), 0)
    const instants = [now, limit.closedUntil, ...limit.places.map(({ countedBy }) => countedBy + span)]
    return Math.min(
      ...instants.filter(
        (instant) =>
          instant >= now &&
          instant >= limit.closedUntil &&
          (usedAt(limit, instant, span) <= allowed || instant === Infinity)
      )
    )
  }

  return {
    reserve: (charges, now) => {
      const waits = charges.map((charge) => ({ key: charge.key, at: freeAt(charge, now) }))
      const full = waits.filter(({ at }) => at > now)
      if (full.length > 0) {
        return {
          _tag: "Full",
          keys: full.map(({ key }) => key),
          retryAfter: Math.max(...full.map(({ at }) => at)) - now
        }
      }
      const reservation = ++reservations
      for (const charge of charges) {
        const limit = limitOf(charge)
        limit.places = [...limit.places, { reservation, cost: charge.cost, countedBy: Infinity }]
      }
      return { _tag: "Taken", reservation }
    },

    settle: (reservation, charges, outcome, countedBy) => {
      for (const charge of charges) {
        const limit = limitOf(charge)
        limit.places = limit.places.flatMap((place) => {
          if (place.reservation !== reservation || place.countedBy !== Infinity) return [place]
          return outcome === "unsent" ? [] : [{ ...place, countedBy }]
        })
      }
    },

    observe: (charge, { limit: stated, refused, remaining, resetAfter, roundTrip }, now) => {
      const limit = limitOf(charge)
      const span = spanOf(charge)
      const sentAt = now - roundTrip
      if (sentAt >= limit.observedAt) {
        limit.observedAt = sentAt
        if (isBelievable(stated)) {
          limit.believed = stated === charge.limit ? undefined : { limit: stated, until: Infinity }
          const ours = sum(limit.places.filter(({ countedBy }) => sentAt < countedBy + span))
          const isCompared = remaining !== undefined && remaining >= 0 && roundTrip <= longestRoundTrip
          const others = isCompared ? stated - remaining - ours : 0
          if (others > 0) limit.places = [...limit.places, { reservation: -1, cost: others, countedBy: now }]
        }
      }
      if (!refused) return
      const isWithinWindow = resetAfter !== undefined && resetAfter > 0 && resetAfter <= span
      limit.closedUntil = Math.max(limit.closedUntil, now + (isWithinWindow ? resetAfter : span))
      if (isBelievable(stated)) return
      // It had taken what was answered by then, and refused one more.
      const taken = sum(limit.places.filter(({ countedBy }) => countedBy <= now && sentAt < countedBy + span))
      limit.believed = { limit: Math.max(1, Math.min(taken, inForce(charge, limit, now))), until: now + tenMinutes }
    },

    state: (charge, now) => {
      const limit = limitOf(charge)
      const span = spanOf(charge)
      const whole = inForce(charge, limit, now)
      const retryAfter = freeAt({ ...charge, cost: 1, spare: undefined }, now) - now
      return {
        limit: whole,
        remaining: now < limit.closedUntil ? 0 : Math.max(whole - usedAt(limit, now, span), 0),
        retryAfter
      }
    }
  }
}
