import type * as Executions from "@effect-venue/schemas/Executions"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Exchange from "../state/Exchange.js"
import * as FundingRecord from "../records/fundingRecord.js"
import * as Handler from "../handling/handler.js"
import * as Margin from "../trading/margin.js"
import * as Money from "../trading/money.js"
import * as Awards from "./awards.js"

const minute = 60_000

/** The funding intervals of the contracts, in milliseconds. */
const intervals = (listings: Exchange.State["listings"]): ReadonlyArray<number> => {
  const all = new Set<number>()
  for (const { category, instrument } of listings) {
    if (category !== "spot" && Option.isSome(instrument.fundingInterval))
      all.add(instrument.fundingInterval.value * minute)
  }
  return Array.from(all)
}

/** Returns the first funding instant after `at`. Intervals start at midnight UTC. */
export const next = (state: Exchange.State, at: number): number =>
  Math.min(...intervals(state.listings).map((interval) => (Math.floor(at / interval) + 1) * interval))

/** Whether a contract has funding at an instant. */
export const isDue = (state: Exchange.State, at: number): boolean =>
  at % minute === 0 && intervals(state.listings).some((interval) => at % interval === 0)

const interest = BigDecimal.make(1n, 4)
const band = BigDecimal.make(5n, 4)

/**
 * The funding rate that longs pay to shorts, negative if they receive it: the premium of the mark price over the index, moved towards the
 * interest of 0.01 % by at most 0.05 %.
 */
export const rate = (listing: Exchange.Listing): BigDecimal.BigDecimal => {
  const premium = Money.divide(BigDecimal.subtract(listing.markPrice, listing.indexPrice), listing.indexPrice)
  const towards = BigDecimal.subtract(interest, premium)
  return BigDecimal.sum(premium, BigDecimal.clamp(towards, { minimum: BigDecimal.negate(band), maximum: band }))
}

/** The ids and amounts of one funding instant: collected while accounts are charged, then booked at once. */
interface Tally {
  issued: number
  readonly rates: Map<Exchange.Listing, BigDecimal.BigDecimal>
  readonly marketMaker: Map<string, BigDecimal.BigDecimal>
}

const add = (amounts: Map<string, BigDecimal.BigDecimal>, coin: string, amount: BigDecimal.BigDecimal): void => {
  amounts.set(coin, BigDecimal.sum(amounts.get(coin) ?? Money.zero, amount))
}

const rateOf = ({ rates }: Tally, listing: Exchange.Listing): BigDecimal.BigDecimal => {
  const known = rates.get(listing)
  if (known !== undefined) return known
  const fresh = rate(listing)
  rates.set(listing, fresh)
  return fresh
}

/** Computes the fee of a position and its execution. */
const chargeOf = (
  state: Exchange.State,
  position: Exchange.Position,
  listing: Exchange.Listing,
  at: number,
  tally: Tally
) => {
  const of = rateOf(tally, listing)
  const value = Margin.positionValue(listing, position)
  const owed = Money.round(BigDecimal.multiply(value, of))
  const fee = BigDecimal.isPositive(position.size) ? owed : BigDecimal.negate(owed)
  const undated = FundingRecord.makeUndated({
    symbol: listing.instrument.symbol,
    isLong: BigDecimal.isPositive(position.size),
    size: BigDecimal.abs(position.size),
    markPrice: listing.markPrice,
    value,
    rate: of,
    fee
  })
  const orderId = Handler.idOf(state.seed, tally.issued++, at)
  const execId = Handler.idOf(state.seed, tally.issued++, at)
  return { fee, execution: FundingRecord.addDate(undated, { orderId, execId }, at) }
}

/** Pays the fees from awards, as far as those last. */
const payFromAwards = (
  account: Exchange.Account,
  fees: ReadonlyArray<readonly [listing: Exchange.Listing, fee: BigDecimal.BigDecimal]>,
  at: number,
  tally: Tally
): Exchange.Account =>
  fees.reduce((next, [{ instrument, settleCoin }, fee]) => {
    const cause = { symbol: instrument.symbol, orderId: Option.none(), type: 3 } as const
    const award = Awards.awardOf(next, Margin.contractWallet(next), { cause, coin: settleCoin, amount: fee, at })
    add(tally.marketMaker, settleCoin, BigDecimal.negate(award.coupon))
    return award.account
  }, account)

const isFunded = ({ instrument }: Exchange.Listing, at: number): boolean =>
  Option.exists(instrument.fundingInterval, (interval) => at % (interval * minute) === 0)

// Charges an isolated position's margin, which changes its liquidation price.
const chargeFee = (position: Exchange.Position, fee: BigDecimal.BigDecimal, at: number): Exchange.Position => ({
  ...position,
  cumRealisedPnl: BigDecimal.subtract(position.cumRealisedPnl, fee),
  addedMargin:
    position.tradeMode === "isolated" ? BigDecimal.subtract(position.addedMargin, fee) : position.addedMargin,
  updatedTime: at
})

/** Charges all funded positions of an account and copies the account only once. */
const chargeAccount = (
  state: Exchange.State,
  account: Exchange.Account,
  at: number,
  tally: Tally
): Exchange.Account => {
  const fees: Array<readonly [Exchange.Listing, BigDecimal.BigDecimal]> = []
  const executions: { readonly [C in Exchange.Contract]: Array<Executions.Execution> } = { linear: [], inverse: [] }
  const positions = account.positions.map((position) => {
    const listing = Exchange.listing(state, position.category, position.symbol)
    if (BigDecimal.isZero(position.size) || listing === undefined || !isFunded(listing, at)) return position
    const { execution, fee } = chargeOf(state, position, listing, at, tally)
    fees.push([listing, fee])
    executions[position.category].push(execution)
    add(tally.marketMaker, listing.settleCoin, fee)
    return chargeFee(position, fee, at)
  })
  if (fees.length === 0) return account
  const wallet = Margin.contractWallet(account)
  const balances = new Map(account.wallets[wallet])
  for (const [{ settleCoin }, fee] of fees) add(balances, settleCoin, BigDecimal.negate(fee))
  const booked: Exchange.Account = {
    ...account,
    positions,
    wallets: { ...account.wallets, [wallet]: balances },
    executions: {
      ...account.executions,
      linear: account.executions.linear.append(executions.linear),
      inverse: account.executions.inverse.append(executions.inverse)
    }
  }
  return payFromAwards(booked, fees, at, tally)
}

/** Charges every open position with funding at an instant, at the prices of that instant. */
export const charge = (state: Exchange.State, at: number): Exchange.State => {
  const tally: Tally = { issued: state.issued, rates: new Map(), marketMaker: new Map(state.marketMaker.balances) }
  const accounts = new Map(state.accounts)
  for (const account of state.accounts.values()) {
    const charged = chargeAccount(state, account, at, tally)
    if (charged !== account) accounts.set(account.uid, charged)
  }
  const { issued, marketMaker } = tally
  return issued === state.issued ? state : { ...state, accounts, issued, marketMaker: { balances: marketMaker } }
}
