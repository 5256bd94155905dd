import type { RedisClient } from "@effect-venue/redis/RedisClient"
import * as RedisBanStore from "@effect-venue/redis/RedisBanStore"
import * as StoreLaws from "@effect-venue/transport/StoreLaws"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, type Scope } from "effect"
import * as redis from "./utils/redis.js"

const laws = StoreLaws.bans<RedisClient | Scope.Scope>({
  make: ({ lease }) => Effect.flatMap(redis.prefix, (prefix) => RedisBanStore.make({ prefix, lease })),
  leases: true,
  pass: Effect.sleep,
  programs: 10,
  concurrency: 10,
  makeUnreachable: Effect.flatMap(Layer.build(redis.layerNowhere), (nowhere) =>
    Effect.provide(RedisBanStore.make(), nowhere)
  )
})

describe.skipIf(redis.server.isSkipped).concurrent(`the laws of bans in ${redis.server.label}`, () => {
  for (const { check, name } of laws) {
    it.scopedLive(name, () => Effect.provide(check, redis.layer))
    it.scopedLive(`${name}, with every command sent twice`, () => Effect.provide(check, redis.layerRepeating))
  }
})

describe.skipIf(redis.server.isSkipped)(`bans in ${redis.server.label}`, () => {
  it.scopedLive("hold for the processes of one egress address", () =>
    Effect.gen(function* () {
      const prefix = yield* redis.prefix
      const make = (egress: string) => RedisBanStore.make({ prefix, egress })
      const [banned, sibling, other] = [yield* make("a"), yield* make("a"), yield* make("b")]
      yield* banned.close("api.venue.example", Duration.minutes(10))
      expect(yield* sibling.enter("api.venue.example")).toMatchObject({ _tag: "Closed" })
      expect(yield* other.enter("api.venue.example")).toEqual({ _tag: "Open" })
      for (const key of yield* redis.keys(prefix)) expect(key).toMatch(/:ban:[0-9a-f]{32}$/)
    }).pipe(Effect.provide(redis.layer))
  )
})
