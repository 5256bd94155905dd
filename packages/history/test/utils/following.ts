import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Datasets from "@effect-venue/history/siblings/Datasets"
import * as History from "@effect-venue/history/History"
import * as Part from "@effect-venue/history/Part"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Transport from "@effect-venue/transport/Transport"
import { expect } from "@effect/vitest"
import { Effect, Fiber, Option, Ref, Schema, Stream, TestClock } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, today } from "./world.js"

const stored = Schema.encodeSync(Schema.parseJson(History.Checkpoint))
const restored = Schema.decodeSync(Schema.parseJson(History.Checkpoint))

/** What an application has: rows, and the checkpoint as text. */
interface Database {
  readonly rows: ReadonlyArray<History.CommittedRow>
  readonly checkpoint: string | undefined
}

export const empty: Database = { rows: [], checkpoint: undefined }

/** The rows of a commit, whether or not all of them could be read. */
export const rowsOf = (commit: History.Commit): ReadonlyArray<History.CommittedRow> =>
  commit._tag === "Complete" ? commit.rows : commit.partialRows

/** What an application does in one transaction. */
export const write = (database: Ref.Ref<Database>, commit: History.Commit) =>
  Ref.update(database, (before) => ({
    rows: [...before.rows, ...rowsOf(commit)],
    checkpoint: stored(commit.checkpoint)
  }))

export const afterOf = ({ checkpoint }: Database) => (checkpoint === undefined ? {} : { after: restored(checkpoint) })

const market = { category: "linear", symbol: "XRPUSDT" } as const

const taking = { orderType: "Market", timeInForce: "IOC" } as const

/** Trades: an order that is executed at once, and now and then one that stays open and is cancelled much later. */
const trading = () => {
  const open: Array<string> = []
  let trades = 0
  return Effect.gen(function* () {
    const transport = yield* Transport.Transport
    const turn = trades++
    const side = turn % 2 === 0 ? "Buy" : "Sell"
    if (turn % 3 === 0) {
      const resting = { orderType: "Limit", timeInForce: "GTC", price: "0.1" } as const
      open.push((yield* transport.call(Orders.create, { ...market, side: "Buy", qty: "100", ...resting })).orderId)
    }
    yield* transport.call(Orders.create, { ...market, side, qty: "100", ...taking })
    const cancelled = turn % 7 === 6 ? open.shift() : undefined
    if (cancelled !== undefined) yield* transport.call(Orders.cancel, { ...market, orderId: cancelled })
  })
}

/** Runs a stream for some minutes of the test clock, with trades beside it, and ends it where it stands. */
const during = <E, R>(minutes: number, stream: Stream.Stream<unknown, E, R>, trade: ReturnType<typeof trading>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(Stream.runDrain(stream))
    for (let quarter = 0; quarter < minutes * 4; quarter++) {
      if (quarter % 6 === 0) yield* settle(trade)
      yield* TestClock.adjust("15 seconds")
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
    const ended = yield* Fiber.poll(fiber)
    expect(Option.getOrUndefined(ended)).toBeUndefined()
    yield* Fiber.interrupt(fiber)
  })

/**
 * Follows a part for twice some minutes, with a restart in between: what an application that replaces rows has in the end is what one
 * reading of the whole range has.
 */
export const followed = <A>(dataset: Dataset.Dataset<Datasets.ContractQuery, A>, minutes: number) =>
  Effect.gen(function* () {
    const part = Part.make(dataset, market)
    const database = yield* Ref.make(empty)
    const from = today - day / 12
    const following = Stream.unwrap(
      Effect.map(Ref.get(database), (before) => History.follow(part, { from, every: "1 minute", ...afterOf(before) }))
    ).pipe(Stream.tap((commit) => write(database, commit)))
    const trade = trading()
    yield* during(minutes, following, trade)
    const half = (yield* Ref.get(database)).rows.length
    yield* during(minutes, following, trade)
    const end = yield* Ref.get(database)
    expect(end.rows.length).toBeGreaterThan(half)
    const reached = restored(end.checkpoint ?? "").to
    expect(reached).toBeGreaterThan(today + (2 * minutes - 2) * 60_000)

    const current = new Map<string, History.CommittedRow>()
    for (const row of end.rows) {
      if (row.replaces !== undefined) expect(current.delete(row.replaces)).toBe(true)
      expect(current.has(row.key)).toBe(false)
      current.set(row.key, row)
    }
    const whole = yield* settle(
      Stream.runCollect(History.stream(dataset, { ...market, from, to: reached }, { side: "wire" }))
    )
    const texts = (all: Iterable<unknown>) => Array.from(all, (row) => JSON.stringify(row)).toSorted()
    expect(texts(Array.from(current.values(), ({ row }) => row))).toEqual(texts(whole))
    return { replaced: end.rows.filter(({ replaces }) => replaces !== undefined).length, rows: end.rows.length - half }
  })
