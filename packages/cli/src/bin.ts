#!/usr/bin/env node
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Diagnostics from "./output/diagnostics.js"
import { exitCodes } from "./start/failureExit.js"
import { load } from "./run/invocation.js"
import * as program from "./start/program.js"

// The only file that accesses the process.
let code: number = exitCodes.failed

// A closed pipe (`venue ... | head`) or a full disk must not end the process during a call, because the exit code reports the outcome of the call.
// The output functions report failures of their writes.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined)

const connections = Layer.unwrapEffect(
  Effect.map(
    load(() => import("./account/connections.js")),
    ({ layer }) => layer
  )
)

const { stderr } = process

const diagnostics: Diagnostics.Shape = {
  isTTY: stderr.isTTY,
  columns: Effect.sync(() => (stderr.isTTY ? stderr.columns : 0)),
  write: (text) => Effect.sync(() => void stderr.write(text))
}

program.run(process.argv, connections).pipe(
  Effect.tap((ended) =>
    Effect.sync(() => {
      code = ended
    })
  ),
  Effect.provideService(Diagnostics.Diagnostics, diagnostics),
  Effect.provide(NodeContext.layer),
  // A signal interrupts the program, which would lose its result. So only the command is interruptible, and its exit code is stored before the
  // program ends.
  Effect.uninterruptible,
  NodeRuntime.runMain({
    // `program.run` has reported what went wrong, in one line.
    disableErrorReporting: true,
    teardown: (_, onExit) => {
      onExit(code)
    }
  })
)
