import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Transport from "@effect-venue/transport/Transport"
import { HttpClient } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import {
  Channel,
  Chunk,
  Clock,
  Context,
  DateTime,
  Duration,
  Effect,
  Layer,
  Option,
  Ref,
  Stream,
  TestClock
} from "effect"
import { part as scripted } from "./utils/scripted.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, onStillExchange, onThatDay, today } from "./utils/world.js"

const earliest = today - 730 * day
const to = earliest + 3 * day
const query = { category: "linear", symbol: "BTCUSDT" } as const
const minutes = 60_000

/** An exchange whose clock is ahead of this machine's by `skew` milliseconds. */
const ahead = (skew: number) => {
  const shifted = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) =>
      Effect.withClock(effect, {
        [Clock.ClockTypeId]: Clock.ClockTypeId,
        unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() + skew,
        unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos(),
        currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now + skew),
        currentTimeNanos: clock.currentTimeNanos,
        sleep: (duration) => clock.sleep(duration)
      })
    )
  const sandbox = Layer.scopedContext(
    Effect.map(shifted(Layer.build(Sandbox.layer({ seed: 5, prices: "still" }))), (context) => {
      const inner = Context.get(context, HttpClient.HttpClient)
      return Context.add(
        context,
        HttpClient.HttpClient,
        HttpClient.make((request) => shifted(inner.execute(request)))
      )
    })
  )
  return Transport.layerStandalone.pipe(Layer.provideMerge(sandbox))
}

const clocks = [
  ["the clocks agree", 0],
  ["this machine's clock is 60 days behind", 60 * day],
  ["this machine's clock is 60 days ahead", -60 * day]
] as const

describe("a stream", () => {
  const histories = { executions: History.executions, closedPnl: History.closedPnl, orders: History.orderHistory }
  const rowsOf = (dataset: Dataset.Dataset<Datasets.ContractQuery, unknown>, range: History.StreamRange) =>
    settle(Effect.either(Stream.runCollect(History.stream(dataset, { ...query, ...range }, { side: "wire" }))))

  for (const [name, dataset] of Object.entries(histories)) {
    for (const [agreement, skew] of clocks.slice(0, name === "executions" ? 3 : 1)) {
      const start = earliest + skew
      const range = { from: start + minutes, to: to + skew }

      it.effect(`of ${name} fails with BeyondRetention before the first row, or has every row, when ${agreement}`, () =>
        onThatDay(
          Effect.gen(function* () {
            for (const from of [start - 20 * 365 * day, start - 30 * day, start - 1]) {
              const failed = yield* rowsOf(dataset, { ...range, from })
              expect(failed).toMatchObject({
                left: { _tag: "BeyondRetention", from: DateTime.unsafeMake(from), retention: Duration.days(730) }
              })
              if (failed._tag === "Left" && failed.left._tag === "BeyondRetention") {
                expect(Math.abs(failed.left.earliest.epochMillis - start)).toBeLessThan(60 * minutes)
                expect(failed.left.message).toMatch(/: pass from "earliest" or beyondRetention "clamp"/)
              }
            }
            const whole = yield* rowsOf(dataset, range)
            expect(whole._tag).toBe("Right")
            if (name === "executions" && whole._tag === "Right") expect(Chunk.size(whole.right)).toBeGreaterThan(0)
          }).pipe(Effect.provide(ahead(skew)))
        )
      )

      it.effect(`of ${name} begins at the retention if that is allowed, when ${agreement}`, () =>
        onThatDay(
          Effect.gen(function* () {
            const whole = yield* rowsOf(dataset, range)
            for (const allowed of [
              { from: "earliest", to: range.to },
              { from: start - day, to: range.to, beyondRetention: "clamp" }
            ] as const) {
              const clamped = yield* rowsOf(dataset, allowed)
              expect(clamped._tag).toBe("Right")
              if (clamped._tag !== "Right" || whole._tag !== "Right") continue
              const keys = Chunk.map(clamped.right, (row) => JSON.stringify(row))
              expect(Chunk.toReadonlyArray(keys)).toEqual(
                expect.arrayContaining(Array.from(whole.right, (row) => JSON.stringify(row)))
              )
            }
          }).pipe(Effect.provide(ahead(skew)))
        )
      )
    }
  }

  it.effect("has no earliest instant if no retention is documented", () =>
    onThatDay(
      Effect.gen(function* () {
        for (const dataset of [History.preUpgradeExecutions, History.preUpgradeClosedPnl]) {
          expect(yield* rowsOf(dataset, { from: "earliest", to: today })).toMatchObject({
            left: {
              _tag: "InvalidRequest",
              field: "from",
              rule: "must be an instant: the service documents no retention for this operation"
            }
          })
        }
      }).pipe(Effect.provide(ahead(0)))
    )
  )
})

describe("an export", () => {
  for (const [agreement, skew] of clocks) {
    it.effect(`is incomplete exactly when its range exceeds the retention, when ${agreement}`, () =>
      onThatDay(
        Effect.gen(function* () {
          for (const age of [-70 * day, -30 * minutes, -1, 10 * minutes, day]) {
            const range = { from: earliest + skew + age, to: to + skew }
            const { verdict, windows } = yield* settle(
              Channel.runDrain(
                Channel.mapOut(History.channel(History.executions, { ...query, ...range }), () => undefined)
              )
            )
            expect(verdict, `from ${age}`).toBe(age > 0 ? "complete" : "incomplete")
            if (age <= 0) expect(windows[0]?.missing[0]?.because).toBe("the service remembers 730 days")
          }
        }).pipe(Effect.provide(ahead(skew)))
      )
    )
  }

  onStillExchange("that is resumed after its first window has expired reports the window", function* () {
    const { faults } = yield* Sandbox.Sandbox
    const directory = yield* folder
    const run = History.run(History.executions, { ...query, from: earliest + day, to }, Sink.ndjson(directory))
    yield* faults.set([{ fault: { kind: "status", status: 503, executed: false }, operations: ["executions.list"] }])
    expect((yield* settle(Effect.flip(run)))._tag).toBe("Unavailable")
    yield* faults.set([])
    yield* TestClock.adjust("2 days")
    const manifest = yield* settle(run)
    expect(manifest.verdict).toBe("incomplete")
    expect(manifest.missing).toMatchObject([{ from: earliest + day, because: "the service remembers 730 days" }])
    expect(manifest.missing[0]?.to).toBeGreaterThanOrEqual(earliest + 2 * day)
  })

  onStillExchange("reports every range that expires while the export runs", function* () {
    const directory = yield* folder
    // The first window is asked for in time, and the first answer takes a minute.
    let waits = 1
    const part = Part.make(Datasets.executions, query)
    const slow: Part.Part = {
      ...part,
      page: (ask) => (waits-- > 0 ? Effect.delay(part.page(ask), "1 minute") : part.page(ask))
    }
    const manifest = yield* settle(
      History.runAll([slow], { from: earliest + 30_000, to }, Sink.ndjson(directory), { concurrency: 1 })
    )
    expect(manifest.verdict).toBe("incomplete")
    expect(manifest.missing).toMatchObject([{ from: earliest + 30_000, because: "the service remembers 730 days" }])
  })

  onStillExchange("that is resumed later reports every range that expired between the starts", function* () {
    const { faults } = yield* Sandbox.Sandbox
    const directory = yield* folder
    const run = History.run(History.executions, { ...query, from: earliest + 10 * minutes, to }, Sink.ndjson(directory))
    yield* faults.set([{ fault: { kind: "status", status: 503, executed: false }, operations: ["executions.list"] }])
    expect((yield* settle(Effect.flip(run)))._tag).toBe("Unavailable")
    yield* faults.set([])
    yield* TestClock.adjust("20 minutes")
    const manifest = yield* settle(run)
    expect(manifest.verdict).toBe("incomplete")
    expect(manifest.missing).toMatchObject([{ from: earliest + 10 * minutes }])
  })

  onStillExchange("reads the oldest windows of all its parts first", function* () {
    const asked: Array<number> = []
    const parts = (["linear", "inverse"] as const).map((category) => {
      const part = Part.make(Datasets.executions, { category })
      return {
        ...part,
        page: (ask: Dataset.Ask) =>
          Effect.sync(() => {
            asked.push(ask.from)
            return { rows: [], next: "" }
          })
      }
    })
    const range = { from: today - 30 * day, to: today - day }
    yield* settle(History.runAll(parts, range, Sink.ndjson(yield* folder), { concurrency: 1 }))
    expect(asked.length).toBeGreaterThan(8)
    expect(asked).toEqual(asked.toSorted((one, other) => one - other))
  })
})

describe("an end, where no answer to the part states the time, and this machine's clock is two hours fast,", () => {
  const missing = (wallet: (learn: Effect.Effect<void>) => Effect.Effect<ReadonlyArray<unknown>>) =>
    Effect.gen(function* () {
      const now = today - 120 * minutes
      const stated = yield* Ref.make(Option.none<number>())
      const part = {
        ...scripted(Datasets.subAccountTransfers, {}, { page: () => ({ rows: [], next: "" }) }),
        serverTime: Ref.get(stated),
        wallet: wallet(Ref.set(stated, Option.some(now)))
      }
      const commits = yield* settle(Stream.runCollect(History.commits(part, { from: now - day, to: today })))
      return Chunk.toReadonlyArray(commits).flatMap(({ window }) => window.missing)
    }).pipe(onThatDay)

  it.effect("is compared with the time of another answer", () =>
    Effect.map(
      missing((learn) => Effect.as(learn, [])),
      (found) => expect(found).toMatchObject([{ from: today - 120 * minutes, to: today }])
    )
  )

  it.effect("is not trusted without one", () =>
    Effect.map(
      missing(() => Effect.succeed([])),
      (found) =>
        expect(found).toMatchObject([{ to: today, because: expect.stringContaining("no answer states the time") }])
    )
  )
})

describe("an end", () => {
  const skew = -3 * day
  const range = { from: today - 10 * day, to: today }

  it.scoped("that the service's clock has not reached is reported, for any local clock", () =>
    onThatDay(
      Effect.gen(function* () {
        const manifest = yield* settle(
          History.run(History.executions, { ...query, ...range }, Sink.ndjson(yield* folder))
        )
        expect(manifest.verdict).toBe("incomplete")
        expect(manifest.missing.at(-1)).toMatchObject({ to: today, because: "it was in the future when it was read" })
        expect(Math.abs((manifest.missing[0]?.from ?? 0) - (today + skew))).toBeLessThan(minutes)
      }).pipe(Effect.provide(ahead(skew)), Effect.provide(NodeContext.layer))
    )
  )

  it.scoped("defaults to the current time of the service", () =>
    onThatDay(
      Effect.gen(function* () {
        const manifest = yield* settle(
          History.run(History.executions, { ...query, from: range.from }, Sink.ndjson(yield* folder))
        )
        expect(manifest.verdict).toBe("complete")
        expect(Math.abs(manifest.to - (today + skew))).toBeLessThan(minutes)
      }).pipe(Effect.provide(ahead(skew)), Effect.provide(NodeContext.layer))
    )
  )

  const cases = [-2, 5, 20].flatMap((end) => [0, 10, 30].map((takes) => [end, takes] as const))

  it.effect.each(cases)("%i s from now is open if it had not passed when a reading of %i s began", ([end, takes]) =>
    Effect.gen(function* () {
      const listed = scripted(Datasets.executions, query)
      const part = { ...listed, page: (ask: Dataset.Ask) => Effect.delay(listed.page(ask), `${takes} seconds`) }
      const to = today + end * 1000
      const commits = yield* settle(Stream.runCollect(History.commits(part, { from: today - day, to })))
      const missing = Chunk.toReadonlyArray(commits).flatMap(({ window }) => window.missing)
      expect(missing).toMatchObject(end < 0 ? [] : [{ from: today, to, lost: false }])
    }).pipe(onThatDay)
  )
})
