import * as RedisBanStore from "@effect-venue/redis/RedisBanStore"
import { RedisClient } from "@effect-venue/redis/RedisClient"
import { collecting } from "@effect-venue/testing/Spans"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as redis from "./utils/redis.js"

const server = new URL(redis.server.url)

const attributes = (operation: string) => ({
  "db.system.name": "redis",
  "db.operation.name": operation,
  "db.stored_procedure.name": "enter",
  "db.namespace": server.pathname.slice(1) || "0",
  "server.address": server.hostname,
  "server.port": Number(server.port || 6379)
})

/** The spans of a command, without how each ended. */
const spansOf = (change: (client: RedisClient.Shape) => RedisClient.Shape) =>
  Effect.gen(function* () {
    const { spans, tracer } = collecting()
    const prefix = yield* redis.prefix
    const store = yield* Effect.updateService(RedisBanStore.make({ prefix }), RedisClient, change)
    yield* store.enter("api.venue.example").pipe(Effect.withSpan("call"), Effect.withTracer(tracer))
    return spans.map(({ attributes, kind, name, parent }) => {
      const { exit, ...others } = Object.fromEntries(attributes)
      return { name, kind, others, isChild: parent._tag === "Some" && parent.value === spans[0] }
    })
  }).pipe(Effect.provide(redis.layer))

describe.skipIf(redis.server.isSkipped)(`the spans of scripts in ${redis.server.label}`, () => {
  it.scopedLive("are client spans below that of the call, with the attributes of the convention", () =>
    Effect.gen(function* () {
      const spans = yield* spansOf((client) => client)
      expect(spans.slice(1)).toEqual(
        ["SCRIPT LOAD", "EVALSHA"].map((operation) => ({
          name: `${operation} enter`,
          kind: "client",
          others: attributes(operation),
          isChild: true
        }))
      )
    })
  )

  it.scopedLive("contain the code of a refusal", () =>
    Effect.gen(function* () {
      const unknown = "0".repeat(40)
      const spans = yield* spansOf((client) => ({
        ...client,
        evalSha: (_, ...rest) => client.evalSha(unknown, ...rest)
      }))
      expect(spans[2]?.others).toEqual({
        ...attributes("EVALSHA"),
        "db.response.status_code": "NOSCRIPT",
        "error.type": "NOSCRIPT"
      })
    })
  )
})
