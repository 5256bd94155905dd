import type * as Dataset from "@effect-venue/history/Dataset"
import type * as ExportFailure from "@effect-venue/history/ExportFailure"
import * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Part from "@effect-venue/history/Part"
import * as Singer from "@effect-venue/history/Singer"
import * as Sink from "@effect-venue/history/Sink"
import * as SqliteSink from "@effect-venue/history/SqliteSink"
import * as SqlSink from "@effect-venue/history/SqlSink"
import * as Verify from "@effect-venue/history/Verify"
import * as ExecutionEndpoints from "@effect-venue/schemas/Executions"
import * as PositionEndpoints from "@effect-venue/schemas/Positions"
import * as Credentials from "@effect-venue/signing/Credentials"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Recording from "@effect-venue/transport/Recording"
import * as Transport from "@effect-venue/transport/Transport"
import type * as SqlClient from "@effect/sql/SqlClient"
import { FileSystem, HttpClient, HttpClientResponse, Path } from "@effect/platform"
import { Clock, Duration, Effect, Either, Layer, Option, Schema, type Scope, Stream, TestClock } from "effect"
import { databases } from "./databases.js"
import { rowsOf } from "./following.js"
import { type Answer, bodyOf, executionOf, pagesOf, recordOf, type Row } from "@effect-venue/testing/BadNights"
import { settle } from "@effect-venue/testing/Settling"
import { day, folder, today } from "./world.js"

/** The beginning of every range. */
export const begin = today - 20 * day

const profit = recordOf(PositionEndpoints.ClosedPnl)

/** An execution, `at` milliseconds after the beginning. */
export const trade = (execId: string, at: number, more: Row = {}): Row => ({
  ...executionOf(execId, begin + at),
  ...more
})

/** A closed profit, created and updated so many milliseconds after the beginning. */
export const closing = (orderId: string, created: number, updated: number): Row => ({
  ...profit,
  orderId,
  createdTime: String(begin + created),
  updatedTime: String(begin + updated)
})

const textOf = (row: Row, name: string): string => {
  const value = row[name]
  return typeof value === "string" || typeof value === "number" ? String(value) : ""
}

const hoursOf = (row: Row, name: string): string => {
  const at = textOf(row, name)
  return /^\d+$/.test(at) ? `${(Number(at) - begin) / 3_600_000}h` : at
}

/** The kinds of records that the server has, and how they are read. */
const kinds = {
  executions: {
    path: ExecutionEndpoints.list.path,
    part: Part.make(Datasets.executions, { category: "linear" }),
    label: (row: Row) => `${JSON.stringify(textOf(row, "execId"))} ${hoursOf(row, "execTime")}`
  },
  closedPnl: {
    path: PositionEndpoints.closedPnl.path,
    part: Part.make(Datasets.closedPnl, { category: "linear" }),
    label: (row: Row) => `${textOf(row, "orderId")} ${hoursOf(row, "createdTime")} ${hoursOf(row, "updatedTime")}`
  }
} as const

export type Kind = keyof typeof kinds

export const labelOf = (kind: Kind, row: Row): string => kinds[kind].label(row)

/** The result of a way of reading: the rows by their labels, and whether rows may be missing or wrong. */
export interface Outcome {
  readonly rows: ReadonlyArray<string>
  readonly isNamed: boolean
  /** What is wrong with the rows as they are stored. */
  readonly findings: ReadonlyArray<string>
  /** The number of rows in conflict that each night reported. */
  readonly conflicts: ReadonlyArray<number>
  /** The ranges that can lack rows in the end. */
  readonly missing: ReadonlyArray<Manifest.Missing>
  /** What is kept beside the rows: names of files, and the number of windows. Empty for an application, which keeps a checkpoint. */
  readonly kept: ReadonlyArray<string>
}

/** A server: its answers begin anew each time that it is made. */
export interface Server {
  readonly kind: Kind
  /** `night`: the number of the night. */
  readonly answer: (night: () => number) => Answer
  /** Each night is at its time, can fail, and is followed by the next. Defaults to nights of one day, whose ends differ. */
  readonly isDaily?: boolean
  /** How long the service keeps the rows, in milliseconds. Defaults to what is documented. */
  readonly keeps?: number
}

/** An exchange that has nothing but this list. */
const exchangeOf = (path: string, answer: Answer): Layer.Layer<Transport.Transport> => {
  const client = HttpClient.make((request, url) =>
    Effect.map(Clock.currentTimeMillis, (now) =>
      HttpClientResponse.fromWeb(
        request,
        new Response(bodyOf(path, answer, url, now), { headers: { "content-type": "application/json" } })
      )
    )
  )
  return Transport.layerStandalone.pipe(
    Layer.provide([
      Layer.succeed(HttpClient.HttpClient, client),
      Layer.succeed(Credentials.Credentials, Recording.credentials)
    ])
  )
}

type Read<E, R> = (server: Server, nights: ReadonlyArray<number>) => Effect.Effect<Outcome, E, R>

type Files = FileSystem.FileSystem | Path.Path

const rangeTo = (to: number) => ({ from: begin, to })

const outcomeOf = (
  kind: Kind,
  { conflicts, manifest }: Nightly,
  rows: Iterable<Dataset.Row>,
  findings: Verify.Report["findings"],
  files: ReadonlyArray<string>
): Outcome => ({
  conflicts,
  rows: Array.from(rows, (row) => labelOf(kind, row)),
  isNamed: manifest?.verdict === "incomplete",
  missing: manifest?.missing.map(({ because, from, lost, to }) => ({ from, to, because, lost })) ?? [],
  findings: findings.map(({ message }) => message),
  kept: [
    ...files.toSorted(),
    ...(manifest?.parts ?? []).map(({ files, windows }) => `${files.length} files, ${windows.length} windows`)
  ]
})

const partOf = (manifest: Manifest.Manifest | undefined): Manifest.Part => {
  const part = manifest?.parts[0]
  if (part === undefined) throw new Error("no part")
  return part
}

const partOfServer = ({ keeps, kind }: Server) => {
  const { part } = kinds[kind]
  const { dataset } = part
  const windows = { ...dataset.windows, reachBack: Option.map(Option.fromNullable(keeps), Duration.millis) }
  return keeps === undefined ? part : { ...part, dataset: { ...dataset, windows } }
}

/** Reads night after night. The range of a daily server ends now. */
const eachNight = <E, R>(
  server: Server,
  nights: ReadonlyArray<number>,
  read: (range: History.Range) => Effect.Effect<void, E, R | Transport.Transport>
) =>
  Effect.suspend(() => {
    let night = 0
    const reading = Effect.forEach(nights, (to, index) => {
      night = index
      const isLast = index === nights.length - 1
      if (server.isDaily !== true) return settle(read(rangeTo(to)))
      const ended = Effect.zipRight(TestClock.setTime(to), settle(read({ from: begin })))
      return isLast ? ended : Effect.ignore(ended)
    })
    return Effect.provide(
      reading,
      exchangeOf(
        kinds[server.kind].path,
        server.answer(() => night)
      )
    )
  })

/** What exports of some nights left, and how many conflicts each of them reported. */
interface Nightly {
  readonly manifest: Manifest.Manifest | undefined
  readonly conflicts: ReadonlyArray<number>
}

/** Exports night after night into one place. */
const nightly = <R>(server: Server, nights: ReadonlyArray<number>, sink: Sink.Sink<R>) =>
  Effect.gen(function* () {
    let manifest: Manifest.Manifest | undefined
    const conflicts: Array<number> = []
    const part = partOfServer(server)
    yield* eachNight(server, nights, (range) =>
      Effect.map(History.runAll([part], range, sink, { incremental: true }), (read) => {
        manifest = read
        conflicts.push(read.run.conflicts)
      })
    )
    return { manifest, conflicts } satisfies Nightly
  })

const intoFolder =
  (sinkOf: (folder: string) => Sink.Sink<Files>): Read<unknown, Files | Scope.Scope> =>
  (server, nights) =>
    Effect.gen(function* () {
      const location = yield* folder
      const exported = yield* nightly(server, nights, sinkOf(location))
      const { manifest } = exported
      const rows =
        manifest === undefined ? [] : yield* Stream.runCollect(Sink.rows(location, manifest, partOf(manifest)))
      const files = yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.readDirectory(location))
      return outcomeOf(server.kind, exported, rows, (yield* Verify.verify(location)).findings, files)
    })

const intoSqlite: Read<unknown, Files | Scope.Scope> = (server, nights) =>
  Effect.gen(function* () {
    const path = yield* Path.Path
    const file = path.join(yield* folder, "history.db")
    const exported = yield* nightly(server, nights, SqliteSink.make(file))
    const rows = yield* Stream.runCollect(SqliteSink.rows(file, partOf(exported.manifest)))
    return outcomeOf(server.kind, exported, rows, (yield* SqliteSink.verify(file)).findings, [])
  })

const intoTables: Read<unknown, SqlClient.SqlClient> = (server, nights) =>
  Effect.gen(function* () {
    const exported = yield* nightly(server, nights, SqlSink.make())
    const rows = yield* Stream.runCollect(SqlSink.rows(partOf(exported.manifest)))
    return outcomeOf(server.kind, exported, rows, (yield* SqlSink.verify()).findings, [])
  })

const stored = Schema.encodeSync(Schema.parseJson(History.Checkpoint))
const restored = Schema.decodeSync(Schema.parseJson(History.Checkpoint))

type ReadCommits = (
  part: ReturnType<typeof partOfServer>,
  options: History.CommitOptions
) => Stream.Stream<History.Commit, Failure.ReadFailure | ExportFailure.Refused, Transport.Transport>

/** Follows for one reading: until the first commit of the one after. */
const followOnce: ReadCommits = (part, { to: _to, ...options }) =>
  Stream.unwrap(
    Effect.map(Clock.currentTimeMillis, (now) => {
      const ends = new Set<number>()
      return Stream.takeUntil(
        History.follow(part, { ...options, every: "1 second" }),
        ({ checkpoint: { to } }) => to >= now && ends.add(to).size > 1
      )
    })
  )

/** An application that starts anew each night, and has a table of rows by their keys. */
const intoApplication =
  (read: ReadCommits): Read<unknown, never> =>
  (server, nights) =>
    Effect.gen(function* () {
      const rows = new Map<string, Dataset.Row>()
      const findings: Array<string> = []
      let checkpoint: string | undefined
      let isNamed = false
      const conflicts: Array<number> = []
      yield* eachNight(server, nights, (range) => {
        const night = conflicts.push(0) - 1
        const after = checkpoint === undefined ? {} : { after: restored(checkpoint) }
        const commits = read(partOfServer(server), { ...range, ...after })
        const commit = (commit: History.Commit) =>
          Effect.sync(() => {
            const { checkpoint: reached } = commit
            for (const { key, replaces, row } of rowsOf(commit)) {
              if (replaces !== undefined && !rows.delete(replaces)) findings.push(`${replaces} was not there`)
              if (rows.has(key)) findings.push(`${key} was there`)
              rows.set(key, row)
            }
            checkpoint = stored(reached)
            isNamed ||= commit._tag === "Incomplete"
            if (commit._tag === "Incomplete") conflicts[night] = (conflicts[night] ?? 0) + commit.conflicts.length
          })
        return Stream.runForEach(commits, commit)
      })
      const missing = checkpoint === undefined ? [] : restored(checkpoint).missing
      return {
        rows: Array.from(rows.values(), (row) => labelOf(server.kind, row)),
        isNamed,
        conflicts,
        findings,
        missing,
        kept: []
      }
    })

const storedState = Schema.encodeSync(Schema.parseJson(Singer.State))
const restoredState = Schema.decodeUnknownSync(Schema.parseJson(Singer.State))

/** A target of a tap that starts anew each night: a table by the key of its stream. */
const intoTarget: Read<unknown, never> = (server, nights) =>
  Effect.gen(function* () {
    const part = partOfServer(server)
    const rows = new Map<unknown, Dataset.Row>()
    let state: Singer.State | undefined
    let isNamed = false
    const reported: Array<number> = []
    const receive = (message: Singer.Message): void => {
      if (message.type === "STATE") state = restoredState(JSON.stringify(message.value))
      else if (message.type === "RECORD" && "_sdc_deleted_at" in message.record) rows.delete(message.record.venue_key)
      else if (message.type === "RECORD") rows.set(message.record.venue_key, message.record)
    }
    yield* eachNight(server, nights, (range) => {
      const after = state === undefined ? {} : { state: restoredState(storedState(state)) }
      const night = reported.push(0) - 1
      const onIncomplete = ({ conflicts }: Singer.IncompleteWindow) =>
        Effect.sync(() => {
          isNamed = true
          reported[night] = (reported[night] ?? 0) + conflicts.length
        })
      return Stream.runForEach(Singer.tap([part], { ...range, ...after, onIncomplete }), (messages) =>
        Effect.sync(() => messages.forEach(receive))
      )
    })
    const instants = Option.match(part.dataset.instant, { onNone: () => [], onSome: ({ name }) => [name] })
    const toWire = (row: Dataset.Row): Dataset.Row => ({
      ...row,
      ...Object.fromEntries(instants.map((name) => [name, String(Date.parse(String(row[name])))]))
    })
    return {
      rows: Array.from(rows.values(), (row) => labelOf(server.kind, toWire(row))),
      isNamed,
      conflicts: reported,
      findings: [],
      kept: [],
      missing: state?.bookmarks[part.name]?.missing ?? []
    }
  })

const streamed =
  (
    read: (kind: Kind, to: number) => Stream.Stream<Row, { readonly _tag: string }, Transport.Transport>
  ): Read<unknown, never> =>
  (server, nights) =>
    Effect.gen(function* () {
      const rows: Array<Row> = []
      const stream = read(server.kind, nights.at(-1) ?? begin)
      const ended = yield* settle(Effect.either(Stream.runForEach(stream, (row) => Effect.sync(() => rows.push(row)))))
      return {
        rows: rows.map((row) => labelOf(server.kind, row)),
        isNamed: Either.isLeft(ended),
        conflicts: [],
        missing: [],
        kept: [],
        findings: Option.match(Either.getLeft(ended), {
          onNone: () => [],
          onSome: ({ _tag }) => (["Incomplete", "UnexpectedResponse"].includes(_tag) ? [] : [_tag])
        })
      }
    }).pipe(
      Effect.provide(
        exchangeOf(
          kinds[server.kind].path,
          server.answer(() => 0)
        )
      )
    )

export type AnyRead = Read<unknown, Files | Scope.Scope>

/** Reads that keep what they have, and are continued night after night. */
export const continued: Readonly<Record<string, AnyRead>> = {
  ndjson: intoFolder(Sink.ndjson),
  "ndjson.gz": intoFolder((location) => Sink.ndjson(location, { gzip: true })),
  csv: intoFolder(Sink.csv),
  parquet: intoFolder(Sink.parquet),
  sqlite: intoSqlite,
  ...Object.fromEntries(
    databases
      .filter(({ dialect, isReachable }) => dialect === "postgres" && isReachable)
      .map(({ layer, name }): readonly [string, AnyRead] => [
        name,
        (server, nights) => Effect.provide(intoTables(server, nights), layer)
      ])
  ),
  commits: intoApplication(History.commits)
}

/** Every read that is continued night after night. */
export const lasting: Readonly<Record<string, AnyRead>> = {
  ...continued,
  follow: intoApplication(followOnce),
  tap: intoTarget
}

/** Every read that is continued night after night. Those of databases that cannot be reached are skipped by name. */
export const nightlyReads: ReadonlyArray<readonly [name: string, read: AnyRead | undefined]> = [
  ...Object.entries(lasting),
  ...databases.flatMap(({ dialect, isReachable, name }) =>
    dialect === "postgres" && !isReachable ? [[name, undefined] as const] : []
  )
]

/** Reads of the whole range at once. */
export const streams: Readonly<Record<string, AnyRead>> = {
  "History.stream": streamed((kind, to) => {
    const dataset: Dataset.Dataset<Datasets.ContractQuery, unknown> =
      kind === "executions" ? Datasets.executions : Datasets.closedPnl
    return History.stream(dataset, { category: "linear", ...rangeTo(to) }, { side: "wire" })
  })
}

/** A server that answers by the rule that is documented. */
export const lawful = (kind: Kind, rows: ReadonlyArray<Row>): Server => ({
  kind,
  answer: () => pagesOf(rows, kind === "executions" ? "execTime" : "createdTime")
})
