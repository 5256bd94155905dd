import * as Assets from "@effect-venue/schemas/Assets"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Breadth from "@effect-venue/testing/Breadth"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Guard from "@effect-venue/transport/Guard"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { HttpClient, HttpClientError, HttpClientResponse } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Clock, Duration, Effect, Either, FastCheck as fc, Fiber, Layer, Option, Redacted, type Scope } from "effect"

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const recvWindow = 5_000
const caps = { largest: 50, perHour: 100, perDay: 150 }

// Steps -------------------------------------------------------------------------------------------------------------

/** What happens to a request, or to a part of a batch: `late`: its answer is lost, and it arrives at the end of its receive window. */
const fates = ["executed", "refused", "lostAfter", "lostBefore", "late", "unsent"] as const
type Fate = (typeof fates)[number]

const kinds = ["order", "transfer", "amend", "batch"] as const

type Step =
  | {
      readonly _tag: "write"
      readonly kind: (typeof kinds)[number]
      readonly id: number
      readonly values: readonly [number, number]
      readonly fate: Fate
      readonly refusesSecond: boolean
      readonly host: number
    }
  | { readonly _tag: "wait"; readonly millis: number }
  | { readonly _tag: "start"; readonly skew: number }
  | { readonly _tag: "reconcile" }

const value = fc.integer({ min: 1, max: 60 })

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      _tag: fc.constant("write" as const),
      kind: fc.constantFrom(...kinds),
      id: fc.nat(4),
      values: fc.tuple(value, value),
      fate: fc.oneof({ weight: 3, arbitrary: fc.constant("executed" as const) }, fc.constantFrom(...fates)),
      refusesSecond: fc.boolean(),
      host: fc.nat(1)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("wait" as const),
      millis: fc.oneof(
        fc.integer({ min: 0, max: 2 * minute }),
        fc.integer({ min: 0, max: hour + minute }),
        fc.integer({ min: 0, max: day + hour })
      )
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      _tag: fc.constant("start" as const),
      skew: fc.constantFrom(0, 0, -day, -3 * hour, 3 * hour, 2 * day)
    })
  },
  { weight: 1, arbitrary: fc.record({ _tag: fc.constant("reconcile" as const) }) }
)

// The promise, without the code that keeps it -----------------------------------------------------------------------

/** A part of a call. `latest`: the latest instant at which it can have been executed, by the true clock. */
interface CallPart {
  readonly unit: string
  readonly key: string | undefined
  readonly value: number
  readonly host: number
  readonly process: number
  readonly latest: number
  execution: "executed" | "doubt" | "none"
}

interface Execution {
  readonly unit: string
  readonly value: number
  readonly at: number
}

/** A sum ages from the end of its minute, in whole minutes; a call that was read from a journal from the end of its receive window. */
const slack = 2 * minute + recvWindow + 1_000

const unitOf = (kind: string) => (kind === "transfer" ? "transfers" : "orders")

/** The most that a guard can count of a unit. `isDated`: whether the age of the calls of earlier processes is known. */
const mostCounted = (
  parts: ReadonlyArray<CallPart>,
  unit: string,
  span: number,
  now: number,
  isUndated: (part: CallPart) => boolean
) => {
  const byKey = new Map<string, Array<CallPart>>()
  for (const [index, part] of parts.entries()) {
    const counts = part.unit === unit && part.execution !== "none"
    if (!counts || (part.latest <= now - span - slack && !isUndated(part))) continue
    const key = part.key ?? `call ${index}`
    byKey.set(key, [...(byKey.get(key) ?? []), part])
  }
  let sum = 0
  for (const shared of byKey.values()) {
    const largest = (execution: CallPart["execution"]) =>
      Math.max(0, ...shared.filter((part) => part.execution === execution).map(({ value }) => value))
    // An order whose call has ended is a sum, so that a repetition in doubt counts beside it.
    sum += unit === "orders" ? largest("executed") + largest("doubt") : Math.max(largest("executed"), largest("doubt"))
  }
  return sum
}

const executedWithin = (executions: ReadonlyArray<Execution>, unit: string, span: number, at: number) =>
  executions
    .filter((each) => each.unit === unit && each.at > at - span && each.at <= at)
    .reduce((sum, { value }) => sum + value, 0)

// The world ---------------------------------------------------------------------------------------------------------

/** The clocks of the hosts, ahead of the true clock. */
const hosts = [
  { url: "http://a.test", ahead: 0 },
  { url: "http://b.test", ahead: 7 * hour }
] as const

interface ExchangeRequest {
  readonly kind: string
  readonly orders: ReadonlyArray<{ readonly key: string | undefined; readonly value: number }>
}

/** Reads a request on the wire. */
const requestOf = (path: string, body: Record<string, unknown>, host: number): ExchangeRequest => {
  if (path.includes("transfer")) {
    return {
      kind: "transfer",
      orders: [{ key: `transfer ${host} ${String(body.requestId)}`, value: Number(body.amount) }]
    }
  }
  const orders: ReadonlyArray<Record<string, unknown>> = Array.isArray(body.request) ? body.request : [body]
  const kind = path.includes("amend") ? "amend" : Array.isArray(body.request) ? "batch" : "order"
  return {
    kind,
    orders: orders.map(({ orderLinkId, qty }) => ({
      key: kind === "amend" ? undefined : `order ${host} ${String(orderLinkId)}`,
      value: Number(qty)
    }))
  }
}

const makeExchange = () => {
  const executions: Array<Execution> = []
  const executed = new Set<string>()
  const late: Array<{ readonly at: number; readonly run: () => void }> = []
  const answeredBy = new Set<number>()
  const codesOf: { last: ReadonlyArray<number> } = { last: [] }
  let fate: Fate = "executed"
  let refusesSecond = false

  const execute = ({ kind, orders }: ExchangeRequest, at: number): ReadonlyArray<number> =>
    orders.map(({ key, value }, index) => {
      if (index === 1 && refusesSecond) return 110007
      if (key !== undefined && executed.has(key)) return kind === "transfer" ? 131214 : 110072
      if (key !== undefined) executed.add(key)
      executions.push({ unit: unitOf(kind), value, at })
      return 0
    })

  return {
    executions,
    executed,
    answeredBy,
    codesOf,
    setFate: (next: Fate, second: boolean) => {
      fate = next
      refusesSecond = second
    },
    /** Executes the late requests until an instant. */
    arrive: (until: number) => {
      for (const each of late.filter(({ at }) => at <= until)) each.run()
      late.splice(0, late.length, ...late.filter(({ at }) => at > until))
    },
    client: (host: number, trueNow: () => number) =>
      HttpClient.make((request, url) => {
        const at = trueNow()
        const serverTime = at + (hosts[host]?.ahead ?? 0)
        const text = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
        const body: Record<string, unknown> = text.startsWith("{")
          ? JSON.parse(text)
          : Object.fromEntries(new URLSearchParams(text))
        const stamp = Number(request.headers["x-bapi-timestamp"] ?? body.timestamp ?? url.searchParams.get("timestamp"))
        const fail = (code: string, syscall: string) =>
          Effect.fail(
            new HttpClientError.RequestError({
              request,
              reason: "Transport",
              cause: Object.assign(new Error(code), { code, syscall })
            })
          )
        const legacy = url.pathname.includes("asset") || url.pathname.includes("transfer")
        const answer = (code: number, result: unknown, ext: unknown = {}) => {
          answeredBy.add(host)
          const shape = legacy
            ? {
                ret_code: code,
                ret_msg: code === 0 ? "OK" : "no",
                ext_code: "",
                result,
                ext_info: null,
                time_now: serverTime
              }
            : { retCode: code, retMsg: code === 0 ? "OK" : "no", result, retExtInfo: ext, time: serverTime }
          return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(JSON.stringify(shape))))
        }
        if (request.method === "GET") return answer(0, { list: [] })
        if (fate === "unsent") return fail("ECONNREFUSED", "connect")
        if (stamp > serverTime + 1_000 || stamp < serverTime - recvWindow) return answer(10002, null)
        const parsed = requestOf(url.pathname, body, host)
        if (fate === "refused") return answer(parsed.kind === "transfer" ? 131212 : 110007, null)
        if (fate === "lostBefore") return fail("ECONNRESET", "read")
        if (fate === "late") {
          const arrives = stamp - (hosts[host]?.ahead ?? 0) + recvWindow
          late.push({ at: arrives, run: () => void execute(parsed, arrives) })
          return fail("ECONNRESET", "read")
        }
        const codes = execute(parsed, at)
        codesOf.last = codes
        if (fate === "lostAfter") return fail("ECONNRESET", "read")
        if (parsed.kind === "batch") {
          const requests = Array.isArray(body.request) ? body.request : []
          const list = requests.map(({ orderLinkId }, index) => ({
            ...{ category: "linear", symbol: "BTCUSDT", orderLinkId },
            orderId: codes[index] === 0 ? `o-${index}` : ""
          }))
          return answer(0, { list }, { list: codes.map((code) => ({ code, msg: code === 0 ? "OK" : "no" })) })
        }
        const [code = 0] = codes
        if (code !== 0) return answer(code, null)
        return parsed.kind === "transfer"
          ? answer(0, { transferId: body.requestId })
          : answer(0, { orderId: "o-1", orderLinkId: body.orderLinkId ?? "" })
      })
  }
}

const idOf = (id: number) => `42c0cfb0-6bca-4242-bc76-4e6df6cbcb1${id}`

/** The request of a write step. */
const send = (
  transport: Transport.Transport.Shape,
  { id, kind, values: [first, second] }: Step & { readonly _tag: "write" }
): Effect.Effect<unknown, Failure.WriteFailure> => {
  const order = (id: string, qty: number) =>
    ({ symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: String(qty), price: "1", orderLinkId: id }) as const
  switch (kind) {
    case "order":
      return transport.call(Orders.create, { category: "linear", ...order(idOf(id), first) })
    case "amend":
      return transport.call(Orders.amend, {
        ...{ category: "linear", symbol: "BTCUSDT", orderLinkId: idOf(id) },
        ...{ qty: String(first), price: "1" }
      })
    case "batch":
      return transport.call(Orders.createBatch, {
        category: "linear",
        request: [order(idOf(id), first), order(idOf((id + 1) % 5), second)]
      })
    case "transfer":
      return transport.call(Assets.transfer, {
        ...{ requestId: idOf(id), coin: "USDT", amount: String(first) },
        ...{ fromAccountType: "FUND", toAccountType: "UNIFIED" }
      })
  }
}

/** A process with one guard for the transports of both hosts. */
const startProcess = (
  exchange: ReturnType<typeof makeExchange>,
  storage: WriteJournal.MemoryStorage,
  trueNow: () => number
) =>
  Effect.gen(function* () {
    const source = yield* WriteJournal.makeMemory(storage)
    const limits = { USDT: { largest: "50", perHour: "100", perDay: "150" } }
    const { guard, journal } = yield* Guard.makeJournalled({ orders: limits, transfers: limits }).pipe(
      Effect.provideService(WriteJournal.WriteJournal, source)
    )
    const transports: Array<Transport.Transport.Shape> = []
    for (const [index, { url }] of hosts.entries()) {
      const credentials = Credentials.make({
        ...{ baseUrl: url, apiKey: "KEY", apiSecret: Redacted.make("secret"), recvWindow }
      })
      const layer = Transport.layerStandalone.pipe(
        Layer.provide([
          Layer.succeed(Guard.Guard, guard),
          Layer.succeed(WriteJournal.WriteJournal, journal),
          Layer.succeed(Credentials.Credentials, credentials),
          Layer.succeed(HttpClient.HttpClient, exchange.client(index, trueNow))
        ])
      )
      transports.push(
        yield* Effect.flatMap(Layer.build(layer), (context) => Effect.provide(Transport.Transport, context))
      )
    }
    return { journal, transports }
  })

/** A clock that stands still until it is advanced. */
const makeClock = (start: number) => {
  let now = start
  const timers = new Set<{ readonly at: number; readonly wake: () => void }>()
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => Math.floor(now),
    currentTimeMillis: Effect.sync(() => Math.floor(now)),
    unsafeCurrentTimeNanos: () => BigInt(Math.floor(now)) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(Math.floor(now)) * 1_000_000n),
    sleep: (duration) =>
      Effect.async((resume) => {
        const timer = {
          at: now + Duration.toMillis(duration),
          wake: () => {
            resume(Effect.void)
          }
        }
        timers.add(timer)
        return Effect.sync(() => timers.delete(timer))
      })
  }
  const advance = async (millis: number) => {
    const until = now + millis
    for (;;) {
      await turn()
      const [next] = [...timers].filter(({ at }) => at <= until).sort((left, right) => left.at - right.at)
      if (next === undefined) break
      now = Math.max(now, next.at)
      timers.delete(next)
      next.wake()
    }
    now = until
  }
  return { clock, advance }
}

/** A clock whose wall time is wrong. */
const skewed = (clock: Clock.Clock, skew: number): Clock.Clock => ({
  ...clock,
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + skew,
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + skew),
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
  currentTimeNanos: clock.currentTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

const run = (steps: ReadonlyArray<Step>): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const { advance, clock } = makeClock(1_800_000_000_000)
    const now = () => clock.unsafeCurrentTimeMillis()
    const exchange = makeExchange()
    const storage = WriteJournal.memoryStorage()
    const parts: Array<CallPart> = []
    const entries = new Map<string, ReadonlyArray<CallPart>>()
    let started = 0
    let skew = 0
    let process = yield* Effect.withClock(startProcess(exchange, storage, now), clock)

    const wait = (millis: number) =>
      Effect.promise(async () => {
        await advance(millis)
        exchange.arrive(now())
      })

    const isUndated = (part: CallPart) => part.process < started && !exchange.answeredBy.has(part.host)

    const write = (step: Step & { readonly _tag: "write" }) =>
      Effect.gen(function* () {
        const transport = process.transports[step.host]
        if (transport === undefined) return
        exchange.setFate(step.fate, step.refusesSecond)
        exchange.codesOf.last = []
        const open = new Set(storage.entries.map(({ intent }) => intent.id))
        const before = parts.slice()
        const sent = Effect.provideService(send(transport, step), RetryPolicy.RetryPolicy, RetryPolicy.none)
        const fiber = yield* Effect.fork(Effect.either(Effect.withClock(sent, skewed(clock, skew))))
        // A look-up can wait for a limit of the exchange.
        for (let rounds = 0; Option.isNone(yield* Fiber.poll(fiber)) && rounds < 60; rounds++) yield* wait(1_000)
        const outcome = yield* Fiber.join(fiber)
        const at = now()
        const values = step.kind === "batch" ? step.values : [step.values[0]]
        const unit = unitOf(step.kind)
        if (Either.isLeft(outcome) && outcome.left._tag === "Blocked") {
          const { rule } = outcome.left
          if (rule === "largest") expect(Math.max(...values)).toBeGreaterThan(caps.largest)
          else {
            const [span, cap] = rule === "perHour" ? [hour, caps.perHour] : [day, caps.perDay]
            const most = mostCounted(before, unit, span, at, isUndated)
            const sum = values.reduce((total, value) => total + value, 0)
            expect(most + sum, `${rule}: ${outcome.left.message}`).toBeGreaterThan(cap)
          }
          return
        }
        const isUnknown = Either.isLeft(outcome) && outcome.left._tag === "OutcomeUnknown"
        const added = values.map((value, index): CallPart => {
          const id = idOf(step.kind === "batch" ? (step.id + index) % 5 : step.id)
          const isDone = Either.isRight(outcome) && (exchange.codesOf.last[index] ?? 0) === 0
          return {
            ...{ unit, value, host: step.host, process: started },
            key: step.kind === "amend" ? undefined : `${unit} ${step.host} ${id}`,
            latest: isUnknown ? at + recvWindow + 1_000 : at,
            execution: isDone ? "executed" : isUnknown ? "doubt" : "none"
          }
        })
        parts.push(...added)
        const entry = storage.entries.find(({ intent }) => !open.has(intent.id))
        if (entry !== undefined) entries.set(entry.intent.id, added)
      })

    /** Closes the open entries by what the exchange has executed, as a look-up does. */
    const reconcile = Effect.gen(function* () {
      yield* wait(2 * recvWindow)
      for (const { intent } of yield* process.journal.open) {
        const added = entries.get(intent.id) ?? []
        const keys = added.flatMap(({ key }) => (key === undefined ? [] : [key]))
        const listed = (key: string) =>
          exchange.executed.has(key.replace(/^orders/, "order").replace(/^transfers/, "transfer"))
        const executed = keys.length === 0 ? "unknowable" : keys.some(listed) ? "yes" : "no"
        yield* process.journal.end(intent.id, { _tag: "Reconciled", executed, reason: "listed" })
        for (const part of added) part.execution = executed === "no" ? "none" : part.execution
      }
    })

    for (const step of steps) {
      if (step._tag === "wait") yield* wait(step.millis)
      else if (step._tag === "write") yield* write(step)
      else if (step._tag === "reconcile") yield* reconcile
      else {
        started++
        skew = step.skew
        exchange.answeredBy.clear()
        process = yield* Effect.withClock(startProcess(exchange, storage, now), skewed(clock, skew))
      }
      // The limits of the exchange are no part of this promise.
      yield* wait(2_000)
    }
    yield* wait(2 * recvWindow)
    for (const { at, unit } of exchange.executions) {
      expect(executedWithin(exchange.executions, unit, hour, at)).toBeLessThanOrEqual(caps.perHour)
      expect(executedWithin(exchange.executions, unit, day, at)).toBeLessThanOrEqual(caps.perDay)
    }
  })

it("a guard lets no cap be exceeded, and refuses only what does not fit, for any sequence of writes and processes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), (steps) => Effect.runPromise(Effect.scoped(run(steps)))),
    { numRuns: Breadth.repeats(10_000, 20) }
  )
})
