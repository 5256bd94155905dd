/**
 * Exports that are killed: the real command as a process of its own, SIGKILL at random instants, the same command again until it is done.
 * What it leaves is compared with what a run leaves that nothing disturbed. Several processes may begin each time, for one folder.
 *
 * @since 0.1.0
 */
import * as ExportJudge from "@effect-venue/simulation/ExportJudge"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Dice from "./internal/dice.js"
import { formats, type Format } from "./internal/kill/formats.js"
import * as Results from "./internal/kill/results.js"
import * as World from "./internal/kill/world.js"

// The keys of a table.
const names = Object.keys(formats) as ReadonlyArray<Format>

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How many exports are made, the formats in turn. */
  readonly runs: number
  /** The world and the instants of the kills follow from it. What a process has done by such an instant does not. */
  readonly seed: number
  /** How many processes begin for one folder each time, while the first of them is at work; default 1. */
  readonly processes?: number | undefined
  /** Default: all formats. */
  readonly formats?: ReadonlyArray<Format> | undefined
  /** Changes the folder after each kill, for a test that must fail; default: no change. */
  readonly meddle?: ((folder: string) => void) | undefined
}

/**
 * The outcome. A mismatch is a run that did not end well, or whose result is not that of an undisturbed run.
 *
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly seed: number
  readonly runs: number
  readonly processes: number
  /** Runs that were killed at least once; the others were done before. */
  readonly runsKilled: number
  readonly kills: number
  readonly killsPerFormat: Readonly<Record<Format, number>>
  /** How far exports were when a process was killed. */
  readonly killsPerPhase: Readonly<Record<Results.Phase, number>>
  /** Processes that were refused, because another one had the folder. */
  readonly refused: number
  readonly mismatches: number
  /** The first 10 of them. */
  readonly examples: ReadonlyArray<string>
}

const mostKills = 3

const mostExamples = 10

/** How often a run begins anew whose kill was too late. */
const mostLate = 3

/** How a process is refused whose folder is in use. */
const inUse = /another export (?:is|may be) at work here/

/**
 * How a process ended, as the judge of simulated exports reads it. Of processes that nothing killed only one that is refused its folder
 * may fail.
 */
const startOf = (start: string, { code, err, isKilled }: World.Ended): ExportJudge.Ended => ({
  start,
  end: isKilled ? "gone" : code === 0 ? "complete" : inUse.test(err) ? "failed" : "died",
  detail: isKilled ? "" : `code ${code}: ${err.trim()}`
})

/** The later of two instants: most of the writing is towards the end. */
const shareOf = (dice: Dice.Dice): number => Math.max(dice.roll(10_000), dice.roll(10_000)) / 10_000

const delayOf = (dice: Dice.Dice, { opening, working }: World.Pace): World.Delay => {
  const share = shareOf(dice)
  return dice.roll(8) === 0
    ? { after: "start", millis: share * opening }
    : { after: "request", millis: share * working }
}

/**
 * The processes of one start: the first at once, the others while that one is at work, if it is left alone. One of them is killed, or none.
 */
const attemptsOf = (
  dice: Dice.Dice,
  pace: World.Pace,
  processes: number,
  isKilling: boolean
): ReadonlyArray<World.Attempt> => {
  const doomed = isKilling ? dice.roll(processes) : -1
  return Array.from({ length: processes }, (_, index) => ({
    wait: index === 0 ? 0 : (dice.roll(10_000) / 10_000) * pace.working,
    delay: index === doomed ? delayOf(dice, pace) : undefined
  }))
}

/** One export, from its first start to the first that nothing killed. */
interface Run {
  readonly kills: ReadonlyArray<Results.Phase>
  readonly starts: ReadonlyArray<ExportJudge.Ended>
  /** The start that has to be complete. */
  readonly last: string
}

const run = Effect.fnUntraced(function* (
  { exportTo, home }: World.World,
  reference: World.Reference,
  format: Format,
  folder: string,
  dice: Dice.Dice,
  { meddle, processes = 1 }: Options
) {
  const { windows } = reference
  let { pace } = reference
  const meant = 1 + dice.roll(mostKills)
  const kills: Array<Results.Phase> = []
  const starts: Array<ExportJudge.Ended> = []
  for (let late = 0; ;) {
    const all = yield* exportTo(format, folder, attemptsOf(dice, pace, processes, kills.length < meant))
    const ended = all.map((one, index) => startOf(`start ${starts.length + index + 1}`, one))
    starts.push(...ended)
    if (!all.some(({ isKilled }) => isKilled)) {
      const [only, ...others] = all
      // It ended before its kill: the machine was busier when the pace was measured. It begins anew, by the pace that it had.
      if (only !== undefined && others.length === 0 && kills.length === 0 && late++ < mostLate) {
        pace = only.pace
        starts.length = 0
        fs.rmSync(folder, { recursive: true, force: true })
        continue
      }
      const last = ended.find(({ end }) => end === "complete") ?? ended[0]
      return { kills, starts, last: last?.start ?? "" } satisfies Run
    }
    if (fs.existsSync(folder)) {
      kills.push(yield* Results.phaseOf(folder, path.join(home, "aside"), windows))
      meddle?.(folder)
    } else kills.push("opening")
  }
})

const judged = ({ last, starts }: Run, files: Results.Result, { expected }: World.Reference): string =>
  ExportJudge.violations({
    end: "Done",
    starts,
    last,
    // An undisturbed run is what the result is compared with, not what the exchange holds: the changes by a kill are looked for.
    parts: [],
    files,
    undisturbed: expected,
    leaks: []
  })
    .map(({ detail, rule }) => `${rule}: ${detail}`)
    .join("; ")

/**
 * @since 0.1.0
 * @category running
 */
export const killTest = (options: Options): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const { formats: chosen = names, processes = 1, runs, seed } = options
    const dice = Dice.make(seed)
    const world = yield* World.make(seed)
    const killsPerFormat = { ndjson: 0, "ndjson.gz": 0, csv: 0, parquet: 0, sqlite: 0 }
    const killsPerPhase = { opening: 0, reading: 0, finishing: 0, finished: 0 }
    const examples: Array<string> = []
    const counts = { runsKilled: 0, kills: 0, refused: 0, mismatches: 0 }
    for (let index = 0; index < runs; index++) {
      const format = chosen[index % chosen.length] ?? "ndjson"
      const reference = yield* world.reference(format)
      const folder = path.join(world.home, `run-${index}`)
      const done = yield* run(world, reference, format, folder, dice, options)
      const problems = judged(done, yield* Results.read(folder), reference)
      if (done.kills.length > 0) counts.runsKilled++
      counts.kills += done.kills.length
      killsPerFormat[format] += done.kills.length
      for (const phase of done.kills) killsPerPhase[phase]++
      counts.refused += done.starts.filter(({ end }) => end === "failed").length
      if (problems !== "") {
        counts.mismatches++
        examples.push(`run ${index}, ${format}, killed ${done.kills.length} times: ${problems}`)
      }
      fs.rmSync(folder, { recursive: true, force: true })
    }
    return {
      seed,
      runs,
      processes,
      ...counts,
      killsPerFormat,
      killsPerPhase,
      examples: examples.slice(0, mostExamples)
    }
  }).pipe(Effect.scoped)
