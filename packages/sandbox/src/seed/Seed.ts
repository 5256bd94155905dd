/**
 * The initial world of a sandbox, generated from a seed: the same seed and instant give the same state, to the last digit. The records are
 * consistent: executions belong to orders, positions and profits follow from executions, and wallets from deposits, transfers, profits and
 * fees.
 *
 * @sibling
 */
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as OnDemand from "../state/onDemand.js"
import * as Random from "../state/random.js"
import * as Inhabitants from "./inhabitants.js"
import * as Market from "../past/market.js"
import type * as Prices from "../past/prices.js"
import * as Schedule from "../past/schedule.js"
import type * as Exchange from "../state/Exchange.js"

/**
 * The roles of the seeded keys. `main`: the master account, institutional and a broker. `sub`: its sub-account. `customer`: a direct
 * customer of the broker. `readOnly` and `expired`: more keys of the master account. `classic`: an account that is neither unified nor
 * institutional.
 */
export type Role = "main" | "sub" | "customer" | "readOnly" | "expired" | "classic"

export interface Options {
  readonly seed: number
  /** The end of the history, in milliseconds. */
  readonly now: number
  /**
   * `empty`: the accounts of the seeded keys without money, orders or history, and the markets at the prices of the seed. Default:
   * `seeded`.
   */
  readonly world?: "seeded" | "empty" | undefined
}

export interface World {
  readonly state: Exchange.State
  /** The API key of each role. The state contains the secrets. */
  readonly keys: { readonly [R in Role]: string }
}

/** The UID of each role. */
export const uids: { readonly [R in Role]: string } = {
  main: Inhabitants.uids.main,
  sub: Inhabitants.uids.sub,
  customer: Inhabitants.uids.customer,
  readOnly: Inhabitants.uids.main,
  expired: Inhabitants.uids.main,
  classic: Inhabitants.uids.classic
}

/**
 * Generates a world. Its parts are generated on first use: an account when one of its fields is read, a list of records when that list is
 * read. Calls with the same options share a world, and worlds of the same seed share the simulation behind them.
 */
export const make = (options: Options): World => ({
  state: stateOf(options),
  keys: apiKeys(options.seed)
})

const build = ({ now, seed, world }: Options): Exchange.State => {
  const inhabitants = Inhabitants.of(seed)
  const { listings, marketMaker, prices } = inhabitants
  const accounts = world === "empty" ? Inhabitants.newcomers(now) : Inhabitants.at(inhabitants, now)
  return {
    seed,
    openedAt: now,
    issued: 0,
    advancedAt: now,
    pausedFor: 0,
    restartedAt: Number.MIN_SAFE_INTEGER,
    prices: "moving",
    drifts: driftsOf(prices),
    pinned: new Map(),
    pending: [],
    marketMaker:
      world === "empty"
        ? { balances: new Map() }
        : OnDemand.record<Exchange.State["marketMaker"]>(["balances"], () => ({ balances: marketMaker() })),
    listings: listings().map((make) => make(now - 1000 * Schedule.day)),
    coins: Market.coins,
    keys: new Map(Object.values(keysOf(seed, now)).map((key) => [key.apiKey, key])),
    accounts
  }
}

const driftsOf = (prices: Prices.Prices): Exchange.State["drifts"] =>
  new Map(Market.markets.map(({ base, dailyChange }) => [base, { opening: prices.at(base, 0), dailyChange }]))

// States are immutable, so sandboxes can share the initial one.
const stateOf: (options: Options) => Exchange.State = Inhabitants.memoize(
  2,
  ({ now, seed, world = "seeded" }) => `${seed} ${now} ${world}`,
  build
)

/** Returns the API keys of a world with this seed. They stay the same when the world changes. */
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

const keysOf = (seed: number, now: number): { readonly [R in Role]: Exchange.Key } => {
  const random = Random.make(seed, "keys")
  const key = (role: Role, more: Partial<Exchange.Key> = {}): Exchange.Key => ({
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
