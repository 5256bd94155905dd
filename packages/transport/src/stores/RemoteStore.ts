/**
 * Stores of rate limits and bans on a server that several processes share, for any kind of server: digested names, ids that are unique among the processes,
 * and settlements that are retried. A backend runs each operation on the server in one step, by the server's clock, which never goes back.
 *
 * `StoreLaws` checks a store on a backend.
 *
 * @sibling
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import type * as Redacted from "effect/Redacted"
import type * as BanStore from "./BanStore.js"
import * as digests from "./digests.js"
import * as settlements from "./settlements.js"
import * as RateLimitStore from "./RateLimitStore.js"
import { isSane } from "./rollingLimits.js"

/** The settings that all processes of a store share, and those of this process. */
export interface Options {
  /** The secret for digesting addresses, UIDs and keys. It must be the same in all processes. Defaults to a constant, with which a UID can be found by trying. */
  readonly digestKey?: Redacted.Redacted | undefined
  /**
   * The egress address of this process, if processes with several addresses share the store: a ban applies to one address, and each address has a separate
   * limit. By default all processes share one address.
   */
  readonly egress?: string | undefined
}

/** Options of a store of rate limits. */
export interface RateLimitOptions extends Options {
  /**
   * How long a call without a settlement is treated as in flight; afterwards its process may have died, and the call counts as answered. It must exceed the
   * duration of a call, and that of a connection counted by `RateLimiter.connection`. A later settlement counts from its time. Defaults to 1 minute.
   */
  readonly lease?: Duration.DurationInput | undefined
  /**
   * Whether limits without state begin as if their windows were full. Otherwise a server that lost its state allows the calls of a second window. Defaults to
   * `true`.
   */
  readonly rest?: boolean | undefined
}

/** Options of a store of bans. */
export interface BanOptions extends Options {
  /** When the slot of a probe is free again, in case its process has died. It must exceed the duration of a call. Defaults to 30 seconds. */
  readonly lease?: Duration.DurationInput | undefined
}

/** A charge as the server stores it. */
export interface Place {
  /** 32 hex digits that identify the key of the rate limit. */
  readonly name: string
  readonly limit: number
  /** The window plus its margin, in microseconds. */
  readonly span: number
  readonly cost: number
  readonly spare: number
}

/** A process that uses the server. Its name starts a new life of a state that the server lacks, with or without rest. */
export interface Process {
  readonly name: string
  readonly rest: boolean
}

/** A reservation whose call has ended. */
export interface EndedReservation {
  readonly id: string
  /** The life of the server's state in which it was reserved; empty without a reply. */
  readonly life: string
  /** The end of its lease by the server's clock, in microseconds; 0 without a reply. */
  readonly leaseEnd: string
  readonly isSent: boolean
  /** How long after its end the request of the call can still arrive, in microseconds. */
  readonly arrivesWithin: number
  readonly places: ReadonlyArray<Place>
}

/** A call that waits in the queue of its limits. It keeps its position for `queueLease` after its last attempt. */
export interface RemoteWaiter {
  /** Unique among all processes. */
  readonly id: string
  /** Lower ranks go first. */
  readonly rank: number
}

/** How long a call keeps its position in the queue without another attempt: one second, in microseconds. */
export const queueLease = 1_000_000

/**
 * The server's reply to a reservation: the reserved charges, or the indexes of the charges without room and the time in microseconds until they can have room.
 * The time is negative if it depends on a call without a response.
 */
export type Reply =
  | { readonly _tag: "Taken"; readonly life: string; readonly leaseEnd: string }
  | { readonly _tag: "Full"; readonly indexes: ReadonlyArray<number>; readonly retryAfter: number }

/** The rate limit that a response reported, checked, in microseconds. */
export interface Observed {
  readonly roundTrip: number
  readonly limit: number | undefined
  readonly remaining: number | undefined
  readonly refused: boolean
  /** Zero if the response does not contain it. */
  readonly resetAfter: number
}

/** The operations of a server that stores rate limits, with the semantics of the store in memory. A failure leaves open whether the server ran the operation. */
export interface RateLimitBackend {
  /** `lease` is in microseconds. */
  readonly reserve: (
    id: string,
    lease: number,
    places: ReadonlyArray<Place>,
    waiter: RemoteWaiter | undefined
  ) => Effect.Effect<Reply, unknown>
  /**
   * `ago` is how long the call has been over, in microseconds. If the reservation is gone (an earlier life, or after the lease), its settlement is counted
   * anew, since the service can have counted the call meanwhile.
   */
  readonly settle: (ended: EndedReservation, ago: number) => Effect.Effect<void, unknown>
  readonly observe: (id: string, place: Place, observed: Observed) => Effect.Effect<void, unknown>
  /** `retryAfter` is in microseconds. It is negative if it depends on a call without a response. */
  readonly state: (
    place: Place
  ) => Effect.Effect<{ readonly limit: number; readonly remaining: number; readonly retryAfter: number }, unknown>
}

/** The operations of a server that stores bans, with the semantics of the store in memory. */
export interface BanBackend {
  /** `name` is the digest of address and host, `lease` in microseconds. */
  readonly enter: (name: string, probe: string, lease: number) => Effect.Effect<BanReply, unknown>
  /** `duration` is in microseconds. */
  readonly close: (name: string, duration: number) => Effect.Effect<void, unknown>
  readonly leave: (name: string, probe: string, isUnbanned: boolean) => Effect.Effect<void, unknown>
}

/** The server's reply to a call: `Closed` for `remaining` microseconds, or `Probe` if this call goes first. */
export type BanReply =
  { readonly _tag: "Open" | "Probe" | "Probing" } | { readonly _tag: "Closed"; readonly remaining: number }

// The service's clock ticks in milliseconds, so one more millisecond is kept between windows, as in the store in memory.
const margin = 1000

const microsOf = (duration: Duration.DurationInput): number => Math.round(Duration.toMillis(duration) * 1000)

const durationOf = (micros: number): Duration.Duration =>
  micros < 0 ? Duration.infinity : Duration.millis(micros / 1000)

const toObserved = (observation: RateLimitStore.Observation): Observed => {
  const { limit, refused, remaining, resetAfter, roundTrip } = observation
  return {
    roundTrip: microsOf(roundTrip),
    limit: isSane(limit) ? limit : undefined,
    remaining: remaining !== undefined && Number.isFinite(remaining) ? remaining : undefined,
    refused,
    resetAfter: resetAfter === undefined ? 0 : microsOf(resetAfter)
  }
}

/** 12 random hex digits. */
const randomName: Effect.Effect<string> = Effect.map(Random.nextIntBetween(0, 2 ** 48), (number) =>
  number.toString(16).padStart(12, "0")
)

/** An id contains the life in which it was reserved, and the end of its lease. */
const reservationOf = (id: string, { leaseEnd, life }: Extract<Reply, { readonly _tag: "Taken" }>): string =>
  `${id} ${life} ${leaseEnd}`

const takenBy = (reservation: number | string): Pick<EndedReservation, "id" | "leaseEnd" | "life"> => {
  const [id = "", life = "", leaseEnd = ""] = String(reservation).split(" ")
  return { id, life, leaseEnd }
}

const unreachable: RateLimitStore.ReserveResult = { _tag: "Unreachable" }

const resultOf = (id: string, charges: ReadonlyArray<RateLimitStore.Charge>, reply: Reply) => {
  if (reply._tag === "Taken") return { _tag: reply._tag, reservation: { id: reservationOf(id, reply), charges } }
  const full = new Set(reply.indexes)
  const keys = charges.flatMap(({ key }, index) => (full.has(index) ? [key] : []))
  return { _tag: reply._tag, keys, retryAfter: durationOf(reply.retryAfter) }
}

/** Rate limits on a server. */
export const makeRateLimits = (
  options: RateLimitOptions,
  backendOf: (process: Process) => RateLimitBackend
): Effect.Effect<RateLimitStore.RateLimitStore.Shape> =>
  Effect.gen(function* () {
    const { egress, lease = "1 minute", rest = true } = options
    const digestOf = yield* digests.make(options.digestKey)
    const process = yield* randomName
    const backend = backendOf({ name: process, rest })
    const leaseMicros = microsOf(lease)
    const outbox = yield* settlements.make(leaseMicros, backend.settle)
    let ids = 0
    const nextId = () => `${process}.${(++ids).toString(36)}`

    const placeOf = ({ cost, key, limit, spare = 0, window }: RateLimitStore.Charge): Place => ({
      name: digestOf(key),
      limit,
      span: microsOf(window) + margin,
      cost,
      spare
    })

    const store: RateLimitStore.RateLimitStore.Shape = {
      reserve: (charges, waiter) =>
        Effect.suspend(() => {
          const id = nextId()
          const queued = waiter === undefined ? undefined : { id: `${process}.${waiter.id}`, rank: waiter.rank }
          const places = charges.map(placeOf)
          const unknown = { id, life: "", leaseEnd: "0", places, isSent: false, arrivesWithin: 0 }
          return backend.reserve(id, leaseMicros, places, queued).pipe(
            // The server can have reserved it although no reply has arrived or the caller no longer waits.
            Effect.onError(() => outbox.later(unknown)),
            Effect.map((reply): RateLimitStore.ReserveResult => resultOf(id, charges, reply)),
            Effect.orElseSucceed(() => unreachable)
          )
        }),
      settle: ({ charges, id }, outcome, arrivesWithin) =>
        outbox.settle({
          ...takenBy(id),
          places: charges.map(placeOf),
          isSent: outcome !== "unsent",
          arrivesWithin: microsOf(arrivesWithin)
        }),
      observe: (charge, observation) =>
        Effect.suspend(() => Effect.ignore(backend.observe(nextId(), placeOf(charge), toObserved(observation)))),
      state: (charge) =>
        Effect.suspend(() => backend.state(placeOf(charge))).pipe(
          Effect.map((state) => ({ ...state, retryAfter: durationOf(state.retryAfter) })),
          Effect.orElseSucceed(() => ({ limit: charge.limit, remaining: 0, retryAfter: Duration.infinity }))
        )
    }
    return egress === undefined ? store : RateLimitStore.withEgress(store, egress)
  })

// No message reports the end of another process' probe, so the store is queried again after this time.
const lookAgainAfter = Duration.millis(200)

const entryOf = (reply: BanReply, probe: string): BanStore.Entry => {
  switch (reply._tag) {
    case "Open":
      return { _tag: reply._tag }
    case "Closed":
      return { _tag: reply._tag, remaining: durationOf(reply.remaining) }
    case "Probe":
      return { _tag: reply._tag, probe }
    case "Probing":
      return { _tag: reply._tag, retryAfter: lookAgainAfter }
  }
}

/** Also recovers from defects: a completed call must not lose its result because the store fails afterwards. */
const orElse = <A>(effect: Effect.Effect<A, unknown>, otherwise: NoInfer<A>): Effect.Effect<A> =>
  Effect.catchAllDefect(
    Effect.orElseSucceed(effect, () => otherwise),
    () => Effect.succeed(otherwise)
  )

/** Bans on a server. */
export const makeBans = (options: BanOptions, backend: BanBackend): Effect.Effect<BanStore.BanStore.Shape> =>
  Effect.gen(function* () {
    const { egress = "", lease = "30 seconds" } = options
    const digestOf = yield* digests.make(options.digestKey)
    const process = yield* randomName
    const leaseMicros = microsOf(lease)
    let probes = 0
    const nameOf = (host: string) => digestOf(`${egress} ${host}`)
    return {
      enter: (host) =>
        Effect.suspend(() => {
          const probe = `${process}.${(++probes).toString(36)}`
          const entry = Effect.map(backend.enter(nameOf(host), probe, leaseMicros), (reply) => entryOf(reply, probe))
          return orElse(entry, { _tag: "Unreachable" })
        }),
      close: (host, duration) => orElse(backend.close(nameOf(host), microsOf(duration)), undefined),
      leave: (host, probe, outcome) => orElse(backend.leave(nameOf(host), probe, outcome === "unbanned"), undefined)
    }
  })
