import * as Rows from "@effect-venue/history/siblings/Rows"
import * as History from "@effect-venue/history/History"
import * as Manifest from "@effect-venue/history/Manifest"
import type * as Part from "@effect-venue/history/Part"
import type * as Sink from "@effect-venue/history/Sink"
import * as Batch from "@effect-venue/transport/siblings/Batch"
import * as Transport from "@effect-venue/transport/Transport"
import { countNoun, formatCount, formatDuration, formatInstant, formatSize } from "@effect-venue/schemas/siblings/Words"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Path from "@effect/platform/Path"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Terminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import { databaseFile } from "../options/options.js"
import { Diagnostics } from "../output/diagnostics.js"
import { Invocation, spellCall } from "../run/invocation.js"
import * as progress from "../output/progress.js"
import { Refusal } from "../run/failures.js"
import * as subjects from "../options/subjects.js"
import { explainSymbol, warnOfCoin } from "../account/unlisted.js"
import type { Account, Source } from "../account/venue.js"
import * as Layout from "../output/layout.js"
import { unsettledLines } from "./unsettledLines.js"
import * as Output from "../output/output.js"
import { setFlagsFromString } from "node:v8"
import type { Files } from "../output/files.js"

// The other modules of `venue export` and `venue start`, which load them when they run: one import, one chunk.
export * as continued from "./continued.js"
export { sinkOf } from "./sinks.js"
export * as venue from "../account/venue.js"

/**
 * Lets the heap grow by half of its live size before it is collected. An export of any length has little live data; by default three times
 * of that would accumulate. A fifth saves no more memory than half, and costs a quarter more processor time.
 */
const keepSmall = Effect.sync(() => {
  setFlagsFromString("--heap-growing-percent=50")
})

/** The files differ from the records of the sandbox. */
export class Disagreement extends Data.TaggedError("Disagreement")<{ readonly message: string }> {}

/** The export ended, and can lack rows. */
export class Incomplete extends Data.TaggedError("Incomplete")<{ readonly message: string }> {}

export interface Options {
  readonly source: Source
  readonly subjects: ReadonlyArray<subjects.Subject>
  readonly sink: Sink.Sink<Files>
  readonly out: string
  /** Defaults to the start of the existing export. */
  readonly from: number | undefined
  /** Defaults to the end of the export that was begun there and not finished, or else to the service's clock. */
  readonly to: number | undefined
  readonly incremental: boolean
  /** How much before the end of the existing export is read again, in milliseconds. Defaults to that of `History.runAll`. */
  readonly overlap?: number | undefined
  /** The pause between readings after the export, in milliseconds. Without it the command ends with the export. */
  readonly follow: number | undefined
  /** The result is JSON; everything else goes to standard error. */
  readonly json: boolean
  /** Replaces the existing export. */
  readonly overwrite: boolean
  /** The keys are declared to be those of the accounts whose export is there. */
  readonly sameAccount: boolean
}

interface Planned {
  readonly part: Part.Part
  readonly account: Account
}

/** A range, and its description for the start of the export. */
interface Ranged {
  readonly from: number
  readonly to: number | undefined
  readonly note?: string
}

/** The range of the export, which follows from an existing one. */
const rangeOf = (
  { from, out, incremental, source, to }: Options,
  { begun, finished }: History.Standing
): Effect.Effect<Ranged, Refusal> =>
  Effect.gen(function* () {
    if (source.isSandbox && (Option.isSome(begun) || Option.isSome(finished))) {
      return yield* new Refusal({
        message: `${out}: there is an export here already, and a new sandbox has another history: choose another --out, or add --overwrite`
      })
    }
    const start =
      from ??
      Option.getOrUndefined(
        Option.orElse(
          Option.map(finished, (manifest) => manifest.from),
          () => Option.map(begun, (plan) => plan.from)
        )
      )
    if (start === undefined) {
      return yield* new Refusal({
        message: `${out}: there is no export here to continue: add --from`
      })
    }
    if (to === undefined && !incremental && Option.isNone(begun) && Option.isSome(finished)) {
      return yield* new Refusal({
        message: `${out}: there is an export here already, which ends at ${formatInstant(finished.value.to)} UTC: continue it with --incremental, or start again with --overwrite or another --out`
      })
    }
    if (to !== undefined || Option.isNone(begun)) return { from: start, to }
    const note = `Continuing the unfinished export here, which ends at ${formatInstant(begun.value.to)} UTC.`
    return { from: start, to: begun.value.to, note }
  })

/** Prints a message, on standard error if the result is JSON. */
const say =
  ({ json }: Pick<Options, "json">) =>
  (text: string): Effect.Effect<void, Output.OutputFailed, Terminal.Terminal> =>
    json ? Output.warn(text) : Output.print(text)

/** The result for machines. */
const outcome = ({ from, missing, parts, rows, to, verdict }: Manifest.Manifest, out: string) => ({
  folder: out,
  verdict,
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  rows,
  parts: parts.map(({ files, name, rows, verdict }) => ({ name, rows, verdict, files: files.map(({ name }) => name) })),
  missing: missing.map(({ because, from, lost, part, to }) => ({
    part,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    because,
    lost
  }))
})

const days = (from: number, to: number): string => countNoun(Math.round((to - from) / 86_400_000), "day")

/** The locations of the rows of an export, a line each. */
const places = (manifest: Manifest.Manifest, { out, sink }: Pick<Options, "out" | "sink">) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const files = manifest.parts.flatMap((part) => [...part.files, ...part.rejected])
    if (manifest.format === "sqlite") {
      const { size: bytes } = yield* fs.stat(sink.location)
      const tables = [...new Set(files.map(({ name }) => name))]
      return [`file      ${path.join(out, databaseFile)} (${formatSize(Number(bytes))}): ${tables.join(", ")}`]
    }
    return files.map(
      ({ bytes, name, rows }) => `file      ${path.join(out, name)} (${countNoun(rows, "row")}, ${formatSize(bytes)})`
    )
  })

const conflictLines = ({ parts }: Pick<Manifest.Manifest, "parts">): ReadonlyArray<string> =>
  parts.flatMap(({ name, windows }) => {
    const rows = Manifest.conflictsOf(windows)
    const [first] = windows.flatMap(({ conflicts }) => conflicts)
    if (rows === 0 || first === undefined) return []
    return [
      `conflict  ${name}: ${countNoun(rows, "row")} with the id of another row, first ${first.id.slice(0, 64)}: venue verify lists them`
    ]
  })

const summary = ({ from, missing, parts, rows, run, to, verdict }: Manifest.Manifest, files: ReadonlyArray<string>) => {
  const windows = parts.flatMap((part) => part.windows)
  const sum = (of: (part: Manifest.Part) => number) => parts.reduce((total, part) => total + of(part), 0)
  const duplicates = sum((part) => part.duplicates)
  const changed = windows.reduce((total, window) => total + window.changed, 0)
  const instants = parts.flatMap((part) => [part.first, part.last]).filter((at) => at !== null)
  const empty = windows.filter((window) => window.rows === 0).length
  const read = verdict === "complete" ? ", each read to its last page" : ""
  return [
    `verdict   ${verdict}`,
    `rows      ${formatCount(rows)}${duplicates === 0 ? "" : ` (${countNoun(duplicates, "duplicate")} left out)`}`,
    `period    ${formatInstant(from)} to ${formatInstant(to)} UTC (${days(from, to)})`,
    ...(instants.length === 0
      ? []
      : [
          `first     ${formatInstant(Math.min(...instants))} UTC`,
          `last      ${formatInstant(Math.max(...instants))} UTC`
        ]),
    `windows   ${formatCount(windows.length)}${read}${empty === 0 ? "" : ` (${formatCount(empty)} without rows)`}`,
    `pages     ${formatCount(sum((part) => part.pages))}${run.retries === 0 ? "" : ` (${countNoun(run.retries, "request")} sent again)`}`,
    ...(changed === 0 ? [] : [`changed   ${countNoun(changed, "row")} in place of an earlier version`]),
    ...unsettledLines(parts).map((line) => `unsettled ${line}. --incremental reads them again`),
    ...files,
    ...Layout.caveatsOf(parts).map((caveat) => `note      ${caveat}`),
    ...missing.map(Layout.missingLine),
    ...conflictLines({ parts })
  ].join("\n")
}

/** The rows of files, read back from disk for the comparison. */
const contentOf = (files: ReadonlyArray<string>, dataset: Part.Part["dataset"]) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const keys = new Set<string>()
    const rows = yield* Stream.fromIterable(files).pipe(
      Stream.flatMap((file) => Stream.splitLines(Stream.decodeText(fs.stream(file)))),
      Stream.runFold(0, (rows, line) => {
        const row: unknown = JSON.parse(line)
        if (Predicate.isRecord(row)) keys.add(Rows.key(dataset, row))
        return rows + 1
      })
    )
    return { rows, distinct: keys.size }
  })

/** Compares an export from a sandbox with the records of the sandbox, as far as it can count them. */
const check = (manifest: Manifest.Manifest, planned: ReadonlyArray<Planned>, { json, out, source }: Options) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const { from, to } = manifest
    for (const { account, part } of planned) {
      const exported = manifest.parts.find(({ name }) => name === part.name)
      const category = subjects.categories.find((name) => name === part.parameters.category)
      // The sandbox counts whole categories, so an export of one symbol cannot be compared.
      if (exported === undefined || category === undefined || part.parameters.symbol !== undefined) continue
      const expected = yield* source.holds(part.dataset.name, { account: account.name, category, from, to })
      if (Option.isNone(expected)) continue
      const claim = `the sandbox holds ${countNoun(expected.value, "row")} in this period`
      const content =
        manifest.format === "ndjson"
          ? yield* contentOf(
              exported.files.map(({ name }) => path.join(out, name)),
              part.dataset
            )
          : { rows: exported.rows, distinct: exported.rows }
      if (content.rows !== expected.value || content.distinct !== expected.value || exported.rows !== expected.value) {
        return yield* new Disagreement({
          message: `${part.name}: ${claim}, the file ${formatCount(content.rows)}, ${formatCount(content.distinct)} of them distinct`
        })
      }
      const name = planned.length === 1 ? "" : `${part.name}: `
      yield* say({ json })(`check     ${name}${claim}: the file has each of them once`)
    }
  })

/**
 * The message when an export is stopped: how far it is and how to resume it. The windows are those that the sink has: the last one can have been stored without
 * being reported.
 */
const describeStop = <E, R>(
  source: Source,
  latest: Option.Option<History.Progress>,
  standing: Effect.Effect<History.Standing, E, R>
) =>
  Effect.gen(function* () {
    if (source.isSandbox) return yield* Output.warn("Stopped. The sandbox has ended too: there is nothing to resume.")
    const kept = yield* Option.match(latest, {
      onNone: () => Effect.succeed("Stopped."),
      onSome: ({ windows }) =>
        Effect.match(standing, {
          onFailure: () => "Stopped.",
          onSuccess: ({ windowsDone }) => `Stopped: ${windowsDone} of ${countNoun(windows, "window")} are kept.`
        })
    })
    const columns = yield* (yield* Diagnostics).columns
    const call = spellCall(yield* Invocation, ["--overwrite"])
    yield* Output.warn(`${kept} Resume with:`)
    yield* Console.error(columns > 0 ? Layout.callLines(call, columns).join("\n") : call)
  })

/** Reads and reports new rows after each pause, until it is interrupted. */
const followed = <E, R>(
  pause: number,
  first: Manifest.Manifest,
  run: Effect.Effect<Manifest.Manifest, E, R>
): Effect.Effect<never, E | Output.OutputFailed, R | Terminal.Terminal> =>
  Effect.gen(function* () {
    let before = first
    yield* Output.print(`\nFollowing: what is new is read every ${formatDuration(pause)}, until this is stopped.`)
    return yield* Effect.forever(
      Effect.gen(function* () {
        yield* Effect.sleep(pause)
        const manifest = yield* run
        const rows = manifest.rows - before.rows
        const gaps = manifest.missing.filter(
          ({ because, from, part, to }) =>
            !before.missing.some(
              (gap) => gap.part === part && gap.because === because && gap.from === from && gap.to === to
            )
        )
        if (rows > 0)
          yield* Output.print(`follow    ${countNoun(rows, "row")} more, to ${formatInstant(manifest.to)} UTC`)
        for (const gap of gaps) yield* Output.warn(Layout.missingLine(gap))
        before = manifest
      })
    )
  })

/** Why an export ends with a failure although it was written, and what to do. */
const attention = ({ missing, run }: Manifest.Manifest): string => {
  if (missing.some(({ lost }) => !lost)) {
    return "the export can lack rows: see the lines above that begin with `missing`. --incremental reads these ranges again first"
  }
  return run.lost.length > 0
    ? "the export lacks rows that the service no longer gives: see the lines above that begin with `lost`. Later runs do not report them again"
    : "the export has rows that conflict: see the lines above that begin with `conflict`. Later runs do not report them again"
}

/** Refuses options that exclude each other. Returns whether the export continues one that is there. */
const checkTogether = ({
  follow,
  from,
  incremental,
  json,
  overlap,
  overwrite,
  source,
  to
}: Options): Either.Either<boolean, Refusal> => {
  const refuse = (message: string) => Either.left(new Refusal({ message }))
  if (follow !== undefined && json) return refuse("--json cannot be combined with --follow, which does not end")
  if (follow !== undefined && to !== undefined) {
    return refuse("--to cannot be combined with --follow, which does not end")
  }
  // A new sandbox has none of the records of an existing export.
  const continues = incremental || (follow !== undefined && !source.isSandbox)
  if (overlap !== undefined && !continues) {
    return refuse("--overlap needs --incremental or --follow: a first export has no end to read again")
  }
  if (source.isSandbox && continues) {
    return refuse(
      "a new sandbox cannot continue an earlier export: run `venue sandbox` as a server, and export from it"
    )
  }
  return from === undefined && (!continues || overwrite)
    ? refuse(
        `--from is needed${continues ? " with --overwrite" : ", such as --from 30d, unless --incremental continues an export"}`
      )
    : Either.right(continues)
}

/** Exports, prints the summary, and compares the export with its sandbox, if it has one. */
export const exportHistory = (requested: Options) =>
  Effect.gen(function* () {
    const { follow, overwrite, sameAccount, sink, source } = requested
    const incremental = yield* checkTogether(requested)
    const again = incremental && { overlap: requested.overlap }
    const options = { ...requested, incremental }
    yield* keepSmall
    const planned = source.accounts.flatMap((account) =>
      options.subjects.map((subject) => ({ account, part: subjects.part(subject, account) }))
    )
    const parts = planned.map(({ part }) => part)
    const [{ transport }] = source.accounts
    const { from, to } = options
    const isGiven = from !== undefined && (overwrite || (to !== undefined && !source.isSandbox))
    let note: string | undefined
    const chooseRange = (standing: History.Standing) =>
      Effect.tap(rangeOf(options, standing), (chosen) => Effect.sync(() => (note = chosen.note)))
    // Printed after the start: a refused export has not begun.
    const announce = yield* Effect.once(Effect.suspend(() => (note === undefined ? Effect.void : say(options)(note))))
    // An output that takes no text ends the export when its result is printed, and not before.
    const announced = Effect.ignore(Effect.provideService(announce, Terminal.Terminal, yield* Terminal.Terminal))
    const reporter = yield* progress.make({
      parts,
      allowance: (endpoint, category) => Batch.allowance(transport, endpoint, category),
      limiter: source.limiter
    })
    const standing = History.inspect(parts, sink)
    const requests = options.subjects.map(({ query }) => query)
    const run = (range: History.Range | typeof chooseRange, more: History.RunOptions) =>
      History.runAll(parts, range, sink, { sameAccount, ...more }).pipe(
        Effect.provideService(Transport.Transport, transport),
        explainSymbol(transport, "--symbol", requests)
      )
    const manifest = yield* run(isGiven ? { from, to } : chooseRange, {
      overwrite,
      incremental: again,
      onProgress: (progress) => Effect.zipRight(announced, reporter.report(progress))
    }).pipe(
      Effect.ensuring(reporter.done),
      Effect.onInterrupt(() => Effect.flatMap(reporter.latest, (latest) => describeStop(source, latest, standing)))
    )
    yield* announce
    yield* options.json
      ? Output.printJson(outcome(manifest, options.out))
      : Output.print(`\n${summary(manifest, yield* places(manifest, options))}`)
    yield* warnOfCoin(
      transport,
      "--coin",
      manifest.parts.map(({ parameters, rows }) => ({ parameters, hasRows: rows > 0 }))
    )
    if (follow !== undefined) {
      if (source.isSandbox) yield* check(manifest, planned, options)
      const next = run({ from: manifest.from }, { incremental: { overlap: requested.overlap } })
      return yield* Effect.onInterrupt(followed(follow, manifest, next), () =>
        describeStop(source, Option.none(), standing)
      )
    }
    if (Manifest.needsAttention(manifest)) return yield* new Incomplete({ message: attention(manifest) })
    if (source.isSandbox) yield* check(manifest, planned, options)
  })
