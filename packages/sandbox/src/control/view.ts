import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import type * as Faults from "../faults/Faults.js"
import * as Exchange from "../state/Exchange.js"
import type * as StateView from "./StateView.js"
import * as Spelling from "../edge/spelling.js"
import * as Paging from "../handling/paging.js"
import * as PositionRecord from "../records/positionRecord.js"
import * as Collateral from "../trading/collateral.js"
import * as Transfers from "../trading/transfers.js"
import * as Refusal from "../engine/refusal.js"
import type { Records } from "../state/recordList.js"

const defaultLast = 20

type Keep = (record: { readonly symbol: string }) => boolean

const latest = <A extends { readonly symbol: string }>(
  records: Records<A>,
  keep: Keep,
  last: number
): ReadonlyArray<A> => {
  const found: Array<A> = []
  for (const record of Paging.backwards(records, 0, records.length, keep)) {
    if (found.push(record) >= last) break
  }
  return found
}

const balancesOf = (state: Exchange.State, account: Exchange.Account): ReadonlyArray<StateView.Balance> =>
  Transfers.walletTypes(account).flatMap((wallet) =>
    Array.from(account.wallets[wallet])
      .filter(([, balance]) => !BigDecimal.isZero(balance))
      .map(([coin, balance]) => ({
        wallet,
        coin,
        balance,
        free: Collateral.available(state, account, wallet, coin)
      }))
  )

const positionsOf = (state: Exchange.State, account: Exchange.Account, keep: Keep): StateView.Account["positions"] =>
  account.positions.flatMap((position) => {
    const listing = Exchange.listing(state, position.category, position.symbol)
    return listing === undefined || BigDecimal.isZero(position.size) || !keep(position)
      ? []
      : [{ ...PositionRecord.make(state, account, listing, position), category: position.category }]
  })

const accountOf = (state: Exchange.State, account: Exchange.Account, keep: Keep, last: number): StateView.Account => ({
  uid: account.uid,
  balances: balancesOf(state, account),
  positions: positionsOf(state, account, keep),
  openOrders: Array.from(Paging.backwards(account.openOrders, 0, account.openOrders.length, keep)),
  closedOrders: latest(account.closedOrders, keep, last),
  executions: Exchange.categories
    .flatMap((category) =>
      latest(account.executions[category], keep, last).map((execution) => ({ ...execution, category }))
    )
    .sort((left, right) => right.execTime.epochMillis - left.execTime.epochMillis)
    .slice(0, last)
})

const marketOf =
  (state: Exchange.State) =>
  ({ category, indexPrice, instrument, lastPrice, markPrice }: Exchange.Listing): StateView.Market => ({
    category,
    symbol: instrument.symbol,
    status: instrument.status,
    lastPrice,
    markPrice,
    indexPrice,
    isHeld: state.pinned.has(Exchange.listingKey(category, instrument.symbol))
  })

/** The part of a state that a query selects. */
export const make = (
  { account: uid, last = defaultLast, symbol }: StateView.Query,
  state: Exchange.State,
  rules: ReadonlyArray<Faults.Rule>
): Either.Either<StateView.StateView, Refusal.Refusal> => {
  const keep: Keep = (record) => symbol === undefined || record.symbol === symbol
  const listings = state.listings.filter(({ instrument }) => keep(instrument))
  const accounts = Array.from(state.accounts.values()).filter((account) => uid === undefined || account.uid === uid)
  if (accounts.length === 0) return Refusal.refuse("NotFound", "account", `has no account: ${uid ?? ""}`)
  if (listings.length === 0) return Refusal.refuse("NotFound", "symbol", `is not listed: ${symbol ?? ""}`)
  return Either.right(
    Spelling.ofResult({
      at: state.advancedAt,
      rules,
      markets: listings.map(marketOf(state)),
      accounts: accounts.map((account) => accountOf(state, account, keep, last))
    })
  )
}
