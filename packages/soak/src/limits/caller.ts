/** One process of several that call from one address, or for one UID, as fast as their rate limits let them. */
import * as Executions from "@effect-venue/schemas/Executions"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Ref from "effect/Ref"
import * as Schema from "effect/Schema"
import { type Cancel, Order, type Work } from "./Order.js"
import * as Workload from "../shared/Workload.js"
import * as RedisServer from "./RedisServer.js"

const order = Schema.decodeUnknownSync(Schema.parseJson(Order))(process.argv[2])

const sharesLimit = order.uid?.cancels === "same limit"

const pages: Array<number> = []

/** When the store had no room for a call of high priority for the last time. */
const fullAt = Ref.unsafeMake(Option.none<number>())

/** Notes when export pages have their places, and when a call of high priority has none. Pages are those that leave places free. */
const watchStore = (store: RateLimitStore.RateLimitStore.Shape): RateLimitStore.RateLimitStore.Shape => ({
  ...store,
  reserve: (charges) =>
    Effect.tap(store.reserve(charges), ({ _tag }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const isPage = charges.some(({ spare = 0 }) => spare > 0)
        if (isPage && _tag === "Taken") pages.push(now)
        return !isPage && _tag === "Full" ? Ref.set(fullAt, Option.some(now)) : Effect.void
      })
    )
})

/** Exports leave one place to calls of higher priorities, of the address and of their other limits. */
const spare = (priority: CallOptions.PriorityName, { scope }: RateLimitStore.Charge): number =>
  priority === "bulk" && (scope === "ip" || sharesLimit) ? 1 : 0

const shared: Layer.Layer<Venue.Shared> =
  order.redis === undefined
    ? Venue.layerShared
    : Layer.mergeAll(
        Layer.effect(RateLimiter.RateLimiter, RateLimiter.make({ spare })).pipe(
          Layer.provide(
            Layer.effect(RateLimitStore.RateLimitStore, Effect.map(RateLimitStore.RateLimitStore, watchStore))
          )
        ),
        BanGate.layerShared,
        ServerClock.layer
      ).pipe(Layer.provide(RedisServer.layerStores(order.redis.url, order.redis.prefix)))

const { apiKey, apiSecret } = order.uid ?? { apiKey: "none", apiSecret: "none" }

const credentials = Layer.succeed(
  Credentials.Credentials,
  Credentials.make({ baseUrl: order.url, apiKey, apiSecret: Redacted.make(apiSecret) })
)

const layer = Venue.layerAccount.pipe(
  Layer.provide(shared),
  Layer.provide(credentials),
  Layer.provide(NodeConnections.layer)
)

const isRefusal = (tag: string): boolean => tag === "Banned" || tag === "RateLimited"

const work = Effect.gen(function* () {
  const transport = yield* Transport.Transport
  const failures: Array<string> = []
  const answers: Array<number> = []
  const cancels: Array<Cancel> = []
  let refused = 0

  const noteResult = Effect.fnUntraced(function* (result: Either.Either<unknown, { readonly _tag: string }>) {
    if (result._tag === "Right" || result.left._tag === "Rejected") return true
    const { _tag: tag } = result.left
    if (isRefusal(tag)) refused += 1
    else failures.push(tag)
    // A process that is banned does not spin.
    yield* Effect.sleep("100 millis")
    return false
  })

  const countCall = (call: Effect.Effect<unknown, { readonly _tag: string }>) =>
    Effect.gen(function* () {
      const isAnswered = yield* noteResult(yield* Effect.either(call))
      if (isAnswered) answers.push(yield* Clock.currentTimeMillis)
    })

  const page = countCall(transport.callWire(Executions.list, { category: "linear", limit: 1 }))

  // The order does not exist, so the call is refused.
  const noOrder = { category: "linear", symbol: "BTCUSDT", orderId: "none" } as const
  const cancel = sharesLimit
    ? page
    : Effect.flatMap(Effect.either(transport.callWire(Orders.cancel, noOrder)), noteResult)

  const cancelling = Effect.gen(function* () {
    yield* Effect.sleep(yield* Random.nextIntBetween(500, 2500))
    const askedAt = yield* Clock.currentTimeMillis
    yield* Ref.set(fullAt, Option.none())
    yield* Effect.provideService(cancel, CallOptions.Priority, "urgent")
    const answeredAt = yield* Clock.currentTimeMillis
    cancels.push({ askedAt, answeredAt, fullAt: Option.getOrUndefined(yield* Ref.get(fullAt)) })
  })

  const reading =
    order.uid === undefined
      ? countCall(transport.callWire(Instruments.list, { category: "linear", symbol: "BTCUSDT" }))
      : Effect.provideService(page, CallOptions.Priority, "bulk")

  const fibers = yield* Effect.replicateEffect(Effect.fork(Effect.forever(reading)), order.fibers)
  if (order.uid !== undefined) fibers.push(yield* Effect.fork(Effect.forever(cancelling)))
  yield* Effect.sleep(Math.max(order.end - (yield* Clock.currentTimeMillis), 0))
  yield* Effect.forEach(fibers, Fiber.interruptFork)
  const report: Work = { answers, pages, cancels, refused, failed: Workload.countNames(failures) }
  process.send?.(report)
})

NodeRuntime.runMain(work.pipe(Effect.provide(layer), Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none)))
