import * as FileWriteJournal from "@effect-venue/transport/FileWriteJournal"
import * as Guard from "@effect-venue/transport/Guard"
import * as SqlWriteJournal from "@effect-venue/transport/SqlWriteJournal"
import * as WriteJournal from "@effect-venue/transport/WriteJournal"
import * as NodeContext from "@effect/platform-node/NodeContext"
import * as FileSystem from "@effect/platform/FileSystem"
import * as LibsqlClient from "@effect/sql-libsql/LibsqlClient"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Cost from "../measure/cost.js"
import * as Rounds from "../measure/rounds.js"
import * as Row from "../measure/row.js"

const [start, day] = [1_800_000_000_000, 86_400_000]
const few = 1_000

/** One of `all` writes of a day, which a guard counts. */
type IntentOf = (id: string, index: number, all: number) => WriteJournal.Intent

const intentBase = (id: string, index: number, all: number) => ({
  ...{ id, host: "api.example.com", key: "0123456789abcdef0123456789abcdef", uid: "123456789", recvWindow: 5_000 },
  at: Math.floor(start + (index * day) / all)
})

const orderOf: IntentOf = (id, index, all) => ({
  ...intentBase(id, index, all),
  operation: "orders.create",
  parameters: {
    ...{ category: "linear", symbol: "BTCUSDT", side: "Buy", orderType: "Limit", qty: "0.012", price: "64000.5" },
    ...{ timeInForce: "GTC", positionIdx: 0, takeProfit: "70000", stopLoss: "60000", orderLinkId: `order-${index}` }
  },
  amounts: [
    { kind: "orders", unit: "USDT", value: "768", index: 0, id: `api.example.com 123456789 orders order-${index}` }
  ]
})

const transferOf: IntentOf = (id, index, all) => {
  const requestId = `87c18caa-539a-449e-99cc-${String(index).padStart(12, "0")}`
  return {
    ...intentBase(id, index, all),
    operation: "assets.transfer",
    parameters: { requestId, coin: "USDT", amount: "12.5", fromAccountType: "UNIFIED", toAccountType: "FUND" },
    amounts: [
      {
        kind: "transfers",
        unit: "USDT",
        value: "12.5",
        index: 0,
        id: `api.example.com 123456789 transfers ${requestId}`
      }
    ]
  }
}

const write = (journal: WriteJournal.WriteJournal.Shape, intentOf: IntentOf, index: number, all: number) =>
  Effect.gen(function* () {
    const id = yield* journal.nextId
    yield* journal.begin(intentOf(id, index, all))
    yield* journal.end(id, { _tag: "Done" })
  })

interface Place {
  readonly name: string
  readonly open: (folder: string) => Layer.Layer<WriteJournal.WriteJournal, unknown, NodeContext.NodeContext>
  /** Writes at the same time. */
  readonly concurrency: number
  readonly intentOf: IntentOf
  readonly target?: Row.Target
}

const openFile: Place["open"] = (folder) => FileWriteJournal.layer({ folder })

const openSql: Place["open"] = (folder) =>
  SqlWriteJournal.layer().pipe(Layer.provide(LibsqlClient.layer({ url: `file:${folder}/journal.db` })))

const places: ReadonlyArray<Place> = [
  { name: "file", open: openFile, concurrency: 64, intentOf: orderOf, target: { atMost: 4 } },
  // Without a target: a journal keeps the id of each transfer, and of orders only their sums.
  { name: "file.transfers", open: openFile, concurrency: 64, intentOf: transferOf },
  { name: "sql", open: openSql, concurrency: 1, intentOf: orderOf, target: { atMost: 4 } }
]

/** Fills a journal. Returns an effect that continues with a copy of it as a new process does: opens it, and counts for a guard. */
const prepareOpening = ({ concurrency, intentOf, open }: Place, all: number) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* fs.makeTempDirectoryScoped()
    const journal = `${folder}/journal`
    yield* fs.makeDirectory(journal)
    const fill = Effect.flatMap(WriteJournal.WriteJournal, (opened) =>
      Effect.forEach(Array.range(0, all - 1), (index) => write(opened, intentOf, index, all), {
        concurrency,
        discard: true
      })
    )
    yield* Effect.provide(fill, open(journal))
    let copies = 0
    return Effect.gen(function* () {
      const copy = `${folder}/${copies++}`
      yield* fs.copy(journal, copy)
      const guarded = Guard.layerJournalled({
        orders: { USDT: { perDay: "1" } },
        transfers: { USDT: { perDay: "1" } }
      }).pipe(Layer.provide(open(copy)))
      return yield* Cost.micros(Effect.scoped(Layer.build(guarded)))
    })
  })

/** The processor time in which a process opens a journal with the guarded writes of a day, compared with one of 1,000 writes. */
export const journalOpen = (selection: Row.Selection): Stream.Stream<Row.Row> =>
  Stream.fromIterable(places).pipe(
    Stream.flatMap((place) => Stream.fromIterable([100_000, 1_000_000].map((all) => ({ place, all })))),
    Stream.map(({ all, place }) => ({ all, place, name: `journal.open.${place.name}.${all}` })),
    // A million writes take many minutes: they are measured if their row is named.
    Stream.filter(({ all, name }) => selection.includes(name) && (all < 1e6 || !selection.includes("journal.open"))),
    Stream.mapEffect(({ all, name, place }) =>
      Effect.gen(function* () {
        const [many, single] = [yield* prepareOpening(place, all), yield* prepareOpening(place, few)]
        const pairs = yield* Rounds.pairs({ count: 15, warmUp: 3 }, many, single)
        const description = { baselineName: "1,000 writes", unit: "us of processor", target: place.target }
        return Row.ofPairs({ ...description, name }, pairs)
      }).pipe(Effect.scoped, Effect.provide(NodeContext.layer), Effect.orDie)
    )
  )
