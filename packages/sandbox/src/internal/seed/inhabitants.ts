import * as Option from "effect/Option"
import type * as State from "../../State.js"
import * as Lazy from "../lazy.js"
import * as PositionRecord from "../positionRecord.js"
import * as Random from "../random.js"
import * as Accounts from "./accounts.js"
import type * as Chronicle from "./chronicle.js"
import * as Ledger from "./ledger.js"
import * as OpenOrders from "./openOrders.js"
import * as Past from "./past.js"
import * as Positions from "./positions.js"
import * as Schedule from "./schedule.js"
import * as Trading from "./trading.js"

/** UIDs of the accounts that have keys, and of a user that the main account pays. */
export const uids = { main: "10000001", sub: "10000101", customer: "20000001", classic: "30000001", friend: "50000001" }

const customerCount = 24

/** A seed's accounts at an opening. Each is made when it is first looked at, in whatever order: none depends on another's draws. */
export const make = (chronicle: Chronicle.Chronicle, openedAt: number): ReadonlyMap<string, State.Account> => {
  const opening: Opening = { chronicle, openedAt }
  const family = Lazy.value(() => familyOf(opening))
  const customers = customersSince(openedAt).map(
    (customer, index) => [customer.uid, Lazy.record(() => customerAccount(opening, customer, index), noOrders)] as const
  )
  return new Map([
    [uids.main, Lazy.record(() => family().main)],
    [uids.sub, Lazy.record(() => family().sub, noOrders)],
    [uids.classic, Lazy.record(() => classicAccount(opening), noOrders)],
    [uids.friend, Lazy.record(() => family().friend, noOrders)],
    ...customers
  ])
}

// Only the main account has orders on the book: an order that looks for another side need not make the others.
const noOrders: Partial<State.Account> = { openOrders: [] }

interface Opening {
  readonly chronicle: Chronicle.Chronicle
  readonly openedAt: number
}

const ledgerOf = ({ chronicle, openedAt }: Opening, uid: string): Ledger.Ledger =>
  Ledger.make(uid, openedAt, Random.make(chronicle.seed, `account ${uid}`))

const planner =
  ({ chronicle }: Opening, scale: number): Past.MakePlan =>
  (slots, more = {}) => ({
    slots,
    prices: chronicle.prices,
    contractWallet: "UNIFIED",
    spotWallet: "UNIFIED",
    until: 0,
    scale,
    ...more
  })

/** An account's trading through some periods, all of it since it became a unified one. */
const trade = (
  opening: Opening,
  ledger: Ledger.Ledger,
  periods: ReadonlyArray<Schedule.Period>,
  wallets: Partial<Trading.Plan> = {}
): void => {
  Ledger.live(ledger, opening.chronicle, "current", (books) => {
    Trading.run(books, planner(opening, 0.1)(Schedule.slots(books.random, periods), wallets))
  })
}

/** The main account, and the two that coins go to and fro with. */
const familyOf = (opening: Opening) => {
  const { chronicle } = opening
  const main = ledgerOf(opening, uids.main)
  const plan = planner(opening, 0.5)
  Past.beforeUpgrade(main, chronicle, plan)
  Past.funding(main)
  Past.sinceUpgrade(main, chronicle, plan)
  Past.bonuses(main)

  const sub = ledgerOf(opening, uids.sub)
  Past.subAccount(main, sub)
  trade(opening, sub, [{ from: 90, to: 0.1, orders: { linear: 110, spot: 30 } }])

  const friend = ledgerOf(opening, uids.friend)
  const withdrawals = Past.withdrawals(main, friend)
  return {
    main: mainAccount(opening, main, withdrawals),
    sub: Accounts.fromLedger(sub, subTraits),
    friend: Accounts.fromLedger(friend, {})
  }
}

const mainAccount = (
  { chronicle: { prices }, openedAt }: Opening,
  main: Ledger.Ledger,
  withdrawals: ReadonlyArray<State.Withdrawal>
): State.Account => {
  const positions = Positions.adorn(Positions.fromLedger(main), prices)
  OpenOrders.reopen(main, prices)
  OpenOrders.place(main, prices)
  for (const position of positions) OpenOrders.protect(main, prices, position)
  const hedged = ([1, 2] as const).map((side) =>
    PositionRecord.untouched("linear", "ADAUSDT", side, openedAt - 30 * Schedule.day)
  )
  return Accounts.fromLedger(main, {
    ...mainTraits,
    positions: [...positions, ...hedged],
    withdrawals,
    customers: customersSince(openedAt)
  })
}

const mainTraits: Partial<State.Account> = {
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

const subTraits: Partial<State.Account> = { institutional: true, masterUid: Option.some(uids.main) }

const classicAccount = (opening: Opening): State.Account => {
  const ledger = ledgerOf(opening, uids.classic)
  Past.classic(ledger)
  trade(opening, ledger, [{ from: 45, to: 0.1, orders: { linear: 40, inverse: 10, spot: 20 } }], {
    contractWallet: "CONTRACT",
    spotWallet: "SPOT"
  })
  return Accounts.fromLedger(ledger, { unified: false })
}

const customersSince = (openedAt: number): ReadonlyArray<State.Customer> =>
  Array.from({ length: customerCount }, (_, index) => ({
    uid: String(Number(uids.customer) + index),
    since: openedAt - (360 - index * 12) * Schedule.day
  }))

const customerAccount = (opening: Opening, { since, uid }: State.Customer, index: number): State.Account => {
  const ledger = ledgerOf(opening, uid)
  Past.customer(ledger, since)
  // The last few signed up and never traded.
  const orders = index === 0 ? 90 : index < 19 ? 6 : 0
  const days = (opening.openedAt - since) / Schedule.day - 1
  trade(opening, ledger, [
    { from: days, to: 0.2, orders: { linear: orders, inverse: Math.ceil(orders / 6), spot: Math.ceil(orders / 3) } }
  ])
  return Accounts.fromLedger(ledger, {})
}

/** The accounts that have keys, and the user that the main account may pay, without money or a past. */
export const newcomers = (openedAt: number): ReadonlyMap<string, State.Account> =>
  new Map(
    [
      Accounts.fresh(uids.main, { ...mainTraits, customers: [{ uid: uids.customer, since: openedAt }] }),
      Accounts.fresh(uids.sub, subTraits),
      Accounts.fresh(uids.classic, { unified: false }),
      Accounts.fresh(uids.friend, {}),
      Accounts.fresh(uids.customer, {})
    ].map((account) => [account.uid, account])
  )
