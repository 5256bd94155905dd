import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import * as Ledger from "@effect-venue/fleet/Ledger"
import * as History from "@effect-venue/history/History"
import * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { FileSystem, type Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, TestClock } from "effect"
import { account, credentials, day, fleetOf, ledger, settle, testsIn, today, transportOf } from "./utils/world.js"

// What a fleet exports when the declaration of an account changes.

const world = Layer.mergeAll(credentials, ledger).pipe(
  Layer.provideMerge(Sandbox.layer({ seed: 3, prices: "still" })),
  Layer.provideMerge(NodeContext.layer)
)

const test = testsIn(world)

/** The ids of all rows of an export, of one that was continued too, whose files follow one another. */
const idsOf = (folder: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const files = (yield* fs.readDirectory(folder)).filter((name) => name.endsWith(".ndjson")).sort()
    const texts = yield* Effect.forEach(files, (name) => fs.readFileString(`${folder}/${name}`))
    return texts
      .join("")
      .split("\n")
      .flatMap((line) => /"execId":"([^"]+)"/.exec(line)?.[1] ?? [])
      .sort()
  })

type World = Effect.Effect.Success<ReturnType<typeof fleetOf>>

/** The only export of a fleet, and its rows beside those of an export that nothing changed, of the same range. */
const compared = ({ ledger, out }: World) =>
  Effect.gen(function* () {
    const [entry] = yield* ledger.exports
    const coverage = Option.getOrThrow(entry?.coverage ?? Option.none())
    const part = Part.make(
      History.executions,
      { category: "spot" },
      { name: "main", transport: yield* transportOf("main") }
    )
    const alone = `${out}/alone`
    yield* settle(
      History.runAll([part], { from: coverage.from, to: coverage.to }, Sink.ndjson(alone), { overwrite: true })
    )
    return {
      coverage,
      state: entry?.state,
      rows: yield* idsOf(`${out}/main/executions-spot`),
      alone: yield* idsOf(alone)
    }
  })

type Declared = Parameters<typeof account>[1]

/** Declares the account, one declaration after the other, and runs the fleet until nothing is due after each. */
const declaring = (...declarations: ReadonlyArray<Declared>) =>
  Effect.gen(function* () {
    const [first, ...others] = declarations
    const fleet = yield* fleetOf([account("main", first)])
    yield* settle(fleet.own())
    for (const other of others) {
      fleet.declared.set("main", account("main", other))
      yield* fleet.register
      yield* settle(fleet.own())
    }
    return yield* compared(fleet)
  })

/** A sink that goes no further once an export has begun, or has its first window. */
const stuckAfter = (step: "begin" | "commit", { out }: World) =>
  Effect.map(Deferred.make<void>(), (reached) => ({
    reached: Deferred.await(reached),
    sink: ({ name }: FleetAccount, part: string): Sink.Sink<FileSystem.FileSystem | Path.Path> => {
      const folder = Sink.ndjson(`${out}/${name}/${part}`)
      const stuck = Effect.zipRight(Deferred.succeed(reached, undefined), Effect.never)
      return {
        ...folder,
        open: (...args) =>
          Effect.map(folder.open(...args), (store) => ({
            ...store,
            begin: (checkpoint) => Effect.zipRight(store.begin(checkpoint), step === "begin" ? stuck : Effect.void),
            append: (batch) => Effect.zipRight(store.append(batch), stuck)
          }))
      }
    }
  }))

const ago = (days: number) => today - days * day

describe("a declaration that changes", () => {
  test("has an export of each dataset, in those of the categories that it has", function* () {
    const { ledger } = yield* fleetOf([
      account("main", { datasets: ["executions", "closed-pnl", "transfers"], categories: ["linear", "spot"] }),
      account("sub", { datasets: ["executions", "deposits"], categories: [] })
    ])
    const parts = (yield* ledger.exports).map(({ account, part }) => `${account} ${part}`)
    expect(parts.sort()).toEqual([
      ...["main closed-pnl-linear", "main executions-linear", "main executions-spot", "main transfers"],
      ...["sub deposits", "sub executions-inverse", "sub executions-linear", "sub executions-spot"]
    ])
  })

  const finished: ReadonlyArray<
    readonly [claim: string, before: Declared, after: Declared, state: string, to: number | undefined]
  > = [
    ["extends it when its end is later", { to: Option.some(ago(6)) }, { to: Option.some(ago(2)) }, "finished", ago(2)],
    ["keeps it when its end is earlier", { to: Option.some(ago(2)) }, { to: Option.some(ago(6)) }, "finished", ago(2)],
    ["goes on with it when it has no end any more", { to: Option.some(ago(6)) }, {}, "waiting", undefined],
    ["ends one that had no end", {}, { to: Option.some(ago(2)) }, "finished", undefined]
  ]
  for (const [claim, before, after, state, to] of finished) {
    test(`of an export that is done: ${claim}`, function* () {
      const found = yield* declaring(before, after)
      expect(found).toMatchObject({ state, coverage: { from: ago(10), verdict: "complete" } })
      if (to === undefined) expect(found.coverage.to).toBeGreaterThanOrEqual(today)
      else expect(found.coverage.to).toBe(to)
      expect(found.rows.length).toBeGreaterThan(0)
      expect(found.rows).toEqual(found.alone)
    })
  }

  test("is reported as incomplete where an export begins after the range that is declared now", function* () {
    const fleet = yield* fleetOf([account("main", { from: ago(4) })])
    yield* settle(fleet.own())
    fleet.declared.set("main", account("main", { from: ago(10) }))
    yield* fleet.register
    yield* settle(fleet.own())
    const found = yield* compared(fleet)
    expect(found).toMatchObject({ state: "waiting", coverage: { from: ago(4), verdict: "incomplete" } })
    expect(Option.getOrThrow(found.coverage.because)).toBe(
      `it begins at ${new Date(ago(4)).toISOString()}, and is declared from ${new Date(ago(10)).toISOString()}: an account of another name is exported anew`
    )
    // What it has is kept, and goes on.
    expect(found.rows).toEqual(found.alone)
    expect((yield* fleet.ledger.troubled(10)).map(({ account }) => account)).toEqual(["main"])
    const [summary] = yield* fleet.ledger.summary(today)
    expect(summary?.incomplete).toBe(1)
    fleet.declared.set("main", account("main", { from: ago(4) }))
    yield* fleet.register
    yield* settle(fleet.own())
    expect((yield* compared(fleet)).coverage.verdict).toBe("complete")
  })

  const changes: ReadonlyArray<readonly [name: string, before: Declared, after: Declared]> = [
    ["an end that is later", { to: Option.some(ago(6)) }, { to: Option.some(ago(2)) }],
    ["a beginning that is later", { from: ago(20) }, { from: ago(15) }],
    ["an end where it had none", {}, { to: Option.some(ago(1)) }],
    ["no end where it had one", { to: Option.some(ago(1)) }, {}]
  ]
  for (const [name, before, after] of changes) {
    test(`finishes what was begun, and goes on from there, with ${name}`, function* () {
      const fleet = yield* fleetOf([account("main", before)])
      const { reached, sink } = yield* stuckAfter("begin", fleet)
      const fiber = yield* Effect.fork(fleet.own({ sink }))
      yield* settle(reached)
      fleet.declared.set("main", account("main", after))
      yield* fleet.register
      yield* settle(Fiber.interrupt(fiber))
      yield* settle(fleet.own())
      const found = yield* compared(fleet)
      expect(found.coverage.verdict).toBe("complete")
      expect(found.coverage.from).toBe(before?.from ?? ago(10))
      expect(found.coverage.to).toBeGreaterThanOrEqual(Option.getOrElse(after?.to ?? Option.none(), () => today))
      expect(found.rows).toEqual(found.alone)
    })
  }

  test("goes on to the present when it resumes what was begun long ago", function* () {
    const fleet = yield* fleetOf([account("main")])
    const { reached, sink } = yield* stuckAfter("begin", fleet)
    const fiber = yield* Effect.fork(fleet.own({ sink }))
    yield* settle(reached)
    yield* settle(Fiber.interrupt(fiber))
    yield* TestClock.adjust("3 days")
    yield* settle(fleet.own())
    const found = yield* compared(fleet)
    expect(found.coverage.to).toBeGreaterThanOrEqual(today + 3 * day)
    expect(found.rows).toEqual(found.alone)
  })

  test("is noted with the pages of all its runs", function* () {
    const fleet = yield* fleetOf([account("main", { from: ago(20) })])
    const { reached, sink } = yield* stuckAfter("commit", fleet)
    const fiber = yield* Effect.fork(fleet.own({ sink }))
    yield* settle(reached)
    yield* settle(Fiber.interrupt(fiber))
    yield* TestClock.adjust("3 days")
    const noted: Array<number> = []
    const noting: Ledger.Ledger.Shape = {
      ...fleet.ledger,
      done: (claim, done) =>
        Effect.suspend(() => {
          noted.push(done.pages)
          return fleet.ledger.done(claim, done)
        })
    }
    yield* settle(Effect.provideService(fleet.own(), Ledger.Ledger, noting))
    const fs = yield* FileSystem.FileSystem
    const text = yield* fs.readFileString(`${fleet.out}/main/executions-spot/manifest.json`)
    const { parts } = yield* Manifest.decode(text)
    // All but the window that was stored before.
    const windows = parts.flatMap(({ windows }) => windows.slice(1))
    expect(windows.some(({ from }) => from < today)).toBe(true)
    expect(windows.some(({ from }) => from >= today - day)).toBe(true)
    expect(noted).toEqual([windows.reduce((sum, { pages }) => sum + pages, 0)])
  })
})
