import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as SqlWriteJournal from "@effect-venue/transport/SqlWriteJournal"
import * as Transport from "@effect-venue/transport/Transport"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as Array from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { now } from "./clients/client.js"
import * as Page from "./clients/page.js"
import * as Processes from "../measure/processes.js"
import * as Rounds from "../measure/rounds.js"
import * as Row from "../measure/row.js"

const orderLinkId = "1c8a2b1e-7b8e-4b0c-9a57-0f4f1ad5a0f2"

const answer = JSON.stringify({
  retCode: 0,
  retMsg: "OK",
  result: { orderId: "1c8a2b1e-7b8e-4b0c-9a57-0f4f1ad5a0f1", orderLinkId },
  retExtInfo: {},
  time: Page.time
})

const order = {
  category: "linear",
  symbol: "BTCUSDT",
  side: "Buy",
  orderType: "Limit",
  qty: "0.01",
  price: "20000",
  orderLinkId
} as const

/** The time per call in microseconds, with several lines of sequential calls. */
const writing = (transport: Transport.Transport.Shape, calls: number, lines: number) =>
  Effect.gen(function* () {
    const call = transport.callWire(Orders.create, order)
    const line = Effect.forEach(Array.range(1, calls / lines), () => call, { discard: true })
    const begun = now()
    yield* Effect.replicateEffect(line, lines, { concurrency: "unbounded", discard: true })
    return (now() - begun) / calls
  }).pipe(Effect.orDie, Effect.provideService(Limits.Limits, Limits.none))

const journals = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped()
  const database = LibsqlClient.layer({ url: `file:${folder}/journal.db` })
  const built = <E, R>(layer: Layer.Layer<WriteJournal.WriteJournal, E, R>) =>
    Effect.map(Layer.build(layer), Context.get(WriteJournal.WriteJournal))
  return {
    memory: yield* built(WriteJournal.layerMemory),
    file: yield* built(FileWriteJournal.layer({ folder: `${folder}/journal` })),
    sql: yield* built(SqlWriteJournal.layer().pipe(Layer.provide(database)))
  }
})

/**
 * Writes over sockets with a journal, compared with the same writes without one. `journal.file` and `journal.sql` are sequential calls,
 * each with a separate sync; `journal.file.16` runs 16 at a time, which share syncs.
 */
export const journal = (): Stream.Stream<Row.Row> =>
  Effect.gen(function* () {
    const baseUrl = yield* Processes.server("calls/answerServer", [answer])
    const credentials = Credentials.layer({ baseUrl, apiKey: "k".repeat(18), apiSecret: Redacted.make("s".repeat(36)) })
    const transport = yield* Effect.map(
      Layer.build(Transport.layerStandalone.pipe(Layer.provide([NodeConnections.layer, credentials]))),
      Context.get(Transport.Transport)
    )
    const { file, memory, sql } = yield* journals
    const pairWrites = (store: WriteJournal.WriteJournal.Shape, calls: number, lines: number) =>
      Rounds.pairs(
        { count: 15, warmUp: 2 },
        Effect.provideService(writing(transport, calls, lines), WriteJournal.WriteJournal, store),
        writing(transport, calls, lines)
      )
    const shown = { unit: "µs a call", baselineName: "the same calls without a journal" }
    return [
      Row.ofPairs({ ...shown, name: "journal.memory" }, yield* pairWrites(memory, 400, 1)),
      Row.ofPairs({ ...shown, name: "journal.memory.16" }, yield* pairWrites(memory, 1600, 16)),
      Row.ofPairs({ ...shown, name: "journal.file" }, yield* pairWrites(file, 100, 1)),
      Row.ofPairs({ ...shown, name: "journal.file.16" }, yield* pairWrites(file, 800, 16)),
      Row.ofPairs({ ...shown, name: "journal.sql" }, yield* pairWrites(sql, 100, 1))
    ]
  }).pipe(Effect.scoped, Effect.provide(NodeContext.layer), Effect.orDie, Stream.fromIterableEffect)
