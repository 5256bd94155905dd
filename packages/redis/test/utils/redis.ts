import * as RedisClient from "@effect-venue/redis/RedisClient"
import * as Servers from "@effect-venue/testing/Servers"
import { Context, Effect, Layer, Random, Redacted } from "effect"
import { Redis } from "ioredis"

/** The Redis of the tests. */
export const server = await Servers.redis()

/** A client of the Redis of the tests. */
export const layer = RedisClient.layerIoredis({ url: Redacted.make(server.url), commandTimeout: "2 seconds" })

/** A client that sends every command again before it has a reply, as one whose connection was lost in between may do. */
export const layerRepeating = Layer.map(layer, (context) => {
  const client = Context.get(context, RedisClient.RedisClient)
  return Context.make(RedisClient.RedisClient, {
    ...client,
    evalSha: (...command) => Effect.zipRight(client.evalSha(...command), client.evalSha(...command))
  })
})

/** A client of a Redis that is not there. */
export const layerNowhere = RedisClient.layerIoredis({ url: Redacted.make("redis://127.0.0.1:9") })

/** Direct access, for what a store does not show. */
export const direct = Effect.acquireRelease(
  Effect.sync(() => new Redis(server.url)),
  (redis) => Effect.promise(() => redis.quit())
)

const keysOf = (redis: Redis, prefix: string): Promise<ReadonlyArray<string>> => redis.keys(`{${prefix}}:*`)

/** The keys of a prefix. */
export const keys = (prefix: string) =>
  Effect.scoped(Effect.flatMap(direct, (redis) => Effect.promise(() => keysOf(redis, prefix))))

/** Removes what a store keeps under a prefix, as a Redis without it would have lost it. */
export const lose = (prefix: string) =>
  Effect.scoped(
    Effect.flatMap(direct, (redis) =>
      Effect.promise(async () => {
        const found = await keysOf(redis, prefix)
        if (found.length > 0) await redis.del(...found)
      })
    )
  )

/** A prefix of the test's own, whose keys are removed at the end. */
export const prefix = Effect.acquireRelease(
  Effect.map(Random.nextIntBetween(0, 2 ** 48), (number) => `venue-test-${number.toString(36)}`),
  lose
)
