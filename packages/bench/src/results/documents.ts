import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import * as Drawing from "./drawing.js"
import * as Results from "./results.js"

/** The files generated from the results. */
export interface Documents {
  readonly results: string
  readonly page: string
  readonly chart: string
}

const docs = (name: string): string => fileURLToPath(new URL(`../../../../docs/${name}`, import.meta.url))

/** The files of this repository. */
export const files: Documents = { results: Results.file, page: docs("performance.md"), chart: docs("performance.svg") }

/** Returns the outdated files with their new text. */
export const outdated = ({ chart, page, results }: Documents) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const saved = yield* Results.read(results)
    const present = yield* fs.readFileString(page)
    const drawn = (yield* fs.exists(chart)) ? yield* fs.readFileString(chart) : ""
    return [
      { name: page, present, wanted: Drawing.page(present, saved) },
      { name: chart, present: drawn, wanted: Drawing.chart(saved) }
    ].filter((document) => document.present !== document.wanted)
  })

/** Writes the outdated files. */
export const draw = (documents: Documents) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    for (const { name, wanted } of yield* outdated(documents)) yield* fs.writeFileString(name, wanted)
  })
