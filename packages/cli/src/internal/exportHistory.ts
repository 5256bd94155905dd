import type * as Manifest from "@effect-venue/history/Manifest"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { Exportable, Query } from "./datasets.js"
import * as progress from "./progress.js"
import { count, counted, instant, size } from "./text.js"
import type { Source } from "./venue.js"

/** The file does not hold what the sandbox holds. */
export class Disagreement extends Data.TaggedError("Disagreement")<{ readonly message: string }> {}

interface FileContent {
  readonly rows: number
  readonly distinct: number
}

/** Reads the finished file back, so that what is compared is what is on disk. */
const contentOf = (file: string, id: string | undefined) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const ids = new Set<string>()
    const rows = yield* fs.stream(file).pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.runFold(0, (rows, line) => {
        const row: unknown = JSON.parse(line)
        ids.add(id === undefined ? line : String(Object.getOwnPropertyDescriptor(row, id)?.value))
        return rows + 1
      })
    )
    return { rows, distinct: ids.size } satisfies FileContent
  })

const days = (from: number, to: number): string => counted(Math.round((to - from) / 86_400_000), "day")

/** The export ended, and may lack something. */
export class Incomplete extends Data.TaggedError("Incomplete")<{ readonly message: string }> {}

const summary = (manifest: Manifest.Manifest, location: string, bytes: number): string => {
  const { from, missing, parts, rows, to } = manifest
  const windows = parts.flatMap((part) => part.windows)
  const sum = (of: (part: Manifest.Part) => number) => parts.reduce((total, part) => total + of(part), 0)
  const duplicates = sum((part) => part.duplicates)
  const instants = parts.flatMap((part) => [part.first, part.last]).filter((at) => at !== null)
  const empty = windows.filter((window) => window.rows === 0).length
  return [
    `rows      ${count(rows)}${duplicates === 0 ? "" : ` (${counted(duplicates, "duplicate")} left out)`}`,
    `period    ${instant(from)} to ${instant(to)} UTC (${days(from, to)})`,
    ...(instants.length === 0
      ? []
      : [`first     ${instant(Math.min(...instants))} UTC`, `last      ${instant(Math.max(...instants))} UTC`]),
    `windows   ${count(windows.length)}, each read to its last page${empty === 0 ? "" : ` (${count(empty)} without rows)`}`,
    `pages     ${count(sum((part) => part.pages))}`,
    `file      ${location} (${size(bytes)})`,
    ...missing.map(({ because, from, to }) => `missing   ${instant(from)} to ${instant(to)} UTC: ${because}`)
  ].join("\n")
}

/** Exports, says what was read, and checks it against the sandbox where it came from one. */
export const exportHistory = ({
  afresh,
  dataset,
  out,
  source,
  ...query
}: Query & {
  readonly source: Source
  readonly dataset: Exportable
  readonly out: string
  /** Takes the place of what is there. */
  readonly afresh: boolean
}) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const reporter = yield* progress.make
    const manifest = yield* dataset
      .run(query, out, { afresh, onProgress: reporter.report })
      .pipe(Effect.ensuring(reporter.done), Effect.provide(source.layer))
    const file = path.join(out, manifest.parts[0]?.files[0]?.name ?? "")
    const { size: bytes } = yield* fs.stat(file)
    yield* Console.log(`\n${summary(manifest, file, Number(bytes))}`)
    if (manifest.verdict === "incomplete") {
      return yield* new Incomplete({
        message: `the export may lack rows: see the lines above, or ${path.join(out, "manifest.json")}`
      })
    }
    const held = yield* source.holds(dataset.name, query)
    if (Option.isNone(held)) return
    const content = yield* contentOf(file, dataset.id)
    const agrees = content.rows === held.value && content.distinct === held.value && manifest.rows === held.value
    if (!agrees) {
      return yield* new Disagreement({
        message: `the sandbox holds ${counted(held.value, "row")} in this period, the file ${count(content.rows)}, ${count(content.distinct)} of them distinct`
      })
    }
    yield* Console.log(
      `check     the sandbox holds ${counted(held.value, "row")} in this period: the file has each of them once`
    )
  })
