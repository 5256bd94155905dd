import * as Command from "@effect/platform/Command"
import * as FileSystem from "@effect/platform/FileSystem"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as os from "node:os"
import { fileURLToPath } from "node:url"
import * as Row from "../measure/row.js"

const root = fileURLToPath(new URL("../../../..", import.meta.url))

/** The file with the saved results: a line of JSON per row, the latest last. */
export const file = fileURLToPath(new URL("../../results.jsonl", import.meta.url))

/** The files that `--save` writes, which do not make the working tree dirty. */
const written = ["packages/bench/results.jsonl", "docs/performance.md"]

const Circumstances = Schema.Struct({
  /** The measured commit, followed by `-dirty` if the working tree had changes. */
  commit: Schema.String,
  machine: Schema.Struct({ cpu: Schema.String, cores: Schema.Number, node: Schema.String }),
  /** The start of the run. */
  date: Schema.DateTimeUtc,
  /** A note for readers of the results. */
  note: Schema.optionalWith(Schema.String, { exact: true })
})

export type Circumstances = typeof Circumstances.Type

/** A row with the circumstances of its measurement. */
export const Result = Schema.extend(Row.Row, Circumstances)

export type Result = typeof Result.Type

const Lines = Schema.parseJson(Result)

const git = (...args: ReadonlyArray<string>) =>
  Effect.map(Command.string(Command.workingDirectory(Command.make("git", ...args), root)), (text) => text.trim())

/** The circumstances of a run that starts now on this machine. */
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

/** Appends a result to a file, and creates the file if necessary. */
export const append = (name: string, result: Result) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const line = yield* Schema.encode(Lines)(result)
    yield* fs.writeFileString(name, `${line}\n`, { flag: "a" })
  })

/** Parses the text of a file of results. Throws on a line that is not a result. */
export const parse = (text: string): ReadonlyArray<Result> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Schema.decodeSync(Lines)(line))
