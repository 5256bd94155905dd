import type * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import { linkKey } from "../state/accounts.js"
import * as OnDemand from "../state/onDemand.js"
import { RecordList } from "../state/recordList.js"
import * as Averages from "../past/averages.js"
import type * as Funding from "../past/funding.js"
import type * as Ledger from "../past/ledger.js"
import type * as PastTrading from "../past/pastTrading.js"
import * as Positions from "./positions.js"
import * as Records from "../past/records.js"

export const email = (uid: string): string => `user${uid}@example.com`

// A phone number from the range reserved for fiction.
export const phone = (uid: string): Exchange.Account["phone"] => ({
  areaCode: 44,
  number: `7700900${String(Number(uid) % 998).padStart(3, "0")}`
})

const byCategory = <A>(make: (category: Exchange.Category) => A): { readonly [C in Exchange.Category]: A } => ({
  spot: make("spot"),
  linear: make("linear"),
  inverse: make("inverse")
})

type Event = PastTrading.PastFill | Funding.Funding

const fillsOf = (trades: ReadonlyArray<PastTrading.Trade>, category: Exchange.Category): Array<Event> => {
  const fills: Array<Event> = []
  for (const trade of trades) if (trade.market.category === category) fills.push(...trade.fills)
  return fills
}

/** Merges executions and funding charges, earliest first; executions come before charges of the same instant. */
const eventsOf = (
  trades: ReadonlyArray<PastTrading.Trade>,
  fundings: ReadonlyArray<Funding.Funding>,
  category: Exchange.Category
): ReadonlyArray<Event> => {
  const fills = fillsOf(trades, category)
  const charged = fundings.filter(({ market }) => market.category === category)
  return charged.length === 0 ? fills : [...fills, ...charged].sort((a, b) => a.at - b.at)
}

const closing = (trades: ReadonlyArray<PastTrading.Trade>, category: Exchange.Category) =>
  trades.filter((trade) => trade.market.category === category && trade.fills.some(Records.isClosing))

/** Records that are built once per seed and dated for each world, one at a time when they are read. */
const makeList = <A, B>(
  items: () => ReadonlyArray<A>,
  make: (item: A) => Records.Dated<B>,
  mayHave: (key: string) => boolean = () => true
): Records.Dated<RecordList<B>> => {
  const source = OnDemand.value(() => ({ items: items(), made: new Array<Records.Dated<B>>() }))
  return (openedAt) =>
    RecordList.onDemand(() => {
      const { items, made } = source()
      return {
        length: items.length,
        // The list only requests existing items.
        at: (index) => (made[index] ??= make(items[index] as A))(openedAt),
        mayHave
      }
    })
}

/** The trading records of an account. They are most of a world, and most programs read few of them. */
const historyOf = ({ fundings, reopened, trades: { current, preUpgrade }, uid }: Ledger.Ledger) => {
  const execution = (event: Event) => ("trade" in event ? Records.execution(uid, event) : Records.funding(uid, event))
  const order = (trade: PastTrading.Trade) => Records.order(uid, trade)
  const links = OnDemand.value(() => new Set(current.map((trade) => linkKey(Records.namesOf(uid, trade)))))
  const listClosedPnl = (trades: ReadonlyArray<PastTrading.Trade>) =>
    byCategory((category) =>
      makeList(
        () => closing(trades, category),
        (trade) => Records.makeClosedPnl(uid, trade, Averages.entryPricesOf(trades))
      )
    )
  return {
    closedOrders: makeList(
      () => current.filter((trade) => trade !== reopened).sort((a, b) => a.closedAt - b.closedAt),
      order,
      (key) => links().has(key)
    ),
    preUpgradeOrders: makeList(() => preUpgrade, order),
    executions: byCategory((category) => makeList(() => eventsOf(current, fundings, category), execution)),
    preUpgradeExecutions: byCategory((category) =>
      makeList(
        () => fillsOf(preUpgrade, category),
        (event) => {
          const made = execution(event)
          return (openedAt) => Records.preUpgrade(category, made(openedAt))
        }
      )
    ),
    closedPnl: listClosedPnl(current),
    preUpgradeClosedPnl: listClosedPnl(preUpgrade)
  }
}

/** Creates an empty account. */
export const fresh = (uid: string): Exchange.Account => ({
  uid,
  masterUid: Option.none(),
  unified: true,
  institutional: false,
  banned: false,
  email: email(uid),
  phone: phone(uid),
  openOrders: [],
  closedOrders: RecordList.from(),
  preUpgradeOrders: RecordList.from(),
  executions: byCategory(() => RecordList.from()),
  preUpgradeExecutions: byCategory(() => RecordList.from()),
  closedPnl: byCategory(() => RecordList.from()),
  preUpgradeClosedPnl: byCategory(() => RecordList.from()),
  positions: [],
  wallets: { UNIFIED: new Map(), FUND: new Map(), SPOT: new Map(), CONTRACT: new Map() },
  grants: [],
  coupons: new Map(),
  bonusUsage: [],
  deposits: [],
  transfers: [],
  subAccountTransfers: [],
  withdrawals: [],
  addressBook: [],
  customers: [],
  apiLimits: new Map()
})

/** Creates the account that results from a ledger. */
export const fromLedger = (ledger: Ledger.Ledger): Records.Dated<Exchange.Account> => {
  const { uid, wallets } = ledger
  const history = historyOf(ledger)
  const positions = Positions.fromLedger(ledger)
  return (openedAt) => {
    const dateRecords = <A>(records: ReadonlyArray<Records.Dated<A>>) => records.map((make) => make(openedAt))
    const sortRecords = <A>(records: ReadonlyArray<Records.Dated<A>>, instant: (record: A) => DateTime.Utc) =>
      dateRecords(records).sort((a, b) => instant(a).epochMillis - instant(b).epochMillis)
    const perCategory = <A>(lists: { readonly [C in Exchange.Category]: Records.Dated<RecordList<A>> }) =>
      byCategory((category) => lists[category](openedAt))
    return {
      ...fresh(uid),
      openOrders: dateRecords(ledger.openOrders),
      closedOrders: history.closedOrders(openedAt),
      preUpgradeOrders: history.preUpgradeOrders(openedAt),
      executions: perCategory(history.executions),
      preUpgradeExecutions: perCategory(history.preUpgradeExecutions),
      closedPnl: perCategory(history.closedPnl),
      preUpgradeClosedPnl: perCategory(history.preUpgradeClosedPnl),
      positions: positions(openedAt),
      wallets,
      grants: dateRecords(ledger.grants),
      bonusUsage: sortRecords(ledger.bonusUsage, (use) => use.time),
      deposits: sortRecords(ledger.deposits, (deposit) => deposit.createTime),
      transfers: sortRecords(ledger.transfers, (transfer) => transfer.timestamp),
      subAccountTransfers: sortRecords(ledger.subAccountTransfers, (transfer) => transfer.timestamp)
    }
  }
}
