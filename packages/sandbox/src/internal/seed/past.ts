import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as State from "../../State.js"
import * as Ids from "../ids.js"
import * as Accounts from "./accounts.js"
import * as Ledger from "./ledger.js"
import * as Market from "./market.js"
import * as Schedule from "./schedule.js"
import * as Trading from "./trading.js"

const amount = (text: string) => BigDecimal.unsafeFromString(text)

type MakePlan = (
  ledger: Ledger.Ledger,
  periods: ReadonlyArray<Schedule.Period>,
  more?: Partial<Trading.Plan>
) => Trading.Plan

/** Deposits some coins and moves a part of each to a trading wallet. */
const fund = (
  ledger: Ledger.Ledger,
  at: number,
  to: State.WalletType,
  ...coins: ReadonlyArray<readonly [coin: string, deposited: string, moved: string]>
): void => {
  coins.forEach(([coin, deposited, moved], index) => {
    Ledger.deposit(ledger, at + index * 60_000, coin, amount(deposited))
    Ledger.transfer(ledger, at + 3_600_000 + index * 60_000, coin, amount(moved), "FUND", to)
  })
}

/** The account's life as a classic one, up to the upgrade that gathers its wallets in the unified one. */
export const beforeUpgrade = (main: Ledger.Ledger, plan: MakePlan, now: number): void => {
  fund(
    main,
    now - 905 * Schedule.day,
    "CONTRACT",
    ["USDT", "160000", "120000"],
    ["BTC", "2.5", "1.5"],
    ["ETH", "30", "20"]
  )
  fund(
    main,
    now - 904 * Schedule.day,
    "SPOT",
    ["USDT", "60000", "60000"],
    ["BTC", "1", "0.8"],
    ["SOL", "300", "200"],
    ["ETH", "12", "10"]
  )
  const closing = now - (Schedule.upgradeDay + 0.5) * Schedule.day
  const classic = plan(main, Schedule.preUpgradePeriods, {
    era: "preUpgrade",
    contractWallet: "CONTRACT",
    spotWallet: "SPOT",
    until: closing
  })
  Trading.run(main, classic)
  Trading.closeAll(main, classic, closing)
  const upgrade = now - Schedule.upgradeDay * Schedule.day
  for (const wallet of ["CONTRACT", "SPOT"] as const) {
    for (const [coin, all] of Array.from(main.wallets[wallet])) {
      if (!BigDecimal.isZero(all)) Ledger.transfer(main, upgrade, coin, all, wallet, "UNIFIED")
    }
  }
}

/** What came in, and where it was moved, since the upgrade. */
export const funding = (main: Ledger.Ledger, now: number): void => {
  const { random } = main
  for (let days = 720; days > 10; days -= 18) {
    const at = now - days * Schedule.day + random.between(0, 3_600_000)
    const [coin, unit] = random.pick(
      ["USDT", 2500] as const,
      ["USDT", 1200] as const,
      ["BTC", 0.05] as const,
      ["ETH", 0.8] as const,
      ["SOL", 15] as const
    )
    const some = amount((unit * (0.5 + random.next())).toFixed(4))
    Ledger.deposit(main, at, coin, some)
    Ledger.transfer(main, at + 7_200_000, coin, some, "FUND", "UNIFIED")
    if (days % 90 === 0) {
      Ledger.transfer(main, at + 86_400_000, "USDT", amount("150.5"), "UNIFIED", "FUND")
      Ledger.deposit(main, at + 90_000_000, "USDT", amount("75.25"), "1", { uid: "60000001" })
    }
  }
  Ledger.deposit(main, now - 40 * Schedule.day, "USDT", amount("900"), "2")
  Ledger.deposit(main, now - 3_600_000, "USDT", amount("1000"), "0")
}

/** Opens the positions that every seeded world should show, where chance has closed them. */
export const ensureOpen = (main: Ledger.Ledger, plan: Trading.Plan, at: number): void => {
  const wanted = [
    ["linear", "BTCUSDT", 25n],
    ["linear", "ETHUSDT", 90n],
    ["inverse", "BTCUSD", 1200n]
  ] as const
  for (const [category, symbol, steps] of wanted) {
    const market = Market.traded.find((one) => one.category === category && one.symbol === symbol)
    if (market === undefined || !BigDecimal.isZero(Ledger.holding(main, category, symbol).size)) continue
    Trading.place(main, plan, { at, category, border: true }, at, { market, side: "Buy", steps, closing: false })
  }
}

/** A bonus of 500 USDT, and what it and some coupons were used for. */
export const bonuses = (main: Ledger.Ledger, now: number): void => {
  const given = now - 300 * Schedule.day
  main.grants.push({ coin: "USDT", amount: amount("500"), at: given })
  Ledger.post(main, "UNIFIED", "USDT", amount("500"))
  const trades = main.executions.linear.filter((one) => one.execTime.epochMillis > given)
  for (let use = 0; use < 24; use++) {
    const execution = trades[Math.floor(((use + 0.5) * trades.length) / 24)]
    if (execution === undefined) continue
    const kind = use % 3
    main.bonusUsage.push({
      awardType: use % 4 === 0 ? 2 : 1,
      symbol: Option.some(execution.symbol),
      time: DateTime.unsafeMake(Math.floor(execution.execTime.epochMillis / 1000) * 1000),
      type: kind === 0 ? 1 : kind === 1 ? 2 : 3,
      coin: Ids.Coin("USDT"),
      amount: BigDecimal.make(BigInt(main.random.between(50, 1500)), 2),
      orderId: kind === 2 ? Option.none() : Option.some(execution.orderId)
    })
  }
}

/** Coins to and fro between the master and the sub-account, and on into the latter's trading wallet. */
export const subAccount = (main: Ledger.Ledger, sub: Ledger.Ledger, now: number): void => {
  Ledger.subAccountTransfer(main, sub, now - 100 * Schedule.day, "USDT", amount("20000"), "IN")
  Ledger.transfer(sub, now - 99 * Schedule.day, "USDT", amount("18000"), "FUND", "UNIFIED")
  for (let index = 0; index < 25; index++) {
    const at = now - (95 - index * 3.5) * Schedule.day
    const out = index % 4 === 3
    Ledger.subAccountTransfer(main, sub, at, "USDT", amount(out ? "40.5" : "25.75"), out ? "OUT" : "IN")
  }
  Ledger.subAccountTransfer(main, sub, now - 50 * Schedule.day, "BTC", amount("0.05"), "IN")
}

export const classic = (ledger: Ledger.Ledger, now: number): void => {
  fund(
    ledger,
    now - 60 * Schedule.day,
    "CONTRACT",
    ["USDT", "30000", "20000"],
    ["BTC", "0.6", "0.5"],
    ["ETH", "8", "6"]
  )
  fund(ledger, now - 59 * Schedule.day, "SPOT", ["USDT", "20000", "20000"])
}

export const customer = (ledger: Ledger.Ledger, since: number): void => {
  fund(ledger, since + 3_600_000, "UNIFIED", ["USDT", "40000", "39000"], ["BTC", "0.4", "0.3"], ["ETH", "4", "3"])
}

/** Two internal withdrawals of the past, with the deposits they became. */
export const withdrawals = (main: Ledger.Ledger, to: Ledger.Ledger, now: number): ReadonlyArray<State.Withdrawal> =>
  (
    [
      [200, "USDT", "120"],
      [33, "BTC", "0.01"]
    ] as const
  ).map(([days, coin, some], index) => {
    const at = now - days * Schedule.day
    Ledger.post(main, "FUND", coin, BigDecimal.negate(amount(some)))
    Ledger.deposit(to, at, coin, amount(some), "1", { uid: main.uid })
    return {
      withdrawId: main.id(at),
      requestId: `seeded${index}`,
      coin,
      amount: amount(some),
      addressType: index === 0 ? (3 as const) : (1 as const),
      areaCode: Option.none(),
      address: index === 0 ? to.uid : Accounts.email(to.uid),
      remark: Option.none(),
      at
    }
  })
