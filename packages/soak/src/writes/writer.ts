/** A program that sends writes with a journal, and is killed. Its arguments are the folder of its journal and a file with its calls. */
import * as Venue from "@effect-venue/services/Venue"
import * as Requests from "@effect-venue/simulation/workloads/calls/requests"
import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Limits from "@effect-venue/transport/Limits"
import * as NodeConnections from "@effect-venue/transport/NodeConnections"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as fs from "node:fs"
import * as Records from "./Records.js"

const [folder = "", file = ""] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const work = yield* Schema.decode(Schema.parseJson(Schema.Array(Records.Call)))(fs.readFileSync(file, "utf8"))
  yield* Effect.forEach(work, (call) => Effect.ignore(Requests.send(call)), { concurrency: 8, discard: true })
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
