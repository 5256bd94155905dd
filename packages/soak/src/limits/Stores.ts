import * as RedisBanStore from "@effect-venue/redis/RedisBanStore"
import * as RedisClient from "@effect-venue/redis/RedisClient"
import * as RedisRateLimitStore from "@effect-venue/redis/RedisRateLimitStore"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

/** The stores in a Redis. */
export const layer = (url: string, prefix: string, rest = true) =>
  Layer.merge(RedisRateLimitStore.layer({ prefix, rest }), RedisBanStore.layer({ prefix })).pipe(
    Layer.provide(RedisClient.layerIoredis({ url: Redacted.make(url) }))
  )
