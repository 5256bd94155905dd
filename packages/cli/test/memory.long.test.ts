import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { Effect, Option } from "effect"
import { describe, expect, it } from "vitest"
import * as fs from "node:fs"
import * as path from "node:path"
import { day, folder, launched } from "./utils/venue.js"

// The memory of a command that reads an export does not grow with its rows, also if their coins are not known.

const to = Math.floor(Date.now() / day) * day
const from = to - 42 * day

/** Every fourth row is in all sums; the others are in none, each for another reason. */
const symbols = ["BTCUSDT", "NOTLISTED", "BTCUSDT", "ALSONOT"]

const execution = (execId: string, execTime: number, index: number): Dataset.Row => ({
  ...{ execId, execTime: String(execTime), symbol: symbols[index % 4], orderId: `order of ${execId}` },
  ...{ side: "Buy", execType: "Trade", execPrice: "1", execQty: "1", execValue: index % 4 === 2 ? "?" : "1" },
  ...{ execFee: index % 4 === 2 ? "?" : "-0.1", isMaker: true, closedSize: "0" }
})

const partOf = (category: "linear" | "spot", count: number): Part.Part<unknown, never> => {
  const at = (index: number) => from + Math.floor((index * (to - from)) / count)
  const rows = Array.from({ length: count }, (_, index) => execution(`${category} ${index}`, at(index), index))
  return {
    ...Part.make(Datasets.executions, { category }),
    check: () => Effect.void,
    page: (ask) =>
      Effect.sync(() => {
        const within = rows.filter((_, index) => at(index) >= ask.from && at(index) <= ask.to).reverse()
        const start = Number(ask.cursor ?? 0)
        return { rows: within.slice(start, start + 100), next: start + 100 < within.length ? String(start + 100) : "" }
      }),
    serverTime: Effect.sync(() => Option.some(Date.now())),
    identity: Effect.succeed({ host: "service.example", key: "0".repeat(32), uid: "1" }),
    wallet: Effect.succeed([{ coin: [{ coin: "USDT", walletBalance: "1", bonus: "" }] }]),
    instruments: () => Effect.succeed([{ symbol: "BTCUSDT", baseCoin: "BTC", quoteCoin: "USDT", settleCoin: "USDT" }]),
    pending: Effect.succeed([])
  }
}

const sinks = {
  ndjson: Sink.ndjson,
  csv: Sink.csv,
  parquet: (location: string) => Sink.parquet(location, { rowGroup: 1000 }),
  sqlite: (location: string) => SqliteSink.make(path.join(location, "venue.sqlite"))
}

type Format = keyof typeof sinks

const exportRows = async (format: Format, rows: number): Promise<string> => {
  const name = path.join(folder(), `${format}-${rows}`)
  if (fs.existsSync(name)) return name
  fs.mkdirSync(name)
  const parts = [partOf("linear", rows / 2), partOf("spot", rows / 2)]
  const run = History.runAll(parts, { from, to }, sinks[format](name))
  const manifest = await Effect.runPromise(Effect.provide(run, NodeContext.layer))
  expect(manifest).toMatchObject({ verdict: "complete", rows })
  return name
}

/** Has a process write how many bytes it used at most at once, without those that are free to be collected. */
const watch = `
import { writeFileSync } from "node:fs"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc")
let most = 0
setInterval(() => {
  collect()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  most = Math.max(most, heapUsed + arrayBuffers)
}, 50).unref()
process.on("exit", () => writeFileSync("peak", String(most)))
`

const peakOf = async (...args: ReadonlyArray<string>): Promise<number> => {
  const { code, err } = await launched(args, {
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(watch)}`
  })
  expect(code, err).toBe(0)
  return Number(fs.readFileSync(path.join(folder(), "peak"), "utf8"))
}

const [few, many] = [4_000, 24_000]

describe.each([
  ["report", "ndjson"],
  ["report", "csv"],
  ["report", "parquet"],
  ["report", "sqlite"],
  ["log", "ndjson"]
] as const)("venue %s of an export as %s", (command, format) => {
  it(`takes as much memory for ${many} rows as for ${few}`, async () => {
    const read = async (rows: number) =>
      peakOf(command, await exportRows(format, rows), ...(command === "log" ? ["--out", "log"] : []))
    const small = await read(few)
    // Verification remembers ids, in some 25 bytes each. A row has more than 300.
    expect((await read(many)) - small).toBeLessThan((many - few) * 200)
  })
})
