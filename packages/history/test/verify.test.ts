import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as Sink from "@effect-venue/history/Sink"
import * as Verify from "@effect-venue/history/Verify"
import * as Breadth from "@effect-venue/testing/Breadth"
import { FileSystem, Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Effect } from "effect"
import * as NodeFiles from "node:fs"
import { afterAll } from "vitest"
import { settle } from "@effect-venue/testing/Settling"
import { day, exchange, folder, onThatDay, today, withFiles } from "./utils/world.js"

const parts = [Part.make(Datasets.executions, { category: "spot" })]
const range = { from: today - 22 * day, to: today - day }

const sinks = {
  ndjson: Sink.ndjson,
  "ndjson.gz": (directory: string) => Sink.ndjson(directory, { gzip: true }),
  csv: Sink.csv,
  parquet: Sink.parquet
}

type Format = keyof typeof sinks

/** The exports that were made, by their formats. */
const originals = new Map<Format, { readonly directory: string; readonly manifest: Manifest.Manifest }>()

afterAll(() => {
  for (const { directory } of originals.values()) NodeFiles.rmSync(directory, { recursive: true, force: true })
})

/** A copy of an export: each format is exported once. */
const exported = (format: Format) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    let original = originals.get(format)
    if (original === undefined) {
      const directory = yield* fs.makeTempDirectory()
      const manifest = yield* settle(History.runAll(parts, range, sinks[format](directory)))
      original = { directory, manifest }
      originals.set(format, original)
    }
    const directory = yield* folder
    yield* fs.copy(original.directory, directory, { overwrite: true })
    const { manifest } = original
    return { directory, manifest, file: path.join(directory, manifest.parts[0]?.files[0]?.name ?? "") }
  }).pipe(Effect.provide(exchange()), onThatDay)

/** Changes a file's text line by line, and says what is found then. */
const after = (change: (lines: Array<string>) => ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const { directory, file, manifest } = yield* exported("ndjson")
    const lines = (yield* fs.readFileString(file)).trimEnd().split("\n")
    yield* fs.writeFileString(file, `${change(lines).join("\n")}\n`)
    const { findings } = yield* Verify.verify(directory)
    return { manifest, lines, findings }
  })

describe("verifying an export", () => {
  for (const format of ["ndjson", "ndjson.gz", "csv", "parquet"] as const) {
    withFiles(`detects every changed byte (${format})`, function* () {
      const fs = yield* FileSystem.FileSystem
      const { directory, file, manifest } = yield* exported(format)
      expect(manifest.rows).toBeGreaterThan(100)
      expect(yield* Verify.verify(directory)).toEqual({ manifest, findings: [] })
      const bytes = yield* fs.readFile(file)
      const changed = Uint8Array.from(bytes)
      const middle = bytes.length >> 1
      changed[middle] = (bytes[middle] ?? 0) ^ 1
      yield* fs.writeFile(file, changed)
      const { findings } = yield* Verify.verify(directory)
      expect(findings).toMatchObject([{ _tag: "ChangedFile" }])
      expect(findings[0]?.message).toContain("was changed after it was written")
      yield* fs.writeFile(file, bytes.subarray(0, bytes.length - 20))
      const cut = yield* Verify.verify(directory)
      expect(cut.findings).toMatchObject([{ _tag: "TruncatedFile", bytes: bytes.length - 20, expected: bytes.length }])
      yield* fs.remove(file)
      expect((yield* Verify.verify(directory)).findings).toMatchObject([{ _tag: "MissingFile" }])
    })
  }

  withFiles("finds views that are changed or gone", function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { directory } = yield* exported("csv")
    const file = path.join(directory, "views.sql")
    const bytes = yield* fs.readFile(file)
    for (let index = 0; index < bytes.length; index += Breadth.repeats(7, 199)) {
      yield* fs.writeFile(file, Uint8Array.from(bytes).with(index, (bytes[index] ?? 0) ^ 1))
      expect((yield* Verify.verify(directory)).findings).toEqual([
        new Verify.ChangedFile({ file: "views.sql", because: undefined })
      ])
    }
    yield* fs.remove(file)
    expect((yield* Verify.verify(directory)).findings).toEqual([new Verify.MissingFile({ file: "views.sql" })])
  })

  withFiles("finds a removed row, with its window", function* () {
    const { findings, manifest } = yield* after((lines) => lines.toSpliced(5, 1))
    const [window] = manifest.parts[0]?.windows ?? []
    expect(findings).toMatchObject([
      { _tag: "RemovedRows", from: range.from, rows: (window?.rows ?? 0) - 1, expected: window?.rows }
    ])
  })

  withFiles("finds a duplicate row by its key", function* () {
    const { findings, lines } = yield* after((lines) => lines.toSpliced(5, 0, lines[5] ?? ""))
    const row = JSON.parse(lines[5] ?? "{}") as { readonly execId?: string }
    expect(findings).toMatchObject([{ _tag: "DuplicatedRow", key: row.execId }])
  })

  withFiles("finds a window whose rows were all removed", function* () {
    const { findings, manifest } = yield* after((lines) => {
      const start = range.from + 7 * day - 1
      return lines.filter((line) => {
        const at = Number((JSON.parse(line) as { readonly execTime: string }).execTime)
        return at < start || at >= start + 7 * day - 1
      })
    })
    const second = manifest.parts[0]?.windows[1]
    expect(findings).toMatchObject([{ _tag: "MissingWindow", from: second?.from, to: second?.to }])
  })

  withFiles("reports rows that were removed at the end", function* () {
    const { findings } = yield* after((lines) => lines.slice(0, -3))
    expect(findings).toMatchObject([{ _tag: "TruncatedFile" }])
  })

  withFiles("finds a manifest that lacks a window or has wrong sums", function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { directory, manifest } = yield* exported("ndjson")
    const file = path.join(directory, "manifest.json")
    const text = yield* fs.readFileString(file)
    const json = JSON.parse(text)
    json.parts[0].windows.splice(1, 1)
    yield* fs.writeFileString(file, JSON.stringify(json))
    const window = manifest.parts[0]?.windows[1]
    expect((yield* Verify.verify(directory)).findings).toContainEqual(
      new Verify.MissingWindow({
        where: `manifest.json, ${parts[0]?.name},`,
        from: window?.from ?? 0,
        to: window?.to ?? 0
      })
    )
    yield* fs.writeFileString(
      file,
      text
        .replace('"verdict": "complete"', '"verdict": "incomplete"')
        .replace(/("name": "exec[^}]*?)"verdict": "complete"/, '$1"verdict": "incomplete"')
        .replace(/"rows": (\d+),\n {6}"pages"/, '"rows": 1,\n      "pages"')
    )
    const tags = new Set((yield* Verify.verify(directory)).findings.map(({ _tag }) => _tag))
    expect([...tags]).toEqual(["ChangedManifest"])
    yield* fs.remove(file)
    expect(yield* Effect.flip(Verify.verify(directory))).toMatchObject({ _tag: "NotAnExport", location: directory })
  })
})
