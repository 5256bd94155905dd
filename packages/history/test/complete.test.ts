import * as History from "@effect-venue/history/History"
import * as Sink from "@effect-venue/history/Sink"
import * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { day, exchange, folder, idOf, linesOf, onThatDay, settle, subjects, today } from "./utils/world.js"

/** More seeds and a longer time make the run longer: `EXPORT_SEEDS=50 EXPORT_DAYS=900`. */
const seeds = Number(process.env.EXPORT_SEEDS ?? 1)
const days = Number(process.env.EXPORT_DAYS ?? 730)

const faults: ReadonlyArray<Faults.Fault> = [
  { kind: "repeatedPage" },
  { kind: "repeatedCursor" },
  { kind: "missingCursor" },
  { kind: "dropBefore" },
  { kind: "dropAfter" },
  { kind: "rateRefusal", headers: true },
  { kind: "status", status: 503, executed: false },
  { kind: "unknownField" },
  { kind: "unknownEnumValue" }
]

const from = today - days * day
const range = { from, to: today }

const exported = (seed: number, probability: number) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const sandbox = yield* Sandbox.Sandbox
    yield* sandbox.faults.set(Faults.oneOf(faults, { probability }))
    const directory = yield* folder
    const parts = subjects.map(({ part }) => part)
    const manifest = yield* settle(History.runAll(parts, range, Sink.ndjson(directory)))
    const account = (yield* sandbox.snapshot).accounts.get(sandbox.uids.main)
    expect(account).toBeDefined()
    let incomplete = 0
    for (const [index, { held, part }] of subjects.entries()) {
      const section = manifest.parts[index]
      const rows = yield* linesOf(path.join(directory, section?.files[0]?.name ?? ""))
      const ids = rows.map((row) => idOf(part.dataset.name, row))
      const expected = account === undefined ? [] : held(account, from, today)
      expect(section?.rows).toBe(rows.length)
      if (part.dataset.key !== "content") expect(new Set(ids).size).toBe(ids.length)
      if (section?.verdict === "complete") {
        expect(ids.toSorted(), `${part.name}, seed ${seed}`).toEqual(expected.toSorted())
      } else {
        incomplete++
        expect(section?.windows.flatMap(({ missing }) => missing).length).toBeGreaterThan(0)
        const held = new Set(expected)
        expect(ids.filter((id) => !held.has(id))).toEqual([])
      }
    }
    return { manifest, incomplete }
  })

describe("an export of every dataset", () => {
  for (let seed = 1; seed <= seeds; seed++) {
    it.scoped(
      `holds what the exchange holds, row for row (seed ${seed})`,
      () =>
        onThatDay(
          Effect.gen(function* () {
            const { incomplete, manifest } = yield* exported(seed, 0)
            expect(manifest.missing).toEqual([])
            expect(incomplete).toBe(0)
            expect(manifest.verdict).toBe("complete")
            expect(manifest.parts.every(({ rows }) => rows > 0)).toBe(true)
          }).pipe(Effect.provide(exchange({ seed })))
        ).pipe(Effect.provide(NodeContext.layer)),
      600_000
    )

    it.scoped(
      `does so when much goes wrong on the way, or says which windows it may lack (seed ${seed})`,
      () =>
        onThatDay(
          Effect.gen(function* () {
            const { manifest } = yield* exported(seed, 0.05)
            expect(manifest.run.rereads).toBeGreaterThan(0)
            expect(manifest.rows).toBeGreaterThan(0)
          }).pipe(Effect.provide(exchange({ seed })))
        ).pipe(Effect.provide(NodeContext.layer)),
      600_000
    )
  }
})
