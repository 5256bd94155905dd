import * as Breadth from "@effect-venue/testing/Breadth"
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Manifest from "@effect-venue/history/Manifest"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as Verify from "@effect-venue/history/Verify"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as SqlClient from "@effect/sql/SqlClient"
import type { FileSystem, Path } from "@effect/platform"
import { describe, expect } from "@effect/vitest"
import { Effect, Either, Exit, Stream } from "effect"
import * as fs from "node:fs"
import { decodeWritten } from "../src/files/folderFiles.js"
import { begin, part, rows } from "./utils/scripted.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, onThatDay, withFiles } from "./utils/world.js"

const range = { from: begin, to: begin + 30 * day }

const exported = (
  sink: Sink.Sink<FileSystem.FileSystem | Path.Path>,
  page?: (ask: Dataset.Ask) => Dataset.Page
): Effect.Effect<Manifest.Manifest, unknown, FileSystem.FileSystem | Path.Path> =>
  settle(
    History.runAll([part(Datasets.executions, { category: "linear" }, page === undefined ? {} : { page })], range, sink)
  ).pipe(onThatDay)

/** The tags of the findings, or of the failure: short if an assertion fails. */
const outcome = <R>(verified: Effect.Effect<Verify.Report, Verify.NotAnExport, R>) =>
  Effect.match(verified, {
    onFailure: ({ _tag }): ReadonlyArray<string> => [_tag],
    onSuccess: ({ findings }) => findings.map(({ _tag }) => _tag)
  })

/** The values that queries read from the tables of rows, once with the index and once without it. */
const readTables = (file: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = Datasets.executions.columns.map(({ name }) => `typeof("${name}") || hex("${name}")`).join(", ")
    const read = (how: string) =>
      sql.unsafe(`SELECT hex(venue_part), hex(venue_key), venue_window, ${columns} FROM venue_executions ${how}`)
    return JSON.stringify([
      yield* read("NOT INDEXED ORDER BY rowid"),
      yield* read("INDEXED BY sqlite_autoindex_venue_executions_1 WHERE venue_export = 'export' ORDER BY rowid")
    ])
  }).pipe(
    Effect.provide(LibsqlClient.layer({ url: `file:${file}` })),
    Effect.scoped,
    Effect.orElseSucceed(() => "unreadable")
  )

/** The bytes of a file with one changed. */
const changedAt = (bytes: Uint8Array, index: number, mask: number): Uint8Array =>
  bytes.with(index, (bytes[index] ?? 0) ^ mask)

describe("a manifest", () => {
  withFiles("with one changed byte is detected", function* () {
    const directory = yield* folder
    const file = `${directory}/${Manifest.fileName}`
    yield* exported(Sink.ndjson(directory))
    const bytes = Uint8Array.from(fs.readFileSync(file))
    expect(Either.isRight(decodeWritten(fs.readFileSync(file, "utf8")))).toBe(true)
    const unseen: Array<string> = []
    for (let index = 0; index < bytes.length; index += Breadth.repeats(3, 13)) {
      for (const mask of index % 8 === 0 ? [0x01, 0x20, 0x80] : [0x01]) {
        const text = new TextDecoder().decode(changedAt(bytes, index, mask))
        if (Either.isRight(decodeWritten(text))) unseen.push(`${index} ^ ${mask}`)
      }
    }
    expect(unseen.slice(0, 5)).toEqual([])
    for (let index = 0; index < bytes.length; index += Breadth.repeats(97, 389)) {
      fs.writeFileSync(file, changedAt(bytes, index, 0x01))
      expect(yield* outcome(Verify.verify(directory)), `byte ${index}`).not.toEqual([])
    }
    const again = yield* Effect.flip(exported(Sink.ndjson(directory)))
    expect(String(again)).toMatch(/manifest.json was (changed after it was written|not written by this version)/)
  })

  const contradictions: ReadonlyArray<
    readonly [what: string, change: (manifest: Manifest.Manifest) => Manifest.Manifest, because: RegExp]
  > = [
    ["another verdict", (it) => ({ ...it, verdict: "incomplete" }), /verdict does not follow from its parts/],
    ["other rows", (it) => ({ ...it, rows: it.rows + 1 }), /rows does not follow from its parts/],
    [
      "a range that lacks rows, which no part has",
      (it) => ({ ...it, missing: [{ part: "executions-main-linear", ...range, because: "of nothing", lost: false }] }),
      /missing does not follow from its parts/
    ],
    ...(["verdict", "rows", "pages", "duplicates", "first", "last"] as const).map(
      (name) =>
        [
          `another ${name} of a part`,
          (it: Manifest.Manifest) => ({
            ...it,
            parts: it.parts.map((each) => ({
              ...each,
              [name]: name === "verdict" ? "incomplete" : (each[name] ?? 0) + 1
            }))
          }),
          new RegExp(`${name} of executions-main-linear does not follow from its windows`)
        ] as const
    )
  ]
  withFiles("that contradicts itself is detected, even with the digest of its text", function* () {
    const directory = yield* folder
    const manifest = yield* exported(Sink.ndjson(directory))
    for (const [what, change, because] of contradictions) {
      fs.writeFileSync(`${directory}/${Manifest.fileName}`, Manifest.encode(change(manifest)))
      const { findings } = yield* Verify.verify(directory)
      const messages = findings.map(({ message }) => message)
      expect(messages.join("\n"), what).toMatch(because)
    }
  })

  withFiles("with conflicting rows has a finding for each, which is not a difference", function* () {
    const directory = yield* folder
    const other: Dataset.Row = { ...rows[3], execPrice: "9" }
    yield* exported(Sink.ndjson(directory), ({ from, to }) => ({
      rows: [...rows.slice(0, 8), other]
        .filter(({ execTime }) => Number(execTime) >= from && Number(execTime) <= to)
        .toReversed(),
      next: ""
    }))
    const { findings, manifest } = yield* Verify.verify(directory)
    expect(manifest.verdict).toBe("incomplete")
    expect(findings.map(({ message }) => message)).toEqual([
      "executions-main-linear has another row with the id e3 at 2026-05-02T12:00:01.000Z, with other contents or at another instant"
    ])
    expect(findings.some(Verify.isDifference)).toBe(false)
  })
})

describe("a file that lost its first row", () => {
  withFiles("gets no row twice by an incremental run", function* () {
    const directory = yield* folder
    const executions = part(Datasets.executions, { category: "linear" })
    const export_ = (to: number) =>
      settle(
        History.runAll([executions], { from: begin, to }, Sink.ndjson(directory), {
          incremental: { overlap: "6 days" }
        })
      ).pipe(onThatDay)
    const first = yield* export_(begin + 20 * day)
    const file = `${directory}/${first.parts[0]?.files[0]?.name ?? ""}`
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/^.*\n/, ""))
    const second = yield* export_(begin + 25 * day)
    const files = second.parts.flatMap((each) => each.files.map(({ name }) => `${directory}/${name}`))
    const ids = files.flatMap((name) => fs.readFileSync(name, "utf8").match(/"execId":"e\d+"/g) ?? [])
    expect(ids).toEqual([...new Set(ids)])
    expect(ids.length).toBe(2 * 25 - 1)
  })
})

describe("a file with one changed byte", () => {
  withFiles("is reported as changed and not read if it is Parquet", function* () {
    const directory = yield* folder
    const manifest = yield* exported(Sink.parquet(directory))
    const [written] = manifest.parts
    const file = `${directory}/${written?.files[0]?.name ?? ""}`
    const bytes = Uint8Array.from(fs.readFileSync(file))
    for (let index = 0; index < bytes.length; index += Breadth.repeats(53, 211)) {
      fs.writeFileSync(file, changedAt(bytes, index, 0x40))
      expect(yield* outcome(Verify.verify(directory)), `byte ${index}`).toEqual(["ChangedFile"])
      if (written === undefined) continue
      const read = yield* Effect.exit(Stream.runDrain(Sink.rows(directory, manifest, written)))
      expect(Exit.isFailure(read), `byte ${index}`).toBe(true)
    }
  })

  withFiles("does not end the process if it is an SQLite database, and is found if a query reads it", function* () {
    const directory = yield* folder
    const original = `${directory}/original.sqlite`
    const damaged = `${directory}/damaged.sqlite`
    const manifest = yield* exported(SqliteSink.make(original))
    expect(yield* outcome(SqliteSink.verify(original))).toEqual([])
    const bytes = Uint8Array.from(fs.readFileSync(original))
    const tables = yield* readTables(original)
    const unseen: Array<string> = []
    const attempt = (index: number, mask: number) =>
      Effect.gen(function* () {
        fs.writeFileSync(damaged, changedAt(bytes, index, mask))
        for (const each of manifest.parts) yield* Effect.exit(Stream.runDrain(SqliteSink.rows(damaged, each)))
        const found = yield* outcome(SqliteSink.verify(damaged))
        if (found.length === 0 && (yield* readTables(damaged)) !== tables) unseen.push(`${index} ^ ${mask}`)
        return found
      })
    // No text with 0x80 in one of these bytes is UTF-8.
    for (let index = 0; index < bytes.length; index += Breadth.repeats(1499, 5987))
      yield* attempt(index, index % 2 === 0 ? 0x80 : 0x01)
    // Where the texts of rows and of the manifest are, and the keys of the index.
    const data = Buffer.from(bytes)
    for (const text of ["ETHUSDT", "30.50", "service.example", "walletsAtEnd", "CREATE TABLE", "executions-main"]) {
      // Some of them are in pages that are free.
      const places: Array<number> = []
      for (let at = data.indexOf(text); at >= 0; at = data.indexOf(text, at + 1)) places.push(at + 2)
      const few = places.filter((_, index) => index % Math.ceil(places.length / 6) === 0)
      const found = (yield* Effect.forEach(few, (index) => attempt(index, 0x80))).flat()
      yield* Effect.forEach(few, (index) => attempt(index - 1, 0x01))
      expect(found, text).not.toEqual([])
    }
    expect(unseen).toEqual([])
  })
})
