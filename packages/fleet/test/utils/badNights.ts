import type { FleetAccount } from "@effect-venue/fleet/Accounts"
import * as CredentialSource from "@effect-venue/fleet/CredentialSource"
import * as Fleet from "@effect-venue/fleet/Fleet"
import * as Ledger from "@effect-venue/fleet/Ledger"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as Verify from "@effect-venue/history/Verify"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as BadNights from "@effect-venue/testing/BadNights"
import { FileSystem, HttpClient, HttpClientResponse, type Path } from "@effect/platform"
import { expect } from "@effect/vitest"
import { Clock, Context, Duration, Effect, FastCheck, Layer, Option, Redacted, Stream, TestClock } from "effect"
import { account, day, egressOf, ledger, settle, today } from "./world.js"

type Files = FileSystem.FileSystem | Path.Path

/** How the rows of an account are exported, and read afterwards. */
interface Store {
  readonly sink: (location: string) => Sink.Sink<Files>
  readonly verify: (location: string) => Effect.Effect<Verify.Report, unknown, Files>
  readonly rows: (location: string, manifest: Manifest.Manifest) => Stream.Stream<BadNights.Row, unknown, Files>
}

const partsOf = <E, R>(
  { parts }: Manifest.Manifest,
  rows: (part: Manifest.Part) => Stream.Stream<BadNights.Row, E, R>
): Stream.Stream<BadNights.Row, E, R> => Stream.flatMap(Stream.fromIterable(parts), rows)

const inFolder = (sink: (location: string) => Sink.Sink<Files>): Store => ({
  sink,
  verify: (location) => Verify.verify(location),
  rows: (location, manifest) => partsOf(manifest, (part) => Sink.rows(location, manifest, part))
})

/** By the names of accounts. */
const stores: Readonly<Record<string, Store>> = {
  ndjson: inFolder(Sink.ndjson),
  gzip: inFolder((location) => Sink.ndjson(location, { gzip: true })),
  csv: inFolder(Sink.csv),
  parquet: inFolder(Sink.parquet),
  sqlite: {
    sink: SqliteSink.make,
    verify: (location) => SqliteSink.verify(location),
    rows: (location, manifest) => partsOf(manifest, (part) => SqliteSink.rows(location, part))
  }
}

const begin = today - 20 * day

const baseUrl = "http://nights.invalid"

const keys = CredentialSource.layer(({ name }) =>
  Effect.succeed(Credentials.make({ baseUrl, apiKey: name, apiSecret: Redacted.make("secret") }))
)

/** The documented retention of executions. */
const retention = 730

/** The ends of nights: if rows are forgotten, the first ones are forgotten in the course of the nights. */
const nightsOf = ({ keeps }: BadNights.BadNights, count: number): ReadonlyArray<number> =>
  BadNights.nightsOf(begin + (keeps === undefined ? 0 : retention - keeps) * day, count)

/** An exchange that nobody but the exports of a fleet asks. */
const exchangeOf = (answer: BadNights.Answer) =>
  Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request, url) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        HttpClientResponse.fromWeb(
          request,
          new Response(BadNights.bodyOf(Executions.list.path, answer, url, now), {
            headers: { "content-type": "application/json" }
          })
        )
      )
    )
  )

const labelOf = ({ execId, execTime }: BadNights.Row): string => `${String(execId)} ${String(execTime)}`

/** Runs a fleet with an account for each format night after night: in the end each has every row once, or names its range, and no alert is left. */
const runThrough = (nights: BadNights.BadNights, count: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const ledger = yield* Ledger.Ledger
    const out = yield* fs.makeTempDirectoryScoped()
    const rows = BadNights.rowsOf(nights, begin, count)
    const ends = nightsOf(nights, count)
    const keeps = nights.keeps === undefined ? undefined : retention
    let night = 0
    const exchange = exchangeOf((ask) =>
      BadNights.answerOf({ ...nights, keeps }, rows, { begin, end: ends[night] ?? 0, night })(ask)
    )
    const egress = yield* Effect.provide(egressOf("a"), exchange)
    const more: Partial<FleetAccount> = { baseUrl, categories: ["linear"], from: begin, every: Duration.hours(12) }
    const options = {
      accounts: Object.keys(stores).map((name) => account(name, more)),
      egresses: [egress] as const,
      sink: ({ name }: FleetAccount) => (stores[name] ?? expect.fail(name)).sink(`${out}/${name}`),
      untilIdle: true
    }
    for (const [index, end] of ends.entries()) {
      night = index
      yield* TestClock.setTime(end)
      const ran = Effect.flatMap(
        Layer.build(Fleet.layerLocal(options)),
        (fleet) => Context.get(fleet, Fleet.Fleet).ended
      )
      yield* settle(Effect.scoped(ran), "20 seconds")
    }
    const lastNight = ends.at(-1) ?? 0
    const exports = yield* ledger.exports
    expect(exports.map(({ account }) => account).toSorted()).toEqual(Object.keys(stores).toSorted())
    for (const { attempts, coverage } of exports) {
      expect(attempts).toBe(0)
      const verdict = Option.map(coverage, (of) => of.verdict)
      expect(nights.keeps === undefined ? ["complete"] : ["complete", "lost"]).toContain(Option.getOrNull(verdict))
    }
    for (const { completeAt } of yield* ledger.ages(exports.length))
      expect(completeAt).toBeGreaterThanOrEqual(lastNight)
    for (const [name, store] of Object.entries(stores)) {
      const { findings, manifest } = yield* store.verify(`${out}/${name}`)
      expect(findings).toEqual([])
      const exported = Array.from(yield* Stream.runCollect(store.rows(`${out}/${name}`, manifest)), labelOf)
      expect(new Set(exported).size).toBe(exported.length)
      const isNamed = (at: number) => manifest.missing.some(({ from, to }) => at >= from && at < to)
      const expected = rows.filter((row) => exported.includes(labelOf(row)) || !isNamed(Number(row.execTime)))
      expect(exported.toSorted()).toEqual(expected.map(labelOf).toSorted())
      if (nights.keeps === undefined) expect(exported.length).toBe(rows.length)
    }
  })

/** Some cases, each with a ledger of its own. */
export const runAllThrough = ({
  cases,
  count,
  seed
}: {
  readonly cases: number
  readonly count: number
  readonly seed: number
}) =>
  Effect.forEach(FastCheck.sample(BadNights.badNights(count), { numRuns: cases, seed }), (nights) =>
    Effect.scoped(Effect.provide(runThrough(nights, count), Layer.merge(ledger, keys)))
  )
