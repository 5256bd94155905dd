/**
 * A program that sends writes with a journal, and is killed: the folder of its journal is its first argument, a file with its work the
 * second. It makes each write once, whatever its outcome.
 */
import * as Endpoints from "@effect-venue/schemas/Assets"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as Transport from "@effect-venue/transport/Transport"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as Work from "./Work.js"

const [folder = "", file = ""] = process.argv.slice(2)

const perform = (write: Work.Write) =>
  Effect.gen(function* () {
    const orders = yield* Orders.Orders
    const transport = yield* Transport.Transport
    switch (write.kind) {
      case "order":
        return yield* orders.create({ ...Work.order(write.ids[0] ?? ""), category: Work.category })
      case "batch":
        return yield* orders.createBatch({ category: Work.category, request: write.ids.map(Work.order) })
      case "transfer":
        return yield* transport.call(Endpoints.transfer, { ...Work.transfer, requestId: write.ids[0] ?? "" })
    }
  })

const program = Effect.gen(function* () {
  const work = yield* Schema.decode(Schema.parseJson(Schema.Array(Work.Write)))(fs.readFileSync(file, "utf8"))
  yield* Effect.forEach(work, (write) => Effect.ignore(perform(write)), { concurrency: 8, discard: true })
})

NodeRuntime.runMain(
  program.pipe(
    Effect.provide(
      Venue.layerConfig.pipe(
        Layer.provide(FileWriteJournal.layer({ folder, compactAt: 1e9 })),
        Layer.provide([NodeConnections.layer, NodeContext.layer])
      )
    ),
    // The sandbox has none.
    Effect.provideService(Limits.Limits, Limits.none),
    Effect.provide(Logger.remove(Logger.defaultLogger))
  )
)
