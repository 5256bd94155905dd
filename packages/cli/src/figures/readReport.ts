import * as Books from "@effect-venue/books/siblings/BookParts"
import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Verify from "@effect-venue/history/Verify"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import { instant } from "../output/text.js"
import { Refusal } from "../run/failures.js"
import type { Exported } from "../export/exported.js"
import * as coverage from "./coverage.js"
import type * as DateTime from "effect/DateTime"
import * as Monthly from "./monthly.js"
import * as Months from "../options/months.js"
import * as Period from "./period.js"
import type * as Totals from "./totals.js"
import * as Tally from "./tally.js"
import * as trust from "./trust.js"

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

/** The table of months. */
export interface MonthTable extends Totals.Summed {
  readonly zone: string
  readonly notes: ReadonlyArray<string>
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
  readonly closed: ReadonlyArray<Of<Tally.Closed>>
  readonly executed: ReadonlyArray<Of<Tally.Executed>>
  /** The only month whose rows are summed up; undefined if all rows are. */
  readonly month: string | undefined
  readonly months: MonthTable
  readonly statements: ReadonlyArray<Books.OfAccount>
}

/** A consumer of rows, called with one after the other. */
interface Consumer {
  readonly add: (part: Manifest.Part, row: Dataset.Row) => void
}

/** Reads the rows of a dataset once, for all that count them; returns why they cannot be read to their end. */
const readOnce = (
  exported: Exported,
  manifest: Manifest.Manifest,
  { counted }: Books.Chosen,
  consumers: ReadonlyArray<Consumer>
) =>
  Effect.forEach(
    counted,
    (part) =>
      Stream.runForEachChunk(exported.rows(manifest, part), (rows) =>
        Effect.sync(() => {
          for (const row of rows) for (const consumer of consumers) consumer.add(part, row)
        })
      ),
    { discard: true }
  ).pipe(Effect.either)

interface Sums<A> {
  readonly drawn: Tally.Tally<A>
  readonly monthly: Monthly.Tally
}

interface Plan<A extends { readonly notes: ReadonlyArray<string> }> {
  readonly dataset: string
  readonly title: string
  /** The field with the instant of a row. */
  readonly instant: string
  readonly sums: (period: Period.Period, monthOf: (at: number) => string) => Sums<A>
}

const planClosed = (dataset: string, title: string, instant: "createdTime" | "updatedTime"): Plan<Tally.Closed> => ({
  dataset,
  title,
  instant,
  sums: (period, monthOf) => ({ drawn: Tally.closed(period, instant), monthly: Monthly.tallyClosed(monthOf, instant) })
})

const planExecuted = (dataset: string, title: string): Plan<Tally.Executed> => ({
  dataset,
  title,
  instant: "execTime",
  sums: (period, monthOf) => ({ drawn: Tally.executed(period), monthly: Monthly.tallyExecuted(monthOf) })
})

const closed = [
  planClosed("closed-pnl", "Closed positions", "createdTime"),
  planClosed("pre-upgrade-closed-pnl", "Closed positions from before the unified account", "updatedTime")
]

const executed = [
  planExecuted("executions", "Executions"),
  planExecuted("pre-upgrade-executions", "Executions from before the unified account")
]

/** The totals of a dataset. `failed` is the reason if not all of its rows were read. */
interface Read<A> {
  readonly of: Of<A>
  readonly lines: ReadonlyArray<Monthly.Line>
  readonly notes: ReadonlyArray<string>
  readonly failed: ReadonlyArray<string>
  /** Those of its parts. */
  readonly categories: ReadonlyArray<string>
}

interface Reading {
  readonly exported: Exported
  readonly manifest: Manifest.Manifest
  readonly period: Period.Period
  readonly monthOf: (at: number) => string
  readonly month: Months.Month | undefined
  readonly changed: ReadonlySet<string>
  readonly wallets: Consumer
}

/** Hands on the rows of a month, and those whose instant cannot be read. */
const within = (month: Months.Month | undefined, field: string, consumer: Consumer): Consumer =>
  month === undefined
    ? consumer
    : {
        add: (part, row) => {
          const at = Books.fieldInstant(row, field)
          if (at === undefined || (at >= month.from && at < month.to)) consumer.add(part, row)
        }
      }

/** Adds the rows of a dataset up, while they are read. */
const tallyRows = <A extends { readonly notes: ReadonlyArray<string> }>(
  { changed, exported, manifest, month, monthOf, period, wallets }: Reading,
  { dataset, instant, sums, title }: Plan<A>
): Effect.Effect<Read<A>, never, FileSystem.FileSystem | Path.Path> => {
  const parts = Books.chosen(manifest, dataset)
  const notes = parts.repeated.map(({ name }) => `${name} is not drawn: its rows are in another part too`)
  const isChanged = parts.counted.some(({ name }) => changed.has(name))
  const leaveOut = (isAbsent: boolean, because: string): Of<A> => ({
    title,
    notes,
    isChanged,
    outcome: Either.left({ isAbsent, because })
  })
  if (parts.counted.length === 0) {
    return Effect.succeed({
      of: leaveOut(true, `this export has no ${dataset}`),
      lines: [],
      notes: [],
      failed: [],
      categories: []
    })
  }
  const categories = parts.counted.map(({ parameters }) => parameters.category ?? "")
  const { drawn, monthly } = sums(period, monthOf)
  const drawing: Consumer = { add: (part, row) => drawn.add(part.parameters.category ?? "", row) }
  const consumers = [within(month, instant, drawing), within(month, instant, monthly), wallets]
  return Effect.map(readOnce(exported, manifest, parts, consumers), (ended) => {
    // Sums of a part of the rows would look like those of all.
    if (Either.isLeft(ended)) {
      const { message } = ended.left
      return {
        of: leaveOut(false, message),
        lines: [],
        notes: [`${dataset}: ${message}`],
        failed: [message],
        categories
      }
    }
    const result = drawn.result()
    const leftOut = monthly.leftOut()
    return {
      of: { title, isChanged, notes: [...notes, ...result.notes], outcome: Either.right(result) },
      lines: monthly.lines(),
      notes: leftOut === 0 ? [] : [`${leftOut} amounts of ${dataset} are left out: there are too many lines`],
      failed: [],
      categories
    }
  })
}

/** The categories whose rows were all read. */
const wholeCategories = (read: ReadonlyArray<Read<unknown>>): ReadonlySet<string> => {
  const cut = read.filter(({ failed }) => failed.length > 0).flatMap(({ categories }) => categories)
  return new Set(read.flatMap(({ categories }) => categories).filter((category) => !cut.includes(category)))
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

/** Datasets that change a wallet and are not drawn. */
const booked = Books.datasets.filter((name) => ![...closed, ...executed].some(({ dataset }) => dataset === name))

/** The part of the range of an export that lies in a month; refused if none does. */
const rangeOf = (
  { location }: Exported,
  { from, to }: Pick<Manifest.Manifest, "from" | "to">,
  month: Months.Month | undefined
): Either.Either<Pick<Manifest.Manifest, "from" | "to">, Refusal> => {
  if (month === undefined) return Either.right({ from, to })
  const range = { from: Math.max(from, month.from), to: Math.min(to, month.to) }
  return range.from < range.to
    ? Either.right(range)
    : Either.left(
        new Refusal({
          message: `${location}: the export has no rows of ${month.name}: it is of ${instant(from)} to ${instant(to)} UTC`
        })
      )
}

/** Which rows are summed up, and how. */
export interface Options {
  /** The time zone of months. Defaults to UTC. */
  readonly zone?: DateTime.TimeZone | undefined
  /** The only month whose rows are summed up. Defaults to all rows. A month has no statement. */
  readonly month?: Months.Month | undefined
}

/** Reads a finished export, and compares it with its manifest, in constant memory. */
export const read = (
  exported: Exported,
  { month, zone = Months.utc }: Options = {}
): Effect.Effect<Report, Verify.NotAnExport | Refusal, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const verified = yield* exported.verify
    const { manifest } = verified
    const findings = verified.findings.filter(Verify.isDifference)
    const range = yield* rangeOf(exported, manifest, month)
    const period = Period.make(range.from, range.to)
    const changed = trust.findChangedParts(manifest, findings)
    const pending = month === undefined ? Books.begin(manifest) : []
    const wallets: Consumer = {
      add: (part, row) => pending.find(({ account }) => account === part.account)?.flows.add(part, row)
    }
    const reading: Reading = { exported, manifest, period, changed, wallets, month, monthOf: Months.make(zone) }
    const closedOnes = yield* Effect.forEach(closed, (plan) => tallyRows(reading, plan))
    const executedOnes = yield* Effect.forEach(executed, (plan) => tallyRows(reading, plan))
    const failures = yield* Effect.forEach(month === undefined ? booked : [], (dataset) =>
      Effect.map(readOnce(exported, manifest, Books.chosen(manifest, dataset), [wallets]), (ended) =>
        Either.isLeft(ended) ? [ended.left.message] : []
      )
    )
    const sums = [...closedOnes, ...executedOnes]
    const failed = [...sums.flatMap((sum) => sum.failed), ...failures.flat()]
    return {
      location: exported.location,
      digest: sha256(yield* exported.manifestText(manifest)),
      manifest,
      period,
      findings: findings.map(({ message }) => message),
      changed,
      covered: manifest.parts.map((part) => ({ part, stretches: coverage.of(manifest, part) })),
      closed: closedOnes.map(({ of }) => of),
      executed: executedOnes.map(({ of }) => of),
      month: month?.name,
      months: {
        zone: Months.nameOf(zone),
        categories: { closed: wholeCategories(closedOnes), executed: wholeCategories(executedOnes) },
        lines: Monthly.mergeTallies(sums.map(({ lines }) => lines)),
        notes: sums.flatMap(({ notes }) => notes)
      },
      statements: pending.map((account) => Books.conclude(manifest, account, failed))
    }
  })
