import type * as Manifest from "@effect-venue/history/Manifest"
import type * as Verify from "@effect-venue/history/Verify"
import type * as FileSystem from "@effect/platform/FileSystem"
import type * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { Refusal } from "../refusal.js"
import type { Exported } from "../exported.js"
import * as coverage from "./coverage.js"
import * as Period from "./period.js"
import * as Tally from "./tally.js"

/** Why a dataset is not drawn. `isAbsent`: the export was made without it. */
export interface Undrawn {
  readonly isAbsent: boolean
  readonly because: string
}

/** What is drawn of a dataset, or why it is not. */
export interface Of<A> {
  readonly title: string
  readonly outcome: Either.Either<A, Undrawn>
  readonly notes: ReadonlyArray<string>
}

export interface Covered {
  readonly part: Manifest.Part
  readonly stretches: ReadonlyArray<coverage.Stretch>
}

/** All that a report says. */
export interface Report {
  readonly manifest: Manifest.Manifest
  readonly period: Period.Period
  /** What is not as it was written, in words. */
  readonly findings: ReadonlyArray<string>
  readonly covered: ReadonlyArray<Covered>
  readonly closed: ReadonlyArray<Of<Tally.Closed>>
  readonly executed: ReadonlyArray<Of<Tally.Executed>>
}

/** A part that another one holds too: the same account and category, and all symbols of it. */
const isWithin = (part: Manifest.Part, other: Manifest.Part): boolean =>
  part !== other &&
  part.account === other.account &&
  part.parameters.category === other.parameters.category &&
  part.parameters.symbol !== undefined &&
  other.parameters.symbol === undefined

interface Plan<A extends { readonly notes: ReadonlyArray<string> }> {
  readonly dataset: string
  readonly title: string
  readonly tally: (period: Period.Period) => Tally.Tally<A>
}

const closed: ReadonlyArray<Plan<Tally.Closed>> = [
  { dataset: "closed-pnl", title: "Closed positions", tally: (period) => Tally.closed(period, "createdTime") },
  {
    dataset: "pre-upgrade-closed-pnl",
    title: "Closed positions from before the unified account",
    tally: (period) => Tally.closed(period, "updatedTime")
  }
]

const executed: ReadonlyArray<Plan<Tally.Executed>> = [
  { dataset: "executions", title: "Executions", tally: Tally.executed },
  { dataset: "pre-upgrade-executions", title: "Executions from before the unified account", tally: Tally.executed }
]

/** Adds the rows of a dataset up, while they are read. */
const tallied = <A extends { readonly notes: ReadonlyArray<string> }>(
  exported: Exported,
  manifest: Manifest.Manifest,
  period: Period.Period,
  { dataset, tally, title }: Plan<A>
): Effect.Effect<Of<A>, never, FileSystem.FileSystem | Path.Path> => {
  const all = manifest.parts.filter((part) => part.dataset === dataset)
  const parts = all.filter((part) => !all.some((other) => isWithin(part, other)))
  const notes = all
    .filter((part) => !parts.includes(part))
    .map(({ name }) => `${name} is not drawn: its rows are in another part too`)
  if (parts.length === 0) {
    return Effect.succeed({
      title,
      notes,
      outcome: Either.left({ isAbsent: true, because: `this export has no ${dataset}` })
    })
  }
  const sums = tally(period)
  return Effect.forEach(
    parts,
    (part) =>
      Stream.runForEachChunk(exported.rows(manifest, part), (rows) =>
        Effect.sync(() => {
          for (const row of rows) sums.add(part.parameters.category ?? "", row)
        })
      ),
    { discard: true }
  ).pipe(
    Effect.either,
    Effect.map((ended) => {
      // Sums of a part of the rows would look like those of all.
      if (Either.isLeft(ended))
        return { title, notes, outcome: Either.left({ isAbsent: false, because: ended.left.message }) }
      const result = sums.result()
      return { title, notes: [...notes, ...result.notes], outcome: Either.right(result) }
    })
  )
}

/** Reads a finished export, and compares it with its manifest. What is in memory does not grow with its rows. */
export const read = (
  exported: Exported
): Effect.Effect<Report, Verify.NotAnExport | Refusal, FileSystem.FileSystem | Path.Path> =>
  Effect.gen(function* () {
    const { findings, manifest } = yield* exported.verify
    const period = Period.make(manifest.from, manifest.to)
    return {
      manifest,
      period,
      findings: findings.map(({ message }) => message),
      covered: manifest.parts.map((part) => ({ part, stretches: coverage.of(manifest, part) })),
      closed: yield* Effect.forEach(closed, (plan) => tallied(exported, manifest, period, plan)),
      executed: yield* Effect.forEach(executed, (plan) => tallied(exported, manifest, period, plan))
    }
  })
