import * as Arr from "effect/Array"
import type * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as State from "../../State.js"
import * as Lazy from "../lazy.js"
import * as Random from "../random.js"
import * as Averages from "./averages.js"
import * as Ledger from "./ledger.js"
import * as Positions from "./positions.js"
import * as Records from "./records.js"

export const email = (uid: string): string => `user${uid}@example.com`

// From the range of numbers that are set aside for fiction.
export const phone = (uid: string): State.Account["phone"] => ({
  areaCode: 44,
  number: `7700900${String(Number(uid) % 998).padStart(3, "0")}`
})

const byInstant = <A>(instant: (item: A) => DateTime.Utc, items: ReadonlyArray<A>): ReadonlyArray<A> =>
  [...items].sort((one, other) => instant(one).epochMillis - instant(other).epochMillis)

/** Lists of every category, each made when it is first looked at. */
const perCategory = <A>(make: (category: State.Category) => ReadonlyArray<A>): State.PerCategory<A> => ({
  spot: Lazy.list(() => make("spot")),
  linear: Lazy.list(() => make("linear")),
  inverse: Lazy.list(() => make("inverse"))
})

const closed = (ledger: Ledger.Ledger): ReadonlyArray<State.Order> =>
  ledger.trades.current
    .filter((trade) => trade !== ledger.reopened)
    .sort((one, other) => one.closedAt - other.closedAt)
    .map((trade) => Records.order(ledger, trade))

/** The records of an account's trading. They are most of a world, and most programs look at few of them. */
const history = (ledger: Ledger.Ledger) => {
  const traded = (era: keyof Ledger.Ledger["trades"], category: State.Category) =>
    ledger.trades[era].filter((trade) => trade.market.category === category)
  return {
    closedOrders: Lazy.list(() => closed(ledger)),
    preUpgradeOrders: Lazy.list(() => ledger.trades.preUpgrade.map((trade) => Records.order(ledger, trade))),
    executions: perCategory((category) =>
      traded("current", category).flatMap((trade) => Records.executions(ledger, trade))
    ),
    preUpgradeExecutions: perCategory((category) =>
      traded("preUpgrade", category)
        .flatMap((trade) => Records.executions(ledger, trade))
        .map((execution) => Records.preUpgrade(category, execution))
    ),
    closedPnl: perCategory((category) =>
      Arr.filterMap(traded("current", category), (trade) =>
        Records.closedPnl(ledger, trade, Averages.closed(ledger.trades.current))
      )
    ),
    preUpgradeClosedPnl: perCategory((category) =>
      Arr.filterMap(traded("preUpgrade", category), (trade) =>
        Records.closedPnl(ledger, trade, Averages.closed(ledger.trades.preUpgrade))
      )
    )
  }
}

/** The account that a ledger has come to. */
export const fromLedger = (ledger: Ledger.Ledger, more: Partial<State.Account>): State.Account => ({
  uid: ledger.uid,
  masterUid: Option.none(),
  unified: true,
  institutional: false,
  banned: false,
  email: email(ledger.uid),
  phone: phone(ledger.uid),
  openOrders: ledger.openOrders,
  ...history(ledger),
  positions: Positions.fromLedger(ledger),
  wallets: ledger.wallets,
  grants: ledger.grants,
  coupons: new Map(),
  bonusUsage: byInstant((use) => use.time, ledger.bonusUsage),
  deposits: byInstant((deposit) => deposit.createTime, ledger.deposits),
  transfers: byInstant((transfer) => transfer.timestamp, ledger.transfers),
  subAccountTransfers: byInstant((transfer) => transfer.timestamp, ledger.subAccountTransfers),
  withdrawals: [],
  addressBook: [],
  customers: [],
  apiLimits: new Map(),
  ...more
})

/** An account that has nothing yet. */
export const fresh = (uid: string, more: Partial<State.Account>): State.Account =>
  fromLedger(Ledger.make(uid, 0, Random.make(0, uid)), more)

const lengths = <A>({ inverse, linear, spot }: State.PerCategory<A>) => ({
  spot: spot.length,
  linear: linear.length,
  inverse: inverse.length
})

/** What an account has when the exchange opens. */
export const seeded = (account: State.Account): State.Seeded => ({
  openOrders: account.openOrders,
  positions: account.positions,
  closedOrders: account.closedOrders.length,
  executions: lengths(account.executions),
  closedPnl: lengths(account.closedPnl)
})
