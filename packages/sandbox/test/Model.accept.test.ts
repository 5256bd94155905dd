import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Makers from "./utils/makers.js"

it.effect("a model with exact fractions recomputes a simulated day of two market makers", () =>
  Effect.gen(function* () {
    const report = yield* Makers.run({ seed: 20_260_701, commands: 4_000, seconds: 86_400 })
    yield* Effect.logInfo(report)
    expect(report.met).toBeGreaterThan(200)
    expect(report.fundings).toBeGreaterThan(5)
  })
)

it.effect("short runs of many seeds agree with the model", () =>
  Effect.gen(function* () {
    for (let seed = 2; seed < 22; seed++) yield* Makers.run({ seed, commands: 150, seconds: 30_000 })
    for (const modes of Makers.mixtures) {
      for (let seed = 2; seed < 22; seed++) yield* Makers.run({ seed, commands: 200, seconds: 40_000, modes })
    }
  })
)
