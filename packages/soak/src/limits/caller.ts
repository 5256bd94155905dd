/** One process of several that call from one address, as fast as its rate limit lets them. */
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
import { Order, type Work } from "./Order.js"
import * as RedisServer from "./RedisServer.js"

const order = Schema.decodeUnknownSync(Schema.parseJson(Order))(process.argv[2])

const shared: Layer.Layer<Venue.Shared> =
  order.redis === undefined
    ? Venue.layerShared
    : Layer.mergeAll(RateLimiter.layer, BanGate.layerShared, ServerClock.layer).pipe(
        Layer.provide(RedisServer.layerStores(order.redis.url, order.redis.prefix))
      )

const credentials = Credentials.make({ baseUrl: order.url, apiKey: "none", apiSecret: Redacted.make("none") })

const layer = Venue.layerAccount.pipe(
  Layer.provide([shared, Layer.succeed(Credentials.Credentials, credentials), NodeConnections.layer])
)

const work = Effect.gen(function* () {
  const transport = yield* Transport.Transport
  const answers: Array<number> = []
  const failed: Array<string> = []
  const reading = transport.callWire(Instruments.list, { category: "linear", symbol: "BTCUSDT" }).pipe(
    Effect.zipRight(Clock.currentTimeMillis),
    Effect.map((at) => void answers.push(at)),
    Effect.catchAll(({ _tag: tag }) => {
      failed.push(tag)
      // A process that is banned does not spin.
      return Effect.sleep("100 millis")
    })
  )
  const fibers = yield* Effect.replicateEffect(Effect.fork(Effect.forever(reading)), order.fibers)
  yield* Effect.sleep(Math.max(order.end - (yield* Clock.currentTimeMillis), 0))
  yield* Effect.forEach(fibers, Fiber.interruptFork)
  process.send?.({ answers, failed } satisfies Work)
})

NodeRuntime.runMain(work.pipe(Effect.provide(layer), Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none)))
