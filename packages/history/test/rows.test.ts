import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as Verify from "@effect-venue/history/Verify"
import * as Part from "@effect-venue/history/Part"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as CallOptions from "@effect-venue/transport/CallOptions"
import * as Transport from "@effect-venue/transport/Transport"
import { FileSystem, HttpClient, HttpClientResponse, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Chunk, Effect, Layer, Stream } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, onThatDay, today } from "./utils/world.js"

/** What the answers say in a spelling that no parsed value keeps: of fields that are known and of fields that are not. */
const spelling = [
  ['{"symbol":', '{ "price" : 1.50,\n  "huge":9007199254740993, "list":[1.0, {"b":1E2}],\r\n "symbol":'],
  ['"closedSize":"0"', '"closedSize":0.10'],
  [/"seq":\d+/g, '"seq":9007199254740993']
] as const

/** The same values in another notation, and fields that the service adds. */
const notation = [
  ['{"symbol":', '{ "price" : 1.50,\n  "huge":9007199254740993, "list":[1.0, {"b":1E2}],\r\n "symbol":'],
  ['"closedSize":"0"', '"closedSize":0.00']
] as const

type Changes = typeof spelling | typeof notation

const respell = (body: string, changes: Changes): string =>
  changes.reduce((text, [from, to]) => text.replaceAll(from, to), body)

const seen: Array<string> = []

const respelling =
  (changes: Changes) =>
  (client: CallOptions.Client): CallOptions.Client =>
    HttpClient.transformResponse(client, (response) =>
      Effect.flatMap(response, (answer) =>
        answer.request.url.includes("/execution/list")
          ? Effect.map(answer.text, (body) => {
              seen.push(body)
              return HttpClientResponse.fromWeb(
                answer.request,
                new Response(
                  changes.reduce((text, [from, to]) => text.replaceAll(from, to), body),
                  { status: answer.status, headers: answer.headers }
                )
              )
            })
          : Effect.succeed(answer)
      )
    )

/** The sandbox, of whose answers the executions are spelled in another way. */
const respelledTransport = (changes: Changes) =>
  Transport.layerStandalone.pipe(Layer.provide(Layer.succeed(CallOptions.TransformClient, respelling(changes))))
const exchange = Layer.provideMerge(respelledTransport(spelling), Sandbox.layer({ seed: 3 }))

const range = { from: today - 3 * day, to: today - day }
const part = Part.make(Datasets.executions, { category: "linear", symbol: "XRPUSDT" })

const exported = <R>(sink: Sink.Sink<R>) =>
  settle(History.runAll([part], range, sink)).pipe(
    Effect.tap(({ rows, verdict }) => {
      expect(verdict).toBe("complete")
      expect(rows).toBeGreaterThan(10)
    })
  )

const rowsOf = (directory: string) =>
  Effect.gen(function* () {
    const { findings, manifest } = yield* Verify.verify(directory)
    expect(findings).toEqual([])
    const [section] = manifest.parts
    if (section === undefined) return []
    return Chunk.toReadonlyArray(yield* Stream.runCollect(Sink.rows(directory, manifest, section)))
  })

const odd = { price: "1.50", huge: "9007199254740993", seq: "9007199254740993" }

describe("rows with unusual notation", () => {
  it.scoped("are in NDJSON byte for byte, except that line breaks become spaces", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      seen.length = 0
      yield* exported(Sink.ndjson(directory))
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const text = yield* fs.readFileString(path.join(directory, "executions-linear-XRPUSDT.ndjson"))
      const lines = text.split("\n").slice(0, -1)
      expect(lines[0]).toMatch(
        /^\{ "price" : 1\.50, {3}"huge":9007199254740993, "list":\[1\.0, \{"b":1E2\}\], {2}"symbol":"XRPUSDT",.*"seq":9007199254740993\}$/
      )
      const answers = seen.map((body) => respell(body, spelling).replace(/\r\n|[\r\n]/g, " "))
      for (const line of lines) expect(answers.some((answer) => answer.includes(line))).toBe(true)
      expect((yield* rowsOf(directory))[0]).toMatchObject({ ...odd, list: ["1.0", { b: "1E2" }] })
    }).pipe(Effect.provide(exchange), onThatDay, Effect.provide(NodeContext.layer))
  )

  for (const make of [Sink.csv, Sink.parquet]) {
    it.scoped(`keep numbers and unknown fields in ${make("").format}`, () =>
      Effect.gen(function* () {
        const directory = yield* folder
        yield* exported(make(directory))
        const rows = yield* rowsOf(directory)
        expect(rows[0]).toMatchObject({ ...odd, list: ["1.0", { b: "1E2" }] })
        expect(rows.map(({ closedSize }) => closedSize)).toContain(make("").format === "csv" ? "0.10" : "0.1")
      }).pipe(Effect.provide(exchange), onThatDay, Effect.provide(NodeContext.layer))
    )
  }

  it.scoped("keep numbers and unknown fields in tables", () =>
    Effect.gen(function* () {
      const path = yield* Path.Path
      const file = path.join(yield* folder, "history.db")
      yield* exported(SqliteSink.make(file))
      const { findings, manifest } = yield* SqliteSink.verify(file)
      expect(findings).toEqual([])
      const [section] = manifest.parts
      if (section === undefined) return
      const rows = Chunk.toReadonlyArray(yield* Stream.runCollect(SqliteSink.rows(file, section)))
      expect(rows[0]).toMatchObject({ ...odd, list: ["1.0", { b: "1E2" }] })
      expect(rows.map(({ closedSize }) => closedSize)).toContain("0.10")
    }).pipe(Effect.provide(exchange), onThatDay, Effect.provide(NodeContext.layer))
  )

  it.scoped("are the same records in an incremental export with another notation", () =>
    Effect.gen(function* () {
      const directory = yield* folder
      yield* Effect.provide(exported(Sink.ndjson(directory)), Transport.layerStandalone)
      const again = yield* settle(
        History.runAll([part], { ...range, to: range.to + day / 2 }, Sink.ndjson(directory), {
          incremental: { overlap: "1 day" }
        })
      ).pipe(Effect.provide(respelledTransport(notation)))
      const windows = again.parts[0]?.windows ?? []
      expect(windows.at(-1)?.known).toBeGreaterThan(0)
      expect(windows.at(-1)?.changed).toBe(0)
      const rows = yield* rowsOf(directory)
      expect(new Set(rows.map(({ execId }) => execId)).size).toBe(rows.length)
    }).pipe(Effect.provide(Sandbox.layer({ seed: 3 })), onThatDay, Effect.provide(NodeContext.layer))
  )
})
