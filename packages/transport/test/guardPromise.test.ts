import * as Assets from "@effect-venue/schemas/Assets"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Breadth from "@effect-venue/testing/Breadth"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Guard from "@effect-venue/transport/Guard"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { FileSystem, HttpClient, HttpClientError, HttpClientResponse, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import {
  Clock,
  Context,
  Duration,
  Effect,
  Either,
  FastCheck as fc,
  Fiber,
  Layer,
  Logger,
  Redacted,
  type Scope
} from "effect"
import { makeMemoryFiles } from "./utils/memoryFiles.js"

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const recvWindow = 5_000
const caps = { largest: 50, perHour: 100, perDay: 150 }

// Steps -------------------------------------------------------------------------------------------------------------

/** What happens to a request, or to a part of a batch: `late`: its answer is lost, and it arrives at the end of its receive window. */
const fates = ["executed", "refused", "lostAfter", "lostBefore", "late", "unsent"] as const
type Fate = (typeof fates)[number]

const kinds = ["order", "transfer", "amend", "batch"] as const
type Kind = (typeof kinds)[number]

type Step =
  | {
      readonly _tag: "write"
      readonly kind: Kind
      readonly id: number
      readonly values: readonly [number, number]
      readonly fate: Fate
      readonly refusesSecond: boolean
      readonly host: number
      /** How long its request and its answer are under way together, in milliseconds. */
      readonly latency: number
      /** The next step does not wait for its end. */
      readonly overlaps: boolean
      /** The process before the present one sends it, which has lost its journal. */
      readonly isOld: boolean
    }
  | { readonly _tag: "wait"; readonly millis: number }
  | { readonly _tag: "start"; readonly skew: number }
  | { readonly _tag: "reconcile" }
  | { readonly _tag: "disk"; readonly isFull: boolean }

/** Amounts that fill a cap in a few writes; few are too large for any. */
const value = fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 15, max: 50 }) }, fc.integer({ min: 1, max: 60 }))

interface Writes {
  readonly kinds: ReadonlyArray<Kind>
  readonly fates: ReadonlyArray<Fate>
  readonly ids: number
}

const stepOf = ({ fates, ids, kinds }: Writes): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        _tag: fc.constant("write" as const),
        kind: fc.constantFrom(...kinds),
        id: fc.nat(ids - 1),
        values: fc.tuple(value, value),
        fate: fc.constantFrom(...fates),
        refusesSecond: fc.boolean(),
        host: fc.nat(1),
        latency: fc.constantFrom(...latencies),
        overlaps: fc.boolean(),
        isOld: fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 0)
      })
    },
    {
      weight: 3,
      arbitrary: fc.record({
        _tag: fc.constant("wait" as const),
        millis: fc.oneof(
          fc.integer({ min: 0, max: 2 * minute }),
          fc.integer({ min: 0, max: hour + minute }),
          fc.integer({ min: 0, max: day + hour }),
          // An amount ends with the minute in which it is so old.
          fc.constantFrom(hour - minute, hour - minute / 2, hour, day - minute, day - minute / 2, day)
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
    { weight: 1, arbitrary: fc.record({ _tag: fc.constant("reconcile" as const) }) },
    { weight: 1, arbitrary: fc.record({ _tag: fc.constant("disk" as const), isFull: fc.boolean() }) }
  )

/** Sequences of all writes, and of few kinds, fates and ids, which repeat them and exhaust the caps. */
const sequence = fc
  .record({
    kinds: fc.constantFrom<ReadonlyArray<Kind>>(kinds, kinds, ["transfer"], ["order", "batch"], ["order", "amend"]),
    fates: fc.constantFrom<ReadonlyArray<Fate>>(
      fates,
      [...fates, "executed", "executed", "executed", "executed"],
      ["executed"],
      ["lostAfter", "lostAfter", "executed"],
      ["late", "executed"],
      ["executed", "executed", "refused", "unsent"]
    ),
    ids: fc.constantFrom(2, 5)
  })
  .chain((writes) => fc.array(stepOf(writes), { maxLength: 24, size: "max" }))

// The promise, without the code that keeps it -----------------------------------------------------------------------

/** A part of a call. `latest`: the latest instant at which it can have been executed, by the true clock. */
interface CallPart {
  readonly unit: string
  readonly key: string | undefined
  readonly value: number
  readonly host: number
  readonly process: number
  latest: number
  /** `doubt` while its call runs, too. */
  execution: "executed" | "doubt" | "none"
  /** The end of the receive window of what was signed, by the true clock: an earlier process can have signed with a clock that is ahead. */
  signedUntil: number
  /** Its outcome may not be in the journal: a later process is in doubt. */
  isUnrecorded: boolean
}

interface Execution {
  readonly unit: string
  readonly value: number
  readonly at: number
}

const latencies = [0, 300, 4_000] as const

/**
 * A sum ages from the end of its minute, in whole minutes; a call that was read from a journal from the end of its receive window, by a time that was on its way
 * as long as an answer.
 */
const slack = 2 * minute + recvWindow + 1_000 + Math.max(...latencies)

const unitOf = (kind: string) => (kind === "transfer" ? "transfers" : "orders")

/** The most that the guard of a process can count of a unit. `isUndated`: whether the age of a call of an earlier process is unknown. */
const mostCounted = (
  parts: ReadonlyArray<CallPart>,
  { now, process, span, unit }: { unit: string; span: number; now: number; process: number },
  isUndated: (part: CallPart) => boolean
) => {
  const byKey = new Map<string, Array<CallPart & { readonly counted: "doubt" | "executed" }>>()
  const countIn = ({ execution, isUnrecorded, process: of }: CallPart) =>
    of < process && isUnrecorded ? "doubt" : execution
  // Without its outcome, a later process only knows until when the service accepts what was signed.
  const latestIn = ({ isUnrecorded, latest, signedUntil }: CallPart) =>
    isUnrecorded ? Math.max(latest, signedUntil) : latest
  // A journal keeps one amount for the calls with one id, since it is not known which of them was executed: the largest, from the latest.
  const latestOf = (part: CallPart) => {
    if (part.process === process) return part.latest
    if (part.key === undefined) return latestIn(part)
    const shared = parts.filter((each) => each.key === part.key && each.process < process && countIn(each) !== "none")
    return Math.max(...shared.map(latestIn))
  }
  for (const [index, part] of parts.entries()) {
    const isEarlier = part.process < process
    const counted = countIn(part)
    if (part.unit !== unit || counted === "none") continue
    if (latestOf(part) <= now - span - slack && !(isEarlier && isUndated(part))) continue
    const key = part.key ?? `call ${index}`
    byKey.set(key, [...(byKey.get(key) ?? []), { ...part, counted }])
  }
  let sum = 0
  for (const shared of byKey.values()) {
    const valuesOf = (execution: "doubt" | "executed") =>
      shared.filter(({ counted }) => counted === execution).map(({ value }) => value)
    const [executed, doubt] = [valuesOf("executed"), Math.max(0, ...valuesOf("doubt"))]
    // An order that was executed is a sum, so that each repetition that may have been executed counts beside it.
    sum += unit === "orders" ? executed.reduce((total, value) => total + value, doubt) : Math.max(doubt, ...executed)
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

/** A call of a step. */
interface Sent {
  readonly fate: Fate
  readonly refusesSecond: boolean
  readonly latency: number
  readonly process: number
  codes: ReadonlyArray<number>
  parts: ReadonlyArray<CallPart>
  /** A response has contained the time of its host. */
  isAnswered: boolean
}

const noCall: Sent = {
  fate: "executed",
  refusesSecond: false,
  latency: 0,
  process: 0,
  codes: [],
  parts: [],
  isAnswered: false
}

class CurrentCall extends Context.Reference<CurrentCall>()("CurrentCall", { defaultValue: () => noCall }) {}

const makeExchange = () => {
  const executions: Array<Execution> = []
  const executed = new Set<string>()
  const late: Array<{ readonly at: number; readonly run: () => void }> = []

  const execute = (
    { kind, orders }: ExchangeRequest,
    at: number,
    { refusesSecond }: Pick<Sent, "refusesSecond">
  ): ReadonlyArray<number> =>
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
    /** Executes the late requests until an instant. */
    arrive: (until: number) => {
      for (const each of late.filter(({ at }) => at <= until)) each.run()
      late.splice(0, late.length, ...late.filter(({ at }) => at > until))
    },
    client: (host: number, trueNow: () => number) =>
      HttpClient.make((request, url) =>
        Effect.gen(function* () {
          const sent = yield* CurrentCall
          const { fate, latency } = sent
          yield* Effect.sleep(latency / 2)
          const at = trueNow()
          const serverTime = at + (hosts[host]?.ahead ?? 0)
          const text = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
          const body: Record<string, unknown> = text.startsWith("{")
            ? JSON.parse(text)
            : Object.fromEntries(new URLSearchParams(text))
          const stamp = Number(
            request.headers["x-bapi-timestamp"] ?? body.timestamp ?? url.searchParams.get("timestamp")
          )
          for (const part of sent.parts) {
            const until = stamp - (hosts[host]?.ahead ?? 0) + recvWindow + 1_000
            part.signedUntil = Math.max(part.signedUntil, until)
          }
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
            return Effect.as(
              Effect.map(Effect.sleep(latency / 2), () => {
                sent.isAnswered = true
              }),
              HttpClientResponse.fromWeb(request, new Response(JSON.stringify(shape)))
            )
          }
          if (request.method === "GET") return yield* answer(0, { list: [] })
          if (fate === "unsent") return yield* fail("ECONNREFUSED", "connect")
          if (stamp > serverTime + 1_000 || stamp < serverTime - recvWindow) return yield* answer(10002, null)
          const parsed = requestOf(url.pathname, body, host)
          if (fate === "refused") return yield* answer(parsed.kind === "transfer" ? 131212 : 110007, null)
          if (fate === "lostBefore") return yield* fail("ECONNRESET", "read")
          if (fate === "late") {
            const arrives = stamp - (hosts[host]?.ahead ?? 0) + recvWindow
            late.push({ at: arrives, run: () => void execute(parsed, arrives, sent) })
            return yield* fail("ECONNRESET", "read")
          }
          const codes = execute(parsed, at, sent)
          sent.codes = codes
          if (fate === "lostAfter") return yield* fail("ECONNRESET", "read")
          if (parsed.kind === "batch") {
            const requests = Array.isArray(body.request) ? body.request : []
            const list = requests.map(({ orderLinkId }, index) => ({
              ...{ category: "linear", symbol: "BTCUSDT", orderLinkId },
              orderId: codes[index] === 0 ? `o-${index}` : ""
            }))
            return yield* answer(0, { list }, { list: codes.map((code) => ({ code, msg: code === 0 ? "OK" : "no" })) })
          }
          const [code = 0] = codes
          if (code !== 0) return yield* answer(code, null)
          return yield* parsed.kind === "transfer"
            ? answer(0, { transferId: body.requestId })
            : answer(0, { orderId: "o-1", orderLinkId: body.orderLinkId ?? "" })
        })
      )
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

/** Opens the journal of a run as another process. */
type Open = Effect.Effect<WriteJournal.WriteJournal.Shape, WriteJournal.WriteJournalFailed, Scope.Scope>

/** A process with one guard for the transports of both hosts. */
const startProcess = (
  exchange: ReturnType<typeof makeExchange>,
  open: Open,
  entries: Map<string, ReadonlyArray<CallPart>>,
  trueNow: () => number
) =>
  Effect.gen(function* () {
    const source = yield* open
    const limits = { USDT: { largest: "50", perHour: "100", perDay: "150" } }
    const guarded = yield* Guard.makeJournalled({ orders: limits, transfers: limits }).pipe(
      Effect.provideService(WriteJournal.WriteJournal, {
        ...source,
        begin: (intent) =>
          Effect.flatMap(CurrentCall, (sent) => {
            entries.set(intent.id, sent.parts)
            return source.begin(intent)
          })
      })
    )
    const transports: Array<Transport.Transport.Shape> = []
    for (const [index, { url }] of hosts.entries()) {
      const credentials = Credentials.make({
        ...{ baseUrl: url, apiKey: "KEY", apiSecret: Redacted.make("secret"), recvWindow }
      })
      const layer = Transport.layerStandalone.pipe(
        Layer.provide([
          Layer.succeedContext(guarded),
          Layer.succeed(Credentials.Credentials, credentials),
          Layer.succeed(HttpClient.HttpClient, exchange.client(index, trueNow))
        ])
      )
      transports.push(
        yield* Effect.flatMap(Layer.build(layer), (context) => Effect.provide(Transport.Transport, context))
      )
    }
    return { journal: Context.get(guarded, WriteJournal.WriteJournal), transports }
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

/** Whether a call with this failure can have been executed. */
const leavesDoubt = (failure: Failure.Failure): boolean =>
  failure._tag === "ConnectionFailed" ? failure.sent : failure._tag === "UnexpectedResponse"

/** Fails if a refusal by a cap was not due. */
const checkRefusal = (
  { rule, message }: Failure.Blocked,
  values: ReadonlyArray<number>,
  mostOf: (span: number) => number
) => {
  if (rule === "largest") {
    expect(Math.max(...values)).toBeGreaterThan(caps.largest)
    return
  }
  const [span, cap] = rule === "perHour" ? [hour, caps.perHour] : [day, caps.perDay]
  const sum = values.reduce((total, value) => total + value, 0)
  expect(mostOf(span) + sum, `${rule}: ${message}`).toBeGreaterThan(cap)
}

const run = (steps: ReadonlyArray<Step>, isOnDisk: boolean): Effect.Effect<void, unknown, Scope.Scope> =>
  Effect.gen(function* () {
    const { advance, clock } = makeClock(1_800_000_000_000)
    const now = () => clock.unsafeCurrentTimeMillis()
    const exchange = makeExchange()
    const disk = { isFull: false }
    const files = makeMemoryFiles("/journal", () => disk.isFull)
    const storage = WriteJournal.memoryStorage()
    const open: Open = isOnDisk
      ? FileWriteJournal.make({ folder: "/journal", compactAt: 2_000 }).pipe(
          Effect.provideService(FileSystem.FileSystem, files),
          Effect.provide(Path.layer)
        )
      : WriteJournal.makeMemory(storage)
    const parts: Array<CallPart> = []
    const entries = new Map<string, ReadonlyArray<CallPart>>()
    /** The processes that know the time of a host, because a call that was answered has ended. */
    const timed = new Set<string>()
    const running: Array<Fiber.RuntimeFiber<void, unknown>> = []
    let current = 0
    let skew = 0
    const start = Effect.suspend(() =>
      Effect.withClock(startProcess(exchange, open, entries, now), skewed(clock, skew))
    )
    let process = yield* start
    let old = process

    const wait = (millis: number) =>
      Effect.promise(async () => {
        await advance(millis)
        exchange.arrive(now())
      })

    const write = (step: Step & { readonly _tag: "write" }) =>
      Effect.gen(function* () {
        const isOld = step.isOld && current > 0
        const transport = (isOld ? old : process).transports[step.host]
        if (transport === undefined) return
        const started = isOld ? current - 1 : current
        const values = step.kind === "batch" ? step.values : [step.values[0]]
        const unit = unitOf(step.kind)
        const { fate, latency, refusesSecond } = step
        const sent: Sent = { fate, latency, refusesSecond, process: started, codes: [], parts: [], isAnswered: false }
        const added = values.map((value, index): CallPart => {
          const id = idOf(step.kind === "batch" ? (step.id + index) % 5 : step.id)
          return {
            ...{ unit, value, host: step.host, process: started, isUnrecorded: false },
            key: step.kind === "amend" ? undefined : `${unit} ${step.host} ${id}`,
            latest: Number.POSITIVE_INFINITY,
            signedUntil: Number.NEGATIVE_INFINITY,
            execution: "doubt"
          }
        })
        sent.parts = added
        parts.push(...added)
        const outcome = yield* send(transport, step).pipe(
          Effect.either,
          Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
          Effect.provideService(CurrentCall, sent),
          Effect.withClock(skewed(clock, skew))
        )
        const at = now()
        const failure = Either.isLeft(outcome) ? outcome.left : undefined
        // Another call with its id can be in doubt, which says nothing about this one.
        const own = failure?._tag === "OutcomeUnknown" ? failure.because : failure
        const isUnknown = own !== undefined && leavesDoubt(own)
        for (const [index, part] of added.entries()) {
          const isDone = Either.isRight(outcome) && (sent.codes[index] ?? 0) === 0
          part.latest = isUnknown ? at + recvWindow + 1_000 : at
          part.execution = isDone ? "executed" : isUnknown ? "doubt" : "none"
          // Another process has opened the journal meanwhile, or nothing could be recorded.
          part.isUnrecorded = own?._tag !== "Blocked" && (started < current || disk.isFull)
        }
        if (sent.isAnswered) timed.add(`${started} ${step.host}`)
        if (isOld) expect(sent.codes).toEqual([])
        if (own?._tag === "Blocked" && started === current) {
          const isUndated = (part: CallPart) => !timed.has(`${started} ${part.host}`)
          checkRefusal(own, values, (span) => mostCounted(parts, { unit, span, now: at, process: started }, isUndated))
        }
      })

    /** Begins a write. Its parts count from its check. */
    const begin = (step: Step & { readonly _tag: "write" }) =>
      Effect.map(Effect.fork(write(step)), (fiber) => running.push(fiber))

    /** Closes the open entries by what the exchange has executed, as a look-up does. */
    const reconcile = Effect.gen(function* () {
      yield* wait(2 * recvWindow)
      for (const { intent } of yield* process.journal.open) {
        const added = entries.get(intent.id) ?? []
        const keys = added.flatMap(({ key }) => (key === undefined ? [] : [key]))
        const listed = (key: string) =>
          exchange.executed.has(key.replace(/^orders/, "order").replace(/^transfers/, "transfer"))
        const executed = keys.length === 0 ? "unknowable" : keys.some(listed) ? "yes" : "no"
        const closed = process.journal.end(intent.id, { _tag: "Reconciled", executed, reason: "listed" })
        if (Either.isLeft(yield* Effect.either(closed))) continue
        for (const part of added) {
          part.execution = executed === "no" ? "none" : "executed"
          // The journal knows what was signed, and not when it was executed.
          part.latest = Math.max(part.latest, part.signedUntil)
          part.isUnrecorded = false
        }
      }
    })

    const take = (step: Step) => {
      switch (step._tag) {
        case "wait":
          return wait(step.millis)
        case "write":
          return Effect.zipRight(begin(step), step.overlaps ? wait(10) : wait(6_000))
        case "reconcile":
          return reconcile
        case "disk":
          return Effect.sync(() => {
            disk.isFull = isOnDisk && step.isFull
          })
        case "start":
          return Effect.gen(function* () {
            skew = step.skew
            old = process
            current++
            process = yield* Effect.orElse(start, () => {
              disk.isFull = false
              return start
            })
          })
      }
    }

    for (const step of steps) yield* take(step)
    yield* wait(120_000)
    yield* Effect.forEach(running, Fiber.join)
    for (const { at, unit } of exchange.executions) {
      expect(executedWithin(exchange.executions, unit, hour, at)).toBeLessThanOrEqual(caps.perHour)
      expect(executedWithin(exchange.executions, unit, day, at)).toBeLessThanOrEqual(caps.perDay)
    }
  }).pipe(Effect.provide(Logger.remove(Logger.defaultLogger)))

it("a guard lets no cap be exceeded, and refuses only what does not fit, for any sequence of writes and processes", async () => {
  await fc.assert(
    fc.asyncProperty(sequence, fc.boolean(), (steps, isOnDisk) =>
      Effect.runPromise(Effect.scoped(run(steps, isOnDisk)))
    ),
    // To find a smaller sequence takes minutes.
    { numRuns: Breadth.repeats(10_000, 40), endOnFailure: !Breadth.isLong }
  )
})
