/**
 * Rate limits in Redis, shared by all processes with the same prefix. The store satisfies `StoreLaws`: windows are exact by the
 * clock of Redis, and the charges of a call are taken together or not at all.
 *
 * If Redis loses its state (flushed, restarted without a file, replaced), every limit starts full, so calls wait for the longest window
 * among their limits. Redis must not evict keys (`maxmemory-policy noeviction`, the default), and its clock must not be set forward by
 * hand. An asynchronous replica that takes over can miss the last calls.
 */
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as runScript from "./runScript.js"
import * as scripts from "./limitScripts.js"
import { RedisClient } from "./RedisClient.js"

/** The options of `make`. */
export interface Options extends RemoteStore.RateLimitOptions {
  /** The prefix of every key. Stores with the same prefix share their limits. A prefix occupies one hash slot of a cluster. Default: `venue`. */
  readonly prefix?: string | undefined
}

const replyOf = ([tag, life, third, full]: ReadonlyArray<unknown>): RemoteStore.Reply =>
  tag === "Taken"
    ? { _tag: "Taken", life: String(life), leaseEnd: String(third) }
    : {
        _tag: "Full",
        indexes: Array.isArray(full) ? full.map((index) => Number(index) - 1) : [],
        retryAfter: Number(third)
      }

const backendOf =
  (client: RedisClient.Shape, prefix: string | undefined) =>
  ({ name, rest }: RemoteStore.Process): RemoteStore.RateLimitBackend => {
    const of = runScript.keysOf(prefix)
    const head = [name, rest ? "1" : "0"]
    const reserving = runScript.make(client, "reserve", scripts.reserve)
    const settling = runScript.make(client, "settle", scripts.settle)
    const observing = runScript.make(client, "observe", scripts.observe)
    const stating = runScript.make(client, "state", scripts.state)

    const keysOf = (places: ReadonlyArray<RemoteStore.Place>): ReadonlyArray<string> => [
      of("shared"),
      ...places.flatMap(({ name }) => [of("limit", name), of("out", name), of("done", name)])
    ]

    return {
      reserve: (id, lease, places, waiter) => {
        const charges = places.flatMap(({ cost, limit, span, spare }) => [limit, span, cost, spare])
        return Effect.map(
          reserving(keysOf(places), [...head, id, lease, waiter?.id ?? "", waiter?.rank ?? "", ...charges]),
          replyOf
        )
      },
      settle: ({ arrivesWithin, id, isSent, leaseEnd, life, places }, ago) =>
        Effect.asVoid(
          settling(keysOf(places), [
            ...[...head, id, life, leaseEnd, isSent ? "1" : "0", ago, arrivesWithin],
            ...places.flatMap(({ cost, span }) => [span, cost])
          ])
        ),
      observe: (id, place, { limit, refused, remaining, resetAfter, roundTrip }) =>
        Effect.asVoid(
          observing(keysOf([place]), [
            ...[...head, id, place.limit, place.span, roundTrip],
            ...[limit ?? "", remaining ?? "", refused ? "1" : "0", resetAfter]
          ])
        ),
      state: (place) =>
        Effect.map(
          stating(keysOf([place]), [...head, place.limit, place.span]),
          ([, , limit, remaining, retryAfter]) => ({
            limit: Number(limit),
            remaining: Number(remaining),
            retryAfter: Number(retryAfter)
          })
        )
    }
  }

/** Rate limits in Redis. */
export const make = (options: Options = {}): Effect.Effect<RateLimitStore.RateLimitStore.Shape, never, RedisClient> =>
  Effect.flatMap(RedisClient, (client) => RemoteStore.makeRateLimits(options, backendOf(client, options.prefix)))

/** Rate limits in Redis. */
export const layer = (options: Options = {}): Layer.Layer<RateLimitStore.RateLimitStore, never, RedisClient> =>
  Layer.effect(RateLimitStore.RateLimitStore, make(options))
