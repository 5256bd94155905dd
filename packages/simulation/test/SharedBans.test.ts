import * as BanGate from "@effect-venue/transport/BanGate"
import * as BanStore from "@effect-venue/transport/BanStore"
import type * as RemoteStore from "@effect-venue/transport/RemoteStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Plan from "../src/bans/Plan.js"
import * as BansWorld from "../src/BansWorld.js"
import { runs } from "./utils/runs.js"

type Store = BanStore.BanStore.Shape

const changing = (change: (store: Store) => Partial<Store>): BansWorld.Mistakes => ({
  store: (store) => ({ ...store, ...change(store) })
})

const backend = (change: (backend: RemoteStore.BanBackend) => Partial<RemoteStore.BanBackend>): BansWorld.Mistakes => ({
  backend: (backend) => ({ ...backend, ...change(backend) })
})

/** Has forgotten with each call what the calls before it have found out. */
const forgetful = Effect.map(BanStore.BanStore, (store): BanGate.BanGate.Shape => ({
  pass: (call, options) =>
    Effect.flatMap(Effect.provideService(BanGate.makeShared, BanStore.BanStore, store), (gate) =>
      gate.pass(call, options)
    ),
  closedUntil: () => Effect.succeed(0),
  whenClosed: () => Effect.never,
  hosts: Effect.succeed([])
}))

/** Plausible mistakes, each with a seed that shows it. */
const mistakes: ReadonlyArray<readonly [name: string, rule: string, seed: number, mistakes: BansWorld.Mistakes]> = [
  ["a process asks no store", "Unasked", 0, { gate: BanGate.make }],
  [
    "a process goes on while others are banned",
    "Shared",
    0,
    changing((store) => ({
      enter: (host) => Effect.map(store.enter(host), (entry) => (entry._tag === "Closed" ? { _tag: "Open" } : entry))
    }))
  ],
  ["a store that cannot be reached opens a gate that is known to be closed", "IntoBan", 0, { gate: forgetful }],
  ["a ban is kept by the process that met it", "Report", 0, changing(() => ({ close: () => Effect.void }))],
  [
    "a ban is reported for less than it lasts",
    "Report",
    0,
    backend(({ close }) => ({
      close: (name, duration) => close(name, duration / 2)
    }))
  ],
  [
    "calls do not wait for the probe",
    "Probes",
    0,
    changing((store) => ({
      enter: (host) => Effect.map(store.enter(host), (entry) => (entry._tag === "Probing" ? { _tag: "Open" } : entry))
    }))
  ],
  [
    "the place of a probe whose process died is never free again",
    "Stuck",
    257,
    backend(({ enter }) => ({
      enter: (name, probe) => enter(name, probe, 1e15)
    }))
  ],
  [
    "a store that fails ends a call",
    "Defect",
    0,
    changing((store) => ({
      enter: (host) =>
        Effect.filterOrDie(
          store.enter(host),
          ({ _tag }) => _tag !== "Unreachable",
          () => new Error("the store cannot be reached")
        )
    }))
  ],
  [
    "calls are refused by a gate that is open",
    "Barred",
    0,
    {
      gate: Effect.map(BanGate.makeShared, (gate) => ({ ...gate, pass: (_, { closed }) => closed(0) }))
    }
  ]
]

describe("processes that share their bans", () => {
  it("send nothing before the end of a ban that they know of, whatever happens to the store and to callers", async () => {
    const { coverage, violations } = await runs(BansWorld.world, 0, 200)
    expect(violations).toEqual([])
    const reached = [
      ...Plan.faults.flatMap((fault) => [`enter x ${fault}`, `close x ${fault}`, `leave x ${fault}`]),
      ...["Open", "Closed", "Probe", "Probing", "Unreachable"].map((reply) => `open x ${reply}`),
      ...["Closed", "Unreachable"].map((reply) => `closed x ${reply}`),
      ...["answered", "failed", "died", "interrupted", "banned"].map((end) => `sent x ${end}`),
      "death"
    ]
    expect(reached.filter((name) => !coverage.includes(name))).toEqual([])
  })
})

describe("the world of bans shows that", () => {
  it.each(mistakes)("%s", (_, rule, seed, mistakes) => {
    const plan = Plan.make(seed)
    expect(BansWorld.run(plan).violations).toEqual([])
    const rules = BansWorld.run(plan, mistakes).violations.map((violation) => violation.rule)
    expect(rules).toContain(rule)
  })
})
