/**
 * Calls through the transport, one after the other, and responses of every kind: those of the service, of its gateway and of other
 * servers. The library's outcomes are compared with a model.
 */
import * as AssetsSchemas from "@effect-venue/schemas/Assets"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Sim from "../../kernel/Sim.js"
import * as Answers from "../../models/Answers.js"
import * as Exchange from "../../models/Exchange.js"
import * as Network from "../../world/Network.js"
import type * as World from "../../world/World.js"
import * as Workload from "../Workload.js"
import * as Plan from "./Plan.js"

const results: Readonly<Record<Plan.Operation, unknown>> = {
  read: { category: "linear", list: [], nextPageCursor: "" },
  legacyRead: { rows: [], cursor: "" },
  bareRead: { list: [], cursor: "" },
  write: { orderId: "o", orderLinkId: "" },
  transfer: { transferId: "42c0cfb0-6bca-4da0-8b6f-0123456789ab" }
}

const callOf = (operation: Plan.Operation) =>
  Effect.flatMap(Transport.Transport, (transport): Effect.Effect<unknown, Failure.Failure> => {
    switch (operation) {
      case "read":
        return transport.callWire(Executions.list, { category: "linear" })
      case "legacyRead":
        return transport.callWire(AssetsSchemas.deposits, {})
      case "bareRead":
        return transport.callWire(AssetsSchemas.subAccountTransfers, {})
      case "write":
        return transport.callWire(Orders.cancel, { category: "linear", symbol: "BTCUSDT", orderId: "o" })
      case "transfer":
        return transport.callWire(AssetsSchemas.transfer, {
          requestId: "42c0cfb0-6bca-4da0-8b6f-0123456789ab",
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
  const { code, kind, message } = body
  const result = code === 0 ? results[operation] : null
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
  ...(failure._tag === "OutcomeUnknown" ? { because: failure.because._tag } : {}),
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
  settled: RateLimitStore.ChargeOutcome | undefined
  /** `OnInterruptedWrite` was called. */
  isReported: boolean
  /** A request has left, and has no answer. */
  isUnderWay: boolean
}

const idle: Last = {
  text: "",
  answeredAt: 0,
  sendings: 0,
  settled: undefined,
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

const transportOf = (context: Context) => {
  const noting = (store: RateLimitStore.RateLimitStore.Shape): RateLimitStore.RateLimitStore.Shape => ({
    ...store,
    settle: (reservation, outcome, arrivesWithin) => {
      context.last.settled = outcome
      return store.settle(reservation, outcome, arrivesWithin)
    }
  })
  const store = Layer.effect(RateLimitStore.RateLimitStore, Effect.map(RateLimitStore.makeMemory, noting))
  const limits = RateLimiter.layer.pipe(Layer.provide(store))
  return Transport.layer.pipe(
    Layer.provide(Layer.mergeAll(Signer.layer, limits, BanGate.layer, ServerClock.layer)),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, clientOf(context))),
    Layer.provide(Layer.succeed(Credentials.Credentials, Exchange.credentials))
  )
}

const judge = (context: Context, call: Plan.Call, begunAt: number, result: Either.Either<unknown, Failure.Failure>) => {
  const { ban, last, plan, world } = context
  const isShut = begunAt < ban.until
  const expected: Answers.Outcome = isShut
    ? { tag: "Banned", bannedFor: ban.until - ban.answeredAt }
    : Answers.outcomeOf(call, last.text)
  const got: Answers.Outcome = Either.isRight(result)
    ? { tag: "done" }
    : seen(result.left, isShut ? ban.answeredAt : last.answeredAt)
  const isVague = plan.skew !== 0
  world.cover(`${call.operation} ${isShut ? "held" : expected.tag} ${expected.because ?? ""}`.trimEnd())
  world.sim.trace(`answer    ${call.answer.status} ${JSON.stringify(last.text).slice(0, 80)}`)
  compare(context, "Held", String(last.sendings === 0), String(isShut))
  compare(context, "Verdict", textOf(got, isVague), textOf(expected, isVague))
  const settled = isShut ? "unsent" : Answers.settledAs(call, last.text)
  compare(context, "Charge", last.settled ?? (isShut ? "unsent" : "nothing"), settled)
  // A refused timestamp is signed again once under any policy.
  const most = got.tag === "ClockSkew" || expected.tag === "ClockSkew" ? 2 : 1
  compare(context, "Resent", String(last.sendings > most), "false")
  if (!isShut && expected.tag === "Banned") {
    ban.answeredAt = last.answeredAt
    ban.until = last.answeredAt + (expected.bannedFor ?? 0)
  }
}

/** A call whose caller interrupts it while its request is under way. */
const judgeInterrupted = (context: Context, { operation }: Plan.Call) => {
  const { last, world } = context
  world.cover(`${operation} interrupted`)
  if (!last.isUnderWay) return
  compare(context, "Charge", last.settled ?? "nothing", "counted")
  compare(context, "Verdict", `reported: ${last.isReported}`, `reported: ${Answers.isWrite(operation)}`)
}

const start = (world: World.World, plan: Plan.Plan): Workload.Started => {
  const context: Context = {
    world,
    plan,
    last: { ...idle },
    call: undefined,
    ban: { until: Number.NEGATIVE_INFINITY, answeredAt: 0 }
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
    }
  })
  return {
    program: program.pipe(
      Effect.scoped,
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
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
  calm: { skew: 0 },
  optional: ["interruptedAfter"],
  // Longer than the bans of all calls.
  limit: 7_200_000,
  start
})
