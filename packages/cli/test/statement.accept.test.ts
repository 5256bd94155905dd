import type * as Figures from "@effect-venue/books/Figures"
import * as Manifest from "@effect-venue/history/Manifest"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../src/export/exported.js"
import * as Report from "../src/figures/readReport.js"
import { betweenOf, checked, installing, isInstalled, logOf, reconciled } from "./utils/ledgers.js"
import { exchange, lived, onOpening, opening, wholeLife } from "./utils/books.js"

/** The note on an order of the seed that was placed before the rows begin: it keeps a statement from adding up. */
const named = /closed profits (are not in this export|of .* more than was executed)/

/** The coins whose balances a statement does not explain; none if a note names the reason. */
const unexplained = ({ figures, notes }: Report.Report) => {
  const coins = figures.statements[0]?.coins ?? []
  expect(coins.map(({ check }) => check._tag)).not.toContain("NotMade")
  expect(coins.length).toBeGreaterThan(1)
  const rest = coins.filter(({ check }) => check._tag === "Failed").map(({ coin }) => coin)
  const isNamed = notes.some((note) => named.test(note))
  // There is a note exactly if there is a rest.
  expect(isNamed).toBe(rest.length > 0)
  return isNamed ? [] : rest
}

const classic = "30000001"

const seeds = [1, 60_217, 913_441, 7_340_033, 28, 518_206, 1_770_911, 4_402, 96_731_577, 350_019]

const areInstalled = isInstalled("bean-check") && isInstalled("hledger")

const without = areInstalled ? "" : ` (ledgers not checked: needs ${installing})`

/** The log of the same rows has the same rest, and ledgers of it the balances of the wallet. */
const logged = (folder: string, statement: Figures.AccountStatement | undefined) =>
  Effect.gen(function* () {
    const log = yield* logOf(folder)
    const rest = yield* reconciled(log, betweenOf(statement))
    const notes = log.accounts.flatMap((account) => account.notes)
    expect(rest.length > 0).toBe(notes.some((note) => named.test(note)))
    if (areInstalled) yield* checked(log, folder)
  })

describe(`statement, log and ledgers of every seeded account${without}`, () => {
  it.scoped.each(seeds)("add up to the last digit with seed %s", (seed) =>
    Effect.gen(function* () {
      const { snapshot } = yield* Sandbox.Sandbox
      const { accounts } = yield* snapshot
      const uids = [...accounts.keys()].filter((uid) => uid !== classic)
      expect(uids.length).toBeGreaterThan(20)
      for (const uid of uids) {
        yield* Effect.gen(function* () {
          const { folder, report } = yield* lived(uid)
          expect([uid, unexplained(report)]).toEqual([uid, []])
          yield* logged(folder, report.figures.statements[0])
          // Each account has a world of its own.
        }).pipe(Effect.provide(exchange(seed)), Effect.scoped, onOpening)
      }
    }).pipe(Effect.provide([exchange(seed), NodeContext.layer]), onOpening)
  )

  it.scoped("have no statement for a classic account, and give the reason", () =>
    Effect.gen(function* () {
      const { report } = yield* lived(classic, { trades: false })
      expect(report.figures.statements[0]?.because).toContain("the wallet could not be read")
    }).pipe(Effect.provide([exchange(1), NodeContext.layer]), onOpening)
  )
})

describe("the statement of an account from its first deposit", () => {
  for (const [uid, seed] of [
    ["20000001", 1],
    ["10000101", 1],
    ["20000001", 8_675_309],
    ["10000101", 8_675_309]
  ] as const) {
    it.scoped(`adds up to the last digit for ${uid} with seed ${seed}`, () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const { folder, manifest } = yield* wholeLife(uid)
        const run = {
          ...manifest.run,
          walletsAtStart: [{ account: null, at: opening - 2000 * 86_400_000, list: [], because: null }]
        }
        yield* fs.writeFileString(`${folder}/${Manifest.fileName}`, Manifest.encode({ ...manifest, run }))
        const report = yield* Report.read(at(folder))
        expect(report.manifest.rows).toBeGreaterThan(100)
        expect(unexplained(report)).toEqual([])
      }).pipe(Effect.provide([exchange(seed), NodeContext.layer]), onOpening)
    )
  }
})
