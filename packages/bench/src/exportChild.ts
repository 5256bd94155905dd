/**
 * An export in a process of its own, started by `exportRuns.ts`, so that its memory and time are its own. Says at its end what it read
 * and the most memory that it had.
 *
 * @since 0.1.0
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
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { setFlagsFromString } from "node:v8"

// As the command does.
setFlagsFromString("--heap-growing-percent=20")

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

const range = { from: Number(from), to: Number(to) }
const started = performance.now()

const program = History.run(History.executions, { category: "linear", ...range }, sink).pipe(
  Effect.map(({ parts, rows, run, verdict }) => ({
    rows,
    verdict,
    pages: parts.reduce((pages, part) => pages + part.pages, 0),
    retries: run.retries,
    seconds: (performance.now() - started) / 1000,
    mebibytes: process.resourceUsage().maxRSS / 1024
  })),
  Effect.provide([transport, NodeContext.layer]),
  limits === "documented"
    ? (run) => run
    : Effect.provideService(Limits.Limits, { perUid: () => Option.none(), perIp: Option.none() })
)

process.send?.(await Effect.runPromise(program))
process.disconnect()
