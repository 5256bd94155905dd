import * as RedisClient from "@effect-venue/redis/RedisClient"
import * as Secrets from "@effect-venue/testing/Secrets"
import { expect, it } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted } from "effect"

it.effect.each(Object.entries(Secrets.makeMalformedUrls("redis")))(
  "refuses a URL with %s and does not print it",
  ([, url]) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.scoped(RedisClient.makeIoredis({ url: Redacted.make(url) })))
      expect(Exit.isFailure(exit) ? Cause.pretty(exit.cause) : "success").toContain(
        "RedisClient: url must be a URL such as redis://"
      )
      expect(Secrets.printValue(exit)).not.toContain(Secrets.password)
    })
)
