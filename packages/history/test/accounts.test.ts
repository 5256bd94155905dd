import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import type * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, expectTypeOf, it } from "@effect/vitest"
import { Effect } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, onStillExchange, onThatDay, today, transportOf } from "./utils/world.js"

const range = { from: today - 9 * day, to: today - day }
const query = { category: "linear", symbol: "XRPUSDT" } as const

const partOf = (name: string, transport: Transport.Transport.Shape) =>
  Part.make(Datasets.executions, query, { name, transport })

describe("an export of several accounts", () => {
  onStillExchange("names the account of a failure", function* () {
    const parts = [partOf("first", yield* transportOf("main")), partOf("second", yield* transportOf("expired"))]
    const failure = yield* settle(Effect.flip(History.runAll(parts, range, Sink.ndjson(yield* folder))))
    expect(failure).toMatchObject({ _tag: "AccountFailed", account: "second", failure: { _tag: "Unauthorized" } })
    expect(failure.message).toContain("account second: executions.list: unauthorized")
  })

  onStillExchange("is refused when their names differ in case only", function* () {
    const transport = yield* transportOf("main")
    const parts = [partOf("Desk", transport), partOf("desk", transport)]
    const refused = yield* Effect.flip(History.runAll(parts, range, Sink.ndjson(yield* folder)))
    expect(refused).toMatchObject({ _tag: "InvalidRequest", field: "parts" })
    expect(refused.message).toContain("upper and lower case")
  })

  it.scoped("needs only the transports of the accounts", () =>
    Effect.gen(function* () {
      const parts = [partOf("first", yield* transportOf("main"))]
      const run = History.runAll(parts, range, Sink.ndjson(yield* folder))
      expectTypeOf<Effect.Effect.Context<typeof run>>().toEqualTypeOf<FileSystem.FileSystem | Path.Path>()
      expect(yield* settle(run)).toMatchObject({ verdict: "complete" })
    }).pipe(Effect.provide(Sandbox.layer({ seed: 3, prices: "still" })), onThatDay, Effect.provide(NodeContext.layer))
  )
})

describe("a damaged export", () => {
  const parts = [Part.make(Datasets.executions, query)]
  const killed = <R>(sink: Sink.Sink<R>): Sink.Sink<R> => ({
    ...sink,
    open: (...given) => Effect.map(sink.open(...given), (store) => ({ ...store, publish: () => Effect.die("killed") }))
  })

  for (const [name, file, text] of [
    ["an empty manifest", "manifest.json", ""],
    ["a foreign manifest", "manifest.json", '{"name":"an app","start_url":"."}'],
    ["a checkpoint that was cut", ".venue/checkpoint.json", '{"checkpoint":{"vers'],
    ["a checkpoint of a later version", ".venue/checkpoint.json", '{"version":3}'],
    ["the checkpoint of a part that was cut", "checkpoint.ndjson", '{"windows":[{"fr'],
    ["the checkpoint of a part with another line", "checkpoint.ndjson", '{"windows":5}\n'],
    ["a journal that is short", "journal.ndjson", ""]
  ] as const) {
    onStillExchange(`is refused, and replaced with overwrite: ${name}`, function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const directory = yield* folder
      const sink = Sink.ndjson(directory)
      yield* Effect.exit(settle(History.runAll(parts, range, killed(sink))))
      const work = yield* fs.readDirectory(path.join(directory, ".venue"))
      const own = work.find((entry) => entry.endsWith(`.${file}`))
      yield* fs.writeFileString(path.join(directory, own === undefined ? file : `.venue/${own}`), text)
      expect(yield* Effect.flip(settle(History.runAll(parts, range, sink)))).toMatchObject({ _tag: "SinkFailure" })
      const replaced = yield* settle(History.runAll(parts, range, sink, { overwrite: true }))
      expect(replaced).toMatchObject({ verdict: "complete", run: { starts: 1 } })
      expect(replaced.rows).toBeGreaterThan(5)
      expect((yield* fs.readDirectory(directory)).toSorted()).toEqual([
        "executions-linear-XRPUSDT.ndjson",
        "manifest.json",
        "views.sql"
      ])
    })
  }
})
