import * as Books from "@effect-venue/books/siblings/BookParts"
import * as Figures from "@effect-venue/books/Figures"
import * as Manifest from "@effect-venue/history/Manifest"
import type * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import { countNoun, formatInstant } from "@effect-venue/schemas/siblings/Words"
import type * as PlatformError from "@effect/platform/Error"
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { createHash } from "node:crypto"
import type * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { unsettledLines } from "../export/unsettledLines.js"
import { Refusal } from "../run/failures.js"
import type { Exported } from "../export/exported.js"
import * as coverage from "./coverage.js"
import * as Months from "../options/months.js"
import * as Period from "./period.js"
import * as Tally from "./tally.js"
import * as trust from "./trust.js"
import * as Volumes from "./volumes.js"

/** Why a dataset is not drawn. `isAbsent`: the export was made without it. */
export interface Undrawn {
  readonly isAbsent: boolean
  readonly because: string
}

/** The chart of a dataset, or the reason for its absence. */
export interface Of<A> {
  readonly title: string
  readonly outcome: Either.Either<A, Undrawn>
  readonly notes: ReadonlyArray<string>
  /** A file of the part was changed. */
  readonly isChanged: boolean
}

export interface Covered {
  readonly part: Manifest.Part
  readonly stretches: ReadonlyArray<coverage.Stretch>
}

/** The content of a report. */
export interface Report {
  /** The location of the export, for people. */
  readonly location: string
  readonly manifest: Manifest.Manifest
  readonly period: Period.Period
  /** SHA-256 of the manifest, lowercase hex. */
  readonly digest: string
  /** The changes of files, in words. */
  readonly findings: ReadonlyArray<string>
  /** The names of the parts with changed files. */
  readonly changed: ReadonlySet<string>
  readonly covered: ReadonlyArray<Covered>
  readonly executed: ReadonlyArray<Of<Tally.Executed>>
  /** The name of the only month or year whose rows are summed up; undefined if all rows are. */
  readonly span: string | undefined
  readonly zone: string
  readonly figures: Figures.Figures
  /** Results of months with their volume. */
  readonly months: Volumes.Months
  /** What is doubtful, each once. */
  readonly notes: ReadonlyArray<string>
}

const executed = [
  ["executions", "Executions"],
  ["pre-upgrade-executions", "Executions from before the unified account"]
] as const

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** The part of the range of an export that lies in a span; refused if none does. */
const rangeOf = (
  { location }: Exported,
  { from, to }: Pick<Manifest.Manifest, "from" | "to">,
  span: Months.Month | undefined
): Either.Either<Pick<Manifest.Manifest, "from" | "to">, Refusal> => {
  if (span === undefined) return Either.right({ from, to })
  const range = { from: Math.max(from, span.from), to: Math.min(to, span.to) }
  return range.from < range.to
    ? Either.right(range)
    : Either.left(
        new Refusal({
          message: `${location}: the export has no rows of ${span.name}: it is of ${formatInstant(from)} to ${formatInstant(to)} UTC`
        })
      )
}

/** Which rows are summed up, and how. */
export interface Options {
  /** The time zone of months. Defaults to UTC. */
  readonly zone?: DateTime.TimeZone | undefined
  /** The only month or year whose rows are summed up. Defaults to all rows. */
  readonly span?: Months.Month | undefined
  /** The coins of symbols that the service does not list. */
  readonly symbols?: ReadonlyArray<Books.SymbolEntry> | undefined
}

type Unread = NonNullable<Figures.Options["unread"]>[number]

/** The kinds of changes that the rows of a dataset make. */
const kindsOf: Readonly<Record<string, ReadonlyArray<Books.Kind>>> = {
  executions: ["fee", "funding"],
  "closed-pnl": ["realisedPnl"],
  "bonus-usage": ["bonus"]
}

const unreadOf = (dataset: string, because: string): ReadonlyArray<Unread> => {
  const kinds = kindsOf[dataset.replace("pre-upgrade-", "")]
  return kinds === undefined ? [] : [{ kinds, because }]
}

/** The datasets that an export has of one category and lacks of another one. */
const findAbsent = ({ parts }: Manifest.Manifest): ReadonlyArray<Unread> => {
  const has = (dataset: string, category: string) =>
    parts.some((part) => part.dataset === dataset && part.parameters.category === category)
  return ["linear", "inverse"].flatMap((category) => {
    const [fills, closed] = [has("executions", category), has("closed-pnl", category)]
    if (fills === closed) return []
    const dataset = fills ? "closed-pnl" : "executions"
    return unreadOf(dataset, `${dataset} of ${category} are not in this export`)
  })
}

/** Ranges of a period that can lack rows, by part. */
const findGaps = (
  { missing, parts }: Manifest.Manifest,
  { from, to }: Pick<Manifest.Manifest, "from" | "to">
): ReadonlyArray<Unread> =>
  parts.flatMap(({ dataset, name }) => {
    const gaps = missing.filter((gap) => gap.part === name && gap.from < to && gap.to > from)
    return gaps.length === 0 ? [] : unreadOf(dataset, `${name}: ${countNoun(gaps.length, "range")} that may lack rows`)
  })

/** Rows in conflict, by part: which of them counts is not known. */
const findConflicts = ({ parts }: Manifest.Manifest): ReadonlyArray<Unread> =>
  parts.flatMap(({ dataset, name, windows }) => {
    const rows = Manifest.conflictsOf(windows)
    return rows === 0
      ? []
      : unreadOf(dataset, `${name}: ${countNoun(rows, "row")} with the id of another row, of which one may be wrong`)
  })

/** Reads the rows of an export for its log. What cannot be read to its end is named, and every sum lacks it. */
const readRows = (exported: Exported, manifest: Manifest.Manifest, add: (part: Manifest.Part, row: Row) => void) => {
  const failed: Array<{ readonly dataset: string; readonly message: string }> = []
  return {
    failed,
    source: {
      manifest,
      rows: (part: Manifest.Part) =>
        exported.rows(manifest, part).pipe(
          Stream.mapChunks((rows) => {
            for (const row of rows) add(part, row)
            return rows
          }),
          Stream.catchAll(({ message }) => {
            failed.push({ dataset: part.dataset, message })
            return Stream.empty
          })
        )
    }
  }
}

type Row = Parameters<Tally.Tally<unknown>["add"]>[1]

/** Charts of executions, while the rows are read. */
const drawExecutions = (
  manifest: Manifest.Manifest,
  changed: ReadonlySet<string>,
  coins: Books.Coins,
  monthOf: (at: number) => string
) => {
  const volumes = Volumes.tally(coins, monthOf)
  const tallies = new Map<string, Tally.Tally<Tally.Executed>>(
    executed.map(([dataset]) => [dataset, Tally.executed(coins)])
  )
  return {
    volumes,
    add: (part: Manifest.Part, row: Row) => {
      const tally = tallies.get(part.dataset)
      if (tally === undefined) return
      tally.add(part.parameters.category ?? "", row)
      volumes.add(part, row)
    },
    result: (failed: ReadonlyArray<{ readonly dataset: string; readonly message: string }>) =>
      executed.map(([dataset, title]): Of<Tally.Executed> => {
        const { counted, repeated } = Books.chosen(manifest, dataset)
        const notes = repeated.map(({ name }) => `${name} is not drawn: its rows are in another part too`)
        const isChanged = counted.some(({ name }) => changed.has(name))
        const failure = failed.find((one) => one.dataset === dataset)
        const result = tallies.get(dataset)?.result()
        if (counted.length === 0 || result === undefined) {
          const outcome = Either.left({ isAbsent: true, because: `this export has no ${dataset}` })
          return { title, notes, isChanged, outcome }
        }
        return failure === undefined
          ? { title, isChanged, notes: [...notes, ...result.notes], outcome: Either.right(result) }
          : { title, notes, isChanged, outcome: Either.left({ isAbsent: false, because: failure.message }) }
      })
  }
}

const notesOf = (
  { parts }: Manifest.Manifest,
  log: Books.Log<unknown>,
  { belowZero }: Figures.Figures
): ReadonlyArray<string> => [
  ...new Set([
    ...unsettledLines(parts.filter(({ dataset }) => Books.datasets.includes(dataset))),
    ...log.notes,
    ...log.accounts.flatMap(({ name, notes }) => notes.map((note) => (name === null ? note : `${name}: ${note}`))),
    ...belowZero.map(Figures.describeBelowZero)
  ])
]

/** Reads a finished export, and compares it with its manifest, in constant memory. */
export const read = (
  exported: Exported,
  { span, symbols = [], zone = Months.utc }: Options = {}
): Effect.Effect<
  Report,
  Verify.NotAnExport | ExportFailure.SinkFailure | PlatformError.PlatformError | Refusal,
  FileSystem.FileSystem | Path.Path
> =>
  Effect.gen(function* () {
    const verified = yield* exported.verify
    const { manifest } = verified
    const findings = verified.findings.filter(Verify.isDifference)
    const range = yield* rangeOf(exported, manifest, span)
    const period = Period.make(range.from, range.to)
    const changed = trust.findChangedParts(manifest, findings)
    const drawn = drawExecutions(manifest, changed, Books.makeCoins(manifest.run.listings, symbols), Months.make(zone))
    const fs = yield* FileSystem.FileSystem
    const scratch = yield* fs.makeTempDirectoryScoped()
    const buffer = yield* (yield* Sink.folderSpool(scratch)).open
    const { failed, source } = readRows(exported, manifest, (part, row) => {
      const at = span === undefined ? undefined : Books.fieldInstant(row, "execTime")
      if (at === undefined || (at >= range.from && at < range.to)) drawn.add(part, row)
    })
    const log = yield* Books.log(source, { symbols, buffer })
    const unread = [
      ...findAbsent(manifest),
      ...findGaps(manifest, range),
      ...findConflicts(manifest),
      ...failed.flatMap(({ dataset, message }) => unreadOf(dataset, message))
    ]
    const figures = yield* Figures.make(log, {
      period: range,
      isWhole: span === undefined,
      monthOf: Months.make(zone),
      stepOf: period.indexOf,
      unread
    })
    const ofExecutions = unread.flatMap(({ because, kinds }) => (kinds.includes("fee") ? [because] : []))
    return {
      location: exported.location,
      digest: sha256(yield* exported.manifestText(manifest)),
      manifest,
      period,
      findings: findings.map(({ message }) => message),
      changed,
      covered: manifest.parts.map((part) => ({ part, stretches: coverage.of(manifest, part) })),
      executed: drawn.result(failed),
      span: span?.name,
      zone: Months.nameOf(zone),
      figures,
      months: drawn.volumes.join(figures, ofExecutions),
      notes: notesOf(manifest, log, figures)
    }
  }).pipe(Effect.scoped)
