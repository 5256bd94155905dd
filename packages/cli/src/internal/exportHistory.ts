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
import { count, counted, day, instant, size } from "./text.js"
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

const summary = (manifest: Manifest.Manifest, bytes: number): string => {
  const { first, from, last, location, pages, rows, to, windows } = manifest
  const empty = windows.filter((window) => window.rows === 0).length
  return [
    `rows      ${count(rows)}${manifest.duplicates === 0 ? "" : ` (${counted(manifest.duplicates, "duplicate")} left out)`}`,
    `period    ${instant(from)} to ${instant(to)} UTC (${days(from, to)})`,
    ...Option.match(Option.all([first, last]), {
      onNone: () => [],
      onSome: ([one, other]) => [`first     ${instant(one)} UTC`, `last      ${instant(other)} UTC`]
    }),
    `windows   ${count(windows.length)}, each read to its last page${empty === 0 ? "" : ` (${count(empty)} without rows)`}`,
    `pages     ${count(pages)}`,
    `file      ${location} (${size(bytes)})`
  ].join("\n")
}

/** Exports, says what was read, and checks it against the sandbox where it came from one. */
export const exportHistory = ({
  dataset,
  out,
  source,
  ...query
}: Query & { readonly source: Source; readonly dataset: Exportable; readonly out: string }) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const parts = [dataset.name, query.category, query.symbol, day(query.from), day(query.to)]
    const file = path.join(out, `${parts.filter((part) => part !== undefined).join("-")}.ndjson`)
    const reporter = yield* progress.make
    const manifest = yield* dataset
      .run(query, file, { onProgress: reporter.report })
      .pipe(Effect.ensuring(reporter.done), Effect.provide(source.layer))
    const { size: bytes } = yield* fs.stat(file)
    yield* Console.log(`\n${summary(manifest, Number(bytes))}`)
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
