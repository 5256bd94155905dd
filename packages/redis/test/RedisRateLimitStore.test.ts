import type { RedisClient } from "@effect-venue/redis/RedisClient"
import * as RedisRateLimitStore from "@effect-venue/redis/RedisRateLimitStore"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import { type Charge, RateLimitStore, type Waiter, withEgress } from "@effect-venue/transport/RateLimitStore"
import * as StoreLaws from "@effect-venue/transport/StoreLaws"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted, type Scope } from "effect"
import * as redis from "./utils/redis.js"

const laws = StoreLaws.rateLimits<RedisClient | Scope.Scope>({
  make: (options) =>
    Effect.flatMap(redis.prefix, (prefix) => RedisRateLimitStore.make({ prefix, egress: "here", ...options })),
  rests: true,
  leases: true,
  elsewhere: (store) => withEgress(store, "there"),
  pass: Effect.sleep,
  programs: 10,
  concurrency: 10,
  makeUnreachable: Effect.flatMap(Layer.build(redis.layerNowhere), (nowhere) =>
    Effect.provide(RedisRateLimitStore.make(), nowhere)
  )
})

describe.skipIf(redis.server.isSkipped).concurrent(`the laws of rate limits in ${redis.server.label}`, () => {
  for (const { check, name } of laws) {
    it.scopedLive(name, () => Effect.provide(check, redis.layer))
    it.scopedLive(`${name}, with every command sent twice`, () => Effect.provide(check, redis.layerRepeating))
  }
})

const minute = Duration.minutes(1)

const charge = (key: string, limit: number): Charge => ({ key, scope: "uid", limit, window: minute, cost: 1 })

describe.skipIf(redis.server.isSkipped)(`rate limits in ${redis.server.label}`, () => {
  it.scopedLive("start full for a window after Redis has lost its state, also for processes that used it before", () =>
    Effect.gen(function* () {
      const prefix = yield* redis.prefix
      yield* RedisRateLimitStore.make({ prefix, rest: false }).pipe(
        Effect.flatMap((store) => store.reserve([charge("k", 5)]))
      )
      const store = yield* RedisRateLimitStore.make({ prefix })
      expect(yield* store.reserve([charge("k", 5)])).toMatchObject({ _tag: "Taken" })
      yield* redis.lose(prefix)
      const short = { ...charge("short", 5), window: Duration.seconds(5) }
      const result = yield* store.reserve([short, charge("k", 5)])
      expect(result).toMatchObject({ _tag: "Full", keys: ["short", "k"] })
      expect(result._tag === "Full" && Duration.greaterThan(result.retryAfter, Duration.seconds(30))).toBe(true)
      expect(yield* store.state(charge("k", 5))).toMatchObject({ limit: 5, remaining: 0 })
    }).pipe(Effect.provide(redis.layer))
  )

  it.scopedLive("keep the order of waiting calls, of all processes", () =>
    Effect.gen(function* () {
      const prefix = yield* redis.prefix
      const store = yield* RedisRateLimitStore.make({ prefix, rest: false })
      const single = charge("k", 3)
      const batch = { ...single, cost: 3 }
      const [first, second, urgent] = [
        { id: 1, rank: 2 },
        { id: 2, rank: 2 },
        { id: 3, rank: 1 }
      ]
      const tries = (charge: Charge, waiter?: Waiter) => Effect.map(store.reserve([charge], waiter), ({ _tag }) => _tag)
      const taken = yield* store.reserve([single])
      expect(yield* tries(batch, first)).toBe("Full")
      // Two places are free, and the batch waits for three.
      expect(yield* tries(single, second)).toBe("Full")
      expect(yield* tries(single)).toBe("Full")
      const overtaking = yield* store.reserve([single], urgent)
      for (const result of [taken, overtaking]) {
        if (result._tag !== "Taken") return yield* Effect.dieMessage("no room")
        yield* store.settle(result.reservation, "unsent", Duration.zero)
      }
      expect(yield* tries(single, second)).toBe("Full")
      // A call that stops trying loses its position in the queue.
      yield* Effect.sleep("1100 millis")
      expect(yield* tries(single, second)).toBe("Taken")
      expect(yield* tries(batch, first)).toBe("Full")
    }).pipe(Effect.provide(redis.layer))
  )

  it.scopedLive("give a batch its turn beside single orders of another process", () =>
    Effect.gen(function* () {
      const prefix = yield* redis.prefix
      const limiterOf = Effect.flatMap(RedisRateLimitStore.make({ prefix, rest: false }), (store) =>
        Effect.provideService(RateLimiter.make(), RateLimitStore, store)
      )
      const [singles, batches] = [yield* limiterOf, yield* limiterOf]
      const order: Charge = { ...charge("orders", 10), window: Duration.millis(300) }
      // Enough at once to take each place that becomes free.
      yield* Effect.forkScoped(
        Effect.forEach(
          Array.from({ length: 12 }),
          () => Effect.forever(RateLimiter.charged(singles, Effect.sleep(5), { charges: [order], priority: "write" })),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.sleep(400)
      const sent = yield* RateLimiter.charged(batches, Effect.succeed("sent"), {
        charges: [{ ...order, cost: 10 }],
        priority: "write"
      }).pipe(Effect.timeout("4 seconds"))
      expect(sent).toBe("sent")
    }).pipe(Effect.provide(redis.layer))
  )

  it.scopedLive("count a call once that is answered after Redis has lost its state", () =>
    Effect.gen(function* () {
      const prefix = yield* redis.prefix
      const store = yield* RedisRateLimitStore.make({ prefix, rest: false })
      const [sent, unsent] = [yield* store.reserve([charge("k", 5)]), yield* store.reserve([charge("k", 5)])]
      yield* redis.lose(prefix)
      if (sent._tag !== "Taken" || unsent._tag !== "Taken") return yield* Effect.dieMessage("no room")
      yield* store.settle(sent.reservation, "counted", Duration.zero)
      yield* store.settle(sent.reservation, "counted", Duration.zero)
      yield* store.settle(unsent.reservation, "unsent", Duration.zero)
      expect(yield* store.state(charge("k", 5))).toMatchObject({ remaining: 4 })
    }).pipe(Effect.provide(redis.layer))
  )

  it.scopedLive("are shared by processes with the same prefix and digest key, and no others", () =>
    Effect.gen(function* () {
      const prefix = yield* redis.prefix
      const make = (secret: string) =>
        RedisRateLimitStore.make({ prefix, rest: false, digestKey: Redacted.make(secret) })
      const [first, second, other] = [yield* make("a"), yield* make("a"), yield* make("b")]
      const taken = yield* first.reserve([charge("k", 2)])
      expect(yield* second.state(charge("k", 2))).toMatchObject({ remaining: 1 })
      expect(yield* other.state(charge("k", 2))).toMatchObject({ remaining: 2 })
      // A reservation can be settled by any process.
      if (taken._tag !== "Taken") return yield* Effect.dieMessage("no room")
      yield* second.settle(taken.reservation, "unsent", Duration.zero)
      expect(yield* first.state(charge("k", 2))).toMatchObject({ remaining: 2 })
    }).pipe(Effect.provide(redis.layer))
  )

  it.scopedLive("use keys of one hash slot that do not contain the name of a limit", () =>
    Effect.gen(function* () {
      const prefix = yield* redis.prefix
      const store = yield* RedisRateLimitStore.make({ prefix, rest: false })
      yield* store.reserve([charge("api.venue.example 42 /path", 2), charge("api.venue.example", 2)])
      const keys = yield* redis.keys(prefix)
      expect(keys.length).toBeGreaterThan(3)
      for (const key of keys) {
        expect(key.startsWith(`{${prefix}}:`)).toBe(true)
        expect(key).toMatch(/:(shared|(limit|out|done):[0-9a-f]{32})$/)
      }
    }).pipe(Effect.provide(redis.layer))
  )

  it.scopedLive("take and return both places of a call that is charged twice to one limit", () =>
    Effect.gen(function* () {
      const prefix = yield* redis.prefix
      const store = yield* RedisRateLimitStore.make({ prefix, rest: false })
      const taken = yield* store.reserve([charge("k", 5), charge("k", 5)])
      expect(yield* store.state(charge("k", 5))).toMatchObject({ remaining: 3 })
      if (taken._tag !== "Taken") return yield* Effect.dieMessage("no room")
      yield* store.settle(taken.reservation, "unsent", Duration.zero)
      expect(yield* store.state(charge("k", 5))).toMatchObject({ remaining: 5 })
    }).pipe(Effect.provide(redis.layer))
  )
})
