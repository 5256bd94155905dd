import * as Seed from "@effect-venue/sandbox/Seed"
import type * as State from "@effect-venue/sandbox/State"
import { expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Accounts from "../src/internal/control/accounts.js"
import * as EngineAccounts from "../src/internal/engine/accounts.js"
import * as Placement from "../src/internal/engine/placement.js"
import * as GrowingList from "../src/internal/growingList.js"

const start = 1_780_000_000_000
const uid = "77"

const opened = (): State.State => {
  const { state } = Seed.make({ seed: 5, now: start, world: "empty" })
  const account = Accounts.openAccount({ uid, funds: { USDT: "100000000" } }, state, start)
  return Either.getOrThrow(account)[1]
}

// It opens and closes, with an id of the caller's own, as a market maker's orders do.
const place = (state: State.State, index: number): State.State =>
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

/** The state with so much history, of records that are there already. */
const aged = (state: State.State, count: number): State.State =>
  EngineAccounts.update(state, uid, (account) => {
    const repeat = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
      Array.from({ length: count }, (_, index) => items[index % items.length]).filter((item) => item !== undefined)
    return {
      ...account,
      closedOrders: EngineAccounts.withClosed([], repeat(account.closedOrders)),
      executions: { ...account.executions, linear: GrowingList.append([], repeat(account.executions.linear)) },
      closedPnl: { ...account.closedPnl, linear: GrowingList.append([], repeat(account.closedPnl.linear)) }
    }
  })

const orders = 1_000

let next = 1_000

const cost = (before: State.State): number => {
  let state = before
  const began = process.cpuUsage()
  for (let index = 0; index < orders; index++) state = place(state, next++)
  const { system, user } = process.cpuUsage(began)
  expect(state.accounts.get(uid)?.closedOrders.length).toBe(
    (before.accounts.get(uid)?.closedOrders.length ?? 0) + orders
  )
  return (user + system) / orders
}

it("an order costs no more after a million others than after ten thousand", () => {
  let warm = opened()
  for (let index = 0; index < 1_000; index++) warm = place(warm, index)
  const [young, old] = [aged(warm, 10_000), aged(warm, 1_000_000)]
  cost(young)
  const ratios = Array.from({ length: 5 }, () => {
    const few = cost(young)
    return cost(old) / few
  }).sort((one, other) => one - other)
  expect(ratios[2]).toBeLessThanOrEqual(1.2)
}, 300_000)
