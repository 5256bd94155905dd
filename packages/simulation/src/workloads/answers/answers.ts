/**
 * Calls through the transport, one after the other, and responses of every kind: those of the service, of its gateway and of other
 * servers. The library's outcomes are compared with a model.
 */
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Hmac from "@effect-venue/signing/Hmac"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Connections from "@effect-venue/transport/Connections"
import * as Limits from "@effect-venue/transport/Limits"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Sim from "../../kernel/Sim.js"
import * as Exchange from "../../models/Exchange.js"
import * as Network from "../../world/Network.js"
import type * as World from "../../world/World.js"
import * as Workload from "../../run/Workload.js"
import { bodyOf, callOf, headersOf } from "./operations.js"
import * as Outcomes from "./outcomes.js"
import * as Plan from "./Plan.js"

/** The errors of answers that do not arrive. */
const losses = { broken: Network.broken[0], cut: undefined, silent: undefined, unconnected: Network.unconnected[0] }

/** The time limit of an attempt by default, in milliseconds. */
const longestAttempt = 10_000

/** The service, which answers as planned when half of the time is over. */
const clientOf = (context: Outcomes.Context) =>
  HttpClient.make((request) =>
    Effect.suspend(() => {
      const { call: current, last, plan, world } = context
      if (current === undefined) return Effect.dieMessage("nothing was called")
      const call = Plan.withAnswer(current, last.sendings)
      const { answer, latency } = call
      Outcomes.compare(context, "Request", request.headers.accept ?? "", "application/json")
      const { resetAfter } =
        last.sendings > 0 && plan.skew === 0 ? Outcomes.lastOf(context, current) : { resetAfter: 0 }
      const isEarly = Sim.epoch + world.sim.now() < last.answeredAt + (resetAfter ?? 0)
      Outcomes.compare(context, "Resent", `before the reset: ${isEarly}`, "before the reset: false")
      last.sendings += 1
      last.isUnderWay = true
      const error = losses[answer.loss ?? "cut"]
      return Effect.flatMap(Effect.sleep(latency), () => {
        last.endedAt = world.sim.now()
        if (answer.loss === "silent") {
          last.endedAt += longestAttempt - latency
          return Effect.never
        }
        last.isUnderWay = false
        if (error !== undefined) {
          return new HttpClientError.RequestError({ request, reason: "Transport", cause: error })
        }
        const now = Sim.epoch + world.sim.now()
        const time = now - latency / 2 + plan.skew
        const { "x-bapi-api-key": key = "", "x-bapi-sign": sign = "" } = request.headers
        last.quoted = { key, sign }
        for (const secret of [key, sign].filter((secret) => secret !== "")) world.secrets.add(secret)
        const whole = bodyOf(call, time, last.quoted)
        const received = answer.loss === "cut" ? whole.length >> 1 : undefined
        last.texts[last.sendings - 1] = whole.slice(0, received)
        last.answeredAt = now
        const response = { status: answer.status, headers: headersOf(answer, time), body: whole, isBan: false }
        return Effect.succeed(Network.responseOf(request, response, received))
      })
    })
  )

/** A key as a page can spell it in many ways, and which the secret is a part of. */
const withKey = Layer.succeed(Credentials.Credentials, {
  ...Exchange.credentials,
  apiKey: Redacted.make(`key "<of> & \\it's+/=%`),
  apiSecret: Redacted.make("<of> & ")
})

/** Signatures that are no hexadecimal numbers: no two are alike. */
const makeHmac = () => {
  let count = 0
  return { sha256Hex: () => `sign "${++count}" <it's>+/=` }
}

/** The longest answer that a call reads: the planned one has as many bytes, or one more. */
const mostBytes = (call: Plan.AnsweredCall, { plan }: Outcomes.Context): number | undefined => {
  if (call.isTooLarge === undefined) return undefined
  return bodyOf(call, Sim.epoch + plan.skew, { key: "", sign: "" }).length - (call.isTooLarge ? 1 : 0)
}

const transportOf = (context: Outcomes.Context) => {
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

const start = (world: World.World, plan: Plan.AnswersPlan): Workload.Started => {
  const context: Outcomes.Context = {
    world,
    plan,
    last: Outcomes.idle(),
    call: undefined,
    ban: { until: Number.NEGATIVE_INFINITY, answeredAt: 0 },
    learnt: new Map()
  }
  const program = Effect.gen(function* () {
    const services = yield* Layer.build(transportOf(context))
    if (plan.granted === "spot" || plan.granted === "linear") {
      const { account } = Context.get(services, Transport.Transport)
      yield* account.grant(Exchange.uid, plan.granted === "spot" ? "SPOT" : "DERIVATIVES", 20)
    }
    for (const operation of Plan.operations) yield* Effect.provide(Outcomes.judgeLimits(context, operation), services)
    for (const call of plan.calls) {
      yield* Effect.sleep(call.after)
      context.call = call
      context.last = Outcomes.idle()
      const begunAt = Sim.epoch + world.sim.now()
      const bytes = mostBytes(call, context)
      const limited =
        bytes === undefined ? callOf(call) : Effect.provideService(callOf(call), CallOptions.MaxResponseBytes, bytes)
      const fiber = yield* Effect.fork(Effect.either(Effect.provide(limited, services)))
      if (call.interruptedAfter !== undefined) yield* Effect.sleep(call.interruptedAfter)
      const exit = yield* call.interruptedAfter === undefined ? Fiber.await(fiber) : Fiber.interrupt(fiber)
      if (Exit.isInterrupted(exit)) Outcomes.judgeInterrupted(context, call)
      else Outcomes.judge(context, call, begunAt, yield* exit)
      yield* Effect.provide(Outcomes.judgeLimits(context, call.operation), services)
    }
  })
  const limits =
    plan.granted === "PRO1"
      ? Limits.uidLevel(plan.granted)
      : plan.granted === "VIP 1"
        ? Limits.accountLevel(plan.granted)
        : Limits.documented
  const signed = plan.isSpelled ? Effect.provideService(program, Hmac.Hmac, makeHmac()) : program
  return {
    program: signed.pipe(
      Effect.scoped,
      Effect.provideService(Limits.Limits, limits),
      Effect.provideService(RetryPolicy.RetryPolicy, {
        schedule: Schedule.intersect(Schedule.spaced("1 second"), Schedule.recurs(plan.retries)),
        mayRepeat: RetryPolicy.mayRepeat
      }),
      Effect.provideService(CallOptions.OnRetry, (attempt) => Effect.sync(() => Outcomes.judgeRetry(context, attempt))),
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
  calm: { skew: 0, hasKey: true, granted: undefined, isSpelled: false, isNoted: true, retries: 0 },
  optional: ["interruptedAfter", "then"],
  // Longer than the bans of all calls.
  limit: 7_200_000,
  start
})
