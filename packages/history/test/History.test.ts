import * as History from "@effect-venue/history/History"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, HttpClient, HttpClientResponse, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Clock, Duration, Effect, Fiber, Layer, Option, Stream, TestClock } from "effect"

const today = Date.parse("2026-06-15T12:34:56.789Z")
const day = Duration.toMillis("1 day")

/** Runs an effect to its end, however long it waits for its budgets. */
const settle = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    while (Option.isNone(yield* Fiber.poll(fiber))) {
      yield* TestClock.adjust("1 second")
      // Files are written by the real world, which no test clock moves.
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    return yield* Fiber.join(fiber)
  })

const exchange = Transport.layerStandalone.pipe(Layer.provideMerge(Sandbox.layer({ seed: 3 })))

const onThatDay = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.zipRight(TestClock.setTime(today), effect)

const linesOf = (file: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return (yield* fs.readFileString(file))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown)
  })

describe("a stream of history", () => {
  it.effect(
    "has every execution of 730 days once, oldest first, as the sandbox holds them",
    () =>
      onThatDay(
        Effect.gen(function* () {
          const sandbox = yield* Sandbox.Sandbox
          for (const category of ["linear", "inverse", "spot"] as const) {
            const query = { category, from: today - 730 * day, to: today }
            const rows = yield* settle(Stream.runCollect(History.stream(History.executions, query)))
            const { count, first, last } = (yield* sandbox.holds(query)).executions
            const ids = Chunk.toReadonlyArray(rows).map(({ execId }) => execId)
            const times = Chunk.toReadonlyArray(rows).map(({ execTime }) => Number(execTime))
            expect(count).toBeGreaterThan(category === "linear" ? 6000 : 100)
            expect(ids).toHaveLength(count)
            expect(new Set(ids).size).toBe(count)
            expect(times).toEqual(times.toSorted((one, other) => one - other))
            expect(times[0]).toBe(Option.getOrThrow(first).epochMillis)
            expect(times.at(-1)).toBe(Option.getOrThrow(last).epochMillis)
          }
        }).pipe(Effect.provide(exchange))
      ),
    60_000
  )

  it.effect("is cut at its ends: the first instant belongs to it, the last does not", () =>
    onThatDay(
      Effect.gen(function* () {
        const all = yield* settle(
          Stream.runCollect(
            History.stream(History.executions, { category: "linear", from: today - 10 * day, to: today })
          )
        )
        const times = Chunk.toReadonlyArray(all).map(({ execTime }) => Number(execTime))
        const from = times[10] ?? 0
        const to = times[500] ?? 0
        const part = yield* settle(
          Stream.runCollect(History.stream(History.executions, { category: "linear", from, to }))
        )
        expect(Chunk.toReadonlyArray(part)).toEqual(
          Chunk.toReadonlyArray(all).filter((row) => Number(row.execTime) >= from && Number(row.execTime) < to)
        )
      }).pipe(Effect.provide(exchange))
    )
  )

  it.effect(
    "has the history from before the upgrade, executions and closed profit and loss",
    () =>
      onThatDay(
        Effect.gen(function* () {
          const sandbox = yield* Sandbox.Sandbox
          const query = { category: "linear", from: today - 900 * day, to: today } as const
          const held = yield* sandbox.holds(query)
          const executions = yield* settle(Stream.runCount(History.stream(History.preUpgradeExecutions, query)))
          const closed = yield* settle(Stream.runCount(History.stream(History.preUpgradeClosedPnl, query)))
          expect(executions).toBeGreaterThan(0)
          expect(executions).toBe(held.preUpgradeExecutions.count)
          expect(closed).toBeGreaterThan(0)
          expect(closed).toBe(held.preUpgradeClosedPnl.count)
        }).pipe(Effect.provide(exchange))
      ),
    60_000
  )
})

describe("an export", () => {
  const folder = Effect.flatMap(FileSystem.FileSystem, (fs) => fs.makeTempDirectoryScoped())

  it.scoped("writes the rows as they came and says what it read", () =>
    onThatDay(
      Effect.gen(function* () {
        const path = yield* Path.Path
        const file = path.join(yield* folder, "new", "fills.ndjson")
        const query = { category: "linear", from: today - 20 * day, to: today } as const
        const seen: Array<History.Progress> = []
        const manifest = yield* settle(
          History.run(History.executions, query, Sink.ndjson(file), {
            onProgress: (progress) => Effect.sync(() => seen.push(progress))
          })
        )
        const streamed = yield* settle(Stream.runCollect(History.stream(History.executions, query)))
        expect(yield* linesOf(file)).toEqual(Chunk.toReadonlyArray(streamed))
        expect(manifest).toMatchObject({
          dataset: "executions",
          location: file,
          from: query.from,
          to: query.to,
          rows: Chunk.size(streamed),
          duplicates: 0
        })
        expect(manifest.windows.map(({ from, to }) => [from, to])).toEqual([
          [query.from, query.from + 7 * day],
          [query.from + 7 * day, query.from + 14 * day],
          [query.from + 14 * day, query.to]
        ])
        expect(manifest.windows.reduce((sum, { rows }) => sum + rows, 0)).toBe(manifest.rows)
        expect(manifest.windows.reduce((sum, { pages }) => sum + pages, 0)).toBe(manifest.pages)
        expect(seen.at(-1)).toEqual({ rows: manifest.rows, pages: manifest.pages, windows: 3, windowsDone: 3 })
      }).pipe(Effect.provide(exchange))
    ).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("leaves nothing behind when it fails half-way", () =>
    onThatDay(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const directory = yield* folder
        const inner = yield* HttpClient.HttpClient
        let calls = 0
        // The exchange breaks off after a few pages and stays away.
        const breaking = HttpClient.make((request) =>
          ++calls > 5
            ? Effect.succeed(HttpClientResponse.fromWeb(request, new Response("<html>", { status: 200 })))
            : inner.execute(request)
        )
        const broken = Transport.layerStandalone.pipe(
          Layer.provide(Layer.succeed(HttpClient.HttpClient, breaking)),
          Layer.provide(Layer.succeed(Credentials.Credentials, yield* Credentials.Credentials))
        )
        const failure = yield* settle(
          Effect.flip(
            History.run(
              History.executions,
              { category: "linear", from: today - 20 * day, to: today },
              Sink.ndjson(path.join(directory, "fills.ndjson"))
            )
          )
        ).pipe(Effect.provide(broken))
        expect(failure).toMatchObject({ _tag: "UnexpectedResponse", operation: "executions.list" })
        expect(yield* fs.readDirectory(directory)).toEqual([])
      }).pipe(Effect.provide(exchange))
    ).pipe(Effect.provide(NodeContext.layer))
  )

  it.scoped("says why it cannot write", () =>
    onThatDay(
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const occupied = path.join(yield* folder, "occupied")
        yield* fs.writeFileString(occupied, "")
        const failure = yield* settle(
          Effect.flip(
            History.run(
              History.executions,
              { category: "linear", from: today - day, to: today },
              Sink.ndjson(path.join(occupied, "fills.ndjson"))
            )
          )
        )
        expect(failure).toMatchObject({ _tag: "SinkFailure", location: path.join(occupied, "fills.ndjson") })
        expect(failure.message).toMatch(/EEXIST|ENOTDIR/)
      }).pipe(Effect.provide(exchange))
    ).pipe(Effect.provide(NodeContext.layer))
  )

  it.effect("refuses a range that is none before anything is opened", () =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const failure = yield* Effect.flip(
        History.run(
          History.executions,
          { category: "linear", from: now, to: now },
          {
            location: "nowhere",
            open: Effect.dieMessage("opened")
          }
        )
      )
      expect(failure).toMatchObject({ _tag: "InvalidRequest", field: "from", rule: "must be before to" })
    }).pipe(Effect.provide(exchange))
  )
})
