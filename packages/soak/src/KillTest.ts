/**
 * Exports that are killed: the real command as a process of its own, SIGKILL at random instants, the same command again until it is done,
 * and the result compared with that of a run that was left alone.
 *
 * @since 0.1.0
 */
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as ExportJudge from "@effect-venue/simulation/ExportJudge"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { bundle } from "../../cli/bundle.mjs"
import * as Dice from "./internal/dice.js"
import * as Child from "./internal/kill/child.js"
import * as Results from "./internal/kill/results.js"

/**
 * The formats, each with the words that ask for it.
 *
 * @since 0.1.0
 * @category constants
 */
export const formats = {
  ndjson: ["--format", "ndjson"],
  "ndjson.gz": ["--format", "ndjson", "--gzip"],
  csv: ["--format", "csv"],
  parquet: ["--format", "parquet"],
  sqlite: ["--format", "sqlite"]
} as const

/**
 * @since 0.1.0
 * @category models
 */
export type Format = keyof typeof formats

// The keys of the table above.
const names = Object.keys(formats) as ReadonlyArray<Format>

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  /** How many exports are made, the formats in turn. */
  readonly runs: number
  /** What the world and the instants of the kills follow from. What a process has done by such an instant does not. */
  readonly seed: number
  /** Which formats. Defaults to all. */
  readonly formats?: ReadonlyArray<Format> | undefined
  /** Damage to the folder after each kill, for a test that must fail. Defaults to none. */
  readonly meddle?: ((folder: string) => void) | undefined
}

/**
 * The result. A mismatch is a run that failed, or whose export differs from that of a run left alone.
 *
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly seed: number
  readonly runs: number
  /** Runs that were killed at least once; the others were done before. */
  readonly runsKilled: number
  readonly kills: number
  readonly killsPerFormat: Readonly<Record<Format, number>>
  /** How far exports had come when they were killed. */
  readonly killsPerPhase: Readonly<Record<Results.Phase, number>>
  /** How often a command was given again after a kill. */
  readonly resumed: number
  readonly mismatches: number
  /** The first of them. */
  readonly examples: ReadonlyArray<string>
}

const day = Duration.toMillis("1 day")

// Several datasets and categories of a few pages each, so that no rate limit has to be waited for.
const subjects = ["executions", "deposits", "transfers", "--category", "inverse", "--category", "spot"]

/** Where time goes in a run that is left alone: until its first request, and from there to its end. */
interface Pace {
  readonly opening: number
  readonly working: number
}

const mostKills = 3

const mostExamples = 10

/** How a process ended, as the judge of simulated exports reads it. */
const startOf = (start: string, { code, err, isKilled }: Child.Ended): ExportJudge.Ended => ({
  start,
  end: isKilled ? "gone" : code === 0 ? "complete" : "failed",
  detail: isKilled ? "" : `code ${code}: ${err.trim()}`
})

/**
 * @since 0.1.0
 * @category running
 */
export const killTest = ({ formats: chosen = names, meddle, runs, seed }: Options): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const dice = Dice.make(seed)
    const home = yield* Effect.acquireRelease(
      Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "venue-kill-"))),
      (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
    )
    const sandbox = yield* Sandbox.make({ seed, limits: "off", prices: "still" })
    /** Called for every request, before it is answered. */
    let onRequest: Effect.Effect<void> = Effect.void
    const listened: Sandbox.Sandbox.Shape = {
      ...sandbox,
      handle: (request) =>
        Effect.zipRight(
          Effect.suspend(() => onRequest),
          sandbox.handle(request)
        )
    }
    const server = yield* Effect.orDie(Effect.provideService(Server.serve(), Sandbox.Sandbox, listened))
    const { apiKey, apiSecret, baseUrl } = server.credentials.main
    const env = {
      VENUE_BASE_URL: baseUrl,
      VENUE_API_KEY: Redacted.value(apiKey),
      VENUE_API_SECRET: Redacted.value(apiSecret)
    }
    // Kills are to land in what the command does, not in the time that it takes to compile.
    const { file: command } = yield* Effect.promise(() => bundle(path.join(home, "command")))
    const now = yield* Clock.currentTimeMillis
    const iso = (at: number) => new Date(at).toISOString()
    const argsOf = (format: Format, folder: string) => [
      "export",
      ...subjects,
      ...["--from", iso(now - 40 * day), "--to", iso(now - 9 * day)],
      ...formats[format],
      ...["--out", folder]
    ]

    /** One process; `delay`: how long after its start, or after its first request, it is killed. */
    const attempt = (
      format: Format,
      folder: string,
      delay?: { readonly after: "start" | "request"; readonly millis: number }
    ) =>
      Effect.gen(function* () {
        const started = yield* Clock.currentTimeMillis
        const asked = yield* Deferred.make<number>()
        onRequest = Effect.flatMap(Clock.currentTimeMillis, (at) => Effect.asVoid(Deferred.succeed(asked, at)))
        const doom =
          delay === undefined
            ? Effect.never
            : Effect.zipRight(
                delay.after === "request" ? Deferred.await(asked) : Effect.void,
                Effect.sleep(Duration.millis(delay.millis))
              )
        const ended = yield* Child.run(command, argsOf(format, folder), { cwd: home, env, doom })
        const opening = (yield* Deferred.isDone(asked)) ? (yield* Deferred.await(asked)) - started : ended.millis
        return { ...ended, pace: { opening, working: ended.millis - opening } satisfies Pace }
      })

    /** What a run that is left alone gives, and how long it takes: of two, since the first one warms things up. */
    const undisturbed = (format: Format) =>
      Effect.gen(function* () {
        const folder = path.join(home, `undisturbed-${format}`)
        yield* attempt(format, `${folder}-first`)
        const ended = yield* attempt(format, folder)
        if (ended.code !== 0)
          return yield* Effect.dieMessage(`an export that was left alone ended with ${ended.code}: ${ended.err}`)
        const expected = yield* Results.read(folder)
        const first = yield* Results.read(`${folder}-first`)
        const differing = ExportJudge.differences({ files: first, undisturbed: expected })
        if (differing.length > 0)
          return yield* Effect.dieMessage(`two exports that were left alone differ: ${differing.join(", ")}`)
        return { expected, pace: ended.pace, windows: Results.windowsIn(expected) }
      })

    const references = new Map<Format, Effect.Effect.Success<ReturnType<typeof undisturbed>>>()
    const killsPerFormat = { ndjson: 0, "ndjson.gz": 0, csv: 0, parquet: 0, sqlite: 0 }
    const killsPerPhase = { opening: 0, reading: 0, finishing: 0, finished: 0 }
    const examples: Array<string> = []
    let mismatches = 0
    let runsKilled = 0
    let resumed = 0

    for (let run = 0; run < runs; run++) {
      const format = chosen[run % chosen.length] ?? "ndjson"
      const reference = references.get(format) ?? (yield* undisturbed(format))
      references.set(format, reference)
      const { expected, pace, windows } = reference
      const folder = path.join(home, `run-${run}`)
      const meant = 1 + dice.roll(mostKills)
      let kills = 0
      const starts: Array<ExportJudge.Ended> = []
      for (;;) {
        // The later of two instants: most of the writing is towards the end.
        const share = Math.max(dice.roll(10_000), dice.roll(10_000)) / 10_000
        const delay =
          kills >= meant
            ? undefined
            : dice.roll(8) === 0
              ? ({ after: "start", millis: share * pace.opening } as const)
              : ({ after: "request", millis: share * pace.working } as const)
        const ended = yield* attempt(format, folder, delay)
        starts.push(startOf(`start ${starts.length + 1}`, ended))
        if (!ended.isKilled) break
        kills++
        resumed++
        killsPerFormat[format]++
        if (fs.existsSync(folder)) {
          killsPerPhase[yield* Results.phaseOf(folder, path.join(home, "aside"), windows)]++
          meddle?.(folder)
        } else killsPerPhase.opening++
      }
      if (kills > 0) runsKilled++
      const violations = ExportJudge.violations({
        end: "Done",
        starts,
        last: starts.at(-1)?.start ?? "",
        // What the exchange holds is compared with a run that is left alone: here what a kill has changed is looked for.
        parts: [],
        files: yield* Results.read(folder),
        undisturbed: expected,
        leaks: []
      })
      if (violations.length > 0) {
        mismatches++
        const problems = violations.map(({ detail, rule }) => `${rule}: ${detail}`).join("; ")
        if (examples.length < mostExamples) examples.push(`run ${run}, ${format}, killed ${kills} times: ${problems}`)
      }
      fs.rmSync(folder, { recursive: true, force: true })
    }
    return { seed, runs, runsKilled, kills: resumed, killsPerFormat, killsPerPhase, resumed, mismatches, examples }
  }).pipe(Effect.scoped)
