import * as Breadth from "@effect-venue/testing/Breadth"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Signer from "@effect-venue/signing/Signer"
import * as BanGate from "@effect-venue/transport/BanGate"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as ServerClock from "@effect-venue/transport/ServerClock"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, Path } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import {
  BigDecimal,
  Channel,
  Chunk,
  Context,
  Deferred,
  Effect,
  Either,
  Fiber,
  Layer,
  Option,
  Stream,
  TestClock
} from "effect"
import { settle } from "@effect-venue/testing/Settling"
import {
  day,
  exchange,
  filesOf,
  folder,
  linesOf,
  mortal,
  onExchange,
  onStillExchange,
  onThatDay,
  today,
  transportOf
} from "./utils/world.js"

const query = { category: "spot", from: today - 20 * day, to: today } as const

const named = (name: string) => Effect.map(Path.Path, (path) => (directory: string) => path.join(directory, name))

describe("a stream of history", () => {
  onExchange("emits every execution of the exchange once, oldest first", function* () {
    const sandbox = yield* Sandbox.Sandbox
    const rows = yield* settle(Stream.runCollect(History.stream(History.executions, query, { side: "wire" })))
    const { count, first, last } = (yield* sandbox.holds(query)).executions
    const times = Chunk.toReadonlyArray(rows).map(({ execTime }) => Number(execTime))
    expect(new Set(Chunk.toReadonlyArray(rows).map(({ execId }) => execId)).size).toBe(count)
    expect(times).toHaveLength(count)
    expect(times).toEqual(times.toSorted((one, other) => one - other))
    expect(times[0]).toBe(Option.getOrThrow(first).epochMillis)
    expect(times.at(-1)).toBe(Option.getOrThrow(last).epochMillis)
  })

  onExchange(
    "has the closed profits that the exchange holds, also of an order that is filled after the end",
    function* () {
      const sandbox = yield* Sandbox.Sandbox
      const range = { category: "linear", from: today - 20 * day, to: today } as const
      const rows = Chunk.toReadonlyArray(
        yield* settle(Stream.runCollect(History.stream(History.closedPnl, range, { side: "wire" })))
      ).map(({ createdTime, updatedTime }) => ({ created: Number(createdTime), updated: Number(updatedTime) }))
      const late = rows.find(({ created, updated }) => updated > created + 60_000)
      const to = Option.getOrThrow(Option.fromNullable(late)).created + 1
      const { closedPnl } = yield* sandbox.holds({ ...range, to })
      expect(closedPnl.count).toBe(rows.filter(({ created }) => created < to).length)
      expect(Option.getOrThrow(closedPnl.last).epochMillis).toBe(to - 1)
    }
  )

  onExchange("includes the first instant and excludes the last", function* () {
    const all = Chunk.toReadonlyArray(
      yield* settle(Stream.runCollect(History.stream(History.executions, query, { side: "wire" })))
    )
    const from = Number(all[10]?.execTime)
    const to = Number(all[200]?.execTime)
    const part = yield* settle(
      Stream.runCollect(History.stream(History.executions, { category: "spot", from, to }, { side: "wire" }))
    )
    expect(Chunk.toReadonlyArray(part)).toEqual(
      all.filter((row) => Number(row.execTime) >= from && Number(row.execTime) < to)
    )
  })

  onExchange("emits the domain side by default, with exact money, and ends with its manifest", function* () {
    let fees = BigDecimal.fromBigInt(0n)
    const manifest = yield* settle(
      History.channel(History.executions, query).pipe(
        Channel.mapOut(Chunk.forEach((fill) => (fees = BigDecimal.sum(fees, fill.execFee)))),
        Channel.runDrain
      )
    )
    const wire = yield* settle(Stream.runCollect(History.stream(History.executions, query, { side: "wire" })))
    const summed = Chunk.reduce(wire, BigDecimal.fromBigInt(0n), (sum, { execFee }) =>
      BigDecimal.sum(sum, BigDecimal.unsafeFromString(String(execFee)))
    )
    expect(BigDecimal.equals(fees, summed)).toBe(true)
    expect(manifest).toMatchObject({ name: "executions-spot", verdict: "complete", rows: Chunk.size(wire) })
    expect(manifest.windows[0]?.from).toBe(query.from)
    expect(manifest.windows.at(-1)?.to).toBe(query.to)
    for (const [index, { from }] of manifest.windows.slice(1).entries()) {
      expect(from).toBe(manifest.windows[index]?.to)
    }
  })

  onExchange("that ends in the future fails with Incomplete at its end", function* () {
    const range = { from: today - day, to: today + day }
    const failure = yield* settle(
      Effect.flip(Stream.runDrain(History.stream(History.executions, { category: "spot", ...range })))
    )
    expect(failure).toMatchObject({ _tag: "Incomplete", manifest: { verdict: "incomplete" } })
    expect(failure.message).toContain("it was in the future when it was read")
  })

  onStillExchange("of executions can be limited to a symbol, an order and a type", function* () {
    const range = { category: "linear", from: today - 20 * day, to: today } as const
    const rowsOf = (more: object) =>
      Effect.map(
        settle(Stream.runCollect(History.stream(History.executions, { ...range, ...more }, { side: "wire" }))),
        Chunk.toReadonlyArray
      )
    const all = yield* rowsOf({})
    for (const more of [{ symbol: "ETHUSDT" }, { execType: "Funding" }, { orderId: String(all[0]?.orderId) }]) {
      const [[name, value] = []] = Object.entries(more)
      const selected = yield* rowsOf(more)
      expect(selected).toEqual(all.filter((row) => row[name ?? ""] === value))
      expect(selected.length).toBeGreaterThan(0)
    }
  })
})

describe("an export with faults", () => {
  /** Several pages a window. */
  const long = { ...query, category: "linear", symbol: "XRPUSDT" } as const
  // Each kind of page that cannot be right: spoiltPages.test.ts.
  onExchange("reads windows with repeated cursors again, and reports them if that does not help", function* () {
    const { faults, snapshot, uids } = yield* Sandbox.Sandbox
    const count = ((yield* snapshot).accounts.get(uids.main)?.executions.linear ?? []).filter(
      ({ execTime, symbol }) => symbol === long.symbol && execTime.epochMillis >= long.from
    ).length
    const fault = { kind: "repeatedCursor" } as const
    yield* faults.set([{ fault, operations: ["executions.list"], skip: 3, count: 2 }])
    const healed = yield* settle(History.run(History.executions, long, Sink.ndjson(yield* folder)))
    expect(healed).toMatchObject({ verdict: "complete", rows: count, missing: [] })
    expect(healed.run.rereads).toBe(2)
    expect(healed.parts[0]?.windows.reduce((all, { anomalies }) => all + (anomalies.repeatedCursor ?? 0), 0)).toBe(2)

    yield* faults.set([{ fault, operations: ["executions.list"], skip: 3 }])
    const broken = yield* settle(History.run(History.executions, long, Sink.ndjson(yield* folder)))
    expect(broken.verdict).toBe("incomplete")
    expect(broken.rows).toBeLessThan(count)
    const short =
      broken.parts[0]?.windows.filter(
        (_, index) => healed.parts[0]?.windows[index]?.rows !== broken.parts[0]?.windows[index]?.rows
      ) ?? []
    // Windows that follow each other for the same reason are named as one stretch.
    const isNamed = ({ from, to }: { readonly from: number; readonly to: number }) =>
      broken.missing.some((gap) => gap.part === "executions-linear-XRPUSDT" && gap.from <= from && to <= gap.to)
    expect(short.length).toBeGreaterThan(1)
    expect(short.filter((window) => !isNamed(window))).toEqual([])
    expect(broken.missing.length).toBeLessThan(short.length)
    const failure = yield* settle(Effect.flip(Stream.runDrain(History.stream(History.executions, long))))
    expect(failure).toMatchObject({ _tag: "Incomplete" })
  })

  onExchange("keeps and counts unknown fields and values", function* () {
    const file = yield* named("executions-spot.ndjson")
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.set([
      { fault: { kind: "unknownField" }, operations: ["executions.list"], count: 1 },
      { fault: { kind: "unknownEnumValue" }, operations: ["executions.list"], count: 1 }
    ])
    const directory = yield* folder
    const { parts, verdict } = yield* settle(History.run(History.executions, query, Sink.ndjson(directory)))
    expect(verdict).toBe("complete")
    const rows = yield* linesOf(file(directory))
    const counted = parts.flatMap(({ windows }) => windows.flatMap(({ anomalies }) => Object.entries(anomalies)))
    const strange = rows.filter((row) => "newlyIntroduced" in row).length
    expect(strange).toBeGreaterThan(0)
    expect(counted).toContainEqual(["unknownField newlyIntroduced", strange])
    expect(counted.filter(([name]) => name.startsWith("unknownValue"))).toHaveLength(1)
  })
})

describe("the windows of an export", () => {
  it.effect("are read concurrently, with priority for the pages of the oldest", () =>
    onThatDay(
      Effect.gen(function* () {
        const turns: Array<number | undefined> = []
        const limiter = Layer.map(RateLimiter.layerMemory, (context) => {
          const unwatched = Context.get(context, RateLimiter.RateLimiter)
          return Context.make(RateLimiter.RateLimiter, {
            ...unwatched,
            acquire: (ticket, options, clock) => {
              turns.push(options.turn)
              return unwatched.acquire(ticket, options, clock)
            }
          })
        })
        const transport = Transport.layer.pipe(
          Layer.provide([Signer.layer, limiter, BanGate.layer, ServerClock.layer]),
          Layer.provideMerge(Sandbox.layer({ seed: 3 }))
        )
        yield* settle(
          Effect.provide(Stream.runDrain(History.stream(History.executions, query, { side: "wire" })), transport)
        )
        expect([...new Set(turns)].sort()).toEqual([0, 1, 2])
      })
    )
  )
})

describe("a folder", () => {
  const sink = (directory: string) => Sink.ndjson(directory)
  const run = (directory: string, pid: number, options: History.RunOptions & { readonly to?: number } = {}) =>
    Effect.provideService(
      History.run(History.executions, { ...query, to: options.to ?? query.to }, sink(directory), options),
      ProcessIdentity.Processes,
      mortal(pid)
    )

  const inspect = (directory: string, isAlive = false) =>
    Effect.provideService(
      History.inspect([Part.make(Datasets.executions, { category: "spot" })], sink(directory)),
      ProcessIdentity.Processes,
      { self: Effect.succeed({ pid: 99, startedAt: "", machine: "" }), isAlive: () => Effect.succeed(isAlive) }
    )

  onExchange("contains only files and manifest after the export, which does not run twice", function* () {
    const directory = yield* folder
    const seen: Array<History.Progress> = []
    const manifest = yield* settle(
      run(directory, 1, { onProgress: (progress) => Effect.sync(() => seen.push(progress)) })
    )
    expect((yield* filesOf(directory)).map(([name]) => name)).toEqual([
      "executions-spot.ndjson",
      "manifest.json",
      "views.sql"
    ])
    expect(seen.at(-1)).toMatchObject({ part: "executions-spot", windowsDone: 3, windows: 3 })
    expect(seen.map(({ windowsDone, windowsLeft }) => windowsDone + (windowsLeft["executions-spot"] ?? 0))).toEqual(
      seen.map(() => 3)
    )
    expect(yield* inspect(directory)).toEqual({
      begun: Option.none(),
      finished: Option.some(manifest),
      windowsDone: 0
    })
    const { faults } = yield* Sandbox.Sandbox
    const before = (yield* faults.log).length
    expect(yield* settle(run(directory, 2))).toEqual(manifest)
    expect(yield* faults.log).toHaveLength(before)
    const other = yield* settle(Effect.flip(run(directory, 3, { to: today - day })))
    expect(other).toMatchObject({ _tag: "Refused", reason: "OtherExport" })
    expect(other.message).toContain("ends at 2026-06-15T12:34:56.789Z, not at 2026-06-14T12:34:56.789Z")
    // What a run left that was killed while it removed what it had replaced; and what is not of this export.
    const fs = yield* FileSystem.FileSystem
    const at = (name: string) => `${directory}/${name}`
    const leftovers = ["executions-spot.2.ndjson", "executions-spot.rejected.ndjson", "executions-spot.csv"]
    const others = ["executions-spot-BTCUSDT.ndjson", "executions-spot.notes.ndjson", "notes.ndjson"]
    for (const name of [...leftovers, ...others]) yield* fs.writeFileString(at(name), "{}\n")
    const replaced = yield* settle(run(directory, 4, { to: today - day, overwrite: true }))
    for (const name of leftovers) expect(yield* fs.exists(at(name)), name).toBe(false)
    for (const name of others) expect(yield* fs.exists(at(name)), name).toBe(true)
    expect(replaced.rows).toBeLessThan(manifest.rows)
    expect(yield* linesOf((yield* named("executions-spot.ndjson"))(directory))).toHaveLength(replaced.rows)
  })

  onExchange("is opened once by a run whose range follows from the state of the export", function* () {
    const directory = yield* folder
    const { open, ...rest } = sink(directory)
    let opened = 0
    const counted: typeof rest & { readonly open: typeof open } = {
      ...rest,
      open: (...args) =>
        Effect.zipRight(
          Effect.sync(() => opened++),
          open(...args)
        )
    }
    const parts = [Part.make(Datasets.executions, { category: "spot" })]
    const nothing = yield* settle(Effect.either(History.runAll(parts, () => Effect.fail("no range" as const), counted)))
    expect(nothing).toEqual(Either.left("no range"))
    const first = yield* settle(History.runAll(parts, query, counted))
    const to = query.to - day
    const state = ({ finished }: History.Standing) =>
      Effect.succeed({ from: Option.match(finished, { onNone: () => to, onSome: ({ from }) => from }), to: query.to })
    expect(yield* settle(History.runAll(parts, state, counted))).toEqual(first)
    expect(opened).toBe(3)
  })

  onExchange("belongs to one run at a time, and its checkpoint to one set of parameters", function* () {
    const directory = yield* folder
    const reached = yield* Deferred.make<void>()
    // It stops after its first window, and waits.
    const first = yield* Effect.fork(
      run(directory, 1, {
        concurrency: 1,
        onProgress: ({ windowsDone }) =>
          windowsDone === 1 ? Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never) : Effect.void
      })
    )
    yield* settle(Deferred.await(reached))
    const alive = Effect.provideService(
      History.run(History.executions, query, sink(directory)),
      ProcessIdentity.Processes,
      {
        self: Effect.succeed({ pid: 2, startedAt: "", machine: "" }),
        isAlive: () => Effect.succeed(true)
      }
    )
    const second = yield* settle(Effect.flip(alive))
    expect(second).toMatchObject({ _tag: "Refused", reason: "Locked" })
    expect(second.message).toContain("another export is at work here (process 1)")
    expect(yield* Effect.flip(inspect(directory, true))).toMatchObject({ _tag: "Refused", reason: "Locked" })
    yield* Fiber.interrupt(first)
    expect(yield* inspect(directory)).toMatchObject({
      begun: Option.some({ from: query.from, to: query.to, format: "ndjson", since: null }),
      finished: Option.none()
    })
    const other = yield* settle(Effect.flip(run(directory, 3, { to: today - day })))
    expect(other).toMatchObject({ _tag: "Refused", reason: "OtherExport" })
    expect(other.message).toContain("was started here with to 2026-06-15T12:34:56.789Z, not 2026-06-14T12:34:56.789Z")
    const done = yield* settle(run(directory, 4))
    expect(done).toMatchObject({ verdict: "complete", run: { starts: 2 } })
  })

  const formats = [
    ["ndjson", Sink.ndjson],
    ["csv", Sink.csv],
    ["parquet", Sink.parquet]
  ] as const

  // All of them in `npm run test:long`.
  for (const [name, format] of Breadth.isLong ? formats : formats.slice(0, 1)) {
    onExchange(
      `continues where its last export ended, with every row once, including late ones (${name})`,
      function* () {
        const directory = yield* folder
        const parts = [Part.make(Datasets.executions, { category: "spot" }), Part.make(Datasets.bonusUsage, {})]
        const incremental = { overlap: "2 days" } as const
        const from = today - 14 * day
        const export_ = (to: number) => History.runAll(parts, { from, to }, format(directory), { incremental })
        const one = yield* settle(export_(today - 8 * day))
        const two = yield* settle(export_(today - 3 * day))
        const three = yield* settle(export_(today))
        expect(yield* settle(export_(today))).toEqual(three)
        const whole = yield* settle(History.runAll(parts, { from, to: today }, format(yield* folder)))
        expect(three.rows).toBe(whole.rows)
        expect(three).toMatchObject({ from, to: today, verdict: "complete" })
        expect(one.rows).toBeLessThan(two.rows)
        expect(three.parts[0]?.files.map(({ name }) => name)).toEqual([
          `executions-spot.${name}`,
          `executions-spot.2.${name}`,
          `executions-spot.3.${name}`
        ])
        expect(three.parts[0]?.windows.reduce((known, window) => known + window.known, 0)).toBeGreaterThan(0)
        expect(three.parts[1]?.rows).toBeGreaterThan(0)
      }
    )
  }

  onExchange("contains several accounts in separate files", function* () {
    const sandbox = yield* Sandbox.Sandbox
    const directory = yield* folder
    const accounts = yield* Effect.forEach(["main", "sub"] as const, (name) =>
      Effect.map(transportOf(name), (transport) => ({ name, transport }))
    )
    const range = { from: today - 20 * day, to: today }
    const parts = accounts.map((account) => Part.make(Datasets.executions, { category: "spot" }, account))
    const manifest = yield* settle(History.runAll(parts, range, Sink.ndjson(directory)))
    for (const [index, name] of (["main", "sub"] as const).entries()) {
      const held = yield* sandbox.holds({ ...query, uid: sandbox.uids[name] })
      expect(manifest.parts[index]).toMatchObject({
        name: `executions-${name}-spot`,
        account: name,
        rows: held.executions.count
      })
    }
    const twice = yield* Effect.flip(History.runAll([...parts, ...parts], range, Sink.ndjson(directory)))
    expect(twice).toMatchObject({ _tag: "InvalidRequest", field: "parts" })
  })

  onExchange("keeps its rows if the exchange fails, and reports the reason if it cannot be written", function* () {
    const fs = yield* FileSystem.FileSystem
    const { faults } = yield* Sandbox.Sandbox
    const directory = yield* folder
    yield* faults.set([{ fault: { kind: "internal", executed: true }, operations: ["executions.list"], skip: 2 }])
    expect(yield* settle(Effect.flip(run(directory, 1)))).toMatchObject({ _tag: "Unavailable" })
    expect(yield* fs.readDirectory(directory)).toEqual([".venue"])
    yield* faults.clear
    expect(yield* settle(run(directory, 2))).toMatchObject({ verdict: "complete" })
    const occupied = (yield* named("occupied"))(directory)
    yield* fs.writeFileString(occupied, "")
    const failure = yield* settle(Effect.flip(run(occupied, 3)))
    expect(failure).toMatchObject({ _tag: "SinkFailure", location: occupied })
    expect(failure.message).toMatch(/: (not a directory|file already exists) \(/)
  })

  it.effect("is not changed by an invalid range", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(today)
      const nowhere: Sink.Sink = { location: "nowhere", format: "none", open: () => Effect.dieMessage("opened") }
      const failure = yield* Effect.flip(
        History.run(History.executions, { category: "spot", from: today, to: today }, nowhere)
      )
      expect(failure).toMatchObject({ _tag: "InvalidRequest", field: "from", rule: "must be before to" })
    }).pipe(Effect.provide(exchange()))
  )
})
