#!/usr/bin/env node
import * as Connections from "@effect-venue/transport/Connections"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Cli from "./Cli.js"

// The edge of the program: the only place that knows of the process.
Cli.run(process.argv).pipe(
  Effect.provide(Layer.merge(NodeContext.layer, Connections.layer(NodeHttpClient.layerUndici))),
  NodeRuntime.runMain({
    // `Cli.run` has said what went wrong, in one line.
    disableErrorReporting: true,
    teardown: (exit, onExit) => {
      onExit(exit._tag === "Success" && typeof exit.value === "number" ? exit.value : Cli.exitCodes.interrupted)
    }
  })
)
