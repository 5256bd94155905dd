import type * as Executions from "@effect-venue/schemas/Executions"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as State from "../../State.js"
import * as Handler from "../handler.js"
import * as History from "../history.js"
import * as Ids from "../ids.js"
import * as Margin from "../margin.js"
import * as Money from "../money.js"
import * as PositionOf from "../positionOf.js"
import * as Awards from "./awards.js"
import * as MarketMaker from "./marketMaker.js"

const minute = 60_000

/** The intervals at which contracts are funded, in milliseconds. */
const intervals = (listings: State.State["listings"]): ReadonlyArray<number> => {
  const all = new Set<number>()
  for (const { category, instrument } of listings) {
    if (category !== "spot" && Option.isSome(instrument.fundingInterval))
      all.add(instrument.fundingInterval.value * minute)
  }
  return Array.from(all)
}

/** The first instant after `at` at which a contract is funded: intervals are counted from midnight, UTC. */
export const next = (state: State.State, at: number): number =>
  Math.min(...intervals(state.listings).map((interval) => (Math.floor(at / interval) + 1) * interval))

/** Whether any contract is funded at an instant. */
export const isDue = (state: State.State, at: number): boolean =>
  at % minute === 0 && intervals(state.listings).some((interval) => at % interval === 0)

const interest = BigDecimal.make(1n, 4)
const band = BigDecimal.make(5n, 4)

/**
 * What longs pay to shorts of a position's value, or get where it is under zero: how far the mark price is off the index, and from there
 * towards the interest of 0.01 %, by at most 0.05 %.
 */
export const rate = (listing: State.Listing): BigDecimal.BigDecimal => {
  const premium = Money.divide(BigDecimal.subtract(listing.markPrice, listing.indexPrice), listing.indexPrice)
  const towards = BigDecimal.subtract(interest, premium)
  return BigDecimal.sum(premium, BigDecimal.clamp(towards, { minimum: BigDecimal.negate(band), maximum: band }))
}

const execution = (
  listing: State.Listing,
  position: State.Position,
  ids: { readonly execId: string; readonly orderId: string },
  terms: {
    readonly value: BigDecimal.BigDecimal
    readonly fee: BigDecimal.BigDecimal
    readonly rate: BigDecimal.BigDecimal
  },
  at: number
): Executions.Execution => ({
  symbol: listing.instrument.symbol,
  orderId: Ids.OrderId(ids.orderId),
  side: BigDecimal.isPositive(position.size) ? "Buy" : "Sell",
  orderPrice: Option.some(Money.zero),
  orderQty: Option.some(Money.zero),
  leavesQty: Option.some(Money.zero),
  orderType: "UNKNOWN",
  stopOrderType: Option.some("UNKNOWN"),
  execFee: terms.fee,
  execId: Ids.ExecId(ids.execId),
  execPrice: listing.markPrice,
  execQty: BigDecimal.abs(position.size),
  execValue: Option.some(terms.value),
  execType: Option.some("Funding"),
  execTime: DateTime.unsafeMake(at),
  isMaker: Option.some(false),
  feeRate: Option.some(terms.rate),
  markPrice: Option.some(listing.markPrice),
  closedSize: Option.some(Money.zero),
  createType: Option.none(),
  seq: Option.some(Ids.sequence(at))
})

const fund = (
  state: State.State,
  uid: string,
  position: State.Position,
  listing: State.Listing,
  at: number
): State.State => {
  const account = state.accounts.get(uid)
  if (account === undefined) return state
  const { category } = position
  const coin = listing.settleCoin
  const of = rate(listing)
  const value = Margin.positionValue(listing, position)
  const owed = Money.round(BigDecimal.multiply(value, of))
  const fee = BigDecimal.isPositive(position.size) ? owed : BigDecimal.negate(owed)
  const [orderId, issued] = Handler.issue(state, at)
  const [execId, issuedTwice] = Handler.issue(issued, at)
  const record = execution(listing, position, { execId, orderId }, { value, fee, rate: of }, at)
  const wallet = Margin.contractWallet(account)
  const charged = PositionOf.put(Margin.post(account, wallet, coin, BigDecimal.negate(fee)), {
    ...position,
    cumRealisedPnl: BigDecimal.subtract(position.cumRealisedPnl, fee),
    updatedTime: at
  })
  const recorded: State.Account = {
    ...charged,
    executions: { ...charged.executions, [category]: History.append(charged.executions[category], [record]) }
  }
  const [paid, rewarded] = Awards.payFee(
    MarketMaker.post(issuedTwice, coin, fee),
    recorded,
    wallet,
    { symbol: listing.instrument.symbol, orderId: Option.none(), type: 3 },
    coin,
    fee,
    at
  )
  return State.withAccount(paid, rewarded)
}

/** Charges every open position of the contracts that are funded at an instant, with the listings where they stand then. */
export const charge = (state: State.State, at: number): State.State => {
  const isFunded = ({ instrument }: State.Listing): boolean =>
    Option.exists(instrument.fundingInterval, (interval) => at % (interval * minute) === 0)
  return Array.from(state.accounts.values()).reduce(
    (next, { positions, uid }) =>
      positions.reduce((after, position) => {
        if (BigDecimal.isZero(position.size)) return after
        const listing = State.listing(after, position.category, position.symbol)
        return listing !== undefined && isFunded(listing) ? fund(after, uid, position, listing, at) : after
      }, next),
    state
  )
}
