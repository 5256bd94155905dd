import type * as ExportFailure from "@effect-venue/history/ExportFailure"
import type * as History from "@effect-venue/history/History"
import * as Manifest from "@effect-venue/history/Manifest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Coverage } from "../ledger/Ledger.js"

/** The range that is declared for an export, in milliseconds. Without `to` it goes on. */
export interface DeclaredRange {
  readonly from: number
  readonly to: Option.Option<number>
}

/** How an export is run, and its existing state. */
export interface Export<R> {
  readonly run: (range: History.Range, incremental: boolean) => Effect.Effect<Manifest.Manifest, History.RunFailure, R>
  readonly standing: Effect.Effect<History.Standing, ExportFailure.SinkFailure | ExportFailure.Refused, R>
}

const isOfOtherRange = (failure: History.RunFailure): failure is ExportFailure.Refused =>
  failure._tag === "Refused" && failure.reason === "OtherExport"

/**
 * Runs an export to the end of its declared range, even if the declaration has changed since: an unfinished export is first finished as it
 * was begun, and a finished one is continued. Nothing is exported anew, since the oldest rows can be beyond the retention.
 */
export const run = <R>(
  { from, to }: DeclaredRange,
  { run, standing }: Export<R>
): Effect.Effect<Manifest.Manifest, History.RunFailure, R> => {
  const range: History.Range = { from, to: Option.getOrUndefined(to) }
  const continued = run(range, true)
  const ran = Effect.catchIf(run(range, Option.isNone(to)), isOfOtherRange, (refused) =>
    Effect.gen(function* () {
      const { begun, finished } = yield* standing
      if (Option.isNone(begun) && Option.isNone(finished)) return yield* refused
      if (Option.isSome(begun)) yield* run({ from: begun.value.from, to: begun.value.to }, begun.value.since !== null)
      return yield* continued
    })
  )
  if (Option.isSome(to)) return ran
  // An unfinished export keeps its end, however long ago it was begun; the rows since then follow.
  return Effect.flatMap(ran, (manifest) => (manifest.run.starts > 1 ? continued : Effect.succeed(manifest)))
}

const isoOf = (at: number): string => new Date(at).toISOString()

type Covered = Pick<Manifest.Manifest, "from" | "missing" | "parts" | "rows" | "to" | "verdict">

/** What the declared range lacks, and why. */
const lackOf = ({ from }: DeclaredRange, manifest: Covered): readonly [Coverage["verdict"], because?: string] => {
  if (manifest.from > from) {
    const rule = "an account of another name is exported anew"
    return ["incomplete", `it begins at ${isoOf(manifest.from)}, and is declared from ${isoOf(from)}: ${rule}`]
  }
  if (manifest.verdict === "complete") return ["complete"]
  const [first] = manifest.missing
  const open = manifest.missing.find(({ lost }) => !lost)
  if (open !== undefined) return ["incomplete", open.because]
  const conflicts = manifest.parts.reduce((sum, { windows }) => sum + Manifest.conflictsOf(windows), 0)
  return ["lost", first?.because ?? `${conflicts} rows have the id of another row`]
}

/** The coverage of the declared range. */
export const coverageOf = (declared: DeclaredRange, manifest: Covered): Coverage => {
  const [verdict, because] = lackOf(declared, manifest)
  const { from, rows, to } = manifest
  return { from, to, rows, verdict, because: Option.fromNullable(because) }
}
