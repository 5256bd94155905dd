import * as RedisBanStore from "@effect-venue/redis/RedisBanStore"
import * as RedisClient from "@effect-venue/redis/RedisClient"
import * as RedisRateLimitStore from "@effect-venue/redis/RedisRateLimitStore"
import type { BanStore } from "@effect-venue/transport/BanStore"
import * as PostgresBanStore from "@effect-venue/transport/PostgresBanStore"
import * as PostgresRateLimitStore from "@effect-venue/transport/PostgresRateLimitStore"
import type { RateLimitStore } from "@effect-venue/transport/RateLimitStore"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"

export type Stores = Layer.Layer<RateLimitStore | BanStore>

export const redis = (url: string, prefix: string, rest = true): Stores =>
  Layer.merge(RedisRateLimitStore.layer({ prefix, rest }), RedisBanStore.layer({ prefix })).pipe(
    Layer.provide(RedisClient.layerIoredis({ url: Redacted.make(url) }))
  )

export const postgres = (url: string, rest = true): Stores =>
  Layer.merge(PostgresRateLimitStore.layer({ rest }), PostgresBanStore.layer()).pipe(
    Layer.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 16 })),
    Layer.orDie
  )

/** The URL of a schema of the measurement's own, which is dropped with the scope. */
export const schemaIn = (url: string) =>
  Effect.gen(function* () {
    const name = `venue_limits_${(yield* Random.nextIntBetween(0, 2 ** 48)).toString(36)}`
    const run = (statement: string) =>
      Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement)).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(url) })),
        Effect.orDie
      )
    yield* Effect.acquireRelease(run(`CREATE SCHEMA ${name}`), () => run(`DROP SCHEMA ${name} CASCADE`))
    const inside = new URL(url)
    inside.searchParams.set("options", `-c search_path=${name}`)
    return inside.href
  })
