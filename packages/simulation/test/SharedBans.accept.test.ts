import * as BanGate from "@effect-venue/transport/BanGate"
import * as BanStore from "@effect-venue/transport/BanStore"
import type * as RemoteStore from "@effect-venue/transport/siblings/RemoteStore"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as bans from "../src/workloads/bans/bans.js"
import * as Workload from "../src/run/Workload.js"

type Store = BanStore.BanStore.Shape

const changing = (change: (store: Store) => Partial<Store>): bans.BanMistakes => ({
  store: (store) => ({ ...store, ...change(store) })
})

const backend = (change: (backend: RemoteStore.BanBackend) => Partial<RemoteStore.BanBackend>): bans.BanMistakes => ({
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
const mistakes: ReadonlyArray<readonly [name: string, rule: string, seed: number, mistakes: bans.BanMistakes]> = [
  ["a process asks no store", "Unasked", 0, { gate: BanGate.make }],
  [
    "a process goes on while others are banned",
    "Shared",
    0,
    changing((store) => ({
      enter: (host) => Effect.map(store.enter(host), (entry) => (entry._tag === "Closed" ? { _tag: "Open" } : entry))
    }))
  ],
  ["a store that cannot be reached opens a gate that is known to be closed", "IntoBan", 2, { gate: forgetful }],
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
    792,
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

describe("the workload of bans shows that", () => {
  it.each(mistakes)("%s", (_, rule, seed, mistakes) => {
    expect(bans.workload.run(seed).violations).toEqual([])
    const mistaken = Workload.make({ ...bans.definition, start: bans.startWith(mistakes) })
    expect(mistaken.run(seed).violations.map((violation) => violation.rule)).toContain(rule)
  })
})
