/**
 * Calls through the transport, one after the other, and responses of every kind: those of the service, of its gateway and of other
 * servers. The library's outcomes are compared with a model.
 */
import * as Assets from "@effect-venue/schemas/Assets"
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
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Model from "./answers/Model.js"
import * as Plan from "./answers/Plan.js"
import * as Draws from "./Draws.js"
import * as Network from "./Network.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

/** Longer than the bans of all calls. */
const limit = 7_200_000

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
        return transport.callWire(Assets.deposits, {})
      case "bareRead":
        return transport.callWire(Assets.subAccountTransfers, {})
      case "write":
        return transport.callWire(Orders.cancel, { category: "linear", symbol: "BTCUSDT", orderId: "o" })
      case "transfer":
        return transport.callWire(Assets.transfer, {
          requestId: "42c0cfb0-6bca-4da0-8b6f-0123456789ab",
          coin: "USDT",
          amount: "1",
          fromAccountType: "UNIFIED",
          toAccountType: "FUND"
        })
    }
  })

/** Of answers that do not come. */
const losses = { broken: Network.broken[0], cut: undefined, silent: undefined, unconnected: Network.unconnected[0] }

const textOf = (body: Plan.Body, operation: Plan.Operation, time: number): string => {
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

/** A failure, as far as something is promised of it. `answeredAt` is the wall clock at the last answer. */
const seen = (failure: Failure.Failure, answeredAt: number): Model.Outcome => ({
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

const told = (outcome: Model.Outcome): string =>
  JSON.stringify(Object.fromEntries(Object.entries(outcome).sort(([a], [b]) => (a < b ? -1 : 1))))

/** What happened of the last call. */
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

/** Runs a plan. */
const run = (plan: Plan.Plan): World.Outcome => {
  const sim = Sim.make(Draws.make(plan.seed), { _tag: "lawful" })
  const violations: Array<World.Violation> = []
  const coverage = new Set<string>()
  const last: Last = { text: "", answeredAt: 0, sendings: 0, settled: undefined, isReported: false, isUnderWay: false }
  const bannedBy = { until: Number.NEGATIVE_INFINITY, answeredAt: 0 }
  let current: Plan.Call | undefined

  const client = HttpClient.make((request) =>
    Effect.suspend(() => {
      if (current === undefined) return Effect.dieMessage("nothing was called")
      const { answer, id, latency, operation } = current
      if (request.headers.accept !== "application/json") {
        violations.push({ rule: "Request", call: id, detail: `accepts ${request.headers.accept}` })
      }
      last.sendings += 1
      last.isUnderWay = true
      const error = losses[answer.loss ?? "cut"]
      return Effect.flatMap(Effect.sleep(latency), () => {
        if (answer.loss === "silent") return Effect.never
        last.isUnderWay = false
        if (error !== undefined) {
          return new HttpClientError.RequestError({ request, reason: "Transport", cause: error })
        }
        // The service answers when half of the time is over.
        const time = Sim.epoch + sim.now() - latency / 2 + plan.skew
        const whole = textOf(answer.body, operation, time)
        const isCut = answer.loss === "cut"
        last.text = isCut ? whole.slice(0, whole.length >> 1) : whole
        last.answeredAt = Sim.epoch + sim.now()
        const { status } = answer
        const response = { status, headers: headersOf(answer, time), body: whole, isBan: false }
        return Effect.succeed(Network.responseOf(request, response, isCut))
      })
    })
  )

  const limits = RateLimiter.layer.pipe(
    Layer.provide(
      Layer.effect(
        RateLimitStore.RateLimitStore,
        Effect.map(RateLimitStore.makeMemory, (store) => ({
          ...store,
          settle: (reservation, outcome, arrivesWithin) => {
            last.settled = outcome
            return store.settle(reservation, outcome, arrivesWithin)
          }
        }))
      )
    )
  )
  const transport = Transport.layer.pipe(
    Layer.provide(Layer.mergeAll(Signer.layer, limits, BanGate.layer, ServerClock.layer)),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
    Layer.provide(
      Layer.succeed(
        Credentials.Credentials,
        Credentials.make({
          baseUrl: "https://exchange.invalid",
          apiKey: "EXAMPLEKEY0001",
          apiSecret: Redacted.make("example-secret")
        })
      )
    )
  )

  const judge = (call: Plan.Call, begunAt: number, result: Either.Either<unknown, Failure.Failure>) => {
    const isHeld = last.sendings === 0
    const isShut = begunAt < bannedBy.until
    const expected: Model.Outcome = isShut
      ? { tag: "Banned", bannedFor: bannedBy.until - bannedBy.answeredAt }
      : Model.outcomeOf(call, last.text)
    // The instant of a reset is known as exactly as the clock: what a skewed one says before anything was learnt is not judged.
    const vague = plan.skew !== 0
    const got: Model.Outcome = Either.isRight(result)
      ? { tag: "done" }
      : seen(result.left, isShut ? bannedBy.answeredAt : last.answeredAt)
    const exactly = ({ resetAfter, ...others }: Model.Outcome): Model.Outcome =>
      vague || resetAfter === undefined ? others : { ...others, resetAfter }
    const [one, other] = [told(exactly(got)), told(exactly(expected))]
    coverage.add(
      `${call.operation} ${isShut ? "held" : expected.tag}${expected.because === undefined ? "" : ` ${expected.because}`}`
    )
    sim.trace(
      `${call.id} ${call.operation} ${call.answer.status} ${JSON.stringify(last.text).slice(0, 80)} ${one} ${last.settled}`
    )
    if (isHeld !== isShut) {
      violations.push({ rule: isHeld ? "Held" : "IntoBan", call: call.id, detail: `sent ${last.sendings} times` })
    } else if (one !== other) {
      violations.push({ rule: "Verdict", call: call.id, detail: `is ${one}, and is to be ${other}` })
    }
    const settled = isShut ? [undefined, "unsent"] : [Model.settledAs(call, last.text)]
    if (!settled.includes(last.settled)) {
      violations.push({
        rule: "Charge",
        call: call.id,
        detail: `${last.settled}, and is to be ${settled.join(" or ")}`
      })
    }
    // A refused timestamp is signed again once, whatever the policy.
    const most = got.tag === "ClockSkew" || expected.tag === "ClockSkew" ? 2 : 1
    if (last.sendings > most) violations.push({ rule: "Twice", call: call.id, detail: `sent ${last.sendings} times` })
    if (!isShut && expected.tag === "Banned") {
      bannedBy.answeredAt = last.answeredAt
      bannedBy.until = last.answeredAt + (expected.bannedFor ?? 0)
    }
  }

  /** A call whose caller interrupts it while its request is under way. */
  const judgeInterrupted = (call: Plan.Call) => {
    coverage.add(`${call.operation} interrupted`)
    sim.trace(`${call.id} ${call.operation} interrupted ${last.sendings} ${last.settled} ${last.isReported}`)
    if (!last.isUnderWay) return
    if (last.settled !== "counted") {
      violations.push({ rule: "Charge", call: call.id, detail: `${last.settled}, and is to be counted` })
    }
    const isWrite = Model.isWrite(call.operation)
    if (last.isReported !== isWrite) {
      const detail = isWrite ? "a write was interrupted, and is not reported" : "a read is reported"
      violations.push({ rule: "Silent", call: call.id, detail })
    }
  }

  const program = Effect.gen(function* () {
    const context = yield* Layer.build(transport)
    for (const call of plan.calls) {
      yield* Effect.sleep(call.after)
      current = call
      last.sendings = 0
      last.settled = undefined
      last.isReported = false
      last.isUnderWay = false
      const begunAt = Sim.epoch + sim.now()
      const fiber = yield* Effect.fork(Effect.either(Effect.provide(callOf(call.operation), context)))
      if (call.interruptedAfter !== undefined) yield* Effect.sleep(call.interruptedAfter)
      const exit = yield* call.interruptedAfter === undefined ? Fiber.await(fiber) : Fiber.interrupt(fiber)
      if (Exit.isInterrupted(exit)) judgeInterrupted(call)
      else judge(call, begunAt, yield* exit)
    }
  })

  const { _tag } = sim.run(
    program.pipe(
      Effect.scoped,
      Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
      Effect.provideService(CallOptions.OnInterruptedWrite, () => Effect.sync(() => void (last.isReported = true))),
      Effect.provide(Logger.remove(Logger.defaultLogger)),
      Effect.withClock(sim.makeClock(Sim.epoch).clock)
    ),
    { limit }
  )
  if (_tag !== "Done") violations.push({ rule: "Stuck", call: current?.id ?? "", detail: _tag })
  return {
    violations,
    coverage: [...coverage],
    events: sim.events(),
    hash: sim.hash(),
    calls: plan.calls.length,
    virtual: sim.now()
  }
}

export const world = World.make({ name: "answers", plan: (seed) => Plan.make(seed), run, without: Plan.without })
