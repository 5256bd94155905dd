import * as Ledger from "@effect-venue/fleet/Ledger"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as DocumentedLimits from "@effect-venue/transport/siblings/DocumentedLimits"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Layer, TestClock } from "effect"
import * as fs from "node:fs"
import { account, credentials, day, fleetOf, ledger, settle, today } from "./utils/world.js"

// The numbers of docs/fleet.md.

const page = fs.readFileSync(new URL("../../../docs/fleet.md", import.meta.url), "utf8")

/** Every dataset that is an account's own and grows. */
const datasets = Datasets.datasets
  .map(({ name }) => name)
  .filter((name) => !name.startsWith("pre-upgrade-") && name !== Datasets.brokerVolume.name)

/** The datasets of the refresh on the page: seven exports. */
const daily = ["executions", "closed-pnl", "deposits", "transfers"]

/** A call counts until one window after its response: what was measured of the documented limit is 99 %. */
const callsPerDay = (DocumentedLimits.perIp.count / Duration.toSeconds(DocumentedLimits.perIp.window)) * 0.99 * 86_400

const callsOfYear = 800

const callsOfRefresh = 30

/** To two or three digits, as the page has it. */
const rounded = (value: number, to: number): string => (Math.floor(value / to) * to).toLocaleString("en-US")

const world = Layer.mergeAll(credentials, ledger).pipe(
  Layer.provideMerge(Sandbox.layer({ seed: 3 })),
  Layer.provideMerge(NodeContext.layer)
)

describe("the arithmetic of docs/fleet.md", () => {
  it("follows from the limit of an address and the calls of an account", () => {
    expect(page).toContain(`${rounded(callsPerDay, 10_000)} calls a day`)
    expect(page).toContain(`${rounded(callsPerDay / callsOfYear, 100)} first years`)
    expect(page).toContain(`${rounded(callsPerDay / callsOfRefresh, 10_000)} refreshes`)
  })

  it.scoped("has the windows of a year of every dataset", () =>
    Effect.zipRight(
      TestClock.setTime(today),
      Effect.gen(function* () {
        const ledger = yield* Ledger.Ledger
        const registered: Array<Ledger.Entry> = []
        const register: typeof ledger.register = (entries) =>
          Effect.sync(() => {
            registered.push(...entries)
            return []
          })
        const year = account("main", { datasets, categories: [], from: today - 365 * day })
        yield* Effect.provideService(fleetOf([year]), Ledger.Ledger, { ...ledger, register })
        expect(registered).toHaveLength(12)
        expect(page).toContain(`${registered.reduce((sum, { pages }) => sum + pages, 0)} windows`)
      }).pipe(Effect.provide(world))
    )
  )

  it.scoped("has room for the calls of a refresh, as the sandbox counts them", () =>
    Effect.zipRight(
      TestClock.setTime(today),
      Effect.gen(function* () {
        const { faults } = yield* Sandbox.Sandbox
        const { own } = yield* fleetOf([
          account("customer", { datasets: daily, categories: [], from: today - 2 * day })
        ])
        yield* settle(own())
        const before = (yield* faults.log).length
        yield* TestClock.adjust("1 day")
        yield* settle(own())
        const calls = (yield* faults.log).length - before
        expect(calls).toBeLessThanOrEqual(callsOfRefresh)
        expect(calls).toBeGreaterThanOrEqual(7)
      }).pipe(Effect.provide(world))
    )
  )
})
