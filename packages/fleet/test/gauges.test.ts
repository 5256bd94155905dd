import * as Fleet from "@effect-venue/fleet/Fleet"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Gauges from "@effect-venue/transport/Gauges"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Metric, MetricState, Scope, TestClock } from "effect"
import { account, credentials, day, egressOf, ledger, settle, today } from "./utils/world.js"

const world = Layer.mergeAll(credentials, ledger).pipe(
  Layer.provideMerge(Sandbox.layer({ seed: 3 })),
  Layer.provideMerge(NodeContext.layer)
)

/** The gauges of a fleet that have a value, after they were read. */
const read = Effect.zipRight(
  Gauges.refresh,
  Effect.map(Metric.snapshot, (pairs) =>
    Object.fromEntries(
      pairs.flatMap(({ metricKey, metricState }) => {
        const labels = metricKey.tags.map(({ value }) => value).join(" ")
        const isMeant = /^venue_(fleet|ban|limit)_/.test(metricKey.name) && /gauges-|\bgauged\b|^expired /.test(labels)
        return isMeant && MetricState.isGaugeState(metricState) && !Number.isNaN(Number(metricState.value))
          ? [[`${metricKey.name.replace("venue_", "")} ${labels}`, Number(metricState.value)]]
          : []
      })
    )
  )
)

describe("the gauges of a fleet", () => {
  it.scoped("are those of its ledger and its addresses when they are read, and end with it", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const out = yield* fs.makeTempDirectoryScoped()
      const short = { from: today - 7 * day }
      const scope = yield* Scope.make()
      const options: Fleet.Options<never, FileSystem.FileSystem | NodeContext.NodeContext> = {
        accounts: [account("sub-gauges-a", short), account("sub-gauges-b", short), account("expired", short)],
        egresses: [yield* egressOf("gauged")],
        sink: ({ name }, part) => Sink.ndjson(`${out}/${name}/${part}`),
        untilIdle: true
      }
      const fleet = yield* settle(
        Effect.map(Layer.build(Fleet.layerLocal(options)), Context.get(Fleet.Fleet)).pipe(Scope.extend(scope))
      )
      yield* settle(fleet.ended)
      const before = yield* read
      expect(before).toMatchObject({
        "fleet_due gauged": 0,
        "fleet_failing gauged": 0,
        "fleet_incomplete gauged": 0,
        "fleet_stopped_accounts gauged": 1,
        "fleet_export_period_seconds sub-gauges-a executions-spot": 86_400,
        "fleet_export_period_seconds expired executions-spot": 86_400
      })
      const age = "fleet_export_age_seconds sub-gauges-a executions-spot"
      const silence = "fleet_owner_silence_seconds gauged"
      yield* TestClock.adjust("1 day")
      const after = yield* read
      expect(after).toMatchObject({ "fleet_due gauged": 2, "fleet_stopped_accounts gauged": 1 })
      // By the clock, and not by what has happened since.
      expect((after[age] ?? 0) - (before[age] ?? 0)).toBe(86_400)
      expect((after[silence] ?? 0) - (before[silence] ?? 0)).toBe(86_400)
      yield* Scope.close(scope, Exit.void)
      expect(Object.keys(yield* read).filter((name) => !/_(running|calls_per_second) /.test(name))).toEqual([])
    }).pipe(Effect.provide(world), (test) => Effect.zipRight(TestClock.setTime(today), test))
  )
})
