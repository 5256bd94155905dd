import * as Breadth from "@effect-venue/testing/Breadth"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import type * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as History from "@effect-venue/history/History"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as ProcessIdentity from "@effect-venue/history/siblings/ProcessIdentity"
import type * as Sink from "@effect-venue/history/Sink"
import * as SqlSink from "@effect-venue/history/SqlSink"
import * as Verify from "@effect-venue/history/Verify"
import type * as Transport from "@effect-venue/transport/Transport"
import * as SqlClient from "@effect/sql/SqlClient"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { begin, parts as scripted } from "./utils/scripted.js"
import { databases } from "./utils/databases.js"
import { settle } from "@effect-venue/testing/Settling"
import { day, exchange, mortal, onThatDay, today } from "./utils/world.js"

const linear = Part.make(Datasets.executions, { category: "linear", symbol: "XRPUSDT" })
const spot = Part.make(Datasets.executions, { category: "spot" })
const deposits = Part.make(Datasets.deposits, {})
const range = { from: today - 9 * day, to: today - 2 * day }
const later = { from: range.from, to: today - day }

let pid = 100

/** As a process of its own: what an earlier one left behind is that of a dead process. */
const run = <R, P>(
  parts: ReadonlyArray<Part.Part<unknown, P>>,
  asked: typeof range,
  sink: Sink.Sink<R>,
  options: History.RunOptions = {}
) =>
  Effect.suspend(() =>
    settle(Effect.provideService(History.runAll(parts, asked, sink, options), ProcessIdentity.Processes, mortal(++pid)))
  )

type Run = ReturnType<typeof run<SqlClient.SqlClient, Transport.Transport>>

/** The same sink, which does something else before its `n`-th commit. */
const before = <R>(
  n: number,
  sink: Sink.Sink<R>,
  act: Effect.Effect<unknown, ExportFailure.SinkFailure>
): Sink.Sink<R> => ({
  ...sink,
  open: (parts) =>
    Effect.map(sink.open(parts), (store) => {
      let commits = 0
      return { ...store, append: (batch) => Effect.zipRight(++commits === n ? act : Effect.void, store.append(batch)) }
    })
})

const tables = ["executions", "deposits", "windows", "rejected"]

const withoutRun = ({ parts, run: _, ...manifest }: Manifest.Manifest) => ({
  ...manifest,
  parts: parts.map((part) => ({ ...part, files: part.files.map(({ name: _, ...file }) => file) }))
})

/** All that there is of an export: its rows, windows and rejected rows, and what `verify` says of it. */
const stateOf = (name: string, prefix: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows: Record<string, ReadonlyArray<string>> = {}
    for (const table of tables) {
      const columns = yield* Effect.option(
        sql<Readonly<Record<string, unknown>>>`SELECT * FROM ${sql(`${prefix}${table}`)} WHERE venue_export = ${name}`
      )
      rows[table] = (columns._tag === "None" ? [] : columns.value).map((row) => JSON.stringify(row)).toSorted()
    }
    const verified = yield* Effect.either(SqlSink.verify({ name, prefix }))
    return {
      rows,
      manifest: verified._tag === "Right" ? withoutRun(verified.right.manifest) : undefined,
      findings: verified._tag === "Right" ? verified.right.findings : []
    }
  })

const alone = (name: string): string => `alone_${["export", "Export", "daily"].indexOf(name)}_`

for (const { dialect, isReachable, layer, name: database } of databases) {
  describe.runIf(isReachable)(`exports of several names in one database (${database})`, () => {
    // What it does is the same in all: the other databases are for the long tier.
    it.scoped.runIf(Breadth.isLong || dialect === "sqlite")(
      "each is as if it were there alone, whatever is done to the others",
      () =>
        Effect.gen(function* () {
          const killed = (parts: ReadonlyArray<Part.Part>) => (sink: Sink.Sink<SqlClient.SqlClient>) =>
            Effect.map(Effect.exit(run(parts, range, before(2, sink, Effect.die("killed")))), (exit) =>
              expect(Exit.isFailure(exit)).toBe(true)
            )
          const steps: ReadonlyArray<
            readonly [string, (sink: Sink.Sink<SqlClient.SqlClient>) => ReturnType<ReturnType<typeof killed>> | Run]
          > = [
            ["export", killed([linear, deposits])],
            ["Export", (sink) => run([linear, deposits], range, sink)],
            ["export", (sink) => run([linear, deposits], range, sink)],
            ["daily", killed([spot, linear])],
            ["Export", (sink) => run([linear, deposits], later, sink, { incremental: true })],
            ["export", (sink) => run([deposits], later, sink, { overwrite: true })],
            ["daily", (sink) => run([spot, linear], range, sink)]
          ]
          for (const [index, [name, act]] of steps.entries()) {
            yield* act(SqlSink.make({ name, prefix: alone(name) }))
            yield* act(SqlSink.make({ name }))
            for (const other of new Set(steps.slice(0, index + 1).map(([name]) => name))) {
              const state = yield* stateOf(other, "venue_")
              expect(state, `${other} after step ${index} (${name})`).toEqual(yield* stateOf(other, alone(other)))
              expect(state.findings).toEqual([])
            }
          }
          const all = yield* Effect.forEach(["export", "Export", "daily"], (name) => stateOf(name, "venue_"))
          expect(all.map(({ manifest }) => manifest?.verdict)).toEqual(["complete", "complete", "complete"])
          expect(all[0]?.rows.executions).toEqual([])
          expect(all[1]?.rows.executions?.length).toBeGreaterThan(20)
        }).pipe(
          Effect.provide(layer),
          Effect.provide(exchange({ limits: "off" })),
          onThatDay,
          Effect.provide(NodeContext.layer)
        )
    )

    it.scoped("are both complete if they run at the same time in new tables", () =>
      Effect.gen(function* () {
        const manifests = yield* Effect.forEach(
          ["export", "Export"],
          (name) => run([linear, deposits], range, SqlSink.make({ name })),
          { concurrency: "unbounded" }
        )
        for (const [index, name] of ["export", "Export"].entries()) {
          expect(yield* SqlSink.verify({ name })).toEqual({ manifest: manifests[index], findings: [] })
        }
      }).pipe(
        Effect.provide(layer),
        Effect.provide(exchange({ limits: "off" })),
        onThatDay,
        Effect.provide(NodeContext.layer)
      )
    )

    it.scoped("are verified with their rejected rows", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        // The rows of the script lack most fields.
        const manifest = yield* run(scripted(), { from: begin, to: begin + 30 * day }, SqlSink.make())
        expect(manifest.parts.flatMap(({ windows }) => windows).some(({ rejected }) => rejected > 0)).toBe(true)
        expect((yield* SqlSink.verify()).findings).toEqual([])
        yield* sql`UPDATE venue_rejected SET line = 'changed' WHERE venue_part = ${manifest.parts[0]?.name} AND line LIKE '%e30%'`
        expect((yield* SqlSink.verify()).findings).toEqual([
          new Verify.ChangedFile({ file: "venue_rejected", because: undefined })
        ])
      }).pipe(Effect.provide(layer), onThatDay, Effect.provide(NodeContext.layer))
    )

    it.scoped("write nothing more after their lock was taken over", () =>
      Effect.gen(function* () {
        const world = yield* Effect.context<SqlClient.SqlClient | Transport.Transport>()
        const successor = History.runAll([linear, deposits], range, SqlSink.make(), { overwrite: true }).pipe(
          Effect.provideService(ProcessIdentity.Processes, mortal(++pid)),
          Effect.provide(world),
          Effect.orDie
        )
        const frozen = before(2, SqlSink.make(), successor)
        const failure = yield* Effect.flip(run([linear, deposits], range, frozen))
        expect(failure).toMatchObject({ _tag: "SinkFailure" })
        expect(String(failure)).toContain("another process took over")
        const { findings, manifest } = yield* SqlSink.verify()
        expect(findings).toEqual([])
        expect(manifest.verdict).toBe("complete")
      }).pipe(
        Effect.provide(layer),
        Effect.provide(exchange({ limits: "off" })),
        onThatDay,
        Effect.provide(NodeContext.layer)
      )
    )
  })
}
