import * as Fleet from "@effect-venue/fleet/Fleet"
import * as FleetCluster from "@effect-venue/fleet/FleetCluster"
import * as Ledger from "@effect-venue/fleet/Ledger"
import * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as MessageStorage from "@effect/cluster/MessageStorage"
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import * as RunnerHealth from "@effect/cluster/RunnerHealth"
import * as Runners from "@effect/cluster/Runners"
import * as RunnerStorage from "@effect/cluster/RunnerStorage"
import * as Sharding from "@effect/cluster/Sharding"
import * as ShardingConfig from "@effect/cluster/ShardingConfig"
import { FileSystem, type Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect } from "@effect/vitest"
import { Context, Effect, Layer, TestClock } from "effect"
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

const start = (more: Partial<Pick<Fleet.Options<never, FileSystem.FileSystem | Path.Path>, "sink" | "untilIdle">>) =>
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

  test("ends when what fails has been tried five times, if it is to run until it is idle", function* () {
    const { sink } = yield* options
    const open = () => Effect.fail(new ExportFailure.SinkFailure({ location: "nowhere", detail: "full" }))
    const broken: Sink.Sink = { location: "nowhere", format: "none", open }
    const fleet = yield* start({
      untilIdle: true,
      sink: (account, part) => (account.name === "sub-0" ? broken : sink(account, part))
    })
    yield* settle(fleet.ended, "20 seconds")
    expect(yield* fleet.status).toMatchObject({ exports: 4, done: 3, running: 0, failing: 1 })
    const failing = (yield* (yield* Ledger.Ledger).exports).filter(({ attempts }) => attempts > 0)
    expect(failing.map(({ account, attempts }) => [account, attempts])).toEqual([["sub-0", 5]])
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
