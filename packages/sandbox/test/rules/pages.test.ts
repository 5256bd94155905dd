/**
 * Page sizes and cursors, of every list that has them. The world is crowded: every list has more than its greatest page.
 */
import * as Ids from "@effect-venue/schemas/Id"
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import * as Specification from "@effect-venue/testing/Specification"
import { describe, expect } from "@effect/vitest"
import { BigDecimal, DateTime, Effect, Option } from "effect"
import * as Rules from "./utils.js"
import { RecordList } from "../../src/state/recordList.js"

const copies = <A>(records: ReadonlyArray<A>, count: number, copy: (record: A, index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => copy(records[index % records.length]!, index))

const recordCopies = <A>(records: RecordList<A>, count: number, copy: (record: A, index: number) => A): RecordList<A> =>
  RecordList.from(copies(Array.from(records), count, copy))

const symbol = (index: number) => Ids.Symbol.make(`X${String(index).padStart(4, "0")}USDT`)

const crowded = Rules.altered((state, main) => {
  const btc = state.listings.find((one) => one.category === "linear" && one.instrument.symbol === "BTCUSDT")!
  const held = main.positions.find((one) => one.symbol === "BTCUSDT")!
  const account: Exchange.Account = {
    ...main,
    positions: copies([held], 205, (position, index) => ({ ...position, symbol: symbol(index) })),
    bonusUsage: copies(main.bonusUsage, 60, (use) => use),
    transfers: copies(main.transfers, 60, (transfer, index) => ({
      ...transfer,
      transferId: Ids.TransferId.make(`${transfer.transferId}-${index}`)
    })),
    deposits: copies(
      main.deposits.filter((deposit) => deposit.type === "0"),
      60,
      (deposit, index) => ({
        ...deposit,
        transactionId: Ids.TransactionId.make(`${deposit.transactionId}-${index}`)
      })
    ).toSorted(
      (one, other) =>
        one.createTime.epochMillis - other.createTime.epochMillis || (one.transactionId < other.transactionId ? -1 : 1)
    ),
    subAccountTransfers: copies(main.subAccountTransfers, 60, (transfer, index) => ({
      ...transfer,
      transferId: Ids.TransferId.make(`${transfer.transferId}-${index}`)
    })),
    customers: copies(main.customers, 60, (customer, index) => ({ ...customer, uid: String(20_000_001 + index) })),
    preUpgradeExecutions: {
      ...main.preUpgradeExecutions,
      linear: recordCopies(main.preUpgradeExecutions.linear, 110, (fill, index) => ({
        ...fill,
        execId: Ids.ExecId.make(`exec-${index}`),
        execTime: DateTime.unsafeMake(index - Rules.day)
      }))
    },
    preUpgradeClosedPnl: {
      ...main.preUpgradeClosedPnl,
      linear: recordCopies(main.preUpgradeClosedPnl.linear, 110, (closed, index) => ({
        ...closed,
        orderId: Ids.OrderId.make(`order-${index}`),
        updatedTime: DateTime.unsafeMake(index - Rules.day)
      }))
    }
  }
  expect(BigDecimal.isZero(held.size)).toBe(false)
  return {
    ...state,
    listings: [
      ...state.listings,
      ...copies([btc], 1005, (listing, index) => ({
        ...listing,
        instrument: { ...listing.instrument, symbol: symbol(index), baseCoin: Ids.Coin.make("BTC") }
      }))
    ],
    accounts: new Map(state.accounts).set(account.uid, { ...account, masterUid: Option.none() })
  }
})

const linear = { category: "linear" }

const usdtOnly = { coin: "USDT" }

/** The request, and the maximum and the default of its page size. */
const bounded = [
  ["[orders.open/limit, limits/pages.orders] open orders", "orders.open", Rules.usdt, 50, 20],
  ["[assets.deposits/pageSize, limits/pages.deposits] deposits", "assets.deposits", {}, 50, 20],
  ["[assets.bonusUsage/limit, limits/pages.bonus] bonus usage", "assets.bonusUsage", usdtOnly, 50, 10],
  ["[positions.list/limit, limits/pages.positions] positions", "positions.list", Rules.usdt, 200, 20],
  ["[assets.transfers/limit, limits/pages.transfers] transfers", "assets.transfers", {}, 50, 10],
  ["[executions.list/limit, limits/pages.executions] executions", "executions.list", linear, 100, 50],
  ["[executions.preUpgrade/limit, limits/pages.pre-upgrade] old executions", "executions.preUpgrade", linear, 100, 50],
  [
    "[positions.preUpgradeClosedPnl/limit, limits/pages.pre-upgrade] old profits",
    "positions.preUpgradeClosedPnl",
    linear,
    100,
    50
  ],
  ["[instruments.list/limit, limits/pages.instruments] instruments", "instruments.list", linear, 1000, 500],
  ["[broker.tradeVolume/limit, limits/pages.volume] trade volume", "broker.tradeVolume", {}, 50, 20]
] as const

describe("page sizes", () => {
  for (const [title, operation, parameters, max, usual] of bounded) {
    const size = Specification.sizeParameterOf(operation)
    Rules.rule(
      `${title}: 1 to ${max}, default ${usual}`,
      function* () {
        const count = (limit?: unknown) =>
          Effect.map(
            Rules.rows(operation, limit === undefined ? parameters : { ...parameters, [size]: limit }),
            (found) => found.length
          )
        expect([yield* count(), yield* count(1), yield* count(max)]).toEqual([usual, 1, max])
        for (const refused of [0, max + 1, -1, "1.5", "many"]) {
          expect(yield* Rules.code(operation, { ...parameters, [size]: refused })).toBe(10001)
        }
      },
      crowded
    )
  }

  Rules.rule(
    "[assets.subAccountTransfers/limit] sub-account transfers: as many as are requested",
    function* () {
      const count = (limit: unknown) =>
        Effect.map(Rules.rows("assets.subAccountTransfers", { limit }), (found) => found.length)
      expect([yield* count(1), yield* count(7), yield* count(51), yield* count(1000)]).toEqual([1, 7, 51, 60])
      for (const limit of [0, -1, "1.5", "many"]) {
        expect(yield* Rules.code("assets.subAccountTransfers", { limit })).toBe(10001)
      }
    },
    crowded
  )
})

/** What names a record, and how many there are, if the world decides it. */
const paged = [
  ["[orders.open/cursor] open orders", "orders.open", { ...Rules.usdt, limit: 20 }, "OrderId", undefined],
  ["[assets.deposits/cursor] deposits", "assets.deposits", { pageSize: 25 }, "transaction_id", 60],
  ["[positions.list/cursor] positions", "positions.list", { ...Rules.usdt, limit: 100 }, "symbol", 205],
  ["[assets.transfers/cursor] transfers", "assets.transfers", { limit: 25 }, "transferId", 60],
  [
    "[assets.subAccountTransfers/cursor] sub-account transfers",
    "assets.subAccountTransfers",
    { limit: 25 },
    "transfer_id",
    60
  ],
  ["[executions.list/cursor] executions", "executions.list", { ...linear, limit: 100 }, "execId", undefined],
  [
    "[executions.preUpgrade/cursor] pre-upgrade executions",
    "executions.preUpgrade",
    { ...linear, limit: 40 },
    "execId",
    110
  ],
  [
    "[positions.preUpgradeClosedPnl/cursor] pre-upgrade closed profits",
    "positions.preUpgradeClosedPnl",
    { ...linear, limit: 40 },
    "orderId",
    110
  ],
  ["[instruments.list/cursor] instruments", "instruments.list", { ...linear, limit: 400 }, "symbol", 1020],
  ["[broker.tradeVolume/cursor] trade volume", "broker.tradeVolume", { limit: 25 }, "user_id", 60]
] as const

describe("cursors", () => {
  describe("[conventions/cursor, conventions/last-page, records/pages] lead through all pages, and are empty on the last", () => {
    for (const [title, operation, parameters, key, total] of paged) {
      Rules.rule(
        title,
        function* () {
          const { cursor, items } = Specification.listOf(operation)
          const first = yield* Rules.result(operation, parameters)
          expect(first[cursor]).toMatch(/./)
          const second = yield* Rules.result(operation, { ...parameters, cursor: first[cursor] })
          const seen = new Set(first[items].map((row: Rules.Row) => row[key]))
          expect(seen.size).toBe(first[items].length)
          expect(second[items].filter((row: Rules.Row) => seen.has(row[key]))).toEqual([])
          expect(second[items].length).toBeGreaterThan(0)
          const found = yield* Rules.all(operation, parameters)
          expect(Rules.distinct(found.map((row) => row[key]))).toHaveLength(found.length)
          if (total !== undefined) expect(found).toHaveLength(total)
          // An empty cursor asks for the beginning; an unknown one is refused.
          const empty = yield* Rules.result(operation, { ...parameters, cursor: "" })
          expect(empty[items]).toEqual(first[items])
          expect(yield* Rules.code(operation, { ...parameters, cursor: "invented" })).toBe(10001)
        },
        crowded
      )
    }
  })
})
