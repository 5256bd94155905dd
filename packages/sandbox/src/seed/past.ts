import type * as Enumerations from "@effect-venue/schemas/Enumerations"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import type * as Exchange from "../state/Exchange.js"
import * as Ids from "../trading/ids.js"
import * as Accounts from "./accounts.js"
import type * as Funding from "../past/funding.js"
import * as Ledger from "../past/ledger.js"
import * as PastTrading from "../past/pastTrading.js"
import * as Records from "../past/records.js"
import * as Schedule from "../past/schedule.js"
import * as Trading from "../past/trading.js"

const amount = (text: string) => BigDecimal.unsafeFromString(text)

/** Creates a plan with the defaults of an account. */
export type MakePlan = (slots: ReadonlyArray<Schedule.Slot>, more?: Partial<Trading.Plan>) => Trading.Plan

/** Charges funding on the positions of an account, from a wallet. */
export type Fund = (books: PastTrading.Books, wallet: Exchange.WalletType) => ReadonlyArray<Funding.Funding>

/** Deposits some coins and moves a part of each to a trading wallet. */
const fund = (
  ledger: Ledger.Ledger,
  at: number,
  to: Exchange.WalletType,
  ...coins: ReadonlyArray<readonly [coin: string, deposited: string, moved: string]>
): void => {
  coins.forEach(([coin, deposited, moved], index) => {
    Ledger.deposit(ledger, at + index * 60_000, coin, amount(deposited))
    Ledger.transfer(ledger, at + 3_600_000 + index * 60_000, coin, amount(moved), "FUND", to)
  })
}

/** Simulates the classic account up to the upgrade, which merges its wallets into the unified one. */
export const beforeUpgrade = (main: Ledger.Ledger, plan: MakePlan): void => {
  fund(main, -905 * Schedule.day, "CONTRACT", ["USDT", "160000", "120000"], ["BTC", "2.5", "1.5"], ["ETH", "30", "20"])
  fund(
    main,
    -904 * Schedule.day,
    "SPOT",
    ["USDT", "60000", "60000"],
    ["BTC", "1", "0.8"],
    ["SOL", "300", "200"],
    ["ETH", "12", "10"]
  )
  const closing = -(Schedule.upgradeDay + 0.5) * Schedule.day
  Ledger.live(main, "preUpgrade", (books) => {
    const classic = plan(Schedule.slots(books.random, Schedule.preUpgradePeriods), {
      contractWallet: "CONTRACT",
      spotWallet: "SPOT",
      until: closing
    })
    Trading.run(books, classic)
    Trading.closeAll(books, classic, closing)
  })
  const upgrade = -Schedule.upgradeDay * Schedule.day
  for (const wallet of ["CONTRACT", "SPOT"] as const) {
    for (const [coin, all] of Array.from(main.wallets[wallet])) {
      if (!BigDecimal.isZero(all)) Ledger.transfer(main, upgrade, coin, all, wallet, "UNIFIED")
    }
  }
}

/** Simulates the deposits and transfers since the upgrade. */
export const funding = (main: Ledger.Ledger): void => {
  const { random } = main
  for (let days = 720; days > 10; days -= 18) {
    const at = -days * Schedule.day + random.between(0, 3_600_000)
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
  Ledger.deposit(main, -40 * Schedule.day, "USDT", amount("900"), "2")
  Ledger.deposit(main, -3_600_000, "USDT", amount("1000"), "0")
}

// Positions that every seeded world has, even if the simulation closed them.
const alwaysOpen = [
  ["linear", "BTCUSDT", 25],
  ["linear", "ETHUSDT", 90],
  ["inverse", "BTCUSD", 1200]
] as const

/** Simulates the trading since the upgrade, up to the orders that are still open. */
export const sinceUpgrade = (main: Ledger.Ledger, plan: MakePlan, fund: Fund): void => {
  const opening = -1_700_000
  main.fundings = Ledger.live(main, "current", (books) => {
    const slots = Schedule.slots(books.random, Schedule.mainPeriods, Schedule.mainBorders)
    Trading.run(books, plan(slots, { until: opening }))
    Trading.ensureOpen(books, plan([]), opening, alwaysOpen)
    return fund(books, "UNIFIED")
  })
}

/** Adds a bonus of 500 USDT, and the use of it and of some coupons. */
export const bonuses = (main: Ledger.Ledger): void => {
  const grantedAt = -300 * Schedule.day
  main.grants.push((openedAt) => ({ coin: "USDT", amount: amount("500"), at: openedAt + grantedAt }))
  Ledger.post(main, "UNIFIED", "USDT", amount("500"))
  const fills: Array<PastTrading.PastFill> = []
  for (const trade of main.trades.current) {
    if (trade.market.category !== "linear") continue
    for (const fill of trade.fills) if (fill.at > grantedAt) fills.push(fill)
  }
  for (let use = 0; use < 24; use++) {
    const fill = fills[Math.floor(((use + 0.5) * fills.length) / 24)]
    if (fill === undefined) continue
    const kind = use % 3
    const orderId = kind === 2 ? undefined : Records.idOf(main.uid, fill.trade.at, fill.trade.ticket)
    const undated = {
      awardType: Option.some<Enumerations.AwardType>(use % 4 === 0 ? 2 : 1),
      symbol: Option.some(Ids.Symbol(fill.trade.market.symbol)),
      type: Option.some<Enumerations.BonusUsageType>(kind === 0 ? 1 : kind === 1 ? 2 : 3),
      coin: Ids.Coin("USDT"),
      amount: BigDecimal.make(BigInt(main.random.between(50, 1500)), 2)
    }
    main.bonusUsage.push((openedAt) => ({
      time: DateTime.unsafeMake(Ledger.fullSecond(openedAt + fill.at)),
      orderId: orderId === undefined ? Option.none() : Option.some(Ids.OrderId(orderId(openedAt))),
      ...undated
    }))
  }
}

/** Simulates transfers between the master and the sub-account, and on to its trading wallet. */
export const subAccount = (main: Ledger.Ledger, sub: Ledger.Ledger): void => {
  Ledger.subAccountTransfer(main, sub, -100 * Schedule.day, "USDT", amount("20000"), "IN")
  Ledger.transfer(sub, -99 * Schedule.day, "USDT", amount("18000"), "FUND", "UNIFIED")
  for (let index = 0; index < 25; index++) {
    const at = -(95 - index * 3.5) * Schedule.day
    const out = index % 4 === 3
    Ledger.subAccountTransfer(main, sub, at, "USDT", amount(out ? "40.5" : "25.75"), out ? "OUT" : "IN")
  }
  Ledger.subAccountTransfer(main, sub, -50 * Schedule.day, "BTC", amount("0.05"), "IN")
}

export const classic = (ledger: Ledger.Ledger): void => {
  fund(ledger, -60 * Schedule.day, "CONTRACT", ["USDT", "30000", "20000"], ["BTC", "0.6", "0.5"], ["ETH", "8", "6"])
  fund(ledger, -59 * Schedule.day, "SPOT", ["USDT", "20000", "20000"])
}

export const customer = (ledger: Ledger.Ledger, since: number): void => {
  fund(ledger, since + 3_600_000, "UNIFIED", ["USDT", "40000", "39000"], ["BTC", "0.4", "0.3"], ["ETH", "4", "3"])
}

/** Adds two past internal withdrawals with their deposits. */
export const withdrawals = (
  main: Ledger.Ledger,
  to: Ledger.Ledger
): ReadonlyArray<Records.Dated<Exchange.Withdrawal>> =>
  (
    [
      [200, "USDT", "120"],
      [33, "BTC", "0.01"]
    ] as const
  ).map(([days, coin, some], index) => {
    const at = -days * Schedule.day
    Ledger.post(main, "FUND", coin, BigDecimal.negate(amount(some)))
    Ledger.deposit(to, at, coin, amount(some), "1", { uid: main.uid })
    const withdrawId = Records.idOf(main.uid, at, PastTrading.ticket(main))
    return (openedAt) => ({
      withdrawId: withdrawId(openedAt),
      requestId: `seeded${index}`,
      coin,
      amount: amount(some),
      addressType: index === 0 ? (3 as const) : (1 as const),
      areaCode: Option.none(),
      address: index === 0 ? to.uid : Accounts.email(to.uid),
      remark: Option.none(),
      at: openedAt + at
    })
  })
