import * as Fleet from "@effect-venue/fleet/Fleet"
import * as FleetCluster from "@effect-venue/fleet/FleetCluster"
import * as Ledger from "@effect-venue/fleet/Ledger"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Option, Ref, TestClock } from "effect"
import * as Idle from "../src/ledger/idle.js"
import * as Lease from "../src/ledger/lease.js"
import { account, breathe, credentials, day, egressOf, ledger, settle, testsIn, today } from "./utils/world.js"

/** A cluster of one process, in memory. */
const cluster = Sharding.layer.pipe(
  Layer.provideMerge(Runners.layerNoop),
  Layer.provideMerge(MessageStorage.layerMemory),
  Layer.provide([RunnerStorage.layerMemory, RunnerHealth.layerNoop]),
  Layer.provide(ShardingConfig.layer(FleetCluster.shardingConfig(RunnerAddress.make("127.0.0.1", 1))))
)

const world = Layer.mergeAll(credentials, ledger, cluster).pipe(
  Layer.provideMerge(Sandbox.layer({ seed: 3 })),
  Layer.provideMerge(NodeContext.layer)
)

const test = testsIn(world)

const options = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const out = yield* fs.makeTempDirectoryScoped()
  return {
    accounts: Array.from({ length: 4 }, (_, index) => account(`sub-${index}`, { from: today - 7 * day })),
    egresses: [yield* egressOf("a"), yield* egressOf("b")] as const,
    sink: ({ name }: { readonly name: string }, part: string) => Sink.ndjson(`${out}/${name}/${part}`)
  }
})

const start = (more: { readonly untilIdle?: boolean }) =>
  Effect.flatMap(options, (of) =>
    settle(Effect.map(Layer.build(FleetCluster.layer({ ...of, ...more })), Context.get(Fleet.Fleet)))
  )

/** Lets time pass until something holds. */
const until = <E, R>(holds: Effect.Effect<boolean, E, R>) =>
  Effect.gen(function* () {
    while (!(yield* holds)) {
      yield* TestClock.adjust("1 second")
      yield* breathe
    }
  })

describe("a fleet of a cluster", () => {
  test("exports every account, and ends when nothing is due if it is to run until it is idle", function* () {
    const fleet = yield* start({ untilIdle: true })
    yield* settle(fleet.ended)
    expect(yield* fleet.status).toMatchObject({
      accounts: 4,
      exports: 4,
      done: 4,
      due: 0,
      running: 0,
      failing: 0,
      stopped: 0
    })
  })

  test("is idle when no export of the whole ledger is due or running, and the failing ones have been tried five times", function* () {
    const shared = yield* Ledger.Ledger
    const now = today
    const entry = {
      part: "executions-spot",
      isPaused: false,
      isOnce: false,
      from: 0,
      to: Option.none(),
      every: day,
      dueAt: now,
      pages: 1,
      millisPerPage: 100
    }
    yield* shared.register(
      [
        { ...entry, account: "one", masterUid: "1", egress: "here" },
        { ...entry, account: "other", masterUid: "2", egress: "elsewhere" }
      ],
      { now, by: "test" }
    )
    const coverage = { from: 0, to: now, rows: 1, verdict: "complete" as const, because: Option.none() }
    const claimOf = (egress: string, at: number) =>
      Effect.flatMap(shared.own(egress, "test"), (ownership) =>
        Effect.map(shared.claim(ownership, { now: at, busy: [] }), Option.getOrThrow)
      )
    const here = yield* claimOf("here", now)
    expect(yield* Idle.isIdle(shared)).toBe(false)
    yield* shared.done(here, { now, startedAt: now, coverage, pages: 1 })
    // Due, at an address of another process; then running there.
    expect(yield* Idle.isIdle(shared)).toBe(false)
    for (let attempt = 1; attempt <= 5; attempt++) {
      const elsewhere = yield* claimOf("elsewhere", now + attempt)
      expect(yield* Idle.isIdle(shared)).toBe(false)
      yield* shared.failed(elsewhere, { retryAt: now + attempt + 1, failure: "no answer" })
      expect(yield* Idle.isIdle(shared)).toBe(attempt === 5)
    }
  })

  test("owns an address again that was taken from it, and not before another process could be stopped", function* () {
    const ledger = yield* Ledger.Ledger
    yield* start({})
    const epochOf = Effect.map(ledger.summary(today), (all) => all.find(({ egress }) => egress === "a")?.epoch ?? 0)
    yield* until(Effect.map(epochOf, (epoch) => epoch === 1))
    const taken = yield* ledger.own("a", "another process")
    expect(taken.epoch).toBe(2)
    for (let second = 0; second < 11; second++) {
      yield* TestClock.adjust("1 second")
      yield* breathe
    }
    expect(yield* epochOf).toBe(2)
    yield* until(Effect.map(epochOf, (epoch) => epoch === 3))
  })
})

describe("the lease of an owner", () => {
  const ownership = { egress: "a", epoch: 1 }

  /** A ledger that says this, of which nothing else is asked. */
  const ledgerThat = (check: Ledger.Ledger.Shape["check"]) =>
    Effect.map(Ledger.Ledger, (ledger): Ledger.Ledger.Shape => ({
      ...ledger,
      own: () => Effect.succeed(ownership),
      check
    })).pipe(Effect.provide(Layer.provide(ledger, NodeContext.layer)))

  const leaseFor = Duration.seconds(9)

  it.scoped("lasts as long as the ledger says that it is the owner", () =>
    Effect.gen(function* () {
      const { lease } = yield* Lease.make(yield* ledgerThat(() => Effect.void), "a", "test", leaseFor)
      yield* TestClock.adjust("1 minute")
      yield* lease
    })
  )

  it.scoped("ends when the ledger cannot be reached for so long, and goes on when it can", () =>
    Effect.gen(function* () {
      const isReached = yield* Ref.make(false)
      const failing = new Ledger.LedgerFailed({ detail: "no answer" })
      const check = Effect.flatMap(Ref.get(isReached), (reached) => (reached ? Effect.void : failing))
      const { lease } = yield* Lease.make(yield* ledgerThat(() => check), "a", "test", leaseFor)
      yield* TestClock.adjust("9 seconds")
      yield* lease
      yield* TestClock.adjust("1 millis")
      expect(yield* Effect.flip(lease)).toMatchObject({ _tag: "NotOwner", epoch: 1 })
      yield* Ref.set(isReached, true)
      yield* TestClock.adjust("2 seconds")
      yield* lease
    })
  )

  it.scoped("counts from the question, not from the answer", () =>
    Effect.gen(function* () {
      const slow = yield* ledgerThat(() => Effect.sleep("5 seconds"))
      const { lease } = yield* Lease.make(slow, "a", "test", leaseFor)
      // Asked at 2, answered at 7: until 11. Asked again at 9, and not answered.
      yield* TestClock.adjust("11 seconds")
      yield* lease
      yield* TestClock.adjust("1 seconds")
      expect(Option.isSome(yield* Effect.option(Effect.flip(lease)))).toBe(true)
    })
  )

  it.scoped("ends in time after another owner was named", () =>
    Effect.gen(function* () {
      const other = new Ledger.NotOwner({ ...ownership, detail: "another owner has it" })
      const { lease } = yield* Lease.make(yield* ledgerThat(() => other), "a", "test", leaseFor)
      yield* TestClock.adjust("10 seconds")
      expect(yield* Effect.flip(lease)).toMatchObject({ _tag: "NotOwner" })
    })
  )
})
