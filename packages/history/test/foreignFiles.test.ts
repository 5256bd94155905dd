import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import * as Sink from "@effect-venue/history/Sink"
import { FileSystem, Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, exchanging, filesOf, folder, mortal, onExchange, today } from "./utils/world.js"

const parts = [Part.make(Datasets.executions, { category: "spot" }), Part.make(Datasets.deposits, {})]
const range = { from: today - 5 * day, to: today - day }

let pid = 0

const run = (directory: string, options: History.RunOptions = {}, to = range.to) =>
  Effect.suspend(() =>
    settle(
      Effect.provideService(
        History.runAll(parts, { from: range.from, to }, Sink.ndjson(directory), options),
        ProcessIdentity.Processes,
        mortal(++pid)
      )
    )
  )

const refused = {
  _tag: "SinkFailure",
  detail: expect.stringMatching(/is there already, and no (manifest\.json mentions|export wrote) it/)
}

/** Short also if there is none: a whole manifest in a failed assertion takes minutes to print. */
const refusalOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.match(effect, { onFailure: (error) => error, onSuccess: () => "exported" as const })

/** Dies before it writes the manifest. */
const withoutManifest = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (fs) => ({
    ...fs,
    rename: (from: string, to: string) => (to.endsWith("manifest.json") ? Effect.die("killed") : fs.rename(from, to))
  }))
)

describe("files that no manifest mentions", () => {
  for (const name of ["executions-spot.ndjson", "deposits.ndjson", "executions-spot.rejected.ndjson", "views.sql"]) {
    onExchange(`are not overwritten before anything is read: ${name}`, function* () {
      const fs = yield* FileSystem.FileSystem
      const directory = yield* folder
      yield* fs.writeFileString(`${directory}/${name}`, "mine\n")
      expect(yield* refusalOf(run(directory))).toMatchObject(refused)
      expect(yield* filesOf(directory)).toEqual([[name, "mine\n"]])
      const { rows } = yield* run(directory, { overwrite: true })
      expect(rows).toBeGreaterThan(0)
    })
  }

  onExchange("are not overwritten if the manifest of an export was lost", function* () {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* folder
    yield* run(directory)
    yield* fs.remove(`${directory}/manifest.json`)
    const before = (yield* filesOf(directory)).filter(([name]) => name.endsWith(".ndjson"))
    expect(yield* refusalOf(run(directory))).toMatchObject(refused)
    expect((yield* filesOf(directory)).filter(([name]) => name.endsWith(".ndjson"))).toEqual(before)
  })

  onExchange("are not overwritten if they appear while an export runs, or beside one that is continued", function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* folder
    const file = path.join(directory, "deposits.ndjson")
    const onProgress = () => Effect.orDie(fs.writeFileString(file, "mine\n"))
    expect(yield* refusalOf(run(directory, { onProgress }))).toMatchObject(refused)
    expect(yield* fs.readFileString(file)).toBe("mine\n")
    yield* fs.remove(file)
    yield* run(directory)
    const second = path.join(directory, "executions-spot.2.ndjson")
    yield* fs.writeFileString(second, "mine\n")
    expect(yield* refusalOf(run(directory, { incremental: true }, today))).toMatchObject(refused)
    expect(yield* fs.readFileString(second)).toBe("mine\n")
  })

  exchanging({ limits: "off" })("are replaced if the run that published them is resumed", function* () {
    const fs = yield* FileSystem.FileSystem
    const undisturbed = yield* folder
    yield* run(undisturbed)
    const directory = yield* folder
    yield* Effect.exit(run(directory)).pipe(Effect.provide(withoutManifest))
    expect(yield* fs.exists(`${directory}/deposits.ndjson`)).toBe(true)
    yield* run(directory)
    expect(yield* filesOf(directory)).toEqual(yield* filesOf(undisturbed))
  })

  onExchange("are replaced if the run that overwrites them is resumed", function* () {
    const fs = yield* FileSystem.FileSystem
    const directory = yield* folder
    yield* fs.writeFileString(`${directory}/deposits.ndjson`, "mine\n")
    const onProgress = () => Effect.die("killed")
    yield* Effect.exit(run(directory, { overwrite: true, onProgress }))
    yield* run(directory)
    expect(yield* fs.readFileString(`${directory}/deposits.ndjson`)).not.toBe("mine\n")
  })
})
