import * as Breadth from "@effect-venue/testing/Breadth"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import { FileSystem, type Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import * as UnrulyFiles from "./utils/unrulyFiles.js"
import { folder } from "./utils/world.js"

/** Set for a longer check, such as 10,000. */
const acquisitions = Number(process.env.VENUE_TEST_ACQUISITIONS ?? Breadth.repeats(1000, 30))

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

interface Judge {
  readonly inside: Set<number>
  readonly overlaps: Array<string>
  readonly failures: Array<unknown>
  acquired: number
  refused: number
  died: number
}

/**
 * Processes that open one sink at a time each, forever under a new number, and are delayed, frozen and killed between any two operations
 * on files. The judge hears from a process after it has the sink and before it gives it back, and when it dies.
 */
const compete = (
  seed: number,
  sinkOf: (directory: string) => Sink.Sink<FileSystem.FileSystem | Path.Path>,
  count: number
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* folder
    const sink = sinkOf(directory)
    const random = UnrulyFiles.numbers(seed)
    const alive = new Set<number>()
    const judge: Judge = { inside: new Set(), overlaps: [], failures: [], acquired: 0, refused: 0, died: 0 }
    let pids = 100

    const once = Effect.suspend(() => {
      const pid = ++pids
      alive.add(pid)
      const kill = Effect.suspend(() => {
        if (alive.delete(pid)) judge.died++
        judge.inside.delete(pid)
        return Effect.die("killed")
      })
      const files = UnrulyFiles.make(fs, (effect, half) =>
        Effect.gen(function* () {
          if (!alive.has(pid)) return yield* kill
          const chance = random()
          for (let turns = chance < 0.03 ? 40 : Math.floor(random() * 4); turns > 0; turns--) yield* turn
          if (chance > 0.99) {
            if (half !== undefined) yield* half
            return yield* kill
          }
          return yield* effect
        })
      )
      const work = Effect.gen(function* () {
        yield* sink.open([])
        judge.acquired++
        if (judge.inside.size > 0) judge.overlaps.push(`${[...judge.inside].join(", ")} and ${pid}`)
        judge.inside.add(pid)
        for (let turns = Math.floor(random() * 6); turns > 0; turns--) yield* turn
        judge.inside.delete(pid)
      })
      return Effect.scoped(work).pipe(
        Effect.provideService(FileSystem.FileSystem, files),
        Effect.provideService(ProcessIdentity.Processes, {
          self: Effect.succeed({ pid, startedAt: "1", machine: "here" }),
          isAlive: (id) => Effect.sync(() => alive.has(id.pid))
        }),
        Effect.exit,
        Effect.flatMap((exit) => {
          const wasKilled = !alive.delete(pid)
          if (Exit.isSuccess(exit) || wasKilled) return Effect.void
          const failure = Cause.squash(exit.cause)
          if (failure instanceof ExportFailure.Refused && failure.reason === "Locked") judge.refused++
          else judge.failures.push(failure)
          return turn
        })
      )
    })
    const process = Effect.whileLoop({
      // Until enough have died, too: how many operations an acquisition has depends on the seed.
      while: () => judge.acquired < count || judge.died <= count / 20,
      body: () => once,
      step: () => undefined
    })
    yield* Effect.all(
      Array.from({ length: 5 }, () => process),
      { concurrency: "unbounded", discard: true }
    )
    // Undisturbed, the last one finds the sink free and clears up.
    yield* Effect.scoped(sink.open([])).pipe(
      Effect.provideService(ProcessIdentity.Processes, {
        self: Effect.succeed({ pid: 1, startedAt: "1", machine: "here" }),
        isAlive: (id) => Effect.sync(() => alive.has(id.pid))
      })
    )
    return { judge, left: yield* fs.readDirectory(directory) }
  })

describe("processes that compete for one export", () => {
  it.scopedLive(`own the folder one at a time, in ${acquisitions} acquisitions with delays and kills`, () =>
    Effect.gen(function* () {
      const { judge, left } = yield* compete(1, (directory) => Sink.ndjson(directory), acquisitions)
      expect({ overlaps: judge.overlaps, failures: judge.failures }).toEqual({ overlaps: [], failures: [] })
      expect(judge.acquired).toBeGreaterThanOrEqual(acquisitions)
      expect(judge.refused).toBeGreaterThan(acquisitions / 20)
      expect(judge.died).toBeGreaterThan(acquisitions / 20)
      expect(left).toEqual([])
    }).pipe(Effect.provide(NodeContext.layer))
  )

  it.scopedLive("own the SQLite file one at a time", () =>
    Effect.gen(function* () {
      const rounds = Math.ceil(acquisitions / 10)
      const { judge, left } = yield* compete(1, (directory) => SqliteSink.make(`${directory}/history.db`), rounds)
      expect({ overlaps: judge.overlaps, failures: judge.failures }).toEqual({ overlaps: [], failures: [] })
      expect(judge.died).toBeGreaterThan(0)
      expect(left.filter((name) => name.includes("lock"))).toEqual([])
    }).pipe(Effect.provide(NodeContext.layer))
  )
})
