/** Reads a finished export and compares it with its manifest. */
import * as Trace from "@effect-venue/transport/siblings/Trace"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as FileErrors from "../platform/FileErrors.js"
import * as Checkpoint from "../model/Checkpoint.js"
import type * as Dataset from "../model/Dataset.js"
import * as Rows from "../formats/Rows.js"
import * as PartRows from "../files/partRows.js"
import * as Reissued from "../store/reissued.js"
import * as FindDataset from "../requests/findDataset.js"
import { digestOf } from "../files/fileDigest.js"
import * as FolderSession from "../store/folderSession.js"
import type { Format } from "../formats/format.js"
import * as Formats from "../formats/formats.js"
import * as Views from "../formats/views.js"
import * as Manifest from "../model/Manifest.js"
import * as SeenIds from "../model/seenIds.js"
import { decodeWritten } from "../files/folderFiles.js"

const iso = (at: number): string => new Date(at).toISOString()

/**
 * A file of the manifest is missing.
 *
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
 * A file has all its rows, as far as they can be identified, and its bytes were changed. `because` names the unreadable part, if any.
 *
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
 * Rows that no export wrote.
 *
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
 * @category findings
 */
export class ChangedManifest extends Data.TaggedClass("ChangedManifest")<{ readonly because: string }> {
  get message(): string {
    return `${Manifest.fileName} was changed after it was written: ${this.because}`
  }
}

/**
 * A row whose id another row has, with other contents or at another instant. It was so when the export was written: its window is incomplete.
 *
 * @category findings
 */
export class ConflictingRow extends Data.TaggedClass("ConflictingRow")<{
  readonly part: string
  readonly id: string
  readonly at: number | null
}> {
  get message(): string {
    const at = this.at === null ? "" : ` at ${iso(this.at)}`
    return `${this.part} has another row with the id ${this.id.slice(0, 120)}${at}, with other contents or at another instant`
  }
}

/** A change of an export since it was written, or a row that conflicts with another one. */
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
  | ConflictingRow

/** Whether a finding is a change of an export since it was written. */
export const isDifference = ({ _tag }: Finding): boolean => _tag !== "ConflictingRow"

export interface Report {
  /** Its verdict is whether the export was complete when it was written. */
  readonly manifest: Manifest.Manifest
  /** Empty if everything is as it was written, and no rows conflict. */
  readonly findings: ReadonlyArray<Finding>
}

/** The location has no finished export, or its files are unreadable. `begun` is the plan of an unfinished export: the same call resumes it. */
export class NotAnExport extends Schema.TaggedError<NotAnExport>()("NotAnExport", {
  location: Schema.String,
  detail: Schema.String,
  begun: Schema.optionalWith(Checkpoint.Plan, { exact: true })
}) {
  override get message(): string {
    return `${this.location}: ${this.detail}`
  }
}

/** The message about an export that was begun and not finished. */
export const unfinished = (location: string, { parts, plan }: Checkpoint.Checkpoint): NotAnExport => {
  const windows = parts.reduce((sum, part) => sum + part.windows.length, 0)
  const rows = parts.reduce((sum, part) => sum + part.windows.reduce((all, window) => all + window.rows, 0), 0)
  return new NotAnExport({
    location,
    begun: plan,
    detail: `the export from ${iso(plan.from)} to ${iso(plan.to)} was started here and is unfinished, with ${rows} rows of ${windows} windows so far: the same call resumes it`
  })
}

/** Rows of a file, counted. */
interface Counted {
  readonly rows: number
  readonly perWindow: ReadonlyArray<number>
  /** The ids of repeated rows, those that are shown. */
  readonly twice: ReadonlySet<string>
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
    const seen = SeenIds.make(Number.POSITIVE_INFINITY)
    const twice = new Set<string>()
    let rows = 0
    let last: number | undefined
    const ended = yield* Effect.either(
      Stream.runForEach(format.rows(file, dataset), (row) =>
        Effect.sync(() => {
          rows++
          const key = Rows.key(dataset, row)
          if (seen.add(key) && twice.size < shownDuplicates) twice.add(Rows.id(dataset, row) ?? key)
          last = Rows.instant(dataset, row)
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
  const duplicated = more ? Array.from(twice, (key) => new DuplicatedRow({ file: name, key })) : []
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

/** Stretches of the range that no window of a part covers. */
const gaps = (manifest: Manifest.Manifest, part: Manifest.Part): ReadonlyArray<Finding> => {
  const where = `${Manifest.fileName}, ${part.name},`
  const findings: Array<Finding> = []
  let reached = manifest.from
  for (const { from, to } of part.windows) {
    if (from > reached) findings.push(new MissingWindow({ where, from: reached, to: from }))
    reached = Math.max(reached, to)
  }
  if (reached < manifest.to) findings.push(new MissingWindow({ where, from: reached, to: manifest.to }))
  return findings
}

/** The fields of a part, and of a whole manifest, that follow from the rest. */
const derivedOfPart = ["verdict", "rows", "pages", "duplicates", "first", "last"] as const
const derivedOfAll = ["verdict", "rows", "missing"] as const

const differing = <Name extends string>(
  names: ReadonlyArray<Name>,
  left: Readonly<Record<Name, unknown>>,
  right: Readonly<Record<Name, unknown>>
): ReadonlyArray<Name> => names.filter((name) => JSON.stringify(left[name]) !== JSON.stringify(right[name]))

const contradictionsOf = (manifest: Manifest.Manifest, part: Manifest.Part): ReadonlyArray<Finding> => {
  const missing = gaps(manifest, part)
  if (missing.length > 0) return missing
  const inFiles = part.files.reduce((total, { rows }) => total + rows, 0)
  return [
    ...differing(derivedOfPart, part, Manifest.part(part, part.windows, part)).map(
      (name) => new ChangedManifest({ because: `${name} of ${part.name} does not follow from its windows` })
    ),
    ...(inFiles === part.rows
      ? []
      : [new ChangedManifest({ because: `the rows of the files of ${part.name} do not add up to ${part.rows}` })])
  ]
}

/**
 * The findings about a manifest itself, from its text: a wrong digest, stretches of the range that no window covers, fields that do not
 * follow from the others, and conflicting rows.
 *
 * @category running
 */
export const inspect = (manifest: Manifest.Manifest, text: string): ReadonlyArray<Finding> => {
  const { format, from, parts, run, to } = manifest
  return [
    ...Either.match(decodeWritten(text), {
      onLeft: () => [new ChangedManifest({ because: "its digest is not that of its text" })],
      onRight: () => []
    }),
    ...differing(derivedOfAll, manifest, Manifest.make({ from, to }, format, parts, run)).map(
      (name) => new ChangedManifest({ because: `${name} does not follow from its parts` })
    ),
    ...parts.flatMap((part) => contradictionsOf(manifest, part)),
    ...parts.flatMap(({ name, windows }) =>
      windows.flatMap(({ conflicts }) => conflicts.map((conflict) => new ConflictingRow({ part: name, ...conflict })))
    )
  ]
}

/** A file of a part with its path. */
interface Audited {
  readonly file: Manifest.File
  readonly location: string
  readonly format: Format
  /** None of a file of rejected rows. */
  readonly dataset: Dataset.Dataset<never, unknown> | undefined
  readonly windows: ReadonlyArray<Manifest.Window>
}

/** Compares a file with the manifest. Only a file that differs is read, and only by a reader that tolerates damage. */
const auditFile = ({ dataset, file, format, location, windows }: Audited) =>
  Effect.gen(function* () {
    const found = yield* Effect.option(digestOf(location))
    if (Option.isNone(found)) return [new MissingFile({ file: file.name })]
    const { bytes, sha256 } = found.value
    if (sha256 === file.sha256 && bytes === file.bytes) return []
    if (dataset !== undefined && format.toleratesDamage) {
      return judge(file, bytes, dataset, windows, yield* count(location, format, dataset, windows))
    }
    return bytes < file.bytes
      ? [new TruncatedFile({ file: file.name, bytes, expected: file.bytes })]
      : [new ChangedFile({ file: file.name, because: undefined })]
  })

/** The rows of all files of a part whose id an earlier row has at another instant, without those that the manifest lists. */
const auditIds = (
  location: string,
  manifest: Manifest.Manifest,
  part: Manifest.Part,
  options: { readonly datasets?: ReadonlyArray<Dataset.Dataset<never, unknown>> | undefined }
): Effect.Effect<ReadonlyArray<Finding>, never, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const dataset = FindDataset.find(part.dataset, options)
    if (dataset === undefined) return []
    const listed = new Set(part.windows.flatMap(({ conflicts }) => conflicts.map(({ id }) => id)))
    const conflicts = yield* Reissued.findWithin(dataset, PartRows.rows(location, manifest, part, options)).pipe(
      // Damage has findings of its own.
      Effect.orElseSucceed((): ReadonlyArray<Manifest.Conflict> => [])
    )
    return conflicts
      .filter(({ id }) => !listed.has(id))
      .map((conflict) => new ConflictingRow({ part: part.name, ...conflict }))
  })

/** Compares the views with those that follow from the manifest. */
const auditViews = (file: string, format: Format, manifest: Manifest.Manifest) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const bytes = yield* Effect.option(fs.readFile(file))
    if (Option.isNone(bytes)) return [new MissingFile({ file: Views.fileName })]
    const expected = new TextEncoder().encode(Views.make(format, manifest))
    const isWritten =
      bytes.value.length === expected.length && bytes.value.every((byte, index) => byte === expected[index])
    return isWritten ? [] : [new ChangedFile({ file: Views.fileName, because: undefined })]
  })

const verifyFolder = (
  location: string,
  options: { readonly datasets?: ReadonlyArray<Dataset.Dataset<never, unknown>> | undefined } = {}
): Effect.Effect<Report, NotAnExport, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const refuse = (detail: string) => new NotAnExport({ location, detail })
    const text = yield* Effect.catchAll(fs.readFileString(path.join(location, Manifest.fileName)), (error) =>
      FileErrors.isDenied(error)
        ? Effect.flatMap(FileErrors.explain({ fs, path }, error), refuse)
        : Effect.flatMap(FolderSession.begun(location), (checkpoint) =>
            Option.isSome(checkpoint)
              ? unfinished(location, checkpoint.value)
              : refuse(`there is no ${Manifest.fileName}: the export is unfinished, or in another place`)
          )
    )
    const manifest = yield* Effect.mapError(Manifest.decode(text), () =>
      refuse(`${Manifest.fileName} cannot be read: it is damaged, or of another version`)
    )
    const format = Formats.all.find(({ name }) => name === manifest.format)
    if (format === undefined) return yield* refuse(`its format ${manifest.format} is unknown: it is of a later version`)

    const findings: Array<Finding> = [
      ...inspect(manifest, text),
      ...(yield* auditViews(path.join(location, Views.fileName), format, manifest))
    ]
    for (const part of manifest.parts) {
      const dataset = FindDataset.find(part.dataset, options)
      findings.push(...(yield* auditIds(location, manifest, part, options)))
      let done = 0
      for (const file of [...part.files, ...part.rejected]) {
        const windows = part.windows.slice(done, done + file.windows)
        done += file.windows
        const audited = part.rejected.includes(file) ? undefined : dataset
        const at = path.join(location, file.name)
        findings.push(...(yield* auditFile({ file, format, windows, dataset: audited, location: at })))
      }
    }
    return { manifest, findings }
  })

/**
 * Compares a folder with its manifest: its files, and `views.sql` with the views that follow from it. A changed Parquet file is not opened, so its rows are not compared. `datasets` are custom datasets, in
 * addition to those of the library.
 *
 * @category running
 */
export const verify = Trace.named("Verify.verify", verifyFolder)
