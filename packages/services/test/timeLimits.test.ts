import * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as BanStore from "@effect-venue/transport/BanStore"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import * as Transport from "@effect-venue/transport/Transport"
import { FetchHttpClient, HttpClient, HttpClientError } from "@effect/platform"
import { NodeHttpClient } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import {
  type Clock,
  Cause,
  Deferred,
  Duration,
  Effect,
  Exit,
  Fiber,
  Layer,
  Logger,
  LogLevel,
  Option,
  Redacted,
  Schedule
} from "effect"
import { serve } from "./utils/server.js"

type Call = Effect.Effect<unknown, { readonly _tag: string }, Orders.Orders>
type Ended = Exit.Exit<unknown, { readonly _tag: string }>

/** Runs a call where it cannot be interrupted, or could not be until now. */
const regions: Readonly<Record<string, (call: Call) => Effect.Effect<Ended, never, Orders.Orders>>> = {
  "a plain program": Effect.exit,
  "Effect.uninterruptible": (call) => Effect.uninterruptible(Effect.exit(call)),
  "a finalizer of an interrupted fiber": (call) =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<void>()
      const ended = yield* Deferred.make<Ended>()
      const running = Effect.zipRight(Deferred.succeed(started, undefined), Effect.never)
      const fiber = yield* Effect.fork(
        Effect.ensuring(
          running,
          Effect.flatMap(Effect.exit(call), (exit) => Deferred.succeed(ended, exit))
        )
      )
      yield* Deferred.await(started)
      yield* Fiber.interrupt(fiber)
      return yield* Deferred.await(ended)
    }),
  "the acquisition of a resource": (call) => Effect.scoped(Effect.acquireRelease(Effect.exit(call), () => Effect.void)),
  "the release of a resource": (call) =>
    Effect.gen(function* () {
      const ended = yield* Deferred.make<Ended>()
      const release = () => Effect.flatMap(Effect.exit(call), (exit) => Deferred.succeed(ended, exit))
      yield* Effect.scoped(Effect.acquireRelease(Effect.void, release))
      return yield* Deferred.await(ended)
    })
}

const cancel: Call = Effect.flatMap(Orders.Orders, (orders) =>
  orders.cancel({ category: "linear", symbol: "XRPUSDT", orderLinkId: "quote-1" })
)

const cancelBatch: Call = Effect.flatMap(Orders.Orders, (orders) =>
  orders.cancelBatch({ category: "linear", request: [{ symbol: "XRPUSDT", orderLinkId: "quote-1" }] })
)

/** A service that receives requests and never answers. */
const hangingService = Effect.map(
  serve(() => "hang"),
  ({ received, url }) => ({
    credentials: Credentials.layer({
      baseUrl: url,
      apiKey: "EXAMPLEKEY0001",
      apiSecret: Redacted.make("example-secret-0001")
    }),
    arrived: Effect.sync(() => received.length)
  })
)

/** The parts of a world in which the call waits. `late` ends when the call has ended: until then the operations that wait for it hang, and cannot be interrupted. */
interface Waits {
  readonly client?: Layer.Layer<HttpClient.HttpClient> | undefined
  readonly signer?: Layer.Layer<Signer.Signer, never, Credentials.Credentials> | undefined
  readonly shared?: Layer.Layer<Venue.Shared> | undefined
  readonly journal?: WriteJournal.WriteJournal.Shape | undefined
  readonly around?: ((call: Call) => Call) | undefined
}

interface Row {
  readonly title: string
  readonly waits: (late: Effect.Effect<void>) => Waits
  readonly failure: string
  /** Whether the call departs before its time is over. On a slow machine its request can still arrive too late. */
  readonly departs: boolean
}

const limit = Duration.millis(300)

const sharedWith = (
  limiter: Layer.Layer<RateLimiter.RateLimiter>,
  gate: Layer.Layer<BanGate.BanGate> = BanGate.layer
): Layer.Layer<Venue.Shared> => Layer.mergeAll(limiter, gate, ServerClock.layer)

const clients: Readonly<Record<string, Layer.Layer<HttpClient.HttpClient>>> = {
  NodeConnections: NodeConnections.layer,
  "FetchHttpClient.layer": FetchHttpClient.layer,
  "NodeHttpClient.layerUndici": NodeHttpClient.layerUndici,
  "NodeHttpClient.layer": NodeHttpClient.layer,
  "a client that cannot be interrupted": Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, HttpClient.transform(Effect.uninterruptible))
  ).pipe(Layer.provide(FetchHttpClient.layer))
}

const limits = {
  AttemptTimeout: Effect.provideService(CallOptions.AttemptTimeout, limit),
  CallTimeout: Effect.provideService(CallOptions.CallTimeout, limit)
}

const withWrappedClient = (call: Call): Call =>
  limits.CallTimeout(
    Effect.provideService(call, CallOptions.TransformClient, HttpClient.transform(Effect.uninterruptible))
  )

const hangsWith = (late: Effect.Effect<void>): Layer.Layer<RateLimitStore.RateLimitStore> =>
  Layer.effect(
    RateLimitStore.RateLimitStore,
    Effect.map(RateLimitStore.makeMemory(), (store) => ({
      ...store,
      isLocal: false,
      reserve: (...parameters) => Effect.uninterruptible(Effect.zipRight(late, store.reserve(...parameters)))
    }))
  )

const unreadable = (late: Effect.Effect<void>): Layer.Layer<RateLimitStore.RateLimitStore> =>
  Layer.effect(
    RateLimitStore.RateLimitStore,
    Effect.map(RateLimitStore.makeMemory(), (store) => ({
      ...store,
      state: (charge) => Effect.uninterruptible(Effect.zipRight(late, store.state(charge)))
    }))
  )

const oncePerHour: Limits.Shape = {
  ...Limits.documented,
  perUid: () => Option.some({ count: 1, window: Duration.hours(1), scope: "uid" })
}

/** A journal that begins an entry late. */
const lateJournal = (late: Effect.Effect<void>, timeout: Duration.Duration) =>
  WriteJournal.make(
    {
      nextId: Effect.succeed("entry-1"),
      begin: () => Effect.uninterruptible(late),
      end: () => Effect.void,
      open: Effect.succeed([]),
      guarded: Effect.succeed({ entries: [], totals: [] })
    },
    { timeout }
  )

const lateSigner = (late: Effect.Effect<void>) =>
  Layer.effect(
    Signer.Signer,
    Effect.map(Signer.Signer, ({ sign }) => ({
      sign: (request: Signer.Unsigned) => Effect.uninterruptible(Effect.zipRight(late, sign(request)))
    }))
  ).pipe(Layer.provide(Signer.layer))

const everyMinute: RetryPolicy.RetryPolicy.Shape = {
  schedule: Schedule.spaced("1 minute"),
  shouldRetry: RetryPolicy.shouldRetry,
  longestWait: "1 hour"
}

const rows: ReadonlyArray<Row> = [
  ...Object.entries(clients).flatMap(([name, client]) =>
    Object.entries(limits).map(([option, around]): Row => ({
      title: `${option} ends a call whose service hangs, with ${name}`,
      waits: () => ({ client, around }),
      failure: "OutcomeUnknown",
      departs: true
    }))
  ),
  {
    title: "CallTimeout ends a call whose signer hangs",
    waits: (late) => ({ signer: lateSigner(late), around: limits.CallTimeout }),
    failure: "ConnectionFailed",
    departs: false
  },
  {
    title: "CallTimeout ends a call whose signer hangs below a wrapped client that cannot be interrupted",
    waits: (late) => ({
      signer: lateSigner(late),
      around: withWrappedClient
    }),
    failure: "ConnectionFailed",
    departs: false
  },
  {
    title: "CallTimeout ends a call that waits for its rate limit",
    waits: () => ({
      around: (call) =>
        Effect.zipRight(Effect.exit(limits.AttemptTimeout(call)), limits.CallTimeout(call)).pipe(
          Effect.provideService(Limits.Limits, oncePerHour)
        )
    }),
    failure: "ConnectionFailed",
    departs: true
  },
  {
    title: "CallTimeout ends a call whose store of rate limits hangs",
    waits: (late) => ({
      shared: sharedWith(RateLimiter.layer.pipe(Layer.provide(hangsWith(late)))),
      around: limits.CallTimeout
    }),
    failure: "ConnectionFailed",
    departs: false
  },
  {
    title: "StoreDeadline ends a call whose store of rate limits hangs",
    waits: (late) => ({
      shared: sharedWith(RateLimiter.layer.pipe(Layer.provide(hangsWith(late)))),
      around: Effect.provideService(RateLimiter.StoreDeadline, limit)
    }),
    failure: "ConnectionFailed",
    departs: false
  },
  {
    title: "CallTimeout ends a batch while the limit in force cannot be read",
    waits: (late) => ({
      shared: sharedWith(RateLimiter.layer.pipe(Layer.provide(unreadable(late)))),
      around: () => limits.CallTimeout(cancelBatch)
    }),
    failure: "ConnectionFailed",
    departs: false
  },
  {
    title: "CallTimeout ends a call whose store of bans hangs",
    waits: (late) => ({
      shared: sharedWith(
        RateLimiter.layerMemory,
        BanGate.layerShared.pipe(
          Layer.provide(
            Layer.effect(
              BanStore.BanStore,
              Effect.map(BanStore.makeMemory(), (store) => ({
                ...store,
                enter: (host: string) => Effect.uninterruptible(Effect.zipRight(late, store.enter(host)))
              }))
            )
          )
        )
      ),
      around: limits.CallTimeout
    }),
    failure: "ConnectionFailed",
    departs: false
  },
  {
    title:
      "CallTimeout ends a call whose gate hangs in the last step below a wrapped client that cannot be interrupted",
    waits: (late) => ({
      shared: sharedWith(
        RateLimiter.layerMemory,
        Layer.effect(
          BanGate.BanGate,
          Effect.map(BanGate.make, (gate) => ({
            ...gate,
            closedUntil: (host: string, clock: Clock.Clock) =>
              Effect.uninterruptible(Effect.zipRight(late, gate.closedUntil(host, clock)))
          }))
        )
      ),
      around: withWrappedClient
    }),
    failure: "ConnectionFailed",
    departs: false
  },
  {
    title: "CallTimeout ends a call whose journal hangs",
    waits: (late) => ({ journal: lateJournal(late, Duration.hours(1)), around: limits.CallTimeout }),
    failure: "ConnectionFailed",
    departs: false
  },
  {
    title: "the timeout of the journal ends a call whose journal hangs",
    waits: (late) => ({ journal: lateJournal(late, limit) }),
    failure: "ConnectionFailed",
    departs: false
  },
  {
    title: "CallTimeout ends a call that waits before its next attempt",
    waits: () => ({
      client: Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) =>
          Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: refused }))
        )
      ),
      around: (call) => limits.CallTimeout(Effect.provideService(call, RetryPolicy.RetryPolicy, everyMinute))
    }),
    failure: "ConnectionFailed",
    departs: false
  }
]

const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED", syscall: "connect" })

/** Runs a row in one region: the exit, the requests that arrived, and how many places of the rate limits the call still occupies. */
const runIn = ({ waits }: Row, region: (call: Call) => Effect.Effect<Ended, never, Orders.Orders>) =>
  Effect.gen(function* () {
    const { arrived, credentials } = yield* hangingService
    const late = yield* Deferred.make<void>()
    const {
      around = (call: Call) => call,
      client = FetchHttpClient.layer,
      journal,
      shared = Venue.layerShared,
      signer = Signer.layer
    } = waits(Deferred.await(late))
    const venue = Venue.layerServices.pipe(
      Layer.provide(Transport.layer),
      Layer.provide(journal === undefined ? Layer.empty : Layer.succeed(WriteJournal.WriteJournal, journal)),
      Layer.provide(signer),
      Layer.provideMerge(shared),
      Layer.provide(client),
      Layer.provide(credentials),
      Layer.provide(Layer.succeed(RetryPolicy.RetryPolicy, RetryPolicy.none))
    )
    return yield* Effect.gen(function* () {
      const exit = yield* region(around(cancel))
      yield* Deferred.succeed(late, undefined)
      yield* Effect.sleep("50 millis")
      const states = yield* Effect.flatMap(RateLimiter.RateLimiter, (limiter) => limiter.states)
      const failure = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : Option.none()
      return {
        failure: Option.match(failure, { onNone: () => exit._tag, onSome: ({ _tag }) => _tag }),
        arrived: yield* arrived,
        occupied: states.map(({ limit, remaining }) => limit - remaining)
      }
    }).pipe(Effect.provide(venue), Logger.withMinimumLogLevel(LogLevel.None))
  }).pipe(Effect.scoped)

const everyRegion = (row: Row) =>
  Effect.forEach(
    Object.entries(regions),
    ([name, region]) => Effect.map(runIn(row, region), (ended) => [name, ended] as const),
    { concurrency: "unbounded" }
  )

describe("wherever the caller stands", () => {
  for (const row of rows) {
    it.live(row.title, () =>
      Effect.gen(function* () {
        for (const [region, { arrived, failure, occupied }] of yield* everyRegion(row)) {
          if (row.departs && arrived === 0) continue
          const places = row.departs ? 1 : 0
          expect({ region, failure, arrived }).toEqual({ region, failure: row.failure, arrived: places })
          for (const occupiedPlaces of occupied)
            expect(occupiedPlaces, `places in the rate limits, ${region}`).toBe(places)
        }
      })
    )
  }

  for (const [option, around] of Object.entries(limits)) {
    it.live(`${option} ends a call whose service hangs, with the embedded exchange`, () =>
      Effect.gen(function* () {
        yield* Faults.inject({ kind: "delay", millis: 600_000, executed: "atOnce" }, "orders.cancel")
        for (const region of Object.values(regions)) {
          const exit = yield* region(around(cancel))
          expect(exit).toMatchObject({ cause: { error: { _tag: "OutcomeUnknown" } } })
        }
      }).pipe(Effect.provide(Venue.layer.pipe(Layer.provideMerge(Sandbox.layer({ seed: 7, prices: "still" })))))
    )
  }
})
