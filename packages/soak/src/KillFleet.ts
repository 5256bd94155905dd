/**
 * A fleet that is killed: the real command as a process of its own, SIGKILL again and again while it exports, the same command each time. The
 * exports that it leaves are compared with those of a fleet that nothing disturbed.
 *
 * @since 0.1.0
 */
import * as ExportJudge from "@effect-venue/simulation/ExportJudge"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Dice from "./internal/dice.js"
import type * as Child from "./internal/kill/child.js"
import * as World from "./internal/killFleet/world.js"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly accounts: number
  readonly kills: number
  /** The worlds and the instants of the kills follow from it. What the process has done by such an instant does not. */
  readonly seed: number
}

/**
 * The outcome. A mismatch is a file that is not that of the undisturbed fleet, or a process that ended otherwise than by a kill or done.
 *
 * @since 0.1.0
 * @category models
 */
export interface Report {
  readonly seed: number
  readonly accounts: number
  readonly exports: number
  readonly kills: number
  /** How many exports were finished at each kill. */
  readonly finishedAtKills: ReadonlyArray<number>
  /** Files that were compared. */
  readonly files: number
  readonly mismatches: number
  /** The first 10 of them. */
  readonly examples: ReadonlyArray<string>
  readonly undisturbedSeconds: number
  readonly killedSeconds: number
}

const mostExamples = 10

const lookEvery = Duration.millis(50)

/** Waits until a fleet has finished a number of exports, and a moment longer, so that the kill lands anywhere in what is done next. */
const doomAt = (world: World.World, folder: string, finished: number, millis: number) => {
  const look: Effect.Effect<void> = Effect.flatMap(world.finished(folder), (count) =>
    count >= finished ? Effect.sleep(Duration.millis(millis)) : Effect.zipRight(Effect.sleep(lookEvery), look)
  )
  return look
}

const wrongly = (start: string, { code, err, isKilled }: Child.Ended): ReadonlyArray<string> =>
  isKilled || code === 0 ? [] : [`${start} ended with ${code}: ${err.trim().slice(0, 500)}`]

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const result = yield* effect
    return { result, seconds: ((yield* Clock.currentTimeMillis) - started) / 1000 }
  })

/** Starts a fleet, and kills it, until it has been killed that often; then lets it end. */
const killed = (world: World.World, { kills, seed }: Options) =>
  Effect.gen(function* () {
    const dice = Dice.make(seed)
    const folder = "killed"
    const wrong: Array<string> = []
    const finishedAtKills: Array<number> = []
    for (let kill = 1; kill <= kills; kill++) {
      // Spread over the work: some at least before the first export is finished.
      const finished = Math.floor(((kill - 1) * world.exports) / (kills + 1))
      const ended = yield* world.run(folder, doomAt(world, folder, finished, dice.roll(kill === 1 ? 8000 : 2000)))
      wrong.push(...wrongly(`start ${kill}`, ended))
      if (ended.isKilled) finishedAtKills.push(yield* world.finished(folder))
    }
    const last = yield* world.run(folder, Effect.never)
    wrong.push(...wrongly("the last start", last))
    return { folder, wrong, finishedAtKills }
  })

/**
 * @since 0.1.0
 * @category running
 */
export const killFleet = (options: Options): Effect.Effect<Report> =>
  Effect.gen(function* () {
    const { accounts, seed } = options
    const world = yield* World.make(seed, accounts)
    const undisturbed = yield* timed(world.run("undisturbed", Effect.never))
    const { result, seconds } = yield* timed(killed(world, options))
    const expected = yield* world.results("undisturbed")
    const finished = yield* world.finished("undisturbed")
    const differing = ExportJudge.differences({ files: yield* world.results(result.folder), undisturbed: expected })
    const mismatches = [
      ...wrongly("the undisturbed fleet", undisturbed.result),
      ...(finished === world.exports ? [] : [`the undisturbed fleet finished ${finished} of ${world.exports} exports`]),
      ...result.wrong,
      ...differing
    ]
    return {
      seed,
      accounts,
      exports: world.exports,
      kills: result.finishedAtKills.length,
      finishedAtKills: result.finishedAtKills,
      files: expected.size,
      mismatches: mismatches.length,
      examples: mismatches.slice(0, mostExamples),
      undisturbedSeconds: undisturbed.seconds,
      killedSeconds: seconds
    }
  }).pipe(Effect.scoped)
