import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import * as Ledger from "@effect-venue/fleet/Ledger"
import * as Owner from "@effect-venue/fleet/siblings/Owner"
import * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { FileSystem, type Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Deferred, Duration, Effect, Exit, Fiber, Layer, Logger, Option, TestClock } from "effect"
import {
  account,
  breathe,
  credentials,
  day,
  fleetOf,
  ledger,
  settle,
  testsIn,
  today,
  transportOf
} from "./utils/world.js"

type Files = FileSystem.FileSystem | Path.Path

const world = Layer.mergeAll(credentials, ledger).pipe(
  Layer.provideMerge(Sandbox.layer({ seed: 3, prices: "still" })),
  Layer.provideMerge(NodeContext.layer)
)

const test = testsIn(world)

const linesOf = (file: string) =>
  Effect.map(
    Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readFileString(file)),
    (text) => text.split("\n").filter((line) => line !== "")
  )

const statesOf = (shape: Ledger.Ledger.Shape) =>
  Effect.map(shape.exports, (all) =>
    Object.fromEntries(all.map(({ account, part, state }) => [`${account} ${part}`, state]))
  )

/** Lets time pass until something is true. */
const elapse = (isTrue: () => boolean) =>
  Effect.gen(function* () {
    while (!isTrue()) {
      yield* TestClock.adjust("50 millis")
      yield* breathe
    }
  })

/** Counts the commits of sinks. */
const counter = () => {
  let commits = 0
  const counting = (sink: Sink.Sink<Files>): Sink.Sink<Files> => ({
    ...sink,
    open: (...args) =>
      Effect.map(sink.open(...args), (store) => ({
        ...store,
        append: (batch) => Effect.suspend(() => (commits++, store.append(batch)))
      }))
  })
  return { counting, count: () => commits }
}

/** A sink that never opens an export. */
const hanging = Effect.map(Deferred.make<void>(), (begun) => {
  const open: Sink.Sink["open"] = () => Effect.zipRight(Deferred.succeed(begun, undefined), Effect.never)
  return { begun: Deferred.await(begun), held: { location: "nowhere", format: "none", open } }
})

describe("an owner", () => {
  test("exports every account, as an export of that account alone does", function* () {
    const { ledger, out, own } = yield* fleetOf([account("main"), account("sub"), account("customer")])
    yield* settle(own())
    const to = today
    for (const exported of yield* ledger.exports) {
      const coverage = Option.getOrThrow(exported.coverage)
      expect(coverage.verdict).toBe("complete")
      expect(coverage.to).toBeGreaterThanOrEqual(to)
      const role = exported.account as "main" | "sub" | "customer"
      const transport = yield* transportOf(role)
      const alone = `${out}/alone-${role}`
      const part = Part.make(History.executions, { category: "spot" }, { name: role, transport })
      yield* settle(History.runAll([part], { from: coverage.from, to: coverage.to }, Sink.ndjson(alone)))
      const fs = yield* FileSystem.FileSystem
      const [file = ""] = (yield* fs.readDirectory(alone)).filter((name) => name.endsWith(".ndjson"))
      expect(yield* linesOf(`${out}/${role}/executions-spot/${file}`)).toEqual(yield* linesOf(`${alone}/${file}`))
      expect(coverage.rows).toBe((yield* linesOf(`${alone}/${file}`)).length)
    }
  })

  test("goes on with what is new when an export is due again", function* () {
    const { ledger, own } = yield* fleetOf([account("main")])
    yield* settle(own())
    const [first] = yield* ledger.exports
    expect(Option.isNone(yield* ledger.claim(yield* ledger.own("a", "x"), { now: today + day - 1, busy: [] }))).toBe(
      true
    )
    yield* TestClock.adjust("25 hours")
    yield* settle(own())
    const [second] = yield* ledger.exports
    const [before, after] = [first, second].map((found) => Option.getOrThrow(found?.coverage ?? Option.none()))
    expect(after?.from).toBe(before?.from)
    expect(after?.to).toBeGreaterThanOrEqual((before?.to ?? 0) + day)
  })

  test("runs what has an end once, and the history of before an upgrade", function* () {
    const { ledger, own } = yield* fleetOf([
      account("main", { datasets: ["executions", "pre-upgrade-executions"] }),
      account("sub", { to: Option.some(today - 5 * day) })
    ])
    yield* settle(own())
    expect(yield* statesOf(ledger)).toEqual({
      "main executions-spot": "waiting",
      "main pre-upgrade-executions-spot": "finished",
      "sub executions-spot": "finished"
    })
  })

  test("stops only the account whose key is bad, and shows why", function* () {
    const both = { datasets: ["executions", "deposits"] }
    const { ledger, own } = yield* fleetOf([account("expired", both), account("unknown", both), account("main", both)])
    yield* settle(own())
    expect(yield* statesOf(ledger)).toEqual({
      "expired deposits": "stopped",
      "expired executions-spot": "stopped",
      "main deposits": "waiting",
      "main executions-spot": "waiting",
      "unknown deposits": "stopped",
      "unknown executions-spot": "stopped"
    })
    const failures = (yield* ledger.troubled(10)).map(({ lastFailure }) => Option.getOrElse(lastFailure, () => ""))
    expect(failures).toHaveLength(4)
    for (const failure of failures) expect(failure).toMatch(/unauthorized \(Key\)|no such role/)
    // One call, and none for the other dataset.
    const calls = (yield* (yield* Sandbox.Sandbox).faults.log).filter(({ uid }) => Option.isNone(uid))
    expect(calls.length).toBeLessThanOrEqual(1)
  })

  test("repeats an export that failed after a pause, while others go on", function* () {
    const { faults } = yield* Sandbox.Sandbox
    yield* faults.set([
      { fault: { kind: "status", status: 503, executed: false }, operations: ["assets.deposits"], count: 20 }
    ])
    const { ledger, own } = yield* fleetOf([account("main", { datasets: ["deposits"] }), account("sub")])
    yield* settle(own(), "20 seconds")
    for (const { attempts, coverage, lastFailure } of yield* ledger.exports) {
      expect(attempts).toBe(0)
      expect(Option.isNone(lastFailure)).toBe(true)
      expect(Option.getOrThrow(coverage).verdict).toBe("complete")
    }
  })

  test("exports no more accounts side by side than it may", function* () {
    let [running, most] = [0, 0]
    const { ledger, own } = yield* fleetOf(Array.from({ length: 7 }, (_, index) => account(`sub-${index}`)))
    const counting = (sink: Sink.Sink<Files>) => ({
      ...sink,
      open: (...args: Parameters<typeof sink.open>) =>
        Effect.zipRight(
          Effect.acquireRelease(
            Effect.sync(() => (most = Math.max(most, ++running))),
            () => Effect.sync(() => running--)
          ),
          sink.open(...args)
        )
    })
    const fs = yield* FileSystem.FileSystem
    const out = yield* fs.makeTempDirectoryScoped()
    yield* settle(own({ accountsAtOnce: 3, sink: ({ name }) => counting(Sink.ndjson(`${out}/${name}`)) }))
    expect(most).toBe(3)
    expect((yield* ledger.exports).every(({ coverage }) => Option.isSome(coverage))).toBe(true)
  })

  test("ends with NotOwner when another one takes its address, and commits nothing after that", function* () {
    const { ledger, out, own } = yield* fleetOf(Array.from({ length: 3 }, (_, index) => account(`sub-${index}`)))
    const writes = counter()
    const sink = ({ name }: FleetAccount) => writes.counting(Sink.ndjson(`${out}/${name}`))
    const fiber = yield* Effect.fork(Effect.exit(own({ untilIdle: false, sink })))
    yield* elapse(() => writes.count() > 1)
    yield* ledger.own("a", "another")
    const before = writes.count()
    const exit = yield* settle(Fiber.join(fiber))
    expect(Exit.match(exit, { onSuccess: () => "ended", onFailure: String })).toContain("NotOwner")
    expect(writes.count()).toBe(before)
    expect((yield* ledger.exports).map(({ state }) => state)).toEqual(["waiting", "waiting", "waiting"])
    // The next owner goes on from there.
    yield* settle(own({ sink }))
    expect((yield* ledger.exports).every(({ coverage }) => Option.isSome(coverage))).toBe(true)
  })

  test("commits nothing more of an account that is paused while it is exported", function* () {
    const { ledger, out, own } = yield* fleetOf([account("main")])
    const writes = counter()
    const sink = ({ name }: FleetAccount) => writes.counting(Sink.ndjson(`${out}/${name}`))
    const fiber = yield* Effect.fork(own({ sink }))
    yield* elapse(() => writes.count() > 0)
    yield* ledger.setPaused("main", true)
    const before = writes.count()
    yield* settle(Fiber.join(fiber))
    expect(writes.count()).toBe(before)
    const [paused] = yield* ledger.exports
    expect([paused?.state, paused?.attempts, Option.isNone(paused?.coverage ?? Option.none())]).toEqual([
      "waiting",
      0,
      true
    ])
    yield* ledger.setPaused("main", false)
    yield* settle(own({ sink }))
    expect(Option.getOrThrow((yield* ledger.exports)[0]?.coverage ?? Option.none()).verdict).toBe("complete")
  })

  test("sends nothing after its lease has ended", function* () {
    const { faults } = yield* Sandbox.Sandbox
    const { own } = yield* fleetOf([account("main"), account("sub")])
    let [looks, ended] = [0, false]
    const lease = Effect.suspend(() => {
      ended ||= ++looks > 10
      return ended
        ? Effect.fail(new Ledger.NotOwner({ egress: "a", epoch: 1, detail: "its lease has ended" }))
        : Effect.void
    })
    const exit = yield* settle(Effect.exit(own({ lease })))
    expect(Exit.match(exit, { onSuccess: () => "ended", onFailure: String })).toContain("NotOwner")
    const calls = (yield* faults.log).length
    expect(calls).toBeGreaterThan(0)
    expect(calls).toBeLessThanOrEqual(10)
  })

  test("survives an export that dies: the others go on, and it is shown as failed", function* () {
    const { ledger, out, own } = yield* fleetOf([account("main"), account("sub")])
    const broken: Sink.Sink = { location: "nowhere", format: "none", open: () => Effect.die("a broken sink") }
    const sink = ({ name }: FleetAccount) => (name === "sub" ? broken : Sink.ndjson(`${out}/${name}`))
    yield* settle(own({ sink }), "20 seconds")
    const [main, sub] = yield* ledger.exports
    expect(Option.isSome(main?.coverage ?? Option.none())).toBe(true)
    expect([sub?.state, sub?.attempts, Option.getOrUndefined(sub?.lastFailure ?? Option.none())]).toEqual([
      "waiting",
      5,
      "a broken sink"
    ])
  })

  test("stops what would fail again, and repeats the rest", function* () {
    const reasons = ["Locked", "OtherExport", "OtherAccount", "UnknownKey", "full"] as const
    const { ledger, own } = yield* fleetOf(reasons.map((reason) => account(`sub-${reason}`)))
    const failureOf = (name: string) => {
      const reason = reasons.find((each) => name.endsWith(each))
      const about = { location: "nowhere", detail: "" }
      return reason === undefined || reason === "full"
        ? new ExportFailure.SinkFailure(about)
        : new ExportFailure.Refused({ ...about, reason })
    }
    const sink = ({ name }: FleetAccount): Sink.Sink => ({
      ...{ location: "nowhere", format: "none" },
      open: () => Effect.fail(failureOf(name))
    })
    yield* settle(own({ sink }), "20 seconds")
    const all = yield* ledger.exports
    expect(Object.fromEntries(all.map(({ account, attempts, state }) => [account, [state, attempts]]))).toEqual({
      "sub-Locked": ["waiting", 5],
      "sub-OtherAccount": ["stopped", 1],
      "sub-OtherExport": ["stopped", 1],
      "sub-UnknownKey": ["stopped", 1],
      "sub-full": ["waiting", 5]
    })
    // Of the pauses, which double from half a minute to an hour, the first four are over.
    const pauses = 30_000 * (1 + 2 + 4 + 8 + 16)
    for (const { dueAt, state } of all) if (state === "waiting") expect(dueAt - today).toBeGreaterThanOrEqual(pauses)
  })

  test("runs an export whose claim was made and not answered", function* () {
    const { ledger, own } = yield* fleetOf([account("main"), account("sub")])
    let claims = 0
    const silent: Ledger.Ledger.Shape = {
      ...ledger,
      claim: (...args) =>
        Effect.tap(ledger.claim(...args), () =>
          ++claims === 1 ? new Ledger.LedgerFailed({ detail: "the connection was reset" }) : Effect.void
        )
    }
    yield* settle(Effect.provideService(own(), Ledger.Ledger, silent))
    expect(claims).toBeGreaterThan(2)
    const all = yield* ledger.exports
    expect(all.map(({ account, coverage }) => [account, Option.isSome(coverage)])).toEqual([
      ["main", true],
      ["sub", true]
    ])
  })

  test("releases what it runs when it is stopped", function* () {
    const { ledger, own } = yield* fleetOf([account("main"), account("sub")])
    const { begun, held } = yield* hanging
    const fiber = yield* Effect.fork(own({ sink: () => held }))
    yield* settle(begun)
    yield* settle(Fiber.interrupt(fiber))
    expect(yield* statesOf(ledger)).toEqual({
      "main executions-spot": "waiting",
      "sub executions-spot": "waiting"
    })
  })

  test("ends when it is stopped and the ledger does not answer", function* () {
    const { ledger, own } = yield* fleetOf([account("main")])
    const { begun, held } = yield* hanging
    const silent: Ledger.Ledger.Shape = { ...ledger, release: () => Effect.never }
    // A daemon: the end of the test does not wait for one that never ends.
    const fiber = yield* Effect.forkDaemon(Effect.provideService(own({ sink: () => held }), Ledger.Ledger, silent))
    yield* settle(begun)
    const exit = yield* settle(Effect.timeout(Fiber.interrupt(fiber), "1 minute"))
    expect(Exit.isInterrupted(exit)).toBe(true)
  })

  describe("whose address rests after a start", () => {
    const resting = () => fleetOf([account("main", { datasets: ["deposits"], categories: [] })], { rest: true })

    /** How long a run takes by the clock of the test, in seconds. */
    const secondsOf = <E, R>(run: Effect.Effect<void, E, R>) =>
      Effect.gen(function* () {
        const before = yield* Clock.currentTimeMillis
        yield* settle(run)
        return ((yield* Clock.currentTimeMillis) - before) / 1000
      })

    test("takes the limits for full after a crash, and as used as they were after a clean end", function* () {
      const { own, register } = yield* resting()
      expect(yield* secondsOf(own())).toBeGreaterThan(59)
      yield* TestClock.adjust("25 hours")
      yield* register
      expect(yield* secondsOf(own())).toBeLessThan(10)
      yield* (yield* Ledger.Ledger).own("a", "one that crashed")
      yield* TestClock.adjust("25 hours")
      yield* register
      expect(yield* secondsOf(own())).toBeGreaterThan(59)
    })

    test("logs which limit it waits for, and until when", function* () {
      const { own } = yield* resting()
      const lines: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ message }) => void lines.push(String(message)))
      )
      yield* settle(Effect.provide(own(), logger))
      const waits = lines.filter((line) => line.startsWith("waits for"))
      expect(waits).toEqual([
        expect.stringMatching(/^waits for the rate limit of assets\.deposits, \d+ s, until 2026-06-15 12:35:5\d UTC$/)
      ])
    })
  })

  it("does not forget what the owner before has used if it ends before the windows are over", () => {
    const state = { key: "b", limit: 10, remaining: 7, retryAfter: Duration.zero, waiting: 0 }
    const left = Option.some(new Map([["a", 5]]))
    const usage = (before: typeof left | Option.None<never>, ranFor: number) =>
      Option.map(Owner.usageAtEnd([state], before, ranFor), (used) => [...used])
    expect(usage(left, 1000)).toEqual(
      Option.some([
        ["a", 5],
        ["b", 3]
      ])
    )
    expect(usage(left, 61_000)).toEqual(Option.some([["b", 3]]))
    expect(usage(Option.none(), 61_000)).toEqual(Option.some([["b", 3]]))
    expect(usage(Option.none(), 1000)).toEqual(Option.none())
  })
})
