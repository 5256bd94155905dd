import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import type * as Exchange from "@effect-venue/sandbox/siblings/Exchange"
import { expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Accounts from "../src/control/accounts.js"
import * as EngineAccounts from "../src/state/accounts.js"
import * as Placement from "../src/orders/placement.js"
import { RecordList } from "../src/state/recordList.js"
import * as Work from "./utils/work.js"

const start = 1_780_000_000_000
const uid = "77"

const opened = (): Exchange.State => {
  const { state } = Seed.make({ seed: 5, now: start, world: "empty" })
  const account = Accounts.openAccount({ uid, funds: { USDT: "100000000" } }, state, start)
  return Either.getOrThrow(account)[1]
}

// It opens and closes, with an id of the caller's own, as a market maker's orders do.
const place = (state: Exchange.State, index: number): Exchange.State =>
  Either.getOrThrow(
    Placement.place(
      state,
      uid,
      {
        category: "linear",
        symbol: "LTCUSDT",
        side: index % 2 === 0 ? "Buy" : "Sell",
        orderType: "Market",
        qty: "1",
        orderLinkId: `order-${index}`
      },
      start + index
    )
  ).state

/** Fields that were read of the records that an account had before. */
let reads = 0

const onRead = (): void => {
  reads += 1
}

/** The state with so much history, of records that are there already. */
const aged = (state: Exchange.State, count: number): Exchange.State =>
  EngineAccounts.update(state, uid, (account) => {
    const repeat = <A extends object>(items: RecordList<A>): RecordList<A> => {
      const records = Array.from(items, (item) => Work.watched(item, onRead))
      const list = Array.from({ length: count }, (_, index) => records[index % records.length]).filter(
        (record) => record !== undefined
      )
      return RecordList.from(list)
    }
    return {
      ...account,
      closedOrders: repeat(account.closedOrders),
      executions: { ...account.executions, linear: repeat(account.executions.linear) },
      closedPnl: { ...account.closedPnl, linear: repeat(account.closedPnl.linear) }
    }
  })

const orders = 1_000

/** What further orders walk through, and read of older records. */
const cost = (before: Exchange.State) => {
  // The first order reads the ids of all orders, once.
  let state = place(before, 999)
  const closed = state.accounts.get(uid)?.closedOrders.length ?? 0
  reads = 0
  const walked = Work.walked(() => {
    for (let index = 0; index < orders; index++) state = place(state, 1_000 + index)
  })
  expect(state.accounts.get(uid)?.closedOrders.length).toBe(closed + orders)
  return { reads, walked }
}

it("placing an order reads as many records after a million orders as after ten thousand", () => {
  let warm = opened()
  for (let index = 0; index < 999; index++) warm = place(warm, index)
  const few = cost(aged(warm, 10 * 1_024))
  const many = cost(aged(warm, 1_000 * 1_024))
  expect(few.walked).toBeGreaterThan(orders)
  expect(many).toEqual(few)
})
