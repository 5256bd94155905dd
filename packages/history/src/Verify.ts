/**
 * Reads a finished export and compares it with its manifest.
 *
 * @since 0.1.0
 */
import * as sha256 from "#sha256"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Checkpoint from "./Checkpoint.js"
import * as Dataset from "./Dataset.js"
import * as Datasets from "./Datasets.js"
import * as FolderStore from "./internal/FolderStore.js"
import type { Format } from "./internal/format.js"
import * as Formats from "./internal/formats.js"
import * as Manifest from "./Manifest.js"

const iso = (at: number): string => new Date(at).toISOString()

/**
 * A file of the manifest is missing.
 *
 * @since 0.1.0
 * @category findings
 */
export class MissingFile extends Data.TaggedClass("MissingFile")<{ readonly file: string }> {
  get message(): string {
    return `${this.file} is not there`
  }
}

/**
 * A file ends too early.
 *
 * @since 0.1.0
 * @category findings
 */
export class TruncatedFile extends Data.TaggedClass("TruncatedFile")<{
  readonly file: string
  readonly bytes: number
  readonly expected: number
}> {
  get message(): string {
    return `${this.file} ends after ${this.bytes} of ${this.expected} bytes`
  }
}

/**
 * A file has all its rows, as far as they can be identified, and differs from what was written. `because`: what could not be read, if
 * anything.
 *
 * @since 0.1.0
 * @category findings
 */
export class ChangedFile extends Data.TaggedClass("ChangedFile")<{
  readonly file: string
  readonly because: string | undefined
}> {
  get message(): string {
    return `${this.file} was changed after it was written${this.because === undefined ? "" : `: ${this.because}`}`
  }
}

/**
 * Rows of a window are missing.
 *
 * @since 0.1.0
 * @category findings
 */
export class RemovedRows extends Data.TaggedClass("RemovedRows")<{
  readonly file: string
  readonly from: number
  readonly to: number
  readonly rows: number
  readonly expected: number
}> {
  get message(): string {
    return `${this.file} has ${this.rows} of ${this.expected} rows from ${iso(this.from)} to ${iso(this.to)}`
  }
}

/**
 * Rows of a window have other contents than they were written with.
 *
 * @since 0.1.0
 * @category findings
 */
export class ChangedRows extends Data.TaggedClass("ChangedRows")<{
  readonly file: string
  readonly from: number
  readonly to: number
}> {
  get message(): string {
    return `${this.file} was changed after it was written: rows from ${iso(this.from)} to ${iso(this.to)} say something else`
  }
}

/**
 * There are rows that no export wrote.
 *
 * @since 0.1.0
 * @category findings
 */
export class AddedRows extends Data.TaggedClass("AddedRows")<{
  readonly file: string
  readonly rows: number
  readonly expected: number
}> {
  get message(): string {
    return `${this.file} has ${this.rows} rows where ${this.expected} were written`
  }
}

/**
 * A row is there more often than it was written.
 *
 * @since 0.1.0
 * @category findings
 */
export class DuplicatedRow extends Data.TaggedClass("DuplicatedRow")<{
  readonly file: string
  readonly key: string
}> {
  get message(): string {
    return `${this.file} has the row ${this.key.slice(0, 120)} more than once`
  }
}

/**
 * A window is gone: from the file, all rows of it, or from the manifest.
 *
 * @since 0.1.0
 * @category findings
 */
export class MissingWindow extends Data.TaggedClass("MissingWindow")<{
  readonly where: string
  readonly from: number
  readonly to: number
}> {
  get message(): string {
    return `${this.where} lacks the window from ${iso(this.from)} to ${iso(this.to)}`
  }
}

/**
 * The manifest contradicts itself: it was changed.
 *
 * @since 0.1.0
 * @category findings
 */
export class ChangedManifest extends Data.TaggedClass("ChangedManifest")<{ readonly because: string }> {
  get message(): string {
    return `${Manifest.fileName} was changed after it was written: ${this.because}`
  }
}

/**
 * A difference between an export and what was written.
 *
 * @since 0.1.0
 * @category models
 */
export type Finding =
  | MissingFile
  | TruncatedFile
  | ChangedFile
  | RemovedRows
  | ChangedRows
  | AddedRows
  | DuplicatedRow
  | MissingWindow
  | ChangedManifest

/**
 * @since 0.1.0
 * @category models
 */
export interface Report {
  /** Its verdict says whether the export was complete when it was written. */
  readonly manifest: Manifest.Manifest
  /** Empty where everything is as it was written. */
  readonly findings: ReadonlyArray<Finding>
}

/**
 * There is no finished export there, or its files cannot be read at all. `begun` is the plan of one that was begun there and not
 * finished: the same call resumes it.
 *
 * @since 0.1.0
 * @category failures
 */
export class NotAnExport extends Schema.TaggedError<NotAnExport>()("NotAnExport", {
  location: Schema.String,
  detail: Schema.String,
  begun: Schema.optionalWith(Checkpoint.Plan, { exact: true })
}) {
  override get message(): string {
    return `${this.location}: ${this.detail}`
  }
}

/**
 * The message about an export that was begun and not finished.
 *
 * @since 0.1.0
 * @category constructors
 */
export const unfinished = (location: string, { parts, plan }: Checkpoint.Checkpoint): NotAnExport => {
  const windows = parts.reduce((sum, part) => sum + part.windows.length, 0)
  const rows = parts.reduce((sum, part) => sum + part.windows.reduce((all, window) => all + window.rows, 0), 0)
  return new NotAnExport({
    location,
    begun: plan,
    detail: `the export from ${iso(plan.from)} to ${iso(plan.to)} was begun here and is not finished, it has ${rows} rows of ${windows} windows so far: the same call resumes it`
  })
}

/** Rows of a file, counted. */
interface Counted {
  readonly rows: number
  readonly perWindow: ReadonlyArray<number>
  readonly twice: ReadonlyArray<string>
  /** The instant of the last row. */
  readonly last: number | undefined
  readonly problem: string | undefined
}

const shownDuplicates = 10

const count = (
  file: string,
  format: Format,
  dataset: Dataset.Dataset<never, unknown>,
  windows: ReadonlyArray<Manifest.Window>
): Effect.Effect<Counted, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const perWindow = windows.map(() => 0)
    const seen = new Set<string>()
    const twice: Array<string> = []
    let rows = 0
    let last: number | undefined
    const ended = yield* Effect.either(
      Stream.runForEach(format.rows(file, dataset), (row) =>
        Effect.sync(() => {
          rows++
          const key = Dataset.key(dataset, row)
          if (seen.has(key)) twice.push(Dataset.id(dataset, row) ?? key)
          seen.add(key)
          last = Dataset.instant(dataset, row)
          const at = last
          const index = at === undefined ? 0 : windows.findIndex(({ from, to }) => at >= from && at < to)
          const before = perWindow[index]
          if (before !== undefined) perWindow[index] = before + 1
        })
      ).pipe(Effect.catchAllDefect((defect) => Effect.fail(defect)))
    )
    const problem = Either.isLeft(ended)
      ? `row ${rows + 1} cannot be read (${ended.left instanceof Error ? ended.left.message : "it is damaged"})`
      : undefined
    return { rows, perWindow, twice, last, problem }
  })

/** The finding about a file whose checksum differs. */
const judge = (
  file: Manifest.File,
  bytes: number,
  dataset: Dataset.Dataset<never, unknown>,
  windows: ReadonlyArray<Manifest.Window>,
  { last, perWindow, problem, rows, twice }: Counted
): ReadonlyArray<Finding> => {
  const { name } = file
  const truncated = new TruncatedFile({ file: name, bytes, expected: file.bytes })
  if (problem !== undefined) {
    return bytes < file.bytes ? [truncated] : [new ChangedFile({ file: name, because: problem })]
  }
  const ends = windows.reduce<number | null>((latest, window) => window.last ?? latest, null)
  const isShort = rows < file.rows
  const firstShort = windows.findIndex((window, index) => (perWindow[index] ?? 0) < window.rows)
  const isPrefix = perWindow.slice(firstShort + 1).every((found) => found === 0)
  if (isShort && isPrefix && (rows === 0 || (ends !== null && last !== ends))) return [truncated]
  const more = dataset.key === "content" ? rows > file.rows : true
  const duplicated = more
    ? [...new Set(twice)].slice(0, shownDuplicates).map((key) => new DuplicatedRow({ file: name, key }))
    : []
  if (rows === file.rows && duplicated.length === 0) return [new ChangedFile({ file: name, because: undefined })]
  const short = windows.flatMap((window, index): ReadonlyArray<Finding> => {
    const found = perWindow[index] ?? 0
    if (found >= window.rows) return []
    return found === 0
      ? [new MissingWindow({ where: name, from: window.from, to: window.to })]
      : [new RemovedRows({ file: name, from: window.from, to: window.to, rows: found, expected: window.rows })]
  })
  const findings = [...duplicated, ...short]
  return findings.length === 0
    ? [new ChangedFile({ file: name, because: `it has ${rows} rows, not ${file.rows}` })]
    : findings
}

/**
 * The contradictions of a part of a manifest: stretches of the range that no window covers, sums that do not add up.
 *
 * @since 0.1.0
 * @category running
 */
export const contradictions = (manifest: Manifest.Manifest, part: Manifest.Part): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  let reached = manifest.from
  for (const { from, to } of part.windows) {
    if (from > reached)
      findings.push(new MissingWindow({ where: `${Manifest.fileName}, ${part.name},`, from: reached, to: from }))
    reached = Math.max(reached, to)
  }
  if (reached < manifest.to) {
    findings.push(new MissingWindow({ where: `${Manifest.fileName}, ${part.name},`, from: reached, to: manifest.to }))
  }
  if (findings.length > 0) return findings
  const sum = (all: ReadonlyArray<{ readonly rows: number }>) => all.reduce((total, { rows }) => total + rows, 0)
  if (sum(part.windows) !== part.rows || sum(part.files) !== part.rows) {
    return [new ChangedManifest({ because: `the rows of ${part.name} do not add up to ${part.rows}` })]
  }
  const isComplete = part.windows.every(({ missing }) => missing.length === 0)
  return isComplete === (part.verdict === "complete")
    ? []
    : [new ChangedManifest({ because: `the verdict on ${part.name} is not that of its windows` })]
}

/**
 * Compares a folder with its manifest. `datasets`: custom datasets beside the library's own.
 *
 * @since 0.1.0
 * @category running
 */
export const verify = (
  location: string,
  options: { readonly datasets?: ReadonlyArray<Dataset.Dataset<never, unknown>> | undefined } = {}
): Effect.Effect<Report, NotAnExport, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const refuse = (detail: string) => new NotAnExport({ location, detail })
    const text = yield* Effect.catchAll(fs.readFileString(path.join(location, Manifest.fileName)), () =>
      Effect.flatMap(FolderStore.begun(location), (checkpoint) =>
        Option.isSome(checkpoint)
          ? unfinished(location, checkpoint.value)
          : refuse(`there is no ${Manifest.fileName}: the export was not finished, or it is elsewhere`)
      )
    )
    const manifest = yield* Effect.mapError(Manifest.decode(text), () => refuse(`${Manifest.fileName} cannot be read`))
    const format = Formats.all.find(({ name }) => name === manifest.format)
    if (format === undefined) return yield* refuse(`its format ${manifest.format} is not known`)
    const datasets: ReadonlyArray<Dataset.Dataset<never, unknown>> = [...Datasets.datasets, ...(options.datasets ?? [])]

    const findings: Array<Finding> = []
    for (const part of manifest.parts) {
      findings.push(...contradictions(manifest, part))
      let done = 0
      for (const file of [...part.files, ...part.rejected]) {
        const windows = part.windows.slice(done, done + file.windows)
        done += file.windows
        const at = path.join(location, file.name)
        const hash = sha256.begin()
        let bytes = 0
        const read = Stream.runForEach(fs.stream(at), (chunk) =>
          Effect.sync(() => {
            hash.update(chunk)
            bytes += chunk.length
          })
        )
        if (Either.isLeft(yield* Effect.either(read))) {
          findings.push(new MissingFile({ file: file.name }))
          continue
        }
        if (hash.hex() === file.sha256) continue
        const dataset = datasets.find(({ name }) => name === part.dataset)
        if (part.rejected.includes(file) || dataset === undefined) {
          findings.push(
            bytes < file.bytes
              ? new TruncatedFile({ file: file.name, bytes, expected: file.bytes })
              : new ChangedFile({ file: file.name, because: undefined })
          )
          continue
        }
        findings.push(...judge(file, bytes, dataset, windows, yield* count(at, format, dataset, windows)))
      }
    }
    return { manifest, findings }
  })
