import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as Executions from "@effect-venue/services/Executions"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Hmac from "@effect-venue/signing/Hmac"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import { HttpClient, HttpClientResponse } from "@effect/platform"
import { NodeHttpClient, Undici } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Fiber, Layer, Option, Redacted, TestClock } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

interface Sent {
  readonly symbol: string | null
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

type Answer = { readonly status?: number; readonly body: object | string } | "never"

const ok = (result: object): Answer => ({ body: { retCode: 0, retMsg: "OK", result, retExtInfo: {}, time: 0 } })
const code = (retCode: number): Answer => ({ body: { retCode, retMsg: "no", result: null, retExtInfo: null, time: 0 } })
const page = ok({ category: "linear", list: [], nextPageCursor: "" })
const ack = ok({ orderId: "o-1", orderLinkId: "" })
const banned: Answer = { status: 403, body: "access too frequent" }
const busy: Answer = { status: 503, body: "busy" }

const clientOf = (answer: (sent: Sent, index: number) => Answer, sent: Array<Sent>) =>
  HttpClient.make((request, url) =>
    Effect.suspend(() => {
      const body = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const one = { symbol: url.searchParams.get("symbol"), headers: { ...request.headers }, body }
      const answered = answer(one, sent.push(one) - 1)
      if (answered === "never") return Effect.never
      const { body: content, status = 200 } = answered
      const text = typeof content === "string" ? content : JSON.stringify(content)
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(text, { status })))
    })
  )

const amend = Effect.flatMap(Orders.Orders, (orders) =>
  orders.amend({ category: "linear", symbol: "BTCUSDT", orderId: "o-1", price: "1" })
)
const order = { symbol: "BTCUSDT", side: "Buy", orderType: "Market", qty: "1" } as const
const createBatch = Effect.flatMap(Orders.Orders, (orders) =>
  orders.createBatch({
    category: "linear",
    request: [
      { ...order, orderLinkId: "l-1" },
      { ...order, orderLinkId: "l-2" }
    ]
  })
)
const list = Effect.flatMap(Executions.Executions, (executions) => executions.list({ category: "linear" }))

type Around = <A, E, R>(call: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** What a program sees of a call. */
type Program = (around: Around, sent: ReadonlyArray<Sent>) => Effect.Effect<unknown, unknown, Venue.Venue>

interface Case {
  readonly key: string
  readonly name: string
  /** The reference with its value, which can note that it is used. */
  readonly provided: (used: () => void) => Context.Context<never>
  readonly answer: (sent: Sent, index: number) => Answer
  readonly program: Program
  /** What the program sees without the reference, and with it; of most, how often the value was used. */
  readonly sees: readonly [without: unknown, withIt: unknown]
  readonly services?: Layer.Layer<Venue.Shared> | undefined
  /** The client under the transport, if it is not scripted. */
  readonly client?: Layer.Layer<HttpClient.HttpClient> | undefined
}

const the = <I, S>(
  reference: Context.Reference<I, S>,
  call: string,
  value: (used: () => void) => S,
  rest: Omit<Case, "key" | "name" | "provided">
): Case => ({
  key: reference.key,
  name: `${reference.key.split("/").slice(2).join(".")}, ${call}`,
  provided: (used) => Context.make(reference, value(used)),
  ...rest
})

/** How many milliseconds a call takes. */
const duration =
  <A, E>(call: Effect.Effect<A, E, Venue.Venue>): Program =>
  (around) =>
    Effect.gen(function* () {
      const from = yield* Clock.currentTimeMillis
      yield* Effect.exit(around(call))
      return (yield* Clock.currentTimeMillis) - from
    })

const outcome =
  <A, E extends object>(call: Effect.Effect<A, E, Venue.Venue>): Program =>
  (around) =>
    Effect.match(around(call), {
      onFailure: (failure) => ("_tag" in failure ? failure._tag : failure),
      onSuccess: () => "succeeds"
    })

/** Calls, interrupts the call after a second, and sees nothing of it. */
const interrupted =
  <A, E>(call: Effect.Effect<A, E, Venue.Venue>): Program =>
  (around) =>
    Effect.flatMap(Effect.fork(around(call)), (fiber) => Effect.delay(Fiber.interrupt(fiber), "1 second")).pipe(
      Effect.as(undefined)
    )

const ended =
  <A, E>(call: Effect.Effect<A, E, Venue.Venue>): Program =>
  (around) =>
    Effect.as(Effect.exit(around(call)), undefined)

/** Which of two calls that wait for the same limit is sent first: that in question, or another one of a given priority and turn. */
const firstOf =
  (options: {
    readonly priority: CallOptions.PriorityName
    readonly turn: number
    readonly isFirst: boolean
  }): Program =>
  (around, sent) =>
    Effect.gen(function* () {
      const symbol = (symbol: string) =>
        Effect.flatMap(Executions.Executions, (executions) => executions.list({ category: "linear", symbol }))
      const subject = around(symbol("SUBJECT"))
      const other = symbol("OTHER").pipe(
        Effect.provideService(CallOptions.Priority, options.priority),
        Effect.provideService(CallOptions.Turn, options.turn)
      )
      yield* symbol("FILLS")
      const queue = options.isFirst ? [other, subject] : [subject, other]
      yield* Effect.forEach(queue, (call, index) => Effect.delay(call, index), { concurrency: "unbounded" })
      return sent[1]?.symbol
    }).pipe(Effect.provideService(Limits.Limits, onePerMinute))

const onePerMinute: Limits.Shape = {
  ...Limits.documented,
  perUid: () => Option.some({ count: 1, window: Duration.minutes(1), scope: "uid" })
}

const unreachable = Layer.mergeAll(
  RateLimiter.layer.pipe(
    Layer.provide(
      Layer.succeed(RateLimitStore.RateLimitStore, {
        isLocal: false,
        reserve: () => Effect.succeed({ _tag: "Unreachable" }),
        settle: () => Effect.void,
        observe: () => Effect.void,
        state: (charge) => Effect.succeed({ limit: charge.limit, remaining: 0, retryAfter: Duration.zero })
      })
    )
  ),
  BanGate.layer,
  ServerClock.layer
)

/** A dispatcher that never answers. */
class Silent extends Undici.Dispatcher {
  override dispatch(): boolean {
    return true
  }
  override close(): Promise<void>
  override close(callback: () => void): void
  override close(): Promise<void> {
    return Promise.resolve()
  }
}

const seconds = (count: number) => () => Duration.seconds(count)
const hangs = () => "never" as const
const use = (used: () => void) => () => Effect.sync(used)
const signs = "ab".repeat(32)

const cases: ReadonlyArray<Case> = [
  the(CallOptions.AttemptTimeout, "a write", seconds(1), {
    answer: hangs,
    program: duration(amend),
    sees: [10_000, 1_000]
  }),
  the(CallOptions.CallTimeout, "a write", seconds(3), {
    answer: hangs,
    program: duration(amend),
    sees: [10_000, 3_000]
  }),
  the(CallOptions.CallTimeout, "a batch", seconds(3), {
    answer: hangs,
    program: duration(createBatch),
    sees: [10_000, 3_000]
  }),
  the(CallOptions.MaxResponseBytes, "a read", () => 10, {
    answer: () => page,
    program: outcome(list),
    sees: ["succeeds", "UnexpectedResponse"]
  }),
  the(CallOptions.TransformClient, "a read", (used) => HttpClient.tapRequest(() => Effect.sync(used)), {
    answer: () => page,
    program: ended(list),
    sees: [0, 1]
  }),
  the(CallOptions.OnRetry, "a read", use, {
    answer: (_, index) => (index === 0 ? busy : page),
    program: ended(list),
    sees: [0, 1]
  }),
  the(CallOptions.OnInterruptedWrite, "a write", use, {
    answer: hangs,
    program: interrupted(amend),
    sees: [0, 1]
  }),
  the(CallOptions.OnInterruptedWrite, "a batch", use, {
    answer: hangs,
    program: interrupted(createBatch),
    sees: [0, 1]
  }),
  the(BanGate.WhenBanned, "a read", () => "wait" as const, {
    answer: (_, index) => (index === 0 ? banned : page),
    program: (around, sent) => Effect.zipRight(Effect.exit(list), outcome(list)(around, sent)),
    sees: ["Banned", "succeeds"]
  }),
  the(Limits.Limits, "a write", () => onePerMinute, {
    answer: () => ack,
    program: (around, sent) => Effect.zipRight(around(amend), duration(amend)(around, sent)),
    sees: [0, 60_001]
  }),
  the(CallOptions.Priority, "a read", () => "urgent" as const, {
    answer: () => page,
    program: firstOf({ priority: "write", turn: 0, isFirst: true }),
    sees: ["OTHER", "SUBJECT"]
  }),
  the(CallOptions.Turn, "a read", () => 9, {
    answer: () => page,
    program: firstOf({ priority: "read", turn: 5, isFirst: true }),
    sees: ["SUBJECT", "OTHER"]
  }),
  the(RateLimiter.StoreDeadline, "a read", seconds(3), {
    answer: () => page,
    program: duration(list),
    sees: [10_000, 3_000],
    services: unreachable
  }),
  the(RetryPolicy.RetryPolicy, "a read", () => RetryPolicy.none, {
    answer: (_, index) => (index === 0 ? busy : page),
    program: outcome(list),
    sees: ["succeeds", "Unavailable"]
  }),
  the(
    CallOptions.ReturnCodeTable,
    "a write",
    () =>
      ReturnCodes.extend(ReturnCodes.rules, [{ code: 990001, family: "riskLimit", executed: "no", noChange: false }]),
    {
      answer: () => code(990001),
      program: outcome(amend),
      sees: ["OutcomeUnknown", "Rejected"]
    }
  ),
  the(Hmac.Hmac, "a read", () => ({ sha256Hex: () => signs }), {
    answer: () => page,
    program: (around, sent) => Effect.map(around(list), () => sent[0]?.headers["x-bapi-sign"] === signs),
    sees: [false, true]
  }),
  the(
    NodeConnections.AttemptTimer,
    "a write",
    (used) => () => {
      used()
      return () => undefined
    },
    {
      answer: hangs,
      program: interrupted(amend),
      sees: [0, 1],
      client: NodeConnections.layerDispatcher(Layer.sync(NodeHttpClient.Dispatcher, () => new Silent()))
    }
  )
]

const places = ["the layer", "the program", "one call"] as const

const run = (
  { answer, client, program, provided, services = Venue.layerShared }: Case,
  place: (typeof places)[number] | "nothing"
) =>
  Effect.gen(function* () {
    const sent: Array<Sent> = []
    let uses = 0
    const reference = provided(() => {
      uses++
    })
    const around = (here: (typeof places)[number]): Around =>
      here === place ? Effect.mapInputContext((context) => Context.merge(context, reference)) : (effect) => effect
    const account = Venue.layerAccount.pipe(
      Layer.provide(services),
      Layer.provide(client ?? Layer.succeed(HttpClient.HttpClient, clientOf(answer, sent))),
      Layer.provide(
        Credentials.layer({
          baseUrl: "http://venue.test",
          apiKey: "EXAMPLEKEY0001",
          apiSecret: Redacted.make("example")
        })
      ),
      place === "the layer" ? Layer.provide(Layer.succeedContext(reference)) : (layer) => layer
    )
    const running = around("the program")(program(around("one call"), sent))
    const fiber = yield* Effect.fork(Effect.provide(running, account))
    yield* TestClock.adjust("15 minutes")
    return (yield* Fiber.join(fiber)) ?? uses
  })

const exported = Effect.promise(async () => {
  const packages = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))))
  const files = ["signing", "transport", "services"].flatMap((name) => {
    const folder = path.join(packages, name)
    const { exports } = JSON.parse(fs.readFileSync(path.join(folder, "package.json"), "utf8"))
    const modules = Object.entries<string>(exports).filter(([opened]) => /^\.\/[A-Z]/.test(opened))
    return modules.map(([, file]) => path.join(folder, file))
  })
  const modules = await Promise.all(files.map((file): Promise<Record<string, unknown>> => import(file)))
  return modules.flatMap((module) =>
    Object.values(module).flatMap((value) =>
      typeof value === "function" && Context.isReference(value as never)
        ? [(value as unknown as { readonly key: string }).key]
        : []
    )
  )
})

describe("a call option", () => {
  it.effect("is in this table, for every module that exports one", () =>
    Effect.map(exported, (keys) => {
      // The sources of new ids are no options of calls.
      const options = keys.filter((key) => !/\/(RequestIds|OrderLinkIds)$/.test(key))
      expect([...new Set(options)].sort()).toEqual([...new Set(cases.map(({ key }) => key))].sort())
    })
  )

  for (const one of cases) {
    it.effect(`has no effect if it is not provided: ${one.name}`, () =>
      Effect.map(run(one, "nothing"), (seen) => expect(seen).toEqual(one.sees[0]))
    )
    for (const place of places) {
      it.effect(`has its effect when it is provided to ${place}: ${one.name}`, () =>
        Effect.map(run(one, place), (seen) => expect(seen).toEqual(one.sees[1]))
      )
    }
  }
})
