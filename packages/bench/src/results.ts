import * as Command from "@effect/platform/Command"
import * as FileSystem from "@effect/platform/FileSystem"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as os from "node:os"
import { fileURLToPath } from "node:url"
import * as Row from "./row.js"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The saved results of this repository: one line of JSON a row, the latest last. */
export const file = fileURLToPath(new URL("../results.jsonl", import.meta.url))

/** What `--save` itself writes, which does not make the measured code another. */
const written = ["packages/bench/results.jsonl", "docs/performance.md", "docs/performance.svg"]

const Circumstances = Schema.Struct({
  /** The commit that was measured, with `-dirty` behind it when the working tree differed. */
  commit: Schema.String,
  machine: Schema.Struct({ cpu: Schema.String, cores: Schema.Number, node: Schema.String }),
  /** When the run began. */
  date: Schema.DateTimeUtc,
  /** What a reader of the figures should know. */
  note: Schema.optionalWith(Schema.String, { exact: true })
})

export type Circumstances = typeof Circumstances.Type

/** A row, and the circumstances in which it was measured. */
export const Result = Schema.extend(Row.Row, Circumstances)

export type Result = typeof Result.Type

const Lines = Schema.parseJson(Result)

const git = (...args: ReadonlyArray<string>) =>
  Effect.map(Command.string(Command.workingDirectory(Command.make("git", ...args), root)), (text) => text.trim())

/** The circumstances of a run that begins now on this machine. */
export const circumstances = (note?: string) =>
  Effect.gen(function* () {
    const head = yield* git("rev-parse", "HEAD")
    const changes = yield* git("status", "--porcelain", "--", ".", ...written.map((name) => `:(exclude)${name}`))
    const cpus = os.cpus()
    return {
      commit: changes === "" ? head : `${head}-dirty`,
      machine: { cpu: cpus[0]?.model.trim() ?? "unknown", cores: cpus.length, node: process.version },
      date: yield* DateTime.now,
      ...(note === undefined ? {} : { note })
    } satisfies Circumstances
  })

/** Appends a result to a file, which is created when it does not exist. */
export const append = (name: string, result: Result) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const line = yield* Schema.encode(Lines)(result)
    yield* fs.writeFileString(name, `${line}\n`, { flag: "a" })
  })

/** The results of a file, the latest last. Fails on a line that is not a result. */
export const read = (name: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const text = yield* fs.readFileString(name)
    return yield* Effect.forEach(
      text.split("\n").filter((line) => line !== ""),
      (line) => Schema.decode(Lines)(line)
    )
  })
