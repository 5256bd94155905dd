import * as BigDecimal from "effect/BigDecimal"
import type * as Exchange from "../state/Exchange.js"
import * as MarketMaker from "../trading/marketMaker.js"
import * as Random from "../state/random.js"
import * as Accounts from "./accounts.js"
import * as Inhabitants from "./inhabitants.js"
import * as Ledger from "../past/ledger.js"
import * as Past from "./past.js"
import * as Prices from "../past/prices.js"

/**
 * The state with the past of a classic account for an account that is new: it traded, became a unified one, and has not traded since. Its records
 * are returned by the operations for the time before the upgrade alone.
 */
export const upgrade = (state: Exchange.State, uid: string, now: number): Exchange.State => {
  const ledger = Ledger.make(uid, Random.make(state.seed, `account ${uid}`))
  Past.beforeUpgrade(ledger, Inhabitants.planner({ prices: Prices.make(state.seed) }, 0.5))
  const account = Accounts.fromLedger(ledger)(now)
  const taken = MarketMaker.taken(account)
  const settled = Array.from(taken).reduce(
    (next, [coin, amount]) => MarketMaker.post(next, coin, BigDecimal.negate(amount)),
    state
  )
  return { ...settled, accounts: new Map(state.accounts).set(uid, account) }
}
