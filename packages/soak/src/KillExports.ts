/**
 * Exports that are killed: the command as a process, SIGKILL at random instants, the same command again until it is done. Its result is compared
 * with the result of a run that nothing disturbed. Several processes can begin each time, for one folder.
 */
import * as Draws from "@effect-venue/simulation/kernel/Draws"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import { bundle } from "../../cli/bundle.mjs"
import * as Results from "./exports/Results.js"
import * as Workload from "./shared/Workload.js"
import * as Exchange from "./shared/Exchange.js"
import * as Judged from "./shared/Judged.js"
import * as Processes from "./shared/Processes.js"

const formats = {
  ndjson: ["--format", "ndjson"],
  "ndjson.gz": ["--format", "ndjson", "--gzip"],
  csv: ["--format", "csv"],
  parquet: ["--format", "parquet"],
  sqlite: ["--format", "sqlite"]
} as const

type Format = keyof typeof formats

export interface Options {
  /** The number of exports, and the least number of kills; the formats take turns. */
  readonly runs: number
  readonly seed: number
  /** How many processes begin for one folder each time, while the first of them is at work. Defaults to 1. */
  readonly processes?: number
  /** Defaults to all. */
  readonly formats?: ReadonlyArray<Format>
  /** Changes the folder after each kill, for a test that must fail. */
  readonly meddle?: (folder: string) => void
}

const day = Duration.toMillis("1 day")

// Several datasets and categories of a few pages each.
const subjects = ["executions", "deposits", "transfers", "--category", "inverse", "--category", "spot"]

const mostKills = 3

/** The next of the whole numbers that follow from the seed, from 0 up to `sides`. */
type Roll = (sides: number) => number

/** When a process is killed: before its first request, at one, or while it makes the files after its last one. */
type Phase = "opening" | "reading" | "finishing"

/** An undisturbed run: its result, the number of its requests, and the milliseconds before the first and after the last one. */
interface Reference {
  readonly expected: Results.Result
  readonly requests: number
  readonly opening: number
  readonly finishing: number
}

type World = Effect.Effect.Success<ReturnType<typeof worldOf>>

const worldOf = Effect.fnUntraced(function* (seed: number) {
  const home = yield* Processes.temporaryFolder
  const exchange = yield* Exchange.make({ seed })
  // Bundled, so that kills do not hit the compilation.
  const { file: command } = yield* Effect.promise(() => bundle(path.join(home, "command")))
  const now = yield* Clock.currentTimeMillis
  const iso = (at: number) => new Date(at).toISOString()
  const range = ["--from", iso(now - 40 * day), "--to", iso(now - 9 * day)]
  const exportTo = (format: Format, folder: string, doom: Effect.Effect<void>) => {
    const args = [command, "export", ...subjects, ...range, ...formats[format], "--out", folder]
    return Processes.run(args, { cwd: home, env: exchange.env, doom })
  }
  return { home, exchange, exportTo }
})

/** Of two runs the second, since the first one warms things up. */
const referenceOf = Effect.fnUntraced(function* ({ exchange, exportTo, home }: World, format: Format) {
  const results: Array<Results.Result> = []
  let [opening, finishing] = [0, 0]
  for (const name of ["first", "second"]) {
    const folder = path.join(home, `undisturbed-${format}-${name}`)
    yield* exchange.restart
    const begun = yield* Clock.currentTimeMillis
    const first = yield* Effect.fork(Effect.zipRight(exchange.reached(1), Clock.currentTimeMillis))
    const { code, err } = yield* exportTo(format, folder, Effect.never)
    if (code !== 0) return yield* Effect.dieMessage(`an export that was left alone ended with ${code}: ${err}`)
    opening = (yield* first) - begun
    finishing = (yield* Clock.currentTimeMillis) - exchange.lastAt()
    results.push(yield* Results.read(folder))
  }
  // Both runs were read by the loop above.
  const [before, expected] = results as [Results.Result, Results.Result]
  const differing = Results.differences(before, expected)
  if (differing.length > 0)
    return yield* Effect.dieMessage(`two exports that were left alone differ: ${differing.join(", ")}`)
  return { expected, requests: exchange.arrived(), opening, finishing } satisfies Reference
})

const fourTimes = (phase: Phase) => Array.from({ length: 4 }, () => phase)

/** An instant for a kill. How many requests a run makes is only known of one that begins in an empty folder. */
const doomOf = (roll: Roll, exchange: Exchange.Exchange, isFirst: boolean, reference: Reference) => {
  const { finishing, opening, requests } = reference
  const phases: ReadonlyArray<Phase> = ["opening", ...fourTimes("reading"), ...(isFirst ? fourTimes("finishing") : [])]
  const phase = phases[roll(phases.length)] ?? "reading"
  const pause = (most: number) => Effect.sleep(Duration.millis((roll(10_000) / 10_000) * most))
  const doom =
    phase === "opening"
      ? pause(opening)
      : phase === "reading"
        ? Effect.zipRight(exchange.reached(1 + roll(requests)), pause(20))
        : Effect.zipRight(exchange.reached(requests), pause(finishing))
  return { phase, doom }
}

/** One export, from its first start to the first that nothing killed. */
const exportOnce = Effect.fnUntraced(function* (
  { exchange, exportTo }: World,
  reference: Reference,
  format: Format,
  folder: string,
  roll: Roll,
  { meddle, processes = 1 }: Options
) {
  const meant = 1 + roll(mostKills)
  const kills: Array<Phase> = []
  const starts: Array<Results.Ended> = []
  for (;;) {
    yield* exchange.restart
    const victim = kills.length < meant ? roll(processes) : -1
    const { doom, phase } = doomOf(roll, exchange, starts.length === 0, reference)
    const all = yield* Effect.forEach(
      Array.from({ length: processes }, (_, index) => ({ index, wait: index === 0 ? 0 : roll(300) })),
      ({ index, wait }) =>
        Effect.delay(exportTo(format, folder, index === victim ? doom : Effect.never), Duration.millis(wait)),
      { concurrency: "unbounded" }
    )
    const ended = all.map((one, index) => Results.endOf(`start ${starts.length + index + 1}`, one))
    starts.push(...ended)
    if (!all.some(({ isKilled }) => isKilled)) {
      const last = ended.find(({ end }) => end === "complete") ?? ended[0]
      return { kills, starts, last: last?.call ?? "" }
    }
    kills.push(phase)
    if (fs.existsSync(folder)) meddle?.(folder)
  }
})

/** The changes by a kill are looked for: the result is compared with another run, not with the exchange. */
const factsOf = (
  { last, starts }: Effect.Effect.Success<ReturnType<typeof exportOnce>>,
  differing: ReadonlyArray<string>
): ReadonlyArray<Judged.Fact> => {
  const finished = starts.map((ended) => Results.toFact(ended, ended.call === last))
  const isComplete = starts.some(({ call, end }) => call === last && end === "complete")
  const [got, expected] = [differing.join(", "), ""]
  return isComplete ? [...finished, { _tag: "Compared", call: last, rule: "Differs", got, expected }] : finished
}

export const killExports = (options: Options) =>
  Effect.gen(function* () {
    // The keys of a record of formats are formats.
    const { formats: chosen = Object.keys(formats) as ReadonlyArray<Format>, runs, seed } = options
    const next = Draws.make(seed).sequence()
    const roll: Roll = (sides) => Math.floor(next() * sides)
    const world = yield* worldOf(seed)
    const references = new Map<Format, Reference>()
    const problems: Array<string> = []
    const kills: Array<Phase> = []
    let refused = 0
    // A process can end before its kill: more exports follow until as many were killed, some of them while they read.
    const isEnough = () => kills.length >= runs && kills.includes("reading")
    for (let index = 0; index < runs || (!isEnough() && index < 4 * runs); index++) {
      const format = chosen[index % chosen.length] ?? "ndjson"
      const reference = references.get(format) ?? (yield* referenceOf(world, format))
      references.set(format, reference)
      const folder = path.join(world.home, `run-${index}`)
      const done = yield* exportOnce(world, reference, format, folder, roll, options)
      kills.push(...done.kills)
      refused += done.starts.filter(({ end }) => end === "failed").length
      const facts = factsOf(done, Results.differences(yield* Results.read(folder), reference.expected))
      problems.push(
        ...Judged.problems(facts).map(
          (problem) => `run ${index}, ${format}, killed ${done.kills.length} times: ${problem}`
        )
      )
      fs.rmSync(folder, { recursive: true, force: true })
    }
    return { problems, figures: { kills: kills.length, killsPerPhase: Workload.countNames(kills), refused } }
  })

export const workload: Workload.Workload = {
  title: "exports that are killed, and go on",
  defaults: { runs: 20, processes: 1, seed: 1 },
  run: (option) => killExports({ runs: option("runs"), processes: option("processes"), seed: option("seed") })
}
