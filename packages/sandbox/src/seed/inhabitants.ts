import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import type * as Exchange from "../state/Exchange.js"
import * as MarketMaker from "../trading/marketMaker.js"
import * as OnDemand from "../state/onDemand.js"
import * as PositionRecord from "../records/positionRecord.js"
import * as Random from "../state/random.js"
import * as Accounts from "./accounts.js"
import * as Funding from "../past/funding.js"
import * as Ledger from "../past/ledger.js"
import * as Market from "../past/market.js"
import * as OpenOrders from "./openOrders.js"
import * as Past from "./past.js"
import * as Positions from "./positions.js"
import * as Prices from "../past/prices.js"
import type * as Records from "../past/records.js"
import * as Schedule from "../past/schedule.js"
import * as Trading from "../past/trading.js"

/** Memoises the latest results of a pure function, by a key of its argument. */
export const memoize = <A, B>(
  size: number,
  keyOf: (argument: A) => string | number,
  make: (argument: A) => B
): ((argument: A) => B) => {
  const results = new Map<string | number, B>()
  return (argument) => {
    const key = keyOf(argument)
    const result = results.get(key) ?? make(argument)
    results.delete(key)
    results.set(key, result)
    for (const oldest of results.keys()) {
      if (results.size <= size) break
      results.delete(oldest)
    }
    return result
  }
}

/** The UIDs of the accounts with keys, and of a user whom the main account pays. */
export const uids = { main: "10000001", sub: "10000101", customer: "20000001", classic: "30000001", friend: "50000001" }

/** The data shared by all worlds of a seed. */
export interface Inhabitants {
  readonly prices: Prices.Prices
  /** Ordered by launch time. */
  readonly listings: () => ReadonlyArray<Records.Dated<Exchange.Listing>>
  /** The accounts by UID. Each is built on first access, in any order, because no account depends on the random numbers of another. */
  readonly accounts: ReadonlyMap<string, () => Records.Dated<Exchange.Account>>
  /** The counterparty of the accounts. */
  readonly marketMaker: () => Exchange.Wallet
}

const make = (seed: number): Inhabitants => {
  const world: InhabitedWorld = { seed, prices: Prices.make(seed), rates: Funding.rates(seed) }
  const family = OnDemand.value(() => familyOf(world))
  const accounts = new Map<string, () => Records.Dated<Exchange.Account>>([
    [uids.main, () => family().main],
    [uids.sub, () => family().sub],
    [uids.classic, OnDemand.value(() => classicAccount(world))],
    [uids.friend, () => family().friend]
  ])
  customers.forEach((customer, index) => {
    accounts.set(
      customer.uid,
      OnDemand.value(() => customerAccount(world, customer, index))
    )
  })
  return {
    prices: world.prices,
    listings: OnDemand.value(() =>
      Market.markets.map((market) => Market.listing(market, world.prices.at(market.base, 0)))
    ),
    accounts,
    marketMaker: OnDemand.value(() => MarketMaker.opening(Array.from(accounts.values(), (account) => account()(0))))
  }
}

/** Returns the accounts of a seed. The latest seeds are cached, at some megabytes each. */
export const of: (seed: number) => Inhabitants = memoize(6, (seed) => seed, make)

/** Returns the accounts of a seed in a world that opens at an instant. */
export const at = ({ accounts }: Inhabitants, openedAt: number): ReadonlyMap<string, Exchange.Account> =>
  new Map(
    Array.from(accounts, ([uid, account]) => [
      uid,
      // Only the main account has open orders, so matching does not need to build the other accounts.
      OnDemand.record<Exchange.Account>(fields, () => account()(openedAt), uid === uids.main ? undefined : noOrders)
    ])
  )

const fields = Struct.keys(Accounts.fresh(""))

const noOrders: Partial<Exchange.Account> = { openOrders: [] }

interface InhabitedWorld {
  readonly seed: number
  readonly prices: Prices.Prices
  readonly rates: Funding.Rates
}

const ledgerOf = ({ seed }: InhabitedWorld, uid: string): Ledger.Ledger =>
  Ledger.make(uid, Random.make(seed, `account ${uid}`))

/** Plans of trading at the prices of a world. */
export const planner =
  ({ prices }: Pick<InhabitedWorld, "prices">, scale: number): Past.MakePlan =>
  (slots, more = {}) => ({
    slots,
    prices,
    contractWallet: "UNIFIED",
    spotWallet: "UNIFIED",
    until: 0,
    scale,
    ...more
  })

const funder =
  ({ prices, rates, seed }: InhabitedWorld, uid: string): Past.Fund =>
  (books, wallet) =>
    Funding.charge(books, Random.make(seed, `funding ${uid}`), { prices, rates, wallet })

/** The trading of an account over some periods, all after its upgrade. */
const trade = (
  world: InhabitedWorld,
  ledger: Ledger.Ledger,
  periods: ReadonlyArray<Schedule.Period>,
  wallets: Pick<Trading.Plan, "contractWallet" | "spotWallet"> = { contractWallet: "UNIFIED", spotWallet: "UNIFIED" }
): void => {
  ledger.fundings = Ledger.live(ledger, "current", (books) => {
    Trading.run(books, planner(world, 0.1)(Schedule.slots(books.random, periods), wallets))
    return funder(world, ledger.uid)(books, wallets.contractWallet)
  })
}

const withTraits =
  (
    account: Records.Dated<Exchange.Account>,
    traits: Records.Dated<Partial<Exchange.Account>>
  ): Records.Dated<Exchange.Account> =>
  (openedAt) => ({ ...account(openedAt), ...traits(openedAt) })

/** The main account, its sub-account, and the friend with which it exchanges coins. */
const familyOf = (world: InhabitedWorld) => {
  const main = ledgerOf(world, uids.main)
  const plan = planner(world, 0.5)
  Past.beforeUpgrade(main, plan)
  Past.funding(main)
  Past.sinceUpgrade(main, plan, funder(world, uids.main))
  Past.bonuses(main)

  const sub = ledgerOf(world, uids.sub)
  Past.subAccount(main, sub)
  trade(world, sub, [{ from: 90, to: 0.1, orders: { linear: 110, spot: 30 } }])

  const friend = ledgerOf(world, uids.friend)
  const withdrawals = Past.withdrawals(main, friend)
  return {
    main: mainAccount(world, main, withdrawals),
    sub: withTraits(Accounts.fromLedger(sub), () => subTraits),
    friend: Accounts.fromLedger(friend)
  }
}

const mainAccount = (
  { prices }: InhabitedWorld,
  main: Ledger.Ledger,
  withdrawals: ReadonlyArray<Records.Dated<Exchange.Withdrawal>>
): Records.Dated<Exchange.Account> => {
  const positions = Positions.fromLedger(main)
  OpenOrders.reopen(main, prices)
  OpenOrders.place(main, prices)
  for (const position of Positions.adorn(positions(0), prices)) OpenOrders.protect(main, prices, position)
  return withTraits(Accounts.fromLedger(main), (openedAt) => ({
    ...mainTraits,
    positions: [
      ...Positions.adorn(positions(openedAt), prices),
      ...([1, 2] as const).map((side) =>
        PositionRecord.makeEmpty("linear", "ADAUSDT", side, openedAt - 30 * Schedule.day)
      )
    ],
    withdrawals: withdrawals.map((make) => make(openedAt)),
    customers: customers.map(({ days, uid }) => ({ uid, since: openedAt - days * Schedule.day }))
  }))
}

const mainTraits: Partial<Exchange.Account> = {
  institutional: true,
  addressBook: [
    { addressType: 3, areaCode: Option.none(), address: uids.friend },
    { addressType: 3, areaCode: Option.none(), address: uids.customer },
    { addressType: 1, areaCode: Option.none(), address: Accounts.email(uids.friend) },
    { addressType: 2, areaCode: Option.some(44), address: Accounts.phone(uids.friend).number },
    // A recipient without an account.
    { addressType: 1, areaCode: Option.none(), address: "unregistered@example.com" }
  ]
}

const subTraits: Partial<Exchange.Account> = { institutional: true, masterUid: Option.some(uids.main) }

const classicAccount = (world: InhabitedWorld): Records.Dated<Exchange.Account> => {
  const ledger = ledgerOf(world, uids.classic)
  Past.classic(ledger)
  trade(world, ledger, [{ from: 45, to: 0.1, orders: { linear: 40, inverse: 10, spot: 20 } }], {
    contractWallet: "CONTRACT",
    spotWallet: "SPOT"
  })
  return withTraits(Accounts.fromLedger(ledger), () => ({ unified: false }))
}

/** The direct customers of the main account, and how many days ago each joined. */
const customers = Array.from({ length: 24 }, (_, index) => ({
  uid: String(Number(uids.customer) + index),
  days: 360 - index * 12
}))

const customerAccount = (
  world: InhabitedWorld,
  { days, uid }: (typeof customers)[number],
  index: number
): Records.Dated<Exchange.Account> => {
  const ledger = ledgerOf(world, uid)
  Past.customer(ledger, -days * Schedule.day)
  // The last customers never traded.
  const orders = index === 0 ? 90 : index < 19 ? 6 : 0
  trade(world, ledger, [
    { from: days - 1, to: 0.2, orders: { linear: orders, inverse: Math.ceil(orders / 6), spot: Math.ceil(orders / 3) } }
  ])
  return Accounts.fromLedger(ledger)
}

/** Creates the accounts with keys, and the user whom the main account can pay, without money or history. */
export const newcomers = (openedAt: number): ReadonlyMap<string, Exchange.Account> =>
  new Map(
    [
      {
        ...Accounts.fresh(uids.main),
        ...mainTraits,
        customers: [{ uid: uids.customer, since: openedAt }]
      },
      { ...Accounts.fresh(uids.sub), ...subTraits },
      { ...Accounts.fresh(uids.classic), unified: false },
      Accounts.fresh(uids.friend),
      Accounts.fresh(uids.customer)
    ].map((account) => [account.uid, account])
  )
