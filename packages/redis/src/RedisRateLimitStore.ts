/**
 * Rate limits in Redis, shared by all processes that use one prefix. They keep the laws of `RateLimitStoreLaws`: windows are exact by Redis' own
 * clock, and every charge of a call is taken in one step or none.
 *
 * After Redis has lost its state (flushed, restarted without a file, replaced) every limit begins as if its window were used up, so that calls
 * wait for the longest window among their limits. Redis must not evict keys (`maxmemory-policy noeviction`, its default), and its clock must
 * not be set forward by hand. An asynchronous replica that takes over may lack the last calls.
 *
 * @since 0.1.0
 */
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as scripts from "./internal/limitScripts.js"
import * as names from "./internal/names.js"
import * as runScript from "./internal/runScript.js"
import * as settlements from "./internal/settlements.js"
import { RedisClient } from "./RedisClient.js"

/**
 * How the limits are kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface Options extends names.NameOptions {
  /**
   * The egress address of this process, where processes of several addresses share the store: each address has its own limit for the
   * address. Defaults to one for all.
   */
  readonly egress?: string | undefined
  /**
   * After how long without a settlement a call counts as answered, as its process may have died. It has to exceed the time that a call takes,
   * and that a connection counted by `RateLimiter.connection` is open. A later settlement counts from its own instant. Defaults to 1 minute.
   */
  readonly lease?: Duration.DurationInput | undefined
  /**
   * Whether limits without state begin as if their windows were used up. Without it a Redis that lost its state lets a second window's calls
   * through. Defaults to `true`.
   */
  readonly rest?: boolean | undefined
}

type Store = RateLimitStore.RateLimitStore.Shape

type Charges = ReadonlyArray<RateLimitStore.Charge>

// The service's clock ticks in milliseconds: one more is kept between windows, as the store in memory does.
const spanOf = ({ window }: RateLimitStore.Charge): number => names.microsOf(window) + 1000

const absurdlyHigh = 1_000_000

const isSane = (limit: number | undefined): limit is number =>
  limit !== undefined && Number.isInteger(limit) && limit > 0 && limit <= absurdlyHigh

/** What a script says of a duration: microseconds, -1 where it depends on an answer. */
const durationOf = (micros: unknown): Duration.Duration =>
  Number(micros) < 0 ? Duration.infinity : Duration.millis(Number(micros) / 1000)

const placeOf = (id: number | string): settlements.Place => {
  const [place = "", life = "", leaseEnd = ""] = String(id).split(" ")
  return { id: place, life, leaseEnd }
}

const unreachable: RateLimitStore.ReserveResult = { _tag: "Unreachable" }

/**
 * Rate limits in Redis.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = (options: Options = {}): Effect.Effect<Store, never, RedisClient> =>
  Effect.gen(function* () {
    const { egress, lease = "1 minute", rest = true } = options
    const client = yield* RedisClient
    const { of, shared } = yield* names.make(options)
    // A life of Redis begins under a name that a process proposes. Ids are unique by the process and its count.
    const process = yield* names.random
    const head = [process, rest ? "1" : "0"]
    const leaseMicros = names.microsOf(lease)
    const reserving = runScript.make(client, scripts.reserve)
    const settling = runScript.make(client, scripts.settle)
    const observing = runScript.make(client, scripts.observe)
    const stating = runScript.make(client, scripts.state)
    let ids = 0
    const nextId = () => `${process}.${(++ids).toString(36)}`

    const keysOf = (charges: Charges): ReadonlyArray<string> => [
      shared,
      ...charges.flatMap(({ key }) => [of("limit", key), of("out", key), of("done", key)])
    ]

    const settleOnce = ({ arrivesWithin, charges, id, isSent, leaseEnd, life }: settlements.Settlement, ago: number) =>
      settling(keysOf(charges), [
        ...[...head, id, life, leaseEnd, isSent ? "1" : "0", ago, arrivesWithin],
        ...charges.flatMap((charge) => [spanOf(charge), charge.cost])
      ])

    const outbox = yield* settlements.make(leaseMicros, settleOnce)

    const store: Store = {
      reserve: (charges) =>
        Effect.suspend(() => {
          const id = nextId()
          const args = charges.flatMap((charge) => [charge.limit, spanOf(charge), charge.cost, charge.spare ?? 0])
          return reserving(keysOf(charges), [...head, id, leaseMicros, ...args]).pipe(
            Effect.map(([tag, life, third, full]): RateLimitStore.ReserveResult => {
              if (tag === "Taken") {
                return { _tag: "Taken", reservation: { id: `${id} ${String(life)} ${String(third)}`, charges } }
              }
              const indexes = new Set(Array.isArray(full) ? full.map(Number) : [])
              const keys = charges.flatMap(({ key }, index) => (indexes.has(index + 1) ? [key] : []))
              return { _tag: "Full", keys, retryAfter: durationOf(third) }
            }),
            // It may have been taken though no reply has come.
            Effect.catchAll(() => {
              const given = { id, life: "", leaseEnd: "0", charges, isSent: false, arrivesWithin: 0 }
              return Effect.as(outbox.later(given), unreachable)
            })
          )
        }),
      settle: ({ charges, id }, outcome, arrivesWithin) =>
        outbox.settle({
          ...placeOf(id),
          charges,
          isSent: outcome !== "unsent",
          arrivesWithin: names.microsOf(arrivesWithin)
        }),
      observe: (charge, { limit, refused, remaining, resetAfter, roundTrip }) =>
        Effect.suspend(() =>
          Effect.ignore(
            observing(keysOf([charge]), [
              ...[...head, nextId(), charge.limit, spanOf(charge), names.microsOf(roundTrip)],
              ...[isSane(limit) ? limit : "", remaining !== undefined && Number.isFinite(remaining) ? remaining : ""],
              ...[refused ? "1" : "0", resetAfter === undefined ? 0 : names.microsOf(resetAfter)]
            ])
          )
        ),
      state: (charge) =>
        stating(keysOf([charge]), [...head, charge.limit, spanOf(charge)]).pipe(
          Effect.map(([, , limit, remaining, retryAfter]) => ({
            limit: Number(limit),
            remaining: Number(remaining),
            retryAfter: durationOf(retryAfter)
          })),
          Effect.orElseSucceed(() => ({ limit: charge.limit, remaining: 0, retryAfter: Duration.infinity }))
        )
    }
    return egress === undefined ? store : RateLimitStore.withEgress(store, egress)
  })

/**
 * Rate limits in Redis.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (options: Options = {}): Layer.Layer<RateLimitStore.RateLimitStore, never, RedisClient> =>
  Layer.effect(RateLimitStore.RateLimitStore, make(options))
