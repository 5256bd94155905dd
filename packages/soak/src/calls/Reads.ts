import * as Account from "@effect-venue/schemas/Account"
import * as Assets from "@effect-venue/schemas/Assets"
import * as Broker from "@effect-venue/schemas/Broker"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Positions from "@effect-venue/schemas/Positions"
import * as Call from "./Call.js"

const week = 7 * 86_400_000

/** Reads to choose from. Those of the past answer the same whenever they are asked; `now` is when the past ended. */
export const all = (now: number): readonly [Call.Call, ...ReadonlyArray<Call.Call>] => {
  const past = { startTime: now - week, endTime: now - 1000 }
  const early = { startTime: now - 121 * week, endTime: now - 120 * week }
  const opened = Math.floor(now / 1000) * 1000
  const seconds = { startTime: opened - 50 * week, endTime: opened - 60_000 }
  return [
    Call.make("main", Executions.list, { category: "linear", limit: 20, ...past }, true),
    Call.make("readOnly", Executions.list, { category: "spot", limit: 5, ...past }, true),
    Call.make("sub", Executions.list, { category: "linear", limit: 50, ...past }, true),
    Call.make("main", Executions.preUpgrade, { category: "linear", limit: 10, ...early }, true),
    Call.make("main", Positions.preUpgradeClosedPnl, { category: "linear", limit: 10, ...early }, true),
    Call.make("main", Instruments.list, { category: "linear", symbol: "BTCUSDT" }, true),
    Call.make("main", Assets.deposits, { type: 2, pageSize: 10, ...seconds }, true),
    Call.make("sub", Assets.coins, { coin: "BTC" }, true),
    Call.make("main", Assets.bonusUsage, { coin: "USDT", ...seconds }, true),
    Call.make("main", Assets.subAccountTransfers, { limit: 10, ...seconds }, true),
    Call.make("classic", Assets.transferableCoins, { fromAccountType: "FUND", toAccountType: "SPOT" }, true),
    Call.make("main", Broker.customers, {}, true),
    Call.make("main", Account.walletBalance, { accountType: "UNIFIED" }),
    Call.make("customer", Account.walletBalance, { accountType: "UNIFIED", coin: ["USDT"] }),
    Call.make("main", Assets.fundingAssets, { accountType: "FUND" }),
    Call.make("main", Assets.transfers, { limit: 5 }),
    Call.make("main", Orders.open, { category: "linear", settleCoin: "USDT" }),
    Call.make("main", Positions.list, { category: "linear", settleCoin: "USDT" }),
    // Neither of these is answered: one may not, the other is wrong.
    Call.make("sub", Broker.tradeVolume, {}),
    Call.make("main", Orders.open, { category: "linear", symbol: "NOTHINGUSDT" })
  ]
}
