import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import * as Account from "../src/Account.js"
import { amount, answer, dec, none, refuses, sent } from "./helpers.js"

addEqualityTesters()

describe("a wallet answer", () => {
  it("has balances as decimals, and none where the account has none", () => {
    expect(answer(Account.walletBalance, "account.walletBalance")).toStrictEqual({
      list: [
        {
          accountType: "UNIFIED",
          accountIMRate: amount("0.0162"),
          accountMMRate: none,
          totalEquity: amount("3.31216591"),
          totalWalletBalance: amount("3.00326056"),
          totalMarginBalance: amount("3.00326056"),
          totalAvailableBalance: amount("3.00326056"),
          totalPerpUPL: amount("0"),
          totalInitialMargin: amount("0"),
          totalMaintenanceMargin: amount("0"),
          accountLTV: none,
          coin: [
            {
              coin: "BTC",
              equity: dec("0.00012345"),
              usdValue: amount("3.3333"),
              walletBalance: dec("0.00012345"),
              availableToWithdraw: none,
              totalOrderIM: amount("0"),
              totalPositionIM: amount("0"),
              totalPositionMM: amount("0"),
              unrealisedPnl: amount("-0.5"),
              cumRealisedPnl: amount("0"),
              bonus: amount("0"),
              borrowAmount: amount("0"),
              availableToBorrow: none,
              accruedInterest: amount("0")
            }
          ]
        }
      ]
    })
  })
})

describe("a wallet in isolated margin", () => {
  it("[records/wallet.isolated] has no figures of the whole account, and those of its coins all the same", () => {
    const wire = Schema.encodeSync(Account.walletBalance.result)(answer(Account.walletBalance, "account.walletBalance"))
    const whole = {
      accountIMRate: "",
      accountMMRate: "",
      totalEquity: "",
      totalWalletBalance: "",
      totalMarginBalance: "",
      totalAvailableBalance: "",
      totalPerpUPL: "",
      totalInitialMargin: "",
      totalMaintenanceMargin: "",
      accountLTV: ""
    }
    const isolated = { ...wire, list: wire.list?.map((one) => ({ ...one, ...whole })) }
    const [wallet] = Schema.decodeUnknownSync(Account.walletBalance.result)(isolated).list
    for (const name of Object.keys(whole)) expect(wallet).toHaveProperty(name, none)
    expect(wallet?.coin).toMatchObject([{ coin: "BTC", walletBalance: dec("0.00012345") }])
  })
})

describe("a request for a wallet", () => {
  it("needs an account type", () => {
    refuses(Account.walletBalance, {}, "accountType: is missing")
    refuses(Account.walletBalance, { accountType: "" }, "accountType: must not be empty")
    expect(sent(Account.walletBalance, { accountType: "UNIFIED" })).toStrictEqual({ accountType: "UNIFIED" })
    expect(sent(Account.walletBalance, { accountType: "VAULT" })).toStrictEqual({ accountType: "VAULT" })
  })

  it("sends several coins separated by commas", () => {
    expect(sent(Account.walletBalance, { accountType: "UNIFIED", coin: ["BTC"] })).toStrictEqual({
      accountType: "UNIFIED",
      coin: "BTC"
    })
    expect(sent(Account.walletBalance, { accountType: "UNIFIED", coin: ["BTC", "USDT"] })).toStrictEqual({
      accountType: "UNIFIED",
      coin: "BTC,USDT"
    })
  })

  it("refuses an empty list of coins, an empty coin, and a comma inside one", () => {
    refuses(Account.walletBalance, { accountType: "UNIFIED", coin: [] }, "coin: must name at least one")
    for (const coin of ["", "BTC,USDT"]) {
      refuses(
        Account.walletBalance,
        { accountType: "UNIFIED", coin: ["BTC", coin] },
        "coin: [1] must not be empty or contain a comma"
      )
    }
  })
})
