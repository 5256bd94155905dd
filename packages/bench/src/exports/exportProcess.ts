/**
 * An export in a separate process, started by `exports.ts` to isolate its memory and time. Reports at the end the work done and the peak
 * memory.
 */
import * as History from "@effect-venue/history/History"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as Transport from "@effect-venue/transport/Transport"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { setFlagsFromString } from "node:v8"

// The same flag as in the command.
setFlagsFromString("--heap-growing-percent=50")

const [baseUrl = "", format = "", folder = "", from = "", to = "", limits = ""] = process.argv.slice(2)

const sink =
  format === "sqlite"
    ? SqliteSink.make(`${folder}/history.db`)
    : format === "parquet"
      ? Sink.parquet(folder)
      : format === "csv"
        ? Sink.csv(folder)
        : Sink.ndjson(folder, { gzip: format === "ndjson.gz" })

const transport = Transport.layerStandalone.pipe(
  Layer.provide([
    NodeConnections.layer,
    Credentials.layer({ baseUrl, apiKey: Redacted.make("key"), apiSecret: Redacted.make("secret") })
  ])
)

/** The processor time of this process in microseconds. */
const processor = (): number => {
  const { system, user } = process.cpuUsage()
  return system + user
}

/** Pages parsed and printed at once, to exclude the time of fetching. */
const pagesAtOnce = 50

/** The processor time of `JSON.parse` of all pages and `JSON.stringify` of all their rows, in microseconds. */
const parsing = async (): Promise<number> => {
  let cursor: string | undefined = ""
  let used = 0
  let printed = 0
  while (cursor !== undefined) {
    const bodies: Array<string> = []
    while (cursor !== undefined && bodies.length < pagesAtOnce) {
      const more: string = cursor === "" ? "" : `&cursor=${cursor}`
      const answer = await fetch(`${baseUrl}/?startTime=${from}&endTime=${Number(to) - 1}&limit=100${more}`)
      const body = await answer.text()
      const next: string | undefined = /"nextPageCursor":"(\d+)"/.exec(body)?.[1]
      bodies.push(body)
      cursor = next
    }
    const before = processor()
    for (const body of bodies) {
      // The response of `executionsServer.ts`.
      const page = JSON.parse(body) as { readonly result: { readonly list: ReadonlyArray<unknown> } }
      for (const row of page.result.list) printed += JSON.stringify(row).length
    }
    used += processor() - before
  }
  if (printed === 0) throw new Error("no rows")
  return used
}

const range = { from: Number(from), to: Number(to) }
const started = performance.now()
const startedProcessor = processor()

const program = History.run(History.executions, { category: "linear", ...range }, sink).pipe(
  Effect.map(({ parts, rows, run, verdict }) => ({
    rows,
    verdict,
    pages: parts.reduce((pages, part) => pages + part.pages, 0),
    retries: run.retries,
    processor: processor() - startedProcessor,
    seconds: (performance.now() - started) / 1000,
    mebibytes: process.resourceUsage().maxRSS / 1024
  })),
  Effect.provide([transport, NodeContext.layer]),
  limits === "documented" ? (run) => run : Effect.provideService(Limits.Limits, Limits.none)
)

const outcome = await Effect.runPromise(program)
process.send?.({ ...outcome, parsing: limits === "documented" ? 0 : await parsing() })
process.disconnect()
