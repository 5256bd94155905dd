import type * as Books from "@effect-venue/history/Books"
import * as Manifest from "@effect-venue/history/Manifest"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Decimal from "@effect-venue/schemas/Decimal"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Effect, Either } from "effect"
import { at } from "../src/internal/export/exported.js"
import * as Report from "../src/internal/report/readReport.js"
import { betweenOf, checked, isInstalled, logOf, reconciled } from "./utils/ledgers.js"
import { exchange, lived, onOpening, opening, wholeLife } from "./utils/books.js"

const text = (value: BigDecimal.BigDecimal) => Decimal.format(BigDecimal.normalize(value))

/** What keeps a statement from adding up, and is said with it: an order of the seed that was placed before the rows begin. */
const named = /closed profits (are not in this export|of .* more than was executed)/

/** What a statement does not explain, by coin. Nothing, where a note names why it may not add up. */
const unexplained = (statement: Books.OfAccount | undefined) => {
  const coins = Either.getOrThrow(statement?.outcome ?? Either.left("no statement"))
  expect(coins.length).toBeGreaterThan(1)
  const isNamed = statement?.notes.some((note) => named.test(note)) === true
  // What is named is there, and what is there is named.
  expect(isNamed).toBe(coins.some(({ unexplained }) => !BigDecimal.isZero(unexplained)))
  if (isNamed) return []
  return coins.flatMap(({ coin, unexplained }) => (BigDecimal.isZero(unexplained) ? [] : [[coin, text(unexplained)]]))
}

const uids = Effect.runSync(
  Effect.map(
    Effect.flatMap(Sandbox.make({ seed: 1 }), ({ snapshot }) => snapshot),
    ({ accounts }) => [...accounts.keys()]
  )
)

const classic = "30000001"

/** The log of the same rows has the same rest, and ledgers of it the balances of the wallet. */
const logged = (folder: string, statement: Books.OfAccount | undefined) =>
  Effect.gen(function* () {
    const log = yield* logOf(folder)
    const rest = yield* reconciled(log, betweenOf(statement))
    const notes = log.accounts.flatMap((account) => account.notes)
    expect(rest.length > 0).toBe(notes.some((note) => named.test(note)))
    if (isInstalled("bean-check") && isInstalled("hledger")) yield* checked(log, folder)
  })

describe("statement and log of every seeded account", () => {
  for (const uid of uids.filter((uid) => uid !== classic)) {
    it.scoped(`${uid} adds up to the last digit`, () =>
      Effect.gen(function* () {
        const { folder, report } = yield* lived(uid)
        expect(unexplained(report.statements[0])).toEqual([])
        yield* logged(folder, report.statements[0])
      }).pipe(Effect.provide([exchange(1), NodeContext.layer]), onOpening)
    )
  }

  it.scoped("of a classic account says that there is no such wallet", () =>
    Effect.gen(function* () {
      const { report } = yield* lived(classic, { trades: false })
      const [statement] = report.statements
      expect(statement?.outcome).toMatchObject(Either.left(expect.stringContaining("the wallet could not be read")))
    }).pipe(Effect.provide([exchange(1), NodeContext.layer]), onOpening)
  )
})

describe("statement and log of the main account", () => {
  const seeds = [60_217, 913_441, 7_340_033, 28, 518_206, 1_770_911, 4_402, 96_731_577, 350_019, 82_604_113]
  for (const seed of seeds) {
    it.scoped(`adds up to the last digit with seed ${seed}`, () =>
      Effect.gen(function* () {
        const { folder, report } = yield* lived("10000001")
        expect(unexplained(report.statements[0])).toEqual([])
        yield* logged(folder, report.statements[0])
      }).pipe(Effect.provide([exchange(seed), NodeContext.layer]), onOpening)
    )
  }
})

describe("the statement of a whole life, which begins with an empty wallet", () => {
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
        expect(unexplained(report.statements[0])).toEqual([])
      }).pipe(Effect.provide([exchange(seed), NodeContext.layer]), onOpening)
    )
  }
})
