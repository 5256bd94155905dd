/**
 * Calls through the transport, one after the other, and responses of every kind: those of the service, of its gateway and of other
 * servers. The library's outcomes are compared with a model.
 */
import * as AssetsSchemas from "@effect-venue/schemas/Assets"
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Connections from "@effect-venue/transport/Connections"
import type * as Failure from "@effect-venue/transport/Failure"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Sim from "../../kernel/Sim.js"
import * as Answers from "../../models/Answers.js"
import * as Exchange from "../../models/Exchange.js"
import * as Network from "../../world/Network.js"
import type * as World from "../../world/World.js"
import * as Workload from "../Workload.js"
import * as Plan from "./Plan.js"

const requestId = "42c0cfb0-6bca-4da0-8b6f-0123456789ab"

const page = { list: [], nextPageCursor: "" }

/** The result of an operation; of another request, if `isForeign`. */
const resultOf = (operation: Plan.Operation, isForeign: boolean): unknown => {
  switch (operation) {
    case "read":
    case "publicRead":
      return { category: "linear", ...page }
    case "legacyRead":
      return { rows: [], cursor: "" }
    case "bareRead":
      return { list: [], cursor: "" }
    case "write":
      return { orderId: isForeign ? "p" : "o", orderLinkId: "" }
    case "position":
      return {}
    case "transfer":
      return { transferId: isForeign ? requestId.replace("4", "5") : requestId }
  }
}

const endpoints = {
  read: Executions.list,
  legacyRead: AssetsSchemas.deposits,
  bareRead: AssetsSchemas.subAccountTransfers,
  publicRead: Instruments.list,
  position: Positions.setTradingStop,
  write: Orders.cancel,
  transfer: AssetsSchemas.transfer
} satisfies Readonly<Record<Plan.Operation, Endpoint.Properties>>

const callOf = (operation: Plan.Operation) =>
  Effect.flatMap(Transport.Transport, (transport): Effect.Effect<unknown, Failure.Failure> => {
    switch (operation) {
      case "read":
        return transport.callWire(endpoints.read, { category: "linear" })
      case "legacyRead":
        return transport.callWire(endpoints.legacyRead, {})
      case "bareRead":
        return transport.callWire(endpoints.bareRead, {})
      case "publicRead":
        return transport.callWire(endpoints.publicRead, { category: "linear" })
      case "position":
        return transport.callWire(endpoints.position, {
          category: "linear",
          symbol: "BTCUSDT",
          positionIdx: 1,
          takeProfit: "0"
        })
      case "write":
        return transport.callWire(endpoints.write, { category: "linear", symbol: "BTCUSDT", orderId: "o" })
      case "transfer":
        return transport.callWire(endpoints.transfer, {
          requestId,
          coin: "USDT",
          amount: "1",
          fromAccountType: "UNIFIED",
          toAccountType: "FUND"
        })
    }
  })

/** The errors of answers that do not arrive. */
const losses = { broken: Network.broken[0], cut: undefined, silent: undefined, unconnected: Network.unconnected[0] }

const bodyOf = (body: Plan.Body, operation: Plan.Operation, time: number): string => {
  if (body._tag === "Text") return body.text
  const { code, isForeign, kind, message } = body
  const result = code === 0 ? resultOf(operation, isForeign) : null
  switch (kind) {
    case "standard":
      return JSON.stringify({ retCode: code, retMsg: message, result, retExtInfo: {}, time })
    case "legacy":
      return JSON.stringify({ ret_code: code, ret_msg: message, ext_code: "", result, ext_info: null, time_now: time })
    case "bare":
      return JSON.stringify({ ret_code: code, ret_msg: message, result })
  }
}

const headersOf = ({ limit, remaining, reset }: Plan.Answer, time: number): Readonly<Record<string, string>> => ({
  ...(limit === undefined ? {} : { "x-bapi-limit": limit }),
  ...(remaining === undefined ? {} : { "x-bapi-limit-status": remaining }),
  ...(reset === undefined
    ? {}
    : { "x-bapi-limit-reset-timestamp": typeof reset === "number" ? String(time + reset) : reset })
})

/** A failure, as far as something is promised about it. `answeredAt` is the wall clock at the last answer. */
const seen = (failure: Failure.Failure, answeredAt: number): Answers.Outcome => ({
  tag: failure._tag,
  ...(failure._tag === "OutcomeUnknown" ? { because: failure.because._tag, identifiers: failure.identifiers } : {}),
  ...(failure._tag === "OutcomeUnknown" && failure.because._tag === "ConnectionFailed"
    ? { reason: failure.because.reason }
    : {}),
  ...("reason" in failure ? { reason: failure.reason } : {}),
  ...("proof" in failure ? { proof: failure.proof } : {}),
  ...("noChange" in failure ? { noChange: failure.noChange } : {}),
  ...("sent" in failure ? { sent: failure.sent } : {}),
  ...("executed" in failure ? { executed: failure.executed } : {}),
  ...("retCode" in failure ? { retCode: failure.retCode } : {}),
  ...("resetAt" in failure ? { resetAfter: DateTime.toEpochMillis(failure.resetAt) - answeredAt } : {}),
  ...(failure._tag === "Banned" ? { bannedFor: DateTime.toEpochMillis(failure.until) - answeredAt } : {})
})

/** An outcome as text. The instant of a reset is known as exactly as the clock: it is not compared if that is skewed. */
const textOf = ({ resetAfter, ...outcome }: Answers.Outcome, isVague: boolean): string => {
  const fields = isVague || resetAfter === undefined ? outcome : { ...outcome, resetAfter }
  return JSON.stringify(Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** The course of a call. */
interface Last {
  text: string
  answeredAt: number
  sendings: number
  /** How often the connections were renewed. */
  renewals: number
  settled: RateLimitStore.ChargeOutcome | undefined
  /** The state of the limit that the last answer reported. */
  observed: Answers.Observed | undefined
  /** `OnInterruptedWrite` was called. */
  isReported: boolean
  /** A request has left, and has no answer. */
  isUnderWay: boolean
}

const idle: Last = {
  text: "",
  answeredAt: 0,
  sendings: 0,
  renewals: 0,
  settled: undefined,
  observed: undefined,
  isReported: false,
  isUnderWay: false
}

/** The course of the current call, and the ban of an earlier one. */
interface Context {
  readonly world: World.World
  readonly plan: Plan.Plan
  last: Last
  call: Plan.Call | undefined
  readonly ban: { until: number; answeredAt: number }
  /** The limits that answers have stated last. */
  readonly learnt: Map<Plan.Operation, number>
}

const compare = ({ call, world }: Context, rule: string, got: string, expected: string) =>
  world.add({ _tag: "Compared", call: call?.id ?? "", rule, got, expected })

/** The service, which answers as planned when half of the time is over. */
const clientOf = (context: Context) =>
  HttpClient.make((request) =>
    Effect.suspend(() => {
      const { call, last, plan, world } = context
      if (call === undefined) return Effect.dieMessage("nothing was called")
      const { answer, latency, operation } = call
      compare(context, "Request", request.headers.accept ?? "", "application/json")
      const { resetAfter } =
        last.sendings > 0 && plan.skew === 0 ? Answers.outcomeOf(call, last.text) : { resetAfter: 0 }
      const isEarly = Sim.epoch + world.sim.now() < last.answeredAt + (resetAfter ?? 0)
      compare(context, "Resent", `before the reset: ${isEarly}`, "before the reset: false")
      last.sendings += 1
      last.isUnderWay = true
      const error = losses[answer.loss ?? "cut"]
      return Effect.flatMap(Effect.sleep(latency), () => {
        if (answer.loss === "silent") return Effect.never
        last.isUnderWay = false
        if (error !== undefined) {
          return new HttpClientError.RequestError({ request, reason: "Transport", cause: error })
        }
        const now = Sim.epoch + world.sim.now()
        const time = now - latency / 2 + plan.skew
        const whole = bodyOf(answer.body, operation, time)
        const received = answer.loss === "cut" ? whole.length >> 1 : undefined
        last.text = whole.slice(0, received)
        last.answeredAt = now
        const response = { status: answer.status, headers: headersOf(answer, time), body: whole, isBan: false }
        return Effect.succeed(Network.responseOf(request, response, received))
      })
    })
  )

const withKey = Layer.succeed(Credentials.Credentials, Exchange.credentials)

const transportOf = (context: Context) => {
  const client = clientOf(context)
  const connections: Connections.Connections.Shape = {
    ...Connections.fromClient(client),
    renew: Effect.sync(() => {
      context.last.renewals += 1
    })
  }
  const noting = (store: RateLimitStore.RateLimitStore.Shape): RateLimitStore.RateLimitStore.Shape => ({
    ...store,
    settle: (reservation, outcome, arrivesWithin) => {
      context.last.settled = outcome
      return store.settle(reservation, outcome, arrivesWithin)
    },
    observe: (charge, observation) => {
      const { limit, refused, remaining, resetAfter } = observation
      const reset = resetAfter === undefined ? undefined : Duration.toMillis(resetAfter)
      context.last.observed = { limit, remaining, refused, resetAfter: reset }
      return store.observe(charge, observation)
    }
  })
  const store = Layer.effect(RateLimitStore.RateLimitStore, Effect.map(RateLimitStore.makeMemory(), noting))
  const limits = context.plan.isNoted ? RateLimiter.layer.pipe(Layer.provide(store)) : RateLimiter.layerMemory
  return Transport.layer.pipe(
    Layer.provide(Layer.mergeAll(Signer.layer, limits, BanGate.layer, ServerClock.layer)),
    Layer.provide(Layer.succeed(Connections.Connections, connections)),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.provide(context.plan.hasKey ? withKey : Credentials.layerPublic({ baseUrl: Exchange.credentials.baseUrl }))
  )
}

const judge = (context: Context, call: Plan.Call, begunAt: number, result: Either.Either<unknown, Failure.Failure>) => {
  const { ban, last, plan, world } = context
  const { text } = last
  const isUnsigned = !plan.hasKey && call.operation !== "publicRead"
  const isShut = !isUnsigned && begunAt < ban.until
  const isSent = !isUnsigned && !isShut
  const answered = isShut ? { tag: "Banned", bannedFor: ban.until - ban.answeredAt } : Answers.outcomeOf(call, text)
  const expected: Answers.Outcome = isUnsigned ? Answers.unsigned : answered
  const got: Answers.Outcome = Either.isRight(result)
    ? { tag: "done" }
    : seen(result.left, isShut ? ban.answeredAt : last.answeredAt)
  const isVague = plan.skew !== 0
  world.cover(`${call.operation} ${isShut ? "held" : expected.tag} ${expected.because ?? ""}`.trimEnd())
  world.sim.trace(`answer    ${call.answer.status} ${JSON.stringify(text).slice(0, 80)}`)
  compare(context, "Verdict", textOf(got, isVague), textOf(expected, isVague))
  const observed = isSent ? Answers.observedBy(call, text) : undefined
  const observedText = (from: Answers.Observed | undefined) =>
    from === undefined ? "nothing" : JSON.stringify(isVague ? { ...from, resetAfter: undefined } : from)
  // A call that a known ban stops takes no place of a limit.
  if (plan.isNoted) {
    compare(context, "Charge", last.settled ?? "nothing", isSent ? Answers.settledAs(call, text) : "nothing")
    compare(context, "Observed", observedText(last.observed), observedText(observed))
  }
  const { learnt } = context
  if (observed?.limit !== undefined && observed.limit > 0) learnt.set(call.operation, observed.limit)
  else if (observed?.refused === true) learnt.delete(call.operation)
  const sendings = isSent ? Answers.sendingsOf(call, text, plan.retries) : 0
  compare(context, "Resent", `${last.sendings} sendings`, `${sendings} sendings`)
  const renewals = isSent && Answers.renews(call, text) ? sendings : 0
  compare(context, "Renewed", String(last.renewals), String(renewals))
  if (isSent && expected.tag === "Banned") {
    ban.answeredAt = last.answeredAt
    ban.until = last.answeredAt + (expected.bannedFor ?? 0)
  }
}

/** The limit of an operation is the one that its last answer stated; without a limit, a refusal is a reason to guess. */
const judgeLimit = (context: Context, { operation }: Plan.Call) =>
  Effect.flatMap(Transport.Transport, ({ account }) =>
    Effect.map(account.limit(endpoints[operation], "linear"), (limit) => {
      const { learnt, world } = context
      const expected = learnt.get(operation)
      if (expected === undefined) return
      world.cover("a limit is learnt")
      compare(context, "Observed", String(Option.getOrUndefined(limit)), String(expected))
    })
  )

/** A call whose caller interrupts it while its request is under way. */
const judgeInterrupted = (context: Context, { operation }: Plan.Call) => {
  const { last, learnt, plan, world } = context
  world.cover(`${operation} interrupted`)
  learnt.delete(operation)
  if (!last.isUnderWay) return
  if (plan.isNoted) compare(context, "Charge", last.settled ?? "nothing", "counted")
  compare(context, "Verdict", `reported: ${last.isReported}`, `reported: ${Answers.isWrite(operation)}`)
}

const start = (world: World.World, plan: Plan.Plan): Workload.Started => {
  const context: Context = {
    world,
    plan,
    last: { ...idle },
    call: undefined,
    ban: { until: Number.NEGATIVE_INFINITY, answeredAt: 0 },
    learnt: new Map()
  }
  const program = Effect.gen(function* () {
    const services = yield* Layer.build(transportOf(context))
    for (const call of plan.calls) {
      yield* Effect.sleep(call.after)
      context.call = call
      context.last = { ...idle }
      const begunAt = Sim.epoch + world.sim.now()
      const fiber = yield* Effect.fork(Effect.either(Effect.provide(callOf(call.operation), services)))
      if (call.interruptedAfter !== undefined) yield* Effect.sleep(call.interruptedAfter)
      const exit = yield* call.interruptedAfter === undefined ? Fiber.await(fiber) : Fiber.interrupt(fiber)
      if (Exit.isInterrupted(exit)) judgeInterrupted(context, call)
      else judge(context, call, begunAt, yield* exit)
      yield* Effect.provide(judgeLimit(context, call), services)
    }
  })
  return {
    program: program.pipe(
      Effect.scoped,
      Effect.provideService(RetryPolicy.RetryPolicy, {
        schedule: Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(plan.retries)),
        mayRepeat: RetryPolicy.mayRepeat
      }),
      Effect.provideService(CallOptions.OnInterruptedWrite, () =>
        Effect.sync(() => {
          context.last.isReported = true
        })
      )
    )
  }
}

export const workload = Workload.make({
  name: "answers",
  plan: Plan.make,
  calm: { skew: 0, hasKey: true, isNoted: true, retries: 0 },
  optional: ["interruptedAfter"],
  // Longer than the bans of all calls.
  limit: 7_200_000,
  start
})
