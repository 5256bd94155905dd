import * as FileLedger from "@effect-venue/fleet/FileLedger"
import * as Fleet from "@effect-venue/fleet/Fleet"
import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import * as Ledger from "@effect-venue/fleet/Ledger"
import * as Sink from "@effect-venue/history/Sink"
import * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Array as Arr, Context, Duration, Effect, Exit, Fiber, Layer, Logger, Option, TestClock } from "effect"
import { account, breathe, credentials, day, egressOf, ledger, settle, testsIn, today } from "./utils/world.js"

const world = Layer.mergeAll(credentials, ledger).pipe(
  Layer.provideMerge(Sandbox.layer({ seed: 3 })),
  Layer.provideMerge(NodeContext.layer)
)

const test = testsIn(world)

const short = { from: today - 7 * day }

const names = ["a", "b", "c"]

const options = (count: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const out = yield* fs.makeTempDirectoryScoped()
    const [first, ...rest] = yield* Effect.forEach(names, (name) => egressOf(name))
    return {
      accounts: Array.from({ length: count }, (_, index) => account(`sub-${index}`, short)),
      egresses: [first ?? (yield* egressOf("a")), ...rest] as const,
      sink: ({ name }: { readonly name: string }, part: string) => Sink.ndjson(`${out}/${name}/${part}`),
      untilIdle: true
    }
  })

const start = <R, S>(of: Fleet.Options<R, S>) =>
  settle(Effect.map(Layer.build(Fleet.layerLocal(of)), Context.get(Fleet.Fleet)))

describe("a fleet of one process", () => {
  test("exports every account, each from one of its addresses, and says so", function* () {
    const fleet = yield* start(yield* options(12))
    yield* settle(fleet.ended)
    const status = yield* fleet.status
    expect(status).toMatchObject({
      accounts: 12,
      exports: 12,
      done: 12,
      due: 0,
      running: 0,
      failing: 0,
      stopped: 0
    })
    expect(status.addresses.length).toBeGreaterThan(1)
    expect(Option.getOrUndefined(status.secondsLeft)).toBe(0)
  })

  test("keeps the address of an account when one is added, and spreads them anew when it is to", function* () {
    const { egresses, ...rest } = yield* options(30)
    const ledger = yield* Ledger.Ledger
    const [first] = egresses
    const addressesOf = Effect.map(ledger.assignments, (found) => new Set(found.values()))
    const paused = { ...rest, accounts: rest.accounts.map((account) => ({ ...account, isPaused: true })) }
    yield* start({ ...paused, egresses: [first] })
    yield* start({ ...paused, egresses })
    expect(yield* addressesOf).toEqual(new Set(["a"]))
    yield* start({ ...paused, egresses, rebalance: true })
    expect(yield* addressesOf).toEqual(new Set(names))
  })

  test("exports accounts that are declared while it runs, and no more those that are not", function* () {
    const fleet = yield* start({ ...(yield* options(2)), untilIdle: false })
    const ledger = yield* Ledger.Ledger
    yield* fleet.declare([account("sub-added", short)])
    while (!(yield* ledger.exports).some(({ coverage }) => Option.isSome(coverage))) {
      yield* TestClock.adjust("1 second")
      yield* breathe
    }
    expect((yield* ledger.exports).map(({ account }) => account)).toEqual(["sub-added"])
  })

  test("refuses an account that names an address which is not there, and exports none", function* () {
    const of = yield* options(2)
    const accounts = [...of.accounts, account("sub", { ...short, egress: "z" })]
    const failure = yield* settle(Effect.flip(Layer.build(Fleet.layerLocal({ ...of, accounts }))))
    expect(failure).toMatchObject({ _tag: "UnknownEgress", account: "sub", egress: "z" })
    expect(yield* Effect.flatMap(Ledger.Ledger, (ledger) => ledger.exports)).toEqual([])
  })

  const duplicates: ReadonlyArray<readonly [name: string, names: readonly [string, string], reason: "Name" | "Key"]> = [
    ["one name", ["sub-1", "sub-1"], "Name"],
    ["names that differ in upper and lower case", ["sub-Zo\u00eb", "sub-zo\u00eb"], "Name"],
    ["names that differ in how a letter is composed", ["sub-Zo\u00eb", "sub-Zoe\u0308"], "Name"],
    ["names that differ in white space", ["sub-1", "sub-1 "], "Name"],
    ["one API key", ["sub-0", "sub-shared"], "Key"]
  ]
  for (const [name, accounts, reason] of duplicates) {
    test(`refuses two accounts with ${name}, and exports none`, function* () {
      const of = { ...(yield* options(0)), accounts: ["sub-9", ...accounts].map((name) => account(name, short)) }
      const failure = yield* settle(Effect.flip(Layer.build(Fleet.layerLocal(of))))
      expect(failure).toMatchObject({ _tag: "DuplicateAccount", accounts, reason })
      expect(yield* Effect.flatMap(Ledger.Ledger, (ledger) => ledger.exports)).toEqual([])
      // While it runs too: the accounts stay as they were.
      const fleet = yield* start({ ...of, accounts: of.accounts.slice(0, 1) })
      expect(yield* Effect.flip(fleet.declare(of.accounts))).toMatchObject({ _tag: "DuplicateAccount" })
      expect(yield* fleet.status).toMatchObject({ accounts: 1 })
    })
  }

  test("logs the names of accounts and exports that a declaration removes, and lists them until they are declared again", function* () {
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String(message)))
    const ledger = yield* Ledger.Ledger
    const fleet = yield* start({ ...(yield* options(3)), untilIdle: false })
    const declare = (...accounts: ReadonlyArray<FleetAccount>) =>
      Effect.provide(fleet.declare(accounts), Logger.replace(Logger.defaultLogger, logger))
    yield* declare(account("sub-0", short), account("main", { ...short, datasets: ["executions", "deposits"] }))
    yield* declare(account("sub-0", short), account("main", short))
    expect(logged).toEqual([
      "removed from the ledger, because the declared accounts do not have them: sub-1, sub-2. What they have exported stays.",
      "removed from the ledger, because the declared accounts do not have them: deposits of main. What they have exported stays."
    ])
    const removed = Effect.map(ledger.removals(10), (all) =>
      all.map(({ account, exports }) => [account, exports]).sort()
    )
    expect(yield* removed).toEqual([
      ["main", 1],
      ["sub-1", 1],
      ["sub-2", 1]
    ])
    yield* declare(...["sub-0", "sub-1", "main"].map((name) => account(name, short)))
    expect(yield* removed).toEqual([
      ["main", 1],
      ["sub-2", 1]
    ])
  })

  test("is whole after the first sound round that follows eight bad ones, and its alert ends", function* () {
    const sandbox = yield* Sandbox.Sandbox
    const ledger = yield* Ledger.Ledger
    const { egresses, ...of } = yield* options(0)
    // The test clock stops at every wait of an owner: an hour has thousands of them.
    const every = Duration.seconds(20)
    yield* sandbox.faults.set(Faults.oneOf([{ kind: "missingCursor" }], { probability: 1 }))
    const accounts = [account("main", { ...short, every })]
    const fleet = yield* start({ ...of, egresses: [egresses[0]], accounts, untilIdle: false })
    const standing = Effect.gen(function* () {
      const main = yield* Effect.flatten(Effect.map(ledger.exports, Arr.head))
      const { completeAt } = yield* Effect.flatten(Effect.map(ledger.ages(1), Arr.head))
      const verdict = Option.getOrUndefined(Option.map(main.coverage, (of) => of.verdict))
      return { doneAt: Option.getOrUndefined(main.doneAt), verdict, completeAt, status: yield* fleet.status }
    })
    /** The export after its next round. */
    const afterRound = Effect.gen(function* () {
      const before = yield* standing
      for (;;) {
        yield* TestClock.adjust("5 seconds")
        yield* breathe
        const now = yield* standing
        if (now.doneAt !== before.doneAt) return now
      }
    })
    const bad = yield* Effect.replicateEffect(afterRound, 8)
    expect(bad.map(({ verdict }) => verdict)).toEqual(bad.map(() => "incomplete"))
    expect(new Set(bad.map(({ completeAt }) => completeAt)).size).toBe(1)
    expect(bad.at(-1)?.status).toMatchObject({ incomplete: 1 })
    yield* sandbox.faults.clear
    const sound = yield* afterRound
    expect(sound).toMatchObject({ verdict: "complete", status: { incomplete: 0 } })
    expect(sound.completeAt).toBeGreaterThan(today + 8 * Duration.toMillis(every))
  })

  test("ends with NotOwner when another process takes its ledger", function* () {
    const of = yield* options(6)
    const first = yield* start({ ...of, untilIdle: false })
    const ended = yield* Effect.fork(Effect.exit(first.ended))
    const second = yield* start(of)
    const exit = yield* settle(Fiber.join(ended))
    expect(Exit.match(exit, { onSuccess: () => "ended", onFailure: String })).toContain("NotOwner")
    yield* settle(second.ended)
    expect(yield* second.status).toMatchObject({ done: 6, failing: 0 })
  })
})

describe("a ledger in a file", () => {
  it.scopedLive("is there again for the next process", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const file = `${yield* fs.makeTempDirectoryScoped()}/new/fleet.db`
      const range = { from: today, to: Option.none(), every: 1, dueAt: today, pages: 1, millisPerPage: 1 }
      const key = { account: "main", part: "executions-spot", masterUid: "1", egress: "a" }
      const entries = [{ ...key, ...range, isPaused: false, isOnce: false }]
      yield* Effect.provide(
        Effect.flatMap(Ledger.Ledger, (ledger) => ledger.register(entries, { now: today, by: "test" })),
        FileLedger.layer(file)
      )
      const found = yield* Effect.provide(
        Effect.flatMap(Ledger.Ledger, (ledger) => ledger.exports),
        FileLedger.layer(file)
      )
      expect(found.map(({ account, part }) => [account, part])).toEqual([["main", "executions-spot"]])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("fails where the file cannot be opened", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const folder = yield* fs.makeTempDirectoryScoped()
      const failure = yield* Effect.flip(Effect.scoped(Layer.build(FileLedger.layer(folder))))
      expect(failure).toMatchObject({ _tag: "LedgerFailed" })
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
