import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Guard from "@effect-venue/transport/Guard"
import * as SqlWriteJournal from "@effect-venue/transport/SqlWriteJournal"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { LibsqlClient } from "@effect/sql-libsql"
import { expect, it } from "@effect/vitest"
import { BigDecimal, Duration, Effect, Layer } from "effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

// `VENUE_JOURNAL_ENTRIES=1000000`: a day of a million writes.
const count = Number(process.env.VENUE_JOURNAL_ENTRIES ?? 100_000)
const few = 1_000
const [start, day] = [1_800_000_000_000, 86_400_000]

setFlagsFromString("--expose-gc")
const collectGarbage = runInNewContext("gc") as () => void

/** One of `count` writes of a day, which a guard counts. */
const intentOf = (id: string, index: number, all: number): WriteJournal.Intent => ({
  id,
  operation: "orders.create",
  host: "api.example.com",
  key: "0123456789abcdef0123456789abcdef",
  uid: "123456789",
  parameters: {
    ...{ category: "linear", symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.012", price: "64000.5" },
    ...{ timeInForce: "GTC", positionIdx: 0, takeProfit: "70000", stopLoss: "60000", orderLinkId: `order-${index}` }
  },
  at: Math.floor(start + (index * day) / all),
  recvWindow: 5_000,
  amounts: [
    { kind: "orders", unit: "USDT", value: "768", index: 0, id: `api.example.com 123456789 orders order-${index}` }
  ]
})

const write = (journal: WriteJournal.WriteJournal.Shape, index: number, all: number) =>
  Effect.gen(function* () {
    const id = yield* journal.nextId
    yield* journal.begin(intentOf(id, index, all))
    yield* journal.end(id, { _tag: "Done" })
  })

interface Subject {
  readonly open: (folder: string) => Layer.Layer<WriteJournal.WriteJournal, unknown, NodeContext.NodeContext>
  /** Writes at the same time. */
  readonly concurrency: number
}

const subjects: Readonly<Record<string, Subject>> = {
  "in a folder": { open: (folder) => FileWriteJournal.layer({ folder }), concurrency: 64 },
  "in SQLite": {
    open: (folder) =>
      SqlWriteJournal.layer().pipe(Layer.provide(LibsqlClient.layer({ url: `file:${folder}/journal.db` }))),
    concurrency: 1
  }
}

/** What a new process needs to continue with the totals of a journal, and to record its first write. */
const openOnce = ({ open }: Subject, folder: string, all: number) =>
  Effect.gen(function* () {
    collectGarbage()
    const [heap, cpu] = [process.memoryUsage().heapUsed, process.cpuUsage()]
    return yield* Effect.gen(function* () {
      const journal = yield* WriteJournal.WriteJournal
      const guard = yield* Guard.Guard
      const { system, user } = process.cpuUsage(cpu)
      const begun = performance.now()
      yield* write(journal, all, all)
      const firstWrite = performance.now() - begun
      collectGarbage()
      const megabytes = (process.memoryUsage().heapUsed - heap) / 1e6
      const { day } = yield* guard.used("orders", "USDT")
      return { cpu: (system + user) / 1e3, megabytes, firstWrite, counted: BigDecimal.format(day) }
    }).pipe(
      Effect.provide(
        Guard.layerJournalled({ orders: { USDT: { perDay: "1" } } }).pipe(Layer.provideMerge(open(folder)))
      )
    )
  })

/** A journal with so many writes, opened five times as it is. Returns the medians. */
const measure = (subject: Subject, all: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    yield* fs.makeDirectory(`${folder}/journal`)
    yield* Effect.gen(function* () {
      const journal = yield* WriteJournal.WriteJournal
      yield* Effect.forEach(Array.from({ length: all }).keys(), (index) => write(journal, index, all), {
        concurrency: subject.concurrency,
        discard: true
      })
    }).pipe(Effect.provide(subject.open(`${folder}/journal`)))
    const opened = yield* Effect.forEach([1, 2, 3, 4, 5], (round) =>
      Effect.zipRight(fs.copy(`${folder}/journal`, `${folder}/${round}`), openOnce(subject, `${folder}/${round}`, all))
    )
    const median = (value: (each: (typeof opened)[number]) => number) =>
      opened.map(value).toSorted((left, right) => left - right)[2] ?? 0
    for (const { counted } of opened) expect(counted).toBe(String(768 * all))
    return {
      cpu: median(({ cpu }) => cpu),
      megabytes: median(({ megabytes }) => megabytes),
      firstWrite: median(({ firstWrite }) => firstWrite)
    }
  })

for (const [place, subject] of Object.entries(subjects)) {
  it.scopedLive(
    `opens a journal ${place} with ${count} guarded writes of a day nearly as fast as one with ${few}`,
    () =>
      Effect.gen(function* () {
        yield* measure(subject, few)
        const [small, large] = [yield* measure(subject, few), yield* measure(subject, count)]
        console.log(place, count, { small, large, ratio: large.cpu / small.cpu })
        expect(large.cpu).toBeLessThan(6 * small.cpu)
        expect(large.cpu).toBeLessThan(300)
        expect(large.megabytes - small.megabytes).toBeLessThan(60)
        expect(large.firstWrite).toBeLessThan(small.firstWrite + 50)
      }).pipe(Effect.provide(NodeContext.layer)),
    Duration.toMillis("1 hour")
  )
}
