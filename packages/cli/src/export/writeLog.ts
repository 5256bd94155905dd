import * as Books from "@effect-venue/books/Books"
import * as Figures from "@effect-venue/books/Figures"
import * as Ledger from "@effect-venue/books/Ledger"
import * as Trackers from "@effect-venue/books/Trackers"
import * as Sink from "@effect-venue/history/Sink"
import * as Folders from "@effect-venue/transport/siblings/Folders"
import { isDifference } from "@effect-venue/history/Verify"
import { countNoun, formatSize } from "@effect-venue/schemas/siblings/Words"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Data from "effect/Data"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Exported } from "./exported.js"
import * as Files from "../output/files.js"
import * as Output from "../output/output.js"
import { Refusal } from "../run/failures.js"

/** The log cannot be written, or the folder has none. */
export class NoLog extends Data.TaggedError("NoLog")<{ readonly message: string }> {}

/** Programs that the log is written for. */
export const programs = ["beancount", "ledger", "koinly", "rotki"] as const

export interface Options {
  /** A program, or the format of the plain log. */
  readonly as: (typeof programs)[number] | Books.Format
  /** The file to write, or the folder for several files; `undefined` for standard output. */
  readonly out: string | undefined
  /** Needs the format csv. */
  readonly spreadsheetSafe: boolean
  readonly zone: DateTime.TimeZone
  /** The coins of symbols that the service does not list. */
  readonly symbols: ReadonlyArray<Books.SymbolEntry>
}

const utf8 = new TextEncoder()

/** The files of a log, by name. A single file has an empty name. */
const filesOf = <E>(
  log: Books.Log<E>,
  { as, spreadsheetSafe, zone }: Options
): Readonly<Record<string, Stream.Stream<Uint8Array, unknown>>> => {
  const encodeText = (text: Stream.Stream<string, E>) => Stream.map(text, (piece) => utf8.encode(piece))
  switch (as) {
    case "beancount":
    case "ledger":
      return { "": encodeText(Ledger.render(log, as, zone)) }
    case "koinly":
      return { "": encodeText(Trackers.koinly(log)) }
    case "rotki":
      return Object.fromEntries(Object.entries(Trackers.rotki(log)).map(([name, text]) => [name, encodeText(text)]))
    default:
      return { "": Books.render(log, as, { spreadsheetSafe }) }
  }
}

const failing = (error: unknown): NoLog =>
  new NoLog({ message: error instanceof Error ? error.message : String(error) })

const refusal = ({ as, out, spreadsheetSafe }: Options): string | undefined => {
  if (spreadsheetSafe && as !== "csv") return "--spreadsheet-safe needs --format csv"
  if (out !== undefined) return undefined
  if (as === "rotki") return "--as rotki is two files: name their folder with --out"
  return as === "parquet" ? "--format parquet is not text: name the file with --out" : undefined
}

/** Reads the log of an export, and writes it. Reports missing records on standard error. */
export const writeLog = (exported: Exported, options: Options) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const refused = refusal(options)
    if (refused !== undefined) return yield* new Refusal({ message: refused })
    const { findings, manifest } = yield* exported.verify
    const [difference] = findings.filter(isDifference)
    if (difference !== undefined) {
      return yield* new NoLog({ message: `the export was changed after it was written: ${difference.message}` })
    }
    const scratch = yield* fs.makeTempDirectoryScoped()
    const buffer = yield* (yield* Sink.folderSpool(scratch)).open
    const log = yield* Books.log(
      { manifest, rows: (part) => exported.rows(manifest, part) },
      { buffer, symbols: options.symbols }
    )
    if (manifest.verdict === "incomplete") {
      yield* Output.warn(
        manifest.missing.length > 0
          ? `The export may lack rows: ${countNoun(manifest.missing.length, "range")}. See venue verify.`
          : "The export has rows that conflict. See venue verify."
      )
    }
    const doubts = yield* Effect.mapError(Figures.doubtsOf(log), failing)
    yield* Effect.forEach([...log.notes, ...doubts], (note) => Output.warn(note), { discard: true })
    for (const [name, bytes] of Object.entries(filesOf(log, options))) {
      const { out } = options
      if (out === undefined) {
        const written = Stream.runForEach(Stream.decodeText(bytes), Output.write)
        yield* Effect.mapError(written, (error) => (error instanceof Output.OutputFailed ? error : failing(error)))
        continue
      }
      if (name !== "") yield* Files.writing(out, Folders.makeFolder({ fs, path }, out))
      const file = name === "" ? out : path.join(out, name)
      yield* Files.replace(file, (beside) => Stream.run(bytes, fs.sink(beside)))
      const { size } = yield* Files.writing(file, fs.stat(file))
      yield* Output.print(`${file} (${formatSize(Number(size))})`)
    }
  })
