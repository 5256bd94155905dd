import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as Margin from "../trading/margin.js"
import * as OrderRecord from "../records/orderRecord.js"
import * as Accounts from "../state/accounts.js"
import * as Delivery from "../positions/delivery.js"
import * as Funding from "../positions/funding.js"
import * as Liquidation from "../positions/liquidation.js"
import * as Matching from "../orders/matching.js"
import * as Prices from "../book/prices.js"
import * as Triggers from "../orders/triggers.js"
import * as Watch from "./watch.js"

/** The approximate maximum number of steps for one gap. */
const longest = 2000
/** The step lengths, from a second to a quarter of a day, in milliseconds. */
const strides = [1_000, 60_000, 3_600_000, 21_600_000] as const

const strideFor = (gap: number): number => strides.find((stride) => gap <= stride * longest) ?? strides[3]

// The status `Liq` or `Adl` lasts until the next step.
const unmark = (account: Exchange.Account): Exchange.Account =>
  account.positions.every((position) => position.status === "Normal")
    ? account
    : {
        ...account,
        positions: account.positions.map((position) =>
          position.status === "Normal" ? position : { ...position, status: "Normal" as const }
        )
      }

const trail = (state: Exchange.State, account: Exchange.Account): Exchange.Account => {
  if (!account.openOrders.some((order) => Option.isSome(order.trailingStop))) return account
  const openOrders = account.openOrders.map((order) => {
    const listing = OrderRecord.isConditional(order) ? Exchange.listing(state, order.category, order.symbol) : undefined
    return listing === undefined ? order : Triggers.trail(order, listing)
  })
  return openOrders.every((order, index) => order === account.openOrders[index]) ? account : { ...account, openOrders }
}

const fireDue = (state: Exchange.State, uid: string, now: number): Exchange.State =>
  (state.accounts.get(uid)?.openOrders ?? []).filter(OrderRecord.isConditional).reduce((next, before) => {
    // An earlier trigger can have cancelled or resized the order.
    const order = Accounts.openOrder(next, uid, before.orderId)
    const listing = order === undefined ? undefined : Exchange.listing(next, order.category, order.symbol)
    return order !== undefined && listing !== undefined && Triggers.isDue(order, listing)
      ? Triggers.fire(next, uid, order.orderId, now)
      : next
  }, state)

/**
 * Runs one step of the market for some accounts at the current listings: liquidations, then resting orders, then triggers. An order that
 * triggers now is not a maker at the same instant.
 */
export const settleAccounts = (state: Exchange.State, uids: ReadonlyArray<string>, now: number): Exchange.State => {
  const safe = uids.reduce((next, uid) => Liquidation.settle(Accounts.update(next, uid, unmark), uid, now), state)
  return uids.reduce(
    (next, uid) => {
      const followed = Accounts.update(next, uid, (account) => trail(next, account))
      return fireDue(followed, uid, now)
    },
    Matching.cross(safe, uids, now)
  )
}

const deliverPending = (state: Exchange.State, now: number): Exchange.State => {
  const due = state.pending.filter((candidate) => candidate.at <= now)
  if (due.length === 0) return state
  const waiting: Exchange.State = { ...state, pending: state.pending.filter((candidate) => candidate.at > now) }
  return due.reduce(
    (next, { at, outcome, transactionId, uid }) =>
      Accounts.update(next, uid, (account) => {
        const deposit = account.deposits.find((candidate) => candidate.transactionId === transactionId)
        if (deposit === undefined) return account
        const time = DateTime.unsafeMake(Math.floor(at / 1000) * 1000)
        const done = { ...deposit, status: outcome, time }
        const deposits = account.deposits.map((candidate) => (candidate === deposit ? done : candidate))
        const updated = { ...account, deposits }
        return outcome === "1" ? Margin.post(updated, "FUND", deposit.coin, deposit.amount) : updated
      }),
    waiting
  )
}

/** Runs one step of the market: everything that follows from the prices at an instant. */
export const step = (state: Exchange.State, now: number): Exchange.State => {
  const received = state.pending.length === 0 ? state : deliverPending(state, now)
  const funded = Funding.isDue(received, now) ? Funding.charge(Prices.at(received, now), now) : received
  const due = Delivery.isDue(funded, now) ? Delivery.settle(Prices.at(funded, now), now) : funded
  const quotes = Watch.quotesAt(due, now)
  const nominated = Array.from(due.accounts.values()).filter((account) => Watch.mayNeedSettlement(due, account, quotes))
  if (nominated.length === 0) return due
  return settleAccounts(
    Prices.at(due, now),
    nominated.map(({ uid }) => uid),
    now
  )
}

/**
 * Advances the market to `now`, second by second, or in longer steps across a long gap, stopping at every instant of funding and delivery.
 * It runs for every request; within the same second the state does not change.
 */
export const advance = (state: Exchange.State, now: number): Exchange.State => {
  const end = Math.floor(now / 1000) * 1000
  if (end <= state.advancedAt) return state
  const stride = strideFor(end - state.advancedAt)
  let next = state
  const after = (at: number) =>
    Math.min((Math.floor(at / stride) + 1) * stride, Funding.next(state, at), Delivery.next(state, at))
  for (let at = after(state.advancedAt); at < end; at = after(at)) next = step(next, at)
  return { ...Prices.at(step(next, end), end), advancedAt: end }
}
