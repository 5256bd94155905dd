/**
 * Calls of one account through the services, over a network with faults, on the sandbox or on a small exchange.
 */
import type * as Edge from "@effect-venue/sandbox/Edge"
import * as Assets from "@effect-venue/services/Assets"
import * as Instruments from "@effect-venue/services/Instruments"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Transport from "@effect-venue/transport/Transport"
import * as HttpClient from "@effect/platform/HttpClient"
import * as BigDecimal from "effect/BigDecimal"
import * as Cause from "effect/Cause"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Random from "effect/Random"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as CallExchange from "./CallExchange.js"
import * as Draws from "./Draws.js"
import type * as Journal from "./Journal.js"
import * as CallJudge from "./CallJudge.js"
import * as Network from "./Network.js"
import * as Plan from "./Plan.js"
import * as Sim from "./Sim.js"
import * as World from "./World.js"

/** Longer than a ban and every retry. */
const limit = 1_800_000

const symbol = "BTCUSDT"

const batchSize = 3

/** What a call asks for, each under the name by which the world finds it in a request. */
export const wishesOf = ({ id, kind }: Plan.Call): ReadonlyArray<string> =>
  kind === "batch" ? Array.from({ length: batchSize }, (_, index) => `${id}-${index}`) : [id]

const decimal = (text: string) => BigDecimal.unsafeFromString(text)

type Outcome = Pick<Journal.Reported, "outcome" | "tag" | "wish">

const refusal = (wish: string, failure: Failure.Failure): Outcome => ({
  wish,
  outcome: failure._tag === "OutcomeUnknown" ? "unknown" : "refused",
  tag: failure._tag === "Rejected" ? `Rejected ${failure.reason}` : failure._tag
})

const uuid = (id: string) => `00000000-0000-4000-8000-${id.padStart(12, "0").replaceAll("c", "0")}`

const order = (orderLinkId: string) =>
  ({ symbol, side: "Buy", orderType: "Limit", qty: "0.01", price: decimal("20000"), orderLinkId }) as const

/** Sends a call, and gives the outcome of each of its wishes. */
const send = (
  call: Plan.Call
): Effect.Effect<ReadonlyArray<Outcome>, Failure.Failure, Assets.Assets | Instruments.Instruments | Orders.Orders> => {
  const done = Effect.as([{ wish: call.id, outcome: "done", tag: "" } as const])
  switch (call.kind) {
    case "create":
      return done(Effect.flatMap(Orders.Orders, (orders) => orders.create({ ...order(call.id), category: "linear" })))
    case "cancel": {
      const number = Number(call.id.slice(1))
      return done(
        Effect.flatMap(Orders.Orders, (orders) =>
          orders.cancel({ category: "linear", symbol, orderLinkId: `c${Math.max(0, number - 1)}` })
        )
      )
    }
    case "batch":
      return Effect.map(
        Effect.flatMap(Orders.Orders, (orders) =>
          orders.createBatch({ category: "linear", request: wishesOf(call).map(order) })
        ),
        (outcomes) =>
          outcomes.map((outcome, index) => {
            const wish = wishesOf(call)[index] ?? ""
            return Either.match(outcome, {
              onLeft: (failure) => refusal(wish, failure),
              onRight: () => ({ wish, outcome: "done" as const, tag: "" })
            })
          })
      )
    case "transfer":
      return done(
        Effect.flatMap(Assets.Assets, (assets) =>
          assets.transfer({
            requestId: uuid(call.id),
            coin: "USDT",
            amount: decimal("1.5"),
            fromAccountType: "FUND",
            toAccountType: "UNIFIED"
          })
        )
      )
    case "read":
      return done(
        Effect.flatMap(Instruments.Instruments, (instruments) => instruments.list({ category: "linear", symbol }))
      )
  }
}

interface Codes {
  readonly retCode?: number
  readonly ret_code?: number
  readonly result?: { readonly list?: ReadonlyArray<{ readonly orderLinkId?: string }> } | null
  readonly retExtInfo?: { readonly list?: ReadonlyArray<{ readonly code: number }> }
}

/** What the exchange granted by an answer. */
const grantedBy = (
  call: Plan.Call,
  { body, status }: Pick<Edge.Response, "body" | "status">,
  wishes: ReadonlyArray<string>
) => {
  if (status !== 200) return { code: 0, executed: [] }
  // The sandbox's own answers are JSON.
  const answer = JSON.parse(body) as Codes
  const code = answer.retCode ?? answer.ret_code ?? 0
  if (code !== 0) return { code, executed: [] }
  const granted = answer.result?.list?.filter((_, index) => answer.retExtInfo?.list?.[index]?.code === 0)
  return {
    code,
    executed:
      call.kind === "batch" ? wishes.filter((wish) => granted?.some(({ orderLinkId }) => orderLinkId === wish)) : wishes
  }
}

/** The orders of a batch request, or the call itself. */
const wishesIn = (call: Plan.Call, { body }: Edge.Request): ReadonlyArray<string> =>
  call.kind === "batch"
    ? [...new TextDecoder().decode(body).matchAll(/"orderLinkId":"([^"]+)"/g)].map(([, link = ""]) => link)
    : [call.id]

export interface Run {
  readonly journal: Journal.Journal
  readonly expectations: CallJudge.Promises
  readonly events: ReadonlyArray<string>
  readonly hash: string
  /** What was reached, by name: `fault x phase` and the like. */
  readonly coverage: ReadonlyArray<string>
}

/** The instant by which the caller has left. */
const deadlineOf = ({ at, interruptedAfter, timeout }: Plan.Call): number | undefined =>
  interruptedAfter === undefined && timeout === undefined
    ? undefined
    : at + Math.min(interruptedAfter ?? Number.POSITIVE_INFINITY, timeout ?? Number.POSITIVE_INFINITY)

/** What can be promised in a plan. */
const promisesOf = (plan: Plan.Plan): CallJudge.Promises => {
  const calls = new Map(plan.calls.map((call) => [call.id, call]))
  const { bannedAt, jumps, latency, signing } = plan
  const mayFail = (fault: Plan.Fault) => plan.faults.probability > 0 && plan.faults.kinds.includes(fault)
  const isCalm = plan.faults.probability === 0 && bannedAt === undefined && plan.orderLimit === undefined
  const isUncut = plan.calls.every((call) => deadlineOf(call) === undefined)
  return {
    banLength: CallExchange.banLength,
    isRepeatable: (wish) => ["read", "transfer"].includes(calls.get(wish)?.kind ?? ""),
    isWrite: (wish) => calls.get(wish)?.kind !== "read",
    // A copy, or a request that arrives when its call has ended, uses a place that the library cannot count.
    isLimitOurs: plan.orderLimit === undefined && !mayFail("doubled") && !mayFail("lateRequest"),
    deadlineOf: (id) => {
      const call = calls.get(id)
      return call === undefined ? undefined : deadlineOf(call)
    },
    doneBy: (id) => {
      const call = calls.get(id)
      if (call === undefined || !isCalm || !isUncut) return undefined
      const rounds = plan.calls.filter(({ kind }) => kind === call.kind).length + 2
      return call.at + rounds * (1_001 + 2 * latency + signing)
    },
    isClockLearnable: latency + signing <= 2_000 && !mayFail("lateRequest"),
    isSteady: jumps.length === 0,
    // Slots that contradict their places say nothing.
    isClear: plan.isShuffling !== true,
    isWaiting: plan.isWaiting
  }
}

const slowly = (signer: Signer.Signer.Shape, draws: Draws.Draws, longest: number): Signer.Signer.Shape => {
  let count = 0
  return {
    sign: (request) =>
      Effect.zipRight(
        Effect.suspend(() => Effect.sleep(draws.fraction("signing", ++count) * longest)),
        signer.sign(request)
      )
  }
}

const retrying = (client: CallOptions.Client): CallOptions.Client =>
  HttpClient.retryTransient(client, { times: 2, schedule: Schedule.spaced("100 millis") })

/** Runs a plan. */
export const run = (plan: Plan.Plan): Run => {
  const draws = Draws.make(plan.seed)
  const sim = Sim.make(draws, plan.mode)
  const facts: Array<Journal.Fact> = []
  const coverage = new Set<string>()
  const leaks: Array<string> = []
  const open = new Set<string>()
  let seq = 0
  const calls = new Map(plan.calls.map((call) => [call.id, call]))
  const add = (fact: Journal.Fact, text: string) => {
    facts.push(fact)
    sim.trace(text)
  }
  const at = () => ({ seq: seq++, at: sim.now() })

  const exchange = CallExchange.make(sim, draws, plan, ({ call, isCopy, raw, sending }, response) => {
    const wanted = calls.get(call)
    if (wanted === undefined) throw new Error(`a request of no call: ${raw.target}`)
    const wishes = wishesIn(wanted, raw)
    const { code, executed } = grantedBy(wanted, response, wishes)
    add(
      { _tag: "Arrived", ...at(), call, sending, wishes, executed, code, status: response.status, isCopy },
      `exchange ${call}.${sending} ${response.status} ${code} executed ${executed.join(" ")}`
    )
  })

  const phases = new Map<string, "answered" | "inFlight">()
  const client = Network.make(sim, draws, plan, exchange.judge, {
    sent: (call, sending, fault) => {
      phases.set(call, "inFlight")
      if (fault !== undefined) coverage.add(`${fault} x ${calls.get(call)?.kind ?? ""}`)
      add({ _tag: "Sent", ...at(), call, sending }, `send     ${call}.${sending} ${fault ?? ""}`)
    },
    ended: (call, sending, isBan, answer) => {
      phases.set(call, "answered")
      add({ _tag: "Ended", ...at(), call, sending, isBan, answer }, `receive  ${call}.${sending}${isBan ? " ban" : ""}`)
    }
  })

  const secret = Redacted.value(exchange.credentials.apiSecret)
  const checkSecret = (text: string) => {
    if (text.includes(secret)) leaks.push(text.slice(0, 200))
  }

  const report = (call: Plan.Call, exit: Exit.Exit<ReadonlyArray<Outcome>, Failure.Failure>) => {
    open.delete(call.id)
    const failure = Exit.isFailure(exit) ? Cause.failureOption(exit.cause) : undefined
    if (failure?._tag === "Some") checkSecret(`${String(failure.value)} ${JSON.stringify(failure.value)}`)
    const outcomes: ReadonlyArray<Outcome> = Exit.isSuccess(exit)
      ? exit.value
      : failure?._tag === "Some"
        ? wishesOf(call).map((wish) => refusal(wish, failure.value))
        : wishesOf(call).map((wish) => ({
            wish,
            outcome: Cause.isInterruptedOnly(exit.cause) ? ("interrupted" as const) : ("died" as const),
            tag: Cause.isInterruptedOnly(exit.cause) ? "" : Cause.pretty(exit.cause)
          }))
    for (const outcome of outcomes) {
      coverage.add(`${call.kind} reported ${outcome.outcome}`)
      add(
        { _tag: "Reported", ...at(), call: call.id, ...outcome },
        `report   ${outcome.wish} ${outcome.outcome} ${outcome.tag.split("\n")[0] ?? ""}`
      )
    }
  }

  const caller = (call: Plan.Call) =>
    send(call).pipe(
      Effect.provideService(CallOptions.CallTimeout, Duration.millis(call.timeout ?? 3_600_000)),
      Effect.provideService(
        CallOptions.TransformClient,
        plan.isRetrying ? retrying : (client: CallOptions.Client) => client
      ),
      Effect.provideService(BanGate.WhenBanned, plan.isWaiting ? "wait" : "fail"),
      Effect.provideService(CallOptions.OnInterruptedWrite, (failure: Failure.OutcomeUnknown) =>
        Effect.sync(() => {
          checkSecret(JSON.stringify(failure))
          add({ _tag: "Abandoned", ...at(), call: call.id }, `abandon  ${call.id}`)
        })
      ),
      Effect.provideService(Network.CurrentCall, call.id),
      Effect.onExit((exit) =>
        Effect.sync(() => {
          report(call, exit)
        })
      ),
      Effect.exit
    )

  const program = Effect.gen(function* () {
    const services = yield* Layer.build(
      Venue.layerServices.pipe(
        Layer.provideMerge(Transport.layer),
        Layer.provide(
          Layer.effect(
            Signer.Signer,
            Effect.map(Signer.Signer, (signer) => (plan.signing > 0 ? slowly(signer, draws, plan.signing) : signer))
          ).pipe(Layer.provide(Signer.layer))
        ),
        Layer.provide(Venue.layerShared),
        Layer.provide(Layer.succeed(HttpClient.HttpClient, client)),
        Layer.provide(Layer.succeed(Credentials.Credentials, exchange.credentials))
      )
    )
    const fibers = yield* Effect.forEach(plan.calls, (call) => {
      open.add(call.id)
      return Effect.fork(
        Effect.zipRight(
          Effect.sleep(call.at),
          Effect.flatMap(Effect.fork(Effect.provide(caller(call), services)), (fiber) => {
            if (call.interruptedAfter !== undefined) {
              sim.after(call.interruptedAfter, () => {
                if (!open.has(call.id)) return
                coverage.add(`${call.kind} interrupted ${phases.get(call.id) ?? "queued"}`)
                sim.trace(`interrupt ${call.id}`)
                fiber.unsafeInterruptAsFork(FiberId.none)
              })
            }
            return Fiber.await(fiber)
          })
        )
      )
    })
    yield* Fiber.awaitAll(fibers)
  })

  const local = sim.makeClock(CallExchange.epoch)
  for (const { at, by } of plan.jumps) {
    sim.after(at, () => {
      sim.trace(`jump     ${by}`)
      local.jump(by)
    })
  }
  const logger = Logger.make(({ message, annotations }) => {
    checkSecret(JSON.stringify([message, [...annotations]]))
  })
  const end = sim.run(
    program.pipe(
      Effect.scoped,
      Effect.provide(Logger.replace(Logger.defaultLogger, logger)),
      Effect.withRandom(Random.make(plan.seed)),
      Effect.withClock(local.clock)
    ),
    { limit }
  )
  sim.trace(`end      ${end._tag}`)
  return {
    journal: { facts, end: end._tag, open: [...open], leaks },
    expectations: promisesOf(plan),
    events: sim.events(),
    hash: sim.hash(),
    coverage: [...coverage]
  }
}

export const world: World.World = World.make({
  name: "call",
  plan: Plan.make,
  run: (plan) => {
    const { coverage, events, expectations, hash, journal } = run(plan)
    return {
      violations: CallJudge.violations(journal, expectations),
      coverage,
      events,
      hash,
      calls: plan.calls.length,
      virtual: journal.facts.at(-1)?.at ?? 0
    }
  },
  without: Plan.without
})
