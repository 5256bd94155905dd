import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Charge, ChargeOutcome, Observation, RateLimitStore, Reservation } from "../stores/RateLimitStore.js"
import { RollingLimits } from "../stores/rollingLimits.js"
import type * as Program from "./program.js"

/** A charge, and an observation, with durations in units. */
interface Place extends Omit<Charge, "window"> {}
interface Observed extends Omit<Observation, "resetAfter" | "roundTrip"> {
  readonly isDelayed: boolean
  readonly resetAfter: number | undefined
}

/** `from`: the index of the address of the process. */
export type Operation = { readonly from: number } & (
  | { readonly _tag: "Reserve"; readonly count: number; readonly places: ReadonlyArray<Place> }
  | {
      readonly _tag: "Settle"
      readonly reservation: number
      readonly outcome: ChargeOutcome
      readonly arrivesWithin: number
    }
  | { readonly _tag: "Observe"; readonly place: Place; readonly observed: Observed }
  | { readonly _tag: "State"; readonly place: Place }
)

/** The durations of programs, in units. */
export const window = 4.5
export const lease = 6.25
const roundTrip = 1.75

const limits = [
  { key: "address", scope: "ip", limit: 6 },
  { key: "account", scope: "uid", limit: 4 },
  { key: "other", scope: "uid", limit: 2 }
] as const

const placeOf = ({ int, pick }: Program.Random, limit = int(limits.length)): Place => ({
  ...(limits[limit % limits.length] ?? limits[0]),
  cost: pick([1, 1, 1, 2, 7]),
  spare: pick([undefined, undefined, 0, 1, 20])
})

export const operationOf = (random: Program.Random, id: number): Operation => {
  const { int, pick } = random
  const from = int(2)
  const kind = int(12)
  if (kind < 4) {
    const first = int(limits.length)
    const places = Array.from({ length: 1 + int(2) }, (_, index) => placeOf(random, first + index))
    return { _tag: "Reserve", from, count: pick([1, 1, 1, 5]), places }
  }
  if (kind < 7) {
    const outcome = pick<ChargeOutcome>(["counted", "counted", "refused", "unsent"])
    return { _tag: "Settle", from, reservation: int(Math.max(id, 1)), outcome, arrivesWithin: pick([0, 0, 1, 3]) }
  }
  if (kind < 9) return { _tag: "State", from, place: placeOf(random) }
  const observed: Observed = {
    isDelayed: int(2) === 0,
    limit: pick([undefined, 1, 3, 8, pick([0, -5, 1.5, Number.NaN, 1_000_001])]),
    remaining: pick([undefined, -1, 0, 1, 3]),
    refused: int(3) === 0,
    resetAfter: pick([undefined, 0, 1.5, 3.5, 9.5])
  }
  return { _tag: "Observe", from, place: placeOf(random), observed }
}

/** Reservations by the step that made them. */
type Reservations = Map<number, { readonly taken: ReadonlyArray<Reservation>; readonly at: number }>

const withWindow =
  (unit: number) =>
  (place: Place): Charge => ({ ...place, window: Duration.millis(window * unit) })

const observationOf = ({ isDelayed, resetAfter, ...stated }: Observed, unit: number): Observation => ({
  ...stated,
  roundTrip: Duration.millis(isDelayed ? roundTrip * unit : 0),
  ...(resetAfter === undefined ? {} : { resetAfter: Duration.millis(resetAfter * unit) })
})

const resultOf = (
  count: number,
  full: ReadonlyArray<{ keys: ReadonlyArray<string>; retryAfter: Duration.Duration }>
) => [`${count} taken`, ...full.flatMap(({ keys, retryAfter }) => [keys.join(" "), Duration.toMillis(retryAfter)])]

const stateOf = ({
  limit,
  remaining,
  retryAfter
}: Effect.Effect.Success<ReturnType<RateLimitStore.Shape["state"]>>) => [
  `${remaining} of ${limit}`,
  Duration.toMillis(retryAfter)
]

/** Performs operations on the store, as processes of each address see it. */
export const performer = (stores: ReadonlyArray<RateLimitStore.Shape>, unit: number, hasLease: boolean) => {
  const reservations: Reservations = new Map()
  const ids = new Set<number | string>()
  const charge = withWindow(unit)
  const reserve = (store: RateLimitStore.Shape, count: number, places: ReadonlyArray<Place>) =>
    Effect.replicateEffect(store.reserve(places.map(charge)), count, { concurrency: "unbounded" })
  return ({ at, id, operation }: Program.Step<Operation>): Effect.Effect<Program.Result> =>
    Effect.gen(function* () {
      const store = stores[operation.from % stores.length]
      if (store === undefined) return []
      switch (operation._tag) {
        case "Reserve": {
          const results = yield* reserve(store, operation.count, operation.places)
          const taken = results.flatMap((result) => (result._tag === "Taken" ? [result.reservation] : []))
          reservations.set(id, { taken, at })
          const isReused = taken.some((reservation) => ids.size === ids.add(reservation.id).size)
          const unreachable = results.flatMap(({ _tag }) => (_tag === "Unreachable" ? [_tag] : []))
          const full = results.flatMap((result) => (result._tag === "Full" ? [result] : []))
          return [...resultOf(taken.length, full), ...unreachable, ...(isReused ? ["an id is used twice"] : [])]
        }
        case "Settle": {
          const found = reservations.get(operation.reservation)
          // The settlement of a call whose lease is over is not defined.
          if (found === undefined || (hasLease && found.at + lease <= at)) return []
          const within = Duration.millis(operation.arrivesWithin * unit)
          for (const reservation of found.taken) yield* store.settle(reservation, operation.outcome, within)
          return []
        }
        case "Observe":
          yield* store.observe(charge(operation.place), observationOf(operation.observed, unit))
          return []
        case "State":
          return stateOf(yield* store.state(charge(operation.place)))
      }
    })
}

/** The model: the rate limits in memory, by instants of the program. */
export const model = (addresses: number, unit: number, rest: boolean, hasLease: boolean) => {
  const memory = new RollingLimits(rest ? { startedAt: 0, left: undefined } : undefined)
  const reservations: Reservations = new Map()
  const outward = (from: number) => (place: Place) => {
    const key = place.scope === "ip" ? `${from % addresses} ${place.key}` : place.key
    return withWindow(unit)({ ...place, key })
  }
  const expireLeases = (now: number) => {
    for (const { at, taken } of reservations.values()) {
      const end = (at + lease) * unit
      if (hasLease && end <= now) for (const reservation of taken) memory.settle(reservation, "counted", end)
    }
  }
  return ({ at, id, operation }: Program.Step<Operation>, now: number): Program.Result => {
    expireLeases(now)
    const charge = outward(operation.from)
    switch (operation._tag) {
      case "Reserve": {
        const charges = operation.places.map(charge)
        const results = Array.from({ length: operation.count }, () => memory.reserve(charges, now))
        const taken = results.flatMap((result) => (result._tag === "Taken" ? [result.reservation] : []))
        reservations.set(id, { taken, at })
        const full = results.flatMap((result) => (result._tag === "Full" ? [result] : []))
        const inward = (key: string) => operation.places.find((place) => charge(place).key === key)?.key ?? key
        return resultOf(
          taken.length,
          full.map((result) => ({ ...result, keys: result.keys.map(inward) }))
        )
      }
      case "Settle": {
        const found = reservations.get(operation.reservation)
        if (found === undefined || (hasLease && found.at + lease <= at)) return []
        for (const reservation of found.taken)
          memory.settle(reservation, operation.outcome, now + operation.arrivesWithin * unit)
        return []
      }
      case "Observe":
        memory.observe(charge(operation.place), observationOf(operation.observed, unit), now)
        return []
      case "State":
        return stateOf(memory.state(charge(operation.place), now))
    }
  }
}
