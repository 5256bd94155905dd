/** One process of several that call from one address, as fast as their rate limits let them. Started by `oneAddress.ts`. */
import * as RedisBanStore from "@effect-venue/redis/RedisBanStore"
import * as RedisClient from "@effect-venue/redis/RedisClient"
import * as RedisRateLimitStore from "@effect-venue/redis/RedisRateLimitStore"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Order, type Work } from "./work.js"

const order = Schema.decodeUnknownSync(Schema.parseJson(Order))(process.argv[2])

const shared = (url: string, prefix: string): Layer.Layer<Venue.Shared> =>
  Layer.mergeAll(
    Layer.provide(RateLimiter.layer, RedisRateLimitStore.layer({ prefix })),
    Layer.provide(BanGate.layerShared, RedisBanStore.layer({ prefix })),
    ServerClock.layer
  ).pipe(Layer.provide(RedisClient.layerIoredis({ url: Redacted.make(url) })))

const credentials = Layer.succeed(
  Credentials.Credentials,
  Credentials.make({ baseUrl: order.url, apiKey: "none", apiSecret: Redacted.make("none") })
)

const layer = Venue.layerAccount.pipe(
  Layer.provide(order.redis === undefined ? Venue.layerShared : shared(order.redis, order.prefix)),
  Layer.provide(credentials),
  Layer.provide(NodeConnections.layer)
)

const isRefusal = (tag: string): boolean => tag === "Banned" || tag === "RateLimited"

const work = Effect.gen(function* () {
  const transport = yield* Transport.Transport
  const failed: Record<string, number> = {}
  const answers: Array<number> = []
  let refused = 0
  const call = Effect.gen(function* () {
    const result = yield* Effect.either(transport.callWire(Instruments.list, { category: "linear", symbol: "BTCUSDT" }))
    if (result._tag === "Right") return void answers.push(yield* Clock.currentTimeMillis)
    const { _tag: tag } = result.left
    if (isRefusal(tag)) refused += 1
    else failed[tag] = (failed[tag] ?? 0) + 1
    // A process that is banned does not spin.
    yield* Effect.sleep("100 millis")
  })
  const fibers = yield* Effect.replicateEffect(Effect.fork(Effect.forever(call)), order.fibers)
  yield* Effect.sleep(Math.max(order.end - (yield* Clock.currentTimeMillis), 0))
  yield* Effect.forEach(fibers, Fiber.interruptFork)
  const report: Work = { answers, refused, failed }
  process.send?.(report)
})

NodeRuntime.runMain(work.pipe(Effect.provide(layer), Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none)))
