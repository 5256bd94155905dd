import type * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Assets from "@effect-venue/services/Assets"
import * as Orders from "@effect-venue/services/Orders"
import * as Resting from "@effect-venue/testing/Resting"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as OpenWrites from "@effect-venue/transport/OpenWrites"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Fiber, Layer, Logger, Option, Redacted, Stream, TestClock } from "effect"
import type { YieldWrap } from "effect/Utils"
import { settle } from "@effect-venue/testing/Settling"
import { onThatDay, type Seen, type Services, watched } from "./utils/exchange.js"

const contract = Resting.market

/** An order that rests. */
const order = (orderLinkId: string) =>
  ({ symbol: contract.symbol, side: "Buy", orderType: "Limit", qty: "1", price: Resting.price, orderLinkId }) as const

const create = (orderLinkId: string) =>
  Effect.flatMap(Orders.Orders, (orders) => orders.create({ ...order(orderLinkId), category: "linear" }))

type Event =
  | { readonly _tag: "begin"; readonly intent: WriteJournal.Intent; readonly requests: number }
  | { readonly _tag: "end"; readonly id: string; readonly outcome: WriteJournal.Outcome; readonly requests: number }

interface Bench {
  readonly seen: ReadonlyArray<Seen>
  readonly events: ReadonlyArray<Event>
  readonly storage: WriteJournal.MemoryStorage
  /** Changes answers on their way to the client from now on. */
  readonly change: (change: ChangeOfAnswers) => void
}

type ChangeOfAnswers = NonNullable<Parameters<typeof watched>[1]>

type Change = (journal: WriteJournal.WriteJournal.Shape) => Partial<WriteJournal.Operations>

/** Runs on an exchange whose market stands still, with a journal whose every use is noted beside the requests that were made by then. */
const journalled = <A, E>(use: (bench: Bench) => Effect.Effect<A, E, Services>, change: Change = () => ({})) =>
  Effect.gen(function* () {
    let changeOfAnswers: ChangeOfAnswers = (answer) => answer
    const { seen, venue } = watched({ prices: "still" }, (answer, path) => changeOfAnswers(answer, path))
    const events: Array<Event> = []
    const storage = WriteJournal.memoryStorage()
    const memory = yield* WriteJournal.makeMemory(storage)
    const changed = { ...memory, ...change(memory) }
    const journal: WriteJournal.WriteJournal.Shape = {
      ...changed,
      begin: (intent) =>
        Effect.zipRight(
          Effect.sync(() => events.push({ _tag: "begin", intent, requests: seen.length })),
          changed.begin(intent)
        ),
      end: (id, outcome) =>
        Effect.zipRight(
          Effect.sync(() => events.push({ _tag: "end", id, outcome, requests: seen.length })),
          changed.end(id, outcome)
        )
    }
    return yield* onThatDay(
      venue.pipe(Layer.provide(Layer.succeed(WriteJournal.WriteJournal, journal))),
      use({ seen, events, storage, change: (change) => void (changeOfAnswers = change) })
    )
  })

/** Defines a test that runs so. */
const test = (
  title: string,
  body: (bench: Bench) => Generator<YieldWrap<Effect.Effect<unknown, unknown, Services>>, void, never>,
  change?: Change
) => {
  it.effect(title, () => journalled((bench) => Effect.gen(() => body(bench)), change))
}

const fault = (...rules: ReadonlyArray<Faults.Rule>) =>
  Effect.flatMap(Sandbox.Sandbox, ({ faults }) => faults.set(rules))

const steps = (events: ReadonlyArray<Event>) =>
  events.map((event) => (event._tag === "begin" ? "begin" : { ...event.outcome }))

const held = (names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { snapshot, uids } = yield* Sandbox.Sandbox
    const account = (yield* snapshot).accounts.get(uids.main)
    const all = [...(account?.openOrders ?? []), ...(account?.closedOrders ?? [])]
    return names.map((name) => all.filter(({ orderLinkId }) => Option.contains<string>(orderLinkId, name)).length)
  })

describe("a write with a journal", () => {
  test("is recorded before it is sent, and its outcome after its answer", function* ({ events, storage }) {
    yield* settle(create("first"))
    expect(events).toMatchObject([
      {
        _tag: "begin",
        requests: 0,
        intent: {
          operation: "orders.create",
          parameters: { ...contract, orderLinkId: "first", side: "Buy" },
          recvWindow: 5_000
        }
      },
      { _tag: "end", requests: 1, outcome: { _tag: "Done" } }
    ])
    expect(storage.entries).toEqual([])
  })

  test("uses the journal of its layer, not one that is provided around its call", function* ({ events }) {
    const storage = WriteJournal.memoryStorage()
    const around = yield* WriteJournal.makeMemory(storage)
    yield* settle(Effect.provideService(create("own"), WriteJournal.WriteJournal, around))
    expect(events.map(({ _tag }) => _tag)).toEqual(["begin", "end"])
    expect(storage.entries).toEqual([])
  })

  for (const [how, begin] of [
    ["fails", Effect.fail(new WriteJournal.WriteJournalFailed({ reason: "Storage", detail: "disk is full" }))],
    ["dies", Effect.dieMessage("disk is full")]
  ] as const) {
    test(
      `fails and is not sent if its journal ${how} to record its intent`,
      function* ({ events, seen }) {
        const failure = yield* settle(Effect.flip(create("unrecorded")))
        expect(failure).toMatchObject({
          _tag: "ConnectionFailed",
          reason: "WriteJournal",
          sent: false,
          attempts: []
        })
        expect(failure.message).toContain("disk is full")
        expect(seen).toEqual([])
        expect(steps(events)).toEqual(["begin", { _tag: "NotSent", failure: "ConnectionFailed (WriteJournal)" }])
      },
      () => ({ begin: () => begin })
    )
  }

  for (const [how, end] of [
    ["fails", Effect.fail(new WriteJournal.WriteJournalFailed({ reason: "Storage", detail: "disk is full" }))],
    ["dies", Effect.dieMessage("disk is full")]
  ] as const) {
    it.effect(`returns its result with a warning and stays open if its journal ${how} to record its outcome`, () => {
      const logged: Array<string> = []
      const logger = Logger.make(({ logLevel, message }) => logged.push(`${logLevel.label} ${String(message)}`))
      return journalled(
        ({ storage }) =>
          Effect.gen(function* () {
            const ack = yield* settle(create("first"))
            expect(Option.getOrNull(ack.orderLinkId)).toBe("first")
            expect(logged).toEqual([expect.stringMatching(/^WARN .*could not be recorded/)])
            expect(storage.entries).toMatchObject([{ outcome: undefined }])
          }),
        () => ({ end: () => end })
      ).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    })
  }

  test("records the return code of a refusal", function* ({ events }) {
    const orders = yield* Orders.Orders
    yield* settle(Effect.flip(orders.cancel({ ...contract, orderLinkId: "none" })))
    expect(steps(events)).toMatchObject(["begin", { _tag: "Refused", failure: "Rejected (NotFound)" }])
    expect(events[1]).toHaveProperty("outcome.retCode")
  })

  test("has one entry for all attempts, with the time of the latest", function* ({ events, seen }) {
    yield* fault({ fault: { kind: "rateRefusal", headers: true, resetMillis: 700 }, count: 2 })
    yield* settle(create("late"))
    expect(steps(events)).toEqual(["begin", "begin", "begin", { _tag: "Done" }])
    const intents = events.flatMap((event) => (event._tag === "begin" ? [event.intent] : []))
    expect(new Set(intents.map(({ id }) => id)).size).toBe(1)
    expect(intents.map(({ at }) => String(at))).toEqual(seen.map(({ headers }) => headers["x-bapi-timestamp"]))
    expect(new Set(intents.map(({ at }) => at)).size).toBe(3)
  })

  test("stays open if the connection is reset after sending", function* ({ events, storage }) {
    yield* fault({ fault: { kind: "dropAfter" }, count: 1 })
    yield* settle(Effect.flip(create("lost")))
    const outcome = { _tag: "Unknown", failure: "ConnectionFailed (Connection)" }
    expect(steps(events)).toEqual(["begin", outcome])
    expect(storage.entries).toMatchObject([{ outcome }])
  })

  test("stays open if it is interrupted in flight, which is also reported", function* ({ events }) {
    yield* fault({ fault: { kind: "delay", millis: 5_000, executed: "atOnce" }, count: 1 })
    const reported: Array<Failure.OutcomeUnknown> = []
    const fiber = yield* Effect.fork(
      Effect.provideService(create("cut"), CallOptions.OnInterruptedWrite, (failure) =>
        Effect.sync(() => void reported.push(failure))
      )
    )
    yield* TestClock.adjust("1 second")
    yield* Fiber.interrupt(fiber)
    expect(steps(events)).toEqual(["begin", { _tag: "Unknown", failure: "ConnectionFailed (Interrupted)" }])
    expect(reported).toHaveLength(1)
  })

  test("has no entry if it was never sent", function* ({ events }) {
    yield* Effect.forEach(
      Array.from({ length: 10 }, (_, index) => `fill-${index}`),
      create,
      { concurrency: "unbounded" }
    )
    const before = events.length
    const fiber = yield* Effect.fork(create("waits"))
    yield* TestClock.adjust("100 millis")
    yield* Fiber.interrupt(fiber)
    expect(events.length).toBe(before)
  })

  test("records the codes of a batch, and leaves it open if its answer contradicts its request", function* ({
    change,
    events,
    storage
  }) {
    const orders = yield* Orders.Orders
    yield* settle(create("taken"))
    const batch = (names: ReadonlyArray<string>) =>
      orders.createBatch({ category: "linear", request: names.map(order) })
    yield* settle(batch(["b-1", "taken", "b-2"]))
    expect(events.at(-1)).toMatchObject({ outcome: { _tag: "Done", codes: [0, expect.any(Number), 0] } })
    change((answer) => ({ ...answer, text: answer.text.replace('"orderLinkId":"b-4"', '"orderLinkId":"b-3"') }))
    const outcomes = yield* settle(batch(["b-3", "b-4", "b-5"]))
    expect(outcomes.some(({ _tag }) => _tag === "Left")).toBe(true)
    expect(storage.entries).toMatchObject([
      { outcome: { _tag: "Unknown" }, intent: { parameters: { request: [{}, {}, { orderLinkId: "b-5" }] } } }
    ])
  })

  test("does not record reads, keys and secrets", function* ({ events, seen }) {
    const { credentials } = yield* Sandbox.Sandbox
    const { apiKey, apiSecret } = credentials.main
    yield* settle(Effect.flatMap(Orders.Orders, (orders) => Stream.runDrain(orders.open(contract))))
    expect(events).toEqual([])
    yield* settle(create("first"))
    const assets = yield* Assets.Assets
    const requestId = yield* Assets.newTransferId
    const move = { coin: "USDT", amount: "1", fromAccountType: "UNIFIED", toAccountType: "FUND", requestId } as const
    yield* settle(assets.transfer(move))
    expect(events).toHaveLength(4)
    const text = JSON.stringify(events)
    const signatures = seen.flatMap(({ body, headers }) => [
      headers["x-bapi-sign"],
      /"sign":"(\w+)"|&?sign=(\w+)/.exec(body)?.[1]
    ])
    for (const secret of [Redacted.value(apiKey), Redacted.value(apiSecret), ...signatures]) {
      if (secret !== undefined) expect(text).not.toContain(secret)
    }
    expect(signatures.filter((signature) => signature !== undefined).length).toBeGreaterThan(1)
  })
})

/** As a process that is killed before it records an outcome. */
const killed: Change = () => ({ end: () => Effect.void })

const testKilled = (title: string, body: Parameters<typeof test>[1]) => test(title, body, killed)

/** What the process after it finds out. */
const reconciled = (
  storage: WriteJournal.MemoryStorage,
  options?: OpenWrites.Options,
  change: Partial<WriteJournal.Operations> = {}
) =>
  Effect.gen(function* () {
    const journal = { ...(yield* WriteJournal.makeMemory(storage)), ...change }
    const found = yield* settle(
      Effect.provideService(Stream.runCollect(OpenWrites.reconcile(options)), WriteJournal.WriteJournal, journal)
    )
    return Chunk.toReadonlyArray(found)
  })

const journalRequests = (seen: ReadonlyArray<Seen>, from: number) =>
  seen.slice(from).filter(({ body }) => body !== "").length

describe("reconcile", () => {
  testKilled("finds a placed order and one that never arrived, and sends no write", function* ({ seen, storage }) {
    yield* settle(create("answered"))
    yield* fault({ fault: { kind: "dropAfter" }, count: 1 }, { fault: { kind: "dropBefore" }, count: 1 })
    yield* settle(Effect.flip(create("arrived")))
    yield* settle(Effect.flip(create("lost")))
    const before = seen.length
    const found = yield* reconciled(storage)
    const byName = found.map((item) => [
      item.entry.intent.parameters.orderLinkId,
      item._tag === "Closed" && item.executed
    ])
    expect(byName.sort()).toEqual([
      ["answered", "yes"],
      ["arrived", "yes"],
      ["lost", "no"]
    ])
    expect(journalRequests(seen, before)).toBe(0)
    expect(yield* held(["answered", "arrived", "lost"])).toEqual([1, 1, 0])
    expect(storage.entries).toEqual([])
    expect(yield* reconciled(storage)).toEqual([])
  })

  testKilled("does not report an order as not executed while its request can arrive", function* ({ storage }) {
    yield* fault({ fault: { kind: "delay", millis: 4_000, executed: "afterwards" }, count: 1 })
    const call = yield* Effect.fork(create("slow"))
    yield* TestClock.adjust("500 millis")
    const journal = yield* WriteJournal.makeMemory(storage)
    const early = yield* Effect.fork(
      Effect.provideService(Stream.runCollect(OpenWrites.reconcile()), WriteJournal.WriteJournal, journal)
    )
    yield* TestClock.adjust("3 seconds")
    expect(Option.isNone(yield* Fiber.poll(early))).toBe(true)
    expect(yield* held(["slow"])).toEqual([0])
    const found = yield* settle(Fiber.join(early))
    expect(Chunk.toReadonlyArray(found)).toMatchObject([{ _tag: "Closed", executed: "yes" }])
    yield* settle(Effect.exit(Fiber.join(call)))
  })

  testKilled("reports the executed orders of a partly executed batch", function* ({ storage }) {
    const orders = yield* Orders.Orders
    // The service takes the first, and refuses the second for its size.
    const request = [order("small"), { ...order("huge"), qty: "1000000000" }]
    yield* settle(orders.createBatch({ category: "linear", request }))
    expect(yield* held(["small", "huge"])).toEqual([1, 0])
    const [found] = yield* reconciled(storage)
    expect(found).toMatchObject({
      executed: "partly",
      parts: [
        { executed: "yes", parameters: { request: [{ orderLinkId: "small" }] } },
        { executed: "no", parameters: { request: [{ orderLinkId: "huge" }] } }
      ]
    })
  })

  testKilled(
    "returns unknowable for an order that was amended since, an unlisted transfer, and an invisible change",
    function* ({ storage }) {
      const [orders, assets] = [yield* Orders.Orders, yield* Assets.Assets]
      yield* settle(create("open"))
      yield* settle(orders.amend({ ...contract, orderLinkId: "open", price: "19" }))
      yield* fault({
        fault: { kind: "dropBefore" },
        operations: ["orders.amend", "assets.transfer", "orders.create"]
      })
      yield* settle(Effect.flip(orders.amend({ ...contract, orderLinkId: "open", price: "18" })))
      const requestId = yield* Assets.newTransferId
      const move = { coin: "USDT", amount: "1", fromAccountType: "UNIFIED", toAccountType: "FUND", requestId } as const
      yield* settle(Effect.flip(assets.transfer(move)))
      const found = yield* reconciled(storage)
      const said = found.map((item) =>
        item._tag === "Closed" ? [item.entry.intent.operation, item.executed, item.isRepeatable] : [item._tag]
      )
      expect(said.sort()).toEqual([
        ["assets.transfer", "unknowable", true],
        ["orders.amend", "unknowable", false],
        ["orders.amend", "yes", false],
        // It may be of an earlier request under the same id.
        ["orders.create", "unknowable", false]
      ])
    }
  )

  testKilled("returns an outcome that cannot be recorded, and its entry stays open", function* ({ storage }) {
    yield* settle(create("placed"))
    const failing = (reason: WriteJournal.WriteJournalFailed["reason"]) => ({
      end: () => Effect.fail(new WriteJournal.WriteJournalFailed({ reason, detail: "no space left on device" }))
    })
    for (const _ of ["once", "again"]) {
      expect(yield* reconciled(storage, {}, failing("Storage"))).toMatchObject([
        { _tag: "Unrecorded", executed: "yes", failure: { reason: "Storage" } }
      ])
      expect(storage.entries).toHaveLength(1)
    }
    expect(yield* Effect.flip(reconciled(storage, {}, failing("TakenOver")))).toMatchObject({ reason: "TakenOver" })
    expect(yield* reconciled(storage)).toMatchObject([{ _tag: "Closed", executed: "yes" }])
    expect(storage.entries).toEqual([])
  })

  testKilled("does not rely on lists that can have dropped an order", function* ({ storage }) {
    yield* fault({ fault: { kind: "dropBefore" }, count: 1 })
    yield* settle(Effect.flip(create("old")))
    yield* TestClock.adjust("8 days")
    expect(yield* reconciled(storage)).toMatchObject([{ executed: "unknowable" }])
  })

  testKilled(
    "leaves an entry open if its look-up fails, its operation is unknown, or its account differs",
    function* ({ storage }) {
      yield* settle(create("one"))
      const [entry] = storage.entries
      if (entry === undefined) return yield* Effect.dieMessage("no entry")
      const other = (id: string, more: Partial<WriteJournal.Intent>) => ({
        ...entry,
        intent: { ...entry.intent, id, ...more }
      })
      storage.entries = [entry, other("own", { operation: "own.write" }), other("foreign", { key: "other", host: "x" })]
      yield* fault({ fault: { kind: "status", status: 500, executed: false } })
      const found = yield* reconciled(storage)
      expect(found.map(({ _tag, entry }) => [_tag, entry.intent.operation])).toEqual([
        ["StillOpen", "own.write"],
        ["StillOpen", "orders.create"]
      ])
      expect(storage.entries).toHaveLength(3)
      yield* Effect.flatMap(Sandbox.Sandbox, ({ faults }) => faults.clear)
      const own = { ...Object.create(null), name: "own.write", safety: "write" }
      const later = yield* reconciled(storage, { endpoints: [own] })
      expect(later.map((item) => item._tag === "Closed" && item.executed).sort()).toEqual(["unknowable", "yes"])
      expect(storage.entries.map(({ intent }) => intent.id)).toEqual(["foreign"])
    }
  )
})
