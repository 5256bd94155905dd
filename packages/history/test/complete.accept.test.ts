import * as History from "@effect-venue/history/History"
import * as Sink from "@effect-venue/history/Sink"
import * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, exchanging, folder, idOf, linesOf, subjects, today } from "./utils/world.js"

/** More seeds make the run longer, fewer days shorter: `EXPORT_SEEDS=50`. */
const seeds = Number(process.env.EXPORT_SEEDS ?? 1)
const days = Number(process.env.EXPORT_DAYS ?? 730)
const tenMinutes = 600_000

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

/** Nothing is traded meanwhile: an order that is closed after its window was read belongs to the next export. */
const world = (seed: number): Sandbox.Options => ({ seed, prices: "still" })

/** What was before the upgrade lies further back. */
const isOld = ({ part }: (typeof subjects)[number]) => part.name.startsWith("pre-upgrade")

const exported = (seed: number, probability: number) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.Sandbox
    yield* sandbox.faults.set(Faults.oneOf(faults, { probability }))
    const recent = yield* compared(
      seed,
      subjects.filter((subject) => !isOld(subject)),
      // The service forgets on while it is read: what falls out of its retention by then is named as missing.
      { from: today - days * day + tenMinutes, to: today }
    )
    const old = yield* compared(seed, subjects.filter(isOld), { from: today - 900 * day, to: today - 700 * day })
    return [recent, old] as const
  })

/** Exports what is to be compared into one folder, and compares it with what the exchange holds. */
const compared = (
  seed: number,
  all: ReadonlyArray<(typeof subjects)[number]>,
  range: { readonly from: number; readonly to: number }
) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const sandbox = yield* Sandbox.Sandbox
    const directory = yield* folder
    const parts = all.map(({ part }) => part)
    const manifest = yield* settle(History.runAll(parts, range, Sink.ndjson(directory)))
    const end = yield* Clock.currentTimeMillis
    const account = (yield* sandbox.snapshot).accounts.get(sandbox.uids.main)
    expect(account).toBeDefined()
    let incomplete = 0
    for (const [index, subject] of all.entries()) {
      const { held, part } = subject
      const section = manifest.parts[index]
      const rows = yield* linesOf(path.join(directory, section?.files[0]?.name ?? ""))
      const ids = rows.map((row) => idOf(part.dataset.name, row))
      const forgotten = new Set<string>(
        account !== undefined && "forgotten" in subject ? subject.forgotten(account, end) : []
      )
      const had = new Set(ids)
      const expected = (account === undefined ? [] : held(account, range.from, range.to)).filter(
        (id) => had.has(id) || !forgotten.has(id)
      )
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
    exchanging(world(seed))(`equals the exchange's records row by row (seed ${seed})`, function* () {
      for (const { incomplete, manifest } of yield* exported(seed, 0)) {
        expect(manifest).toMatchObject({ verdict: "complete", missing: [] })
        expect(incomplete).toBe(0)
        expect(manifest.parts.filter(({ rows }) => rows === 0).map(({ name }) => name)).toEqual([])
      }
    })

    exchanging(world(seed))(
      `equals them with many faults, or reports the windows that can lack rows (seed ${seed})`,
      function* () {
        const exports = yield* exported(seed, 0.05)
        expect(exports.reduce((rereads, { manifest }) => rereads + manifest.run.rereads, 0)).toBeGreaterThan(0)
        for (const { manifest } of exports) expect(manifest.rows).toBeGreaterThan(0)
      }
    )
  }
})
