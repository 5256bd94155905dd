import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Transport from "@effect-venue/transport/Transport"
import * as Trackers from "@effect-venue/books/Trackers"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Chunk, Clock, Effect, Layer, Stream } from "effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { exchange, lived, onOpening } from "./utils/books.js"
import { checked, installing, isInstalled, logOf, betweenOf, reconciled, text } from "./utils/ledgers.js"
import { folder, venue } from "./utils/venue.js"

const areInstalled = isInstalled("bean-check") && isInstalled("hledger")

describe("the log of an account of the sandbox", () => {
  it.scoped("adds up to the last digit between the snapshots, with nothing unexplained", () =>
    Effect.gen(function* () {
      const { folder: year, report } = yield* lived("20000001")
      const log = yield* logOf(year)
      expect(yield* reconciled(log, betweenOf(report.figures.statements[0]))).toEqual([])

      const kinds = Chunk.toReadonlyArray(yield* Stream.runCollect(log.transactions)).flatMap(({ changes }) => changes)
      for (const kind of ["opening", "trade", "fee", "funding", "realisedPnl", "transfer", "deposit", "bonus"]) {
        expect(kinds.map((change) => change.kind)).toContain(kind)
      }

      // Programs for taxes have the same money: every change but transfers between wallets.
      const [, ...rows] = (yield* Stream.mkString(Trackers.koinly(log))).trim().split("\r\n")
      const sums = new Map<string, BigDecimal.BigDecimal>()
      const add = (currency: string, amount: BigDecimal.BigDecimal) =>
        void sums.set(currency, BigDecimal.sum(sums.get(currency) ?? BigDecimal.fromBigInt(0n), amount))
      for (const { amount, currency } of kinds) add(currency, amount)
      const subtract = (currency = "", moved = "") => {
        if (moved !== "") add(currency, BigDecimal.negate(BigDecimal.unsafeFromString(moved)))
      }
      for (const [, sent = "", sentIn, received, receivedIn, fee = "", feeIn] of rows.map((row) => row.split(","))) {
        subtract(receivedIn, received)
        subtract(sentIn, sent === "" ? "" : `-${sent}`)
        subtract(feeIn, fee === "" ? "" : `-${fee}`)
      }
      expect(
        [...sums].filter(([, rest]) => !BigDecimal.isZero(rest)).map(([coin, rest]) => [coin, text(rest)])
      ).toEqual([])

      // The command writes all of them.
      const files = [
        ["log.csv"],
        ["log.ndjson", "--format", "ndjson"],
        ["log.parquet", "--format", "parquet"],
        ["books.beancount", "--as", "beancount"],
        ["books.ledger", "--as", "ledger", "--time-zone", "Europe/Berlin"],
        ["koinly.csv", "--as", "koinly"],
        ["rotki", "--as", "rotki"]
      ] as const
      for (const [name, ...options] of files) {
        const out = path.join(folder(), name)
        const ended = yield* Effect.promise(() => venue(["log", year, ...options, "--out", out]))
        expect(ended, name).toMatchObject({ code: 0 })
        const written = fs.statSync(out).isDirectory()
          ? fs
              .readdirSync(out)
              .sort()
              .map((file) => path.join(out, file))
          : [out]
        expect(
          ended.out
            .trimEnd()
            .split("\n")
            .map((line) => line.replace(/ \([\d.]+ (bytes|kB|MB)\)$/, ""))
            .sort()
        ).toEqual(written)
        expect(fs.existsSync(name === "rotki" ? path.join(out, "rotki_events.csv") : out), name).toBe(true)
      }
      const { code, out } = yield* Effect.promise(() => venue(["log", year]))
      expect(code).toBe(0)
      expect(out.split("\r\n")).toHaveLength(kinds.length + 2)
    }).pipe(Effect.provide([exchange(11), NodeContext.layer]), onOpening)
  )

  it.scoped.skipIf(!areInstalled)(`is a ledger that bean-check and hledger accept: needs ${installing}`, () =>
    Effect.gen(function* () {
      const { folder: year } = yield* lived("10000101")
      yield* checked(yield* logOf(year), year)
    }).pipe(Effect.provide([exchange(11), NodeContext.layer]), onOpening)
  )
})

describe("the command log", () => {
  it.scoped("writes CSV that a spreadsheet does not evaluate, on request", () =>
    Effect.gen(function* () {
      const year = path.join(folder(), "formulas")
      const begin = (yield* Clock.currentTimeMillis) - 86_400_000
      const row = {
        symbol: "BTCUSDT",
        side: "Buy",
        execId: "=1+1",
        execFee: "0.5",
        execType: "Trade",
        execTime: String(begin)
      }
      const part: Part.Part = {
        ...Part.make(Datasets.executions, { category: "linear" }),
        page: ({ from }) => Effect.succeed({ rows: from <= begin ? [row] : [], next: "" })
      }
      const range = { from: begin, to: begin + 1000 }
      yield* History.runAll([part], range, Sink.ndjson(year)).pipe(
        Effect.provide(Transport.layerStandalone.pipe(Layer.provide(exchange(11))))
      )
      const log = (...options: ReadonlyArray<string>) => Effect.promise(() => venue(["log", year, ...options]))
      expect((yield* log()).out).toMatch(/,fee,-0\.5,,[\d.]+,BTCUSDT,executions,=1\+1,/)
      expect((yield* log("--spreadsheet-safe")).out).toMatch(/,fee,-0\.5,,[\d.]+,BTCUSDT,executions,'=1\+1,/)
    }).pipe(Effect.provide(NodeContext.layer), onOpening)
  )

  const refused: ReadonlyArray<readonly [words: string, message: string]> = [
    ["log year --as rotki", "--as rotki is two files: name their folder with --out"],
    ["log year --format parquet", "--format parquet is not text: name the file with --out"],
    [
      "log year --as koinly --format csv",
      "--format and --as cannot be combined: --format is for lines, --as for other programs"
    ]
  ]
  for (const [words, message] of refused) {
    it(`refuses "${words}"`, async () => {
      expect(await venue(words.split(" "))).toMatchObject({ code: 2, out: "", err: `venue: ${message}\n` })
    })
  }
})
