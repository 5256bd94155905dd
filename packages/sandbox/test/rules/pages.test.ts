/**
 * Page sizes and cursors, of every list that has them. The world is crowded: every list has more than its greatest page.
 */
import * as Ids from "@effect-venue/schemas/Id"
import type * as State from "@effect-venue/sandbox/State"
import { describe, expect, layer } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Rules from "./utils.js"

const copies = <A>(records: ReadonlyArray<A>, count: number, copy: (record: A, index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => copy(records[index % records.length]!, index))

const symbol = (index: number) => Ids.Symbol.make(`X${String(index).padStart(4, "0")}USDT`)

const crowded = Rules.altered((state, main) => {
  const btc = state.listings.find((one) => one.category === "linear" && one.instrument.symbol === "BTCUSDT")!
  const held = main.positions.find((one) => one.symbol === "BTCUSDT")!
  const account: State.Account = {
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
      linear: copies(main.preUpgradeExecutions.linear, 110, (fill, index) => ({
        ...fill,
        execId: Ids.ExecId.make(`exec-${index}`),
        execTime: DateTime.unsafeMake(index - Rules.day)
      }))
    },
    preUpgradeClosedPnl: {
      ...main.preUpgradeClosedPnl,
      linear: copies(main.preUpgradeClosedPnl.linear, 110, (closed, index) => ({
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

const bounded = [
  {
    title: "[orders.open/limit, limits/pages.orders] open orders: 1 to 50, default 20",
    operation: "orders.open",
    parameters: Rules.usdt,
    size: "limit",
    max: 50,
    usual: 20
  },
  {
    title: "[assets.deposits/pageSize, limits/pages.deposits] deposits: 1 to 50, default 20",
    operation: "assets.deposits",
    parameters: {},
    size: "pageSize",
    max: 50,
    usual: 20
  },
  {
    title: "[assets.bonusUsage/limit, limits/pages.bonus] bonus usage: 1 to 50, default 10",
    operation: "assets.bonusUsage",
    parameters: { coin: "USDT" },
    size: "limit",
    max: 50,
    usual: 10
  },
  {
    title: "[positions.list/limit, limits/pages.positions] positions: 1 to 200, default 20",
    operation: "positions.list",
    parameters: Rules.usdt,
    size: "limit",
    max: 200,
    usual: 20
  },
  {
    title: "[assets.transfers/limit, limits/pages.transfers] transfers: 1 to 50, default 10",
    operation: "assets.transfers",
    parameters: {},
    size: "limit",
    max: 50,
    usual: 10
  },
  {
    title: "[executions.list/limit, limits/pages.executions] executions: 1 to 100, default 50",
    operation: "executions.list",
    parameters: linear,
    size: "limit",
    max: 100,
    usual: 50
  },
  {
    title: "[executions.preUpgrade/limit, limits/pages.pre-upgrade] pre-upgrade executions: 1 to 100, default 50",
    operation: "executions.preUpgrade",
    parameters: linear,
    size: "limit",
    max: 100,
    usual: 50
  },
  {
    title:
      "[positions.preUpgradeClosedPnl/limit, limits/pages.pre-upgrade] pre-upgrade closed profits: 1 to 100, default 50",
    operation: "positions.preUpgradeClosedPnl",
    parameters: linear,
    size: "limit",
    max: 100,
    usual: 50
  },
  {
    title: "[instruments.list/limit, limits/pages.instruments] instruments: 1 to 1000, default 500",
    operation: "instruments.list",
    parameters: linear,
    size: "limit",
    max: 1000,
    usual: 500
  },
  {
    title: "[broker.tradeVolume/limit, limits/pages.volume] trade volume: 1 to 50, default 20",
    operation: "broker.tradeVolume",
    parameters: {},
    size: "limit",
    max: 50,
    usual: 20
  }
] as const

layer(crowded)("page sizes", (it) => {
  for (const { max, operation, parameters, size, title, usual } of bounded) {
    it.effect(title, () =>
      Effect.gen(function* () {
        const count = (limit?: unknown) =>
          Effect.map(
            Rules.rows(operation, limit === undefined ? parameters : { ...parameters, [size]: limit }),
            (found) => found.length
          )
        expect([yield* count(), yield* count(1), yield* count(max)]).toEqual([usual, 1, max])
        for (const refused of [0, max + 1, -1, "1.5", "many"]) {
          expect(yield* Rules.code(operation, { ...parameters, [size]: refused })).toBe(10001)
        }
      })
    )
  }

  it.effect("[assets.subAccountTransfers/limit] sub-account transfers: as many as are requested", () =>
    Effect.gen(function* () {
      const count = (limit: unknown) =>
        Effect.map(Rules.rows("assets.subAccountTransfers", { limit }), (found) => found.length)
      expect([yield* count(1), yield* count(7), yield* count(50)]).toEqual([1, 7, 50])
      for (const limit of [0, -1, "1.5", "many"]) {
        expect(yield* Rules.code("assets.subAccountTransfers", { limit })).toBe(10001)
      }
    })
  )
})

const paged = [
  {
    title: "[orders.open/cursor] open orders",
    operation: "orders.open",
    parameters: { ...Rules.usdt, limit: 20 },
    key: "OrderId",
    total: undefined
  },
  {
    title: "[assets.deposits/cursor] deposits",
    operation: "assets.deposits",
    parameters: { pageSize: 25 },
    key: "transaction_id",
    total: 60
  },
  {
    title: "[positions.list/cursor] positions",
    operation: "positions.list",
    parameters: { ...Rules.usdt, limit: 100 },
    key: "symbol",
    total: 205
  },
  {
    title: "[assets.transfers/cursor] transfers",
    operation: "assets.transfers",
    parameters: { limit: 25 },
    key: "transferId",
    total: 60
  },
  {
    title: "[assets.subAccountTransfers/cursor] sub-account transfers",
    operation: "assets.subAccountTransfers",
    parameters: { limit: 25 },
    key: "transfer_id",
    total: 60
  },
  {
    title: "[executions.list/cursor] executions",
    operation: "executions.list",
    parameters: { ...linear, limit: 100 },
    key: "execId",
    total: undefined
  },
  {
    title: "[executions.preUpgrade/cursor] pre-upgrade executions",
    operation: "executions.preUpgrade",
    parameters: { ...linear, limit: 40 },
    key: "execId",
    total: 110
  },
  {
    title: "[positions.preUpgradeClosedPnl/cursor] pre-upgrade closed profits",
    operation: "positions.preUpgradeClosedPnl",
    parameters: { ...linear, limit: 40 },
    key: "orderId",
    total: 110
  },
  {
    title: "[instruments.list/cursor] instruments",
    operation: "instruments.list",
    parameters: { ...linear, limit: 400 },
    key: "symbol",
    total: 1020
  },
  {
    title: "[broker.tradeVolume/cursor] trade volume",
    operation: "broker.tradeVolume",
    parameters: { limit: 25 },
    key: "user_id",
    total: 60
  }
] as const

layer(crowded)("cursors", (it) => {
  describe("[conventions/cursor, conventions/last-page, records/pages] lead through all pages, and are empty on the last", () => {
    for (const { key, operation, parameters, title, total } of paged) {
      it.effect(title, () =>
        Effect.gen(function* () {
          const { cursor, items } = Rules.fieldsOf(operation)
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
        })
      )
    }
  })
})
