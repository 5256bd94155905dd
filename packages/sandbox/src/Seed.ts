/**
 * The world that a sandbox starts from, made up from a seed: the same seed and the same instant give the same state, down
 * to the last digit. Its parts agree with each other: executions belong to orders, positions and profits follow from
 * executions, and wallets from deposits, transfers, profits and fees.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as House from "./internal/engine/house.js"
import * as PositionRecord from "./internal/positionRecord.js"
import * as Random from "./internal/random.js"
import * as Accounts from "./internal/seed/accounts.js"
import * as Ledger from "./internal/seed/ledger.js"
import * as Market from "./internal/seed/market.js"
import * as OpenOrders from "./internal/seed/openOrders.js"
import * as Past from "./internal/seed/past.js"
import * as SeededPositions from "./internal/seed/positions.js"
import * as Prices from "./internal/seed/prices.js"
import * as Schedule from "./internal/seed/schedule.js"
import * as Trading from "./internal/seed/trading.js"
import type * as State from "./State.js"

/**
 * What the seeded keys are called. `main`: the master account, institutional and a broker. `sub`: its sub-account.
 * `customer`: a direct customer of the broker. `readOnly` and `expired`: further keys of the master account. `classic`: an
 * account that is not unified and not institutional.
 *
 * @since 0.1.0
 * @category models
 */
export type Role = "main" | "sub" | "customer" | "readOnly" | "expired" | "classic"

/**
 * @since 0.1.0
 * @category models
 */
export interface Options {
  readonly seed: number
  /** Milliseconds. The history ends here. */
  readonly now: number
}

/**
 * @since 0.1.0
 * @category models
 */
export interface World {
  readonly state: State.State
  /** The API key of each role; the secret is with the key in the state. */
  readonly keys: { readonly [R in Role]: string }
}

/**
 * The UID of each role.
 *
 * @since 0.1.0
 * @category constants
 */
export const uids: { readonly [R in Role]: string } = {
  main: "10000001",
  sub: "10000101",
  customer: "20000001",
  readOnly: "10000001",
  expired: "10000001",
  classic: "30000001"
}

const friend = "50000001"
const customerCount = 24

/**
 * Makes a world.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make = ({ now, seed }: Options): World => {
  const prices = Prices.make(seed, now - 910 * Schedule.day, now)
  const start = (uid: string) => Ledger.make(uid, Random.make(seed, `account ${uid}`))
  const plan = (ledger: Ledger.Ledger, periods: ReadonlyArray<Schedule.Period>, more: Partial<Trading.Plan> = {}) => ({
    slots: Schedule.slots(ledger.random, now, periods),
    prices,
    era: "current" as const,
    contractWallet: "UNIFIED" as const,
    spotWallet: "UNIFIED" as const,
    until: now,
    scale: ledger.uid === uids.main ? 0.5 : 0.1,
    ...more
  })

  // After all else that was executed, and before the orders that are still open.
  const opening = now - 1_700_000
  const main = start(uids.main)
  Past.beforeUpgrade(main, plan, now)
  Past.funding(main, now)
  Trading.run(main, {
    ...plan(main, []),
    slots: Schedule.slots(main.random, now, Schedule.mainPeriods, Schedule.mainBorders(now)),
    until: opening
  })
  Past.ensureOpen(main, plan(main, []), opening)
  Past.bonuses(main, now)

  const sub = start(uids.sub)
  Past.subAccount(main, sub, now)
  Trading.run(sub, plan(sub, [{ from: 90, to: 0.1, orders: { linear: 110, spot: 30 } }]))

  const classic = start(uids.classic)
  Past.classic(classic, now)
  Trading.run(
    classic,
    plan(classic, [{ from: 45, to: 0.1, orders: { linear: 40, inverse: 10, spot: 20 } }], {
      contractWallet: "CONTRACT",
      spotWallet: "SPOT"
    })
  )

  const customers = Array.from({ length: customerCount }, (_, index) => {
    const uid = String(Number(uids.customer) + index)
    const ledger = start(uid)
    const since = now - (360 - index * 12) * Schedule.day
    Past.customer(ledger, since)
    // The last few signed up and never traded.
    const orders = index === 0 ? 90 : index < 19 ? 6 : 0
    const days = (now - since) / Schedule.day - 1
    Trading.run(
      ledger,
      plan(ledger, [
        { from: days, to: 0.2, orders: { linear: orders, inverse: Math.ceil(orders / 6), spot: Math.ceil(orders / 3) } }
      ])
    )
    return { ledger, since }
  })

  const other = start(friend)
  const withdrawals = Past.withdrawals(main, other, now)

  const mainPositions = SeededPositions.adorn(SeededPositions.fromLedger(main), prices, now)
  OpenOrders.reopen(main, prices, now)
  OpenOrders.place(main, prices, now)
  for (const position of mainPositions) OpenOrders.protect(main, prices, now, position)

  const hedged = ([1, 2] as const).map((side) =>
    PositionRecord.untouched("linear", "ADAUSDT", side, now - 30 * Schedule.day)
  )
  const accounts: ReadonlyArray<State.Account> = [
    Accounts.fromLedger(main, {
      institutional: true,
      positions: [...mainPositions, ...hedged],
      withdrawals,
      addressBook: [
        { addressType: 3, areaCode: Option.none(), address: friend },
        { addressType: 3, areaCode: Option.none(), address: uids.customer },
        { addressType: 1, areaCode: Option.none(), address: Accounts.email(friend) },
        { addressType: 2, areaCode: Option.some(44), address: Accounts.phone(friend).number },
        // Somebody who is not with the service.
        { addressType: 1, areaCode: Option.none(), address: "nobody@example.com" }
      ],
      customers: customers.map(({ ledger, since }) => ({ uid: ledger.uid, since }))
    }),
    Accounts.fromLedger(sub, { institutional: true, masterUid: Option.some(uids.main) }),
    Accounts.fromLedger(classic, { unified: false }),
    Accounts.fromLedger(other, {}),
    ...customers.map(({ ledger }) => Accounts.fromLedger(ledger, {}))
  ]

  const keys = keysOf(seed, now)
  return {
    state: {
      seed,
      openedAt: now,
      issued: 0,
      advancedAt: now,
      pausedFor: 0,
      restartedAt: Number.MIN_SAFE_INTEGER,
      prices: "moving",
      drifts: new Map(
        Market.markets.map(({ base, dailyChange }) => [base, { opening: prices.at(base, now), dailyChange }])
      ),
      pinned: new Map(),
      pending: [],
      house: House.opening(accounts),
      seeded: new Map(accounts.map((account) => [account.uid, Accounts.seeded(account)])),
      listings: Market.markets.map((market) =>
        Market.listing(market, prices.at(market.base, now), now - 1000 * Schedule.day)
      ),
      coins: Market.coins,
      keys: new Map(Object.values(keys).map((key) => [key.apiKey, key])),
      accounts: new Map(accounts.map((account) => [account.uid, account]))
    },
    keys: apiKeys(seed)
  }
}

/**
 * The API keys of a world that is made from this seed, also where it has gone on since.
 *
 * @since 0.1.0
 * @category getters
 */
export const apiKeys = (seed: number): World["keys"] => {
  const keys = keysOf(seed, 0)
  return {
    main: keys.main.apiKey,
    sub: keys.sub.apiKey,
    customer: keys.customer.apiKey,
    readOnly: keys.readOnly.apiKey,
    expired: keys.expired.apiKey,
    classic: keys.classic.apiKey
  }
}

const keysOf = (seed: number, now: number): { readonly [R in Role]: State.Key } => {
  const random = Random.make(seed, "keys")
  const key = (role: Role, more: Partial<State.Key> = {}): State.Key => ({
    apiKey: `sandbox${role}${random.hex(12)}`,
    apiSecret: Redacted.make(random.hex(36)),
    uid: uids[role],
    readOnly: false,
    expiresAt: Option.none(),
    ...more
  })
  return {
    main: key("main"),
    sub: key("sub"),
    customer: key("customer"),
    readOnly: key("readOnly", { readOnly: true }),
    expired: key("expired", { expiresAt: Option.some(now - Schedule.day) }),
    classic: key("classic")
  }
}
