import { addEqualityTesters, describe, expect, it } from "@effect/vitest"
import { BigDecimal } from "effect"
import * as Assets from "../src/Assets.js"
import { amount, answer, at, dec, none, refuses, sent, sentAny, some } from "./helpers.js"

addEqualityTesters()

const from = 1_700_000_000_000
const year = 365 * 86_400_000
const wholeSecond = "must be an instant on a whole second (DateTime, Date, ISO text or milliseconds)"

/** The rules that every list bounded in whole seconds has. */
const seconds = (endpoint: Parameters<typeof refuses>[0], rest: object, wire: { from: string; to: string }) => {
  it("takes instants on whole seconds", () => {
    for (const field of ["startTime", "endTime"]) {
      for (const value of [from + 1, from + 999, "2023-11-14T22:13:20.5Z", "later"]) {
        refuses(endpoint, { ...rest, [field]: value }, `${field}: ${wholeSecond}`)
      }
    }
    expect(sentAny(endpoint, { ...rest, startTime: from })).toStrictEqual({ ...rest, [wire.from]: "1700000000" })
    expect(sentAny(endpoint, { ...rest, endTime: "2023-11-14T22:13:20Z" })).toStrictEqual({
      ...rest,
      [wire.to]: "1700000000"
    })
  })

  it("takes a range of any length that does not end before it starts", () => {
    refuses(endpoint, { ...rest, startTime: from, endTime: from - 1000 }, "endTime: must not be before startTime")
    expect(sentAny(endpoint, { ...rest, startTime: from, endTime: from })).toStrictEqual({
      ...rest,
      [wire.from]: "1700000000",
      [wire.to]: "1700000000"
    })
    expect(sentAny(endpoint, { ...rest, startTime: from, endTime: from + year })).toStrictEqual({
      ...rest,
      [wire.from]: "1700000000",
      [wire.to]: "1731536000"
    })
  })
}

const camel = { from: "startTime", to: "endTime" }

describe("a deposits answer", () => {
  it("has deposits with instants in seconds and none where there is nothing", () => {
    expect(answer(Assets.deposits, "assets.deposits")).toStrictEqual({
      rows: [
        {
          type: "0",
          chain: some("TRX"),
          coin: "USDT",
          amount: dec("100.5"),
          address: some("Txxxxxxxxxxxxx"),
          status: "1",
          time: at(1_700_000_000_000),
          transactionId: "7d3f",
          txId: some("e5f7e2"),
          createTime: at(1_699_999_990_000)
        },
        {
          type: "1",
          chain: none,
          coin: "USDT",
          amount: dec("3"),
          address: some("100001"),
          status: "0",
          time: at(1_700_000_001_000),
          transactionId: "7d40",
          txId: none,
          createTime: at(1_699_999_991_000)
        }
      ],
      cursor: some("eyJtaW5JRCI6MX0=")
    })
  })
})

describe("a request for deposits", () => {
  seconds(Assets.deposits, {}, camel)

  it("takes type 0, 1 or 2", () => {
    for (const type of [3, -1, "0"]) refuses(Assets.deposits, { type }, "type: must be 0, 1 or 2")
    for (const type of [0, 1, 2] as const) {
      expect(sent(Assets.deposits, { type })).toStrictEqual({ type: String(type) })
    }
  })

  it("takes a page size from 1 to 50, and no limit", () => {
    for (const pageSize of [0, 51, 1.5]) {
      refuses(Assets.deposits, { pageSize }, "pageSize: must be a whole number from 1 to 50")
    }
    refuses(Assets.deposits, { limit: 10 }, "limit: is unexpected")
    expect(sent(Assets.deposits, { pageSize: 1 })).toStrictEqual({ pageSize: "1" })
    expect(sent(Assets.deposits, { pageSize: 50 })).toStrictEqual({ pageSize: "50" })
  })

  it("takes texts that are not empty", () => {
    for (const field of ["chain", "coin", "txId"]) {
      refuses(Assets.deposits, { [field]: "" }, `${field}: must not be empty`)
    }
    expect(sent(Assets.deposits, {})).toStrictEqual({})
    expect(
      sent(Assets.deposits, { chain: "TRX", coin: "USDT", txId: "e5f7", cursor: "eyJtaW5JRCI6MX0=" })
    ).toStrictEqual({ chain: "TRX", coin: "USDT", txId: "e5f7", cursor: "eyJtaW5JRCI6MX0=" })
  })
})

describe("coins", () => {
  it("are answered with their chains, flags as booleans", () => {
    expect(answer(Assets.coins, "assets.coins")).toStrictEqual({
      rows: [
        {
          coin: "USDT",
          coinName: "Tether",
          accuracy: some(6),
          depositChains: [
            {
              chain: "ETH",
              chainName: "ERC20",
              canDeposit: some(true),
              depositMin: amount("0.01"),
              depositConfirmation: some(12)
            },
            { chain: "OLD", chainName: "Gone", canDeposit: some(false), depositMin: none, depositConfirmation: none }
          ],
          withdrawChains: [
            {
              chain: "ETH",
              chainName: "ERC20",
              canWithdraw: some(false),
              withdrawMin: amount("20"),
              withdrawFee: amount("10.5")
            }
          ]
        }
      ]
    })
  })

  it("are asked for all together or one by one", () => {
    refuses(Assets.coins, { coin: "" }, "coin: must not be empty")
    expect(sent(Assets.coins, {})).toStrictEqual({})
    expect(sent(Assets.coins, { coin: "USDT" })).toStrictEqual({ coin: "USDT" })
  })
})

describe("a bonus usage answer", () => {
  it("has records with instants in seconds and an order where there was one", () => {
    expect(answer(Assets.bonusUsage, "assets.bonusUsage")).toStrictEqual({
      rows: [
        {
          awardType: some(1),
          symbol: some("BTCUSDT"),
          time: at(1_700_000_000_000),
          type: some(2),
          coin: "USDT",
          amount: dec("1.23"),
          orderId: none
        },
        {
          awardType: some(2),
          symbol: some("ETHUSDT"),
          time: at(1_700_000_001_000),
          type: some(1),
          coin: "USDT",
          amount: dec("5"),
          orderId: some("o-1")
        }
      ]
    })
  })
})

describe("a request for bonus usage", () => {
  seconds(Assets.bonusUsage, { coin: "USDT" }, camel)

  it("needs the coin, which is USDT", () => {
    refuses(Assets.bonusUsage, {}, "coin: is missing")
    for (const coin of ["BTC", "usdt", ""]) refuses(Assets.bonusUsage, { coin }, "coin: must be USDT")
    expect(sent(Assets.bonusUsage, { coin: "USDT" })).toStrictEqual({ coin: "USDT" })
  })

  it("takes award type 1 or 2", () => {
    for (const awardType of [0, 3]) refuses(Assets.bonusUsage, { coin: "USDT", awardType }, "awardType: must be 1 or 2")
    for (const awardType of [1, 2] as const) {
      expect(sent(Assets.bonusUsage, { coin: "USDT", awardType })).toStrictEqual({
        coin: "USDT",
        awardType: String(awardType)
      })
    }
  })

  it("takes a limit from 1 to 50, and no cursor", () => {
    for (const limit of [0, 51]) {
      refuses(Assets.bonusUsage, { coin: "USDT", limit }, "limit: must be a whole number from 1 to 50")
    }
    refuses(Assets.bonusUsage, { coin: "USDT", cursor: "c" }, "cursor: is unexpected")
    for (const limit of [1, 50]) {
      expect(sent(Assets.bonusUsage, { coin: "USDT", limit })).toStrictEqual({ coin: "USDT", limit: String(limit) })
    }
  })
})

describe("a transfers answer", () => {
  it("has transfers with instants in seconds", () => {
    expect(answer(Assets.transfers, "assets.transfers")).toStrictEqual({
      list: [
        {
          transferId: "selfTransfer_0001",
          coin: "USDT",
          amount: dec("11.5"),
          fromAccountType: "SPOT",
          toAccountType: "UNIFIED",
          status: "SUCCESS",
          timestamp: at(1_700_000_000_000)
        }
      ],
      cursor: none
    })
  })
})

describe("a request for transfers", () => {
  seconds(Assets.transfers, {}, camel)

  it("takes a limit from 1 to 50", () => {
    for (const limit of [0, 51]) refuses(Assets.transfers, { limit }, "limit: must be a whole number from 1 to 50")
    for (const limit of [1, 50]) expect(sent(Assets.transfers, { limit })).toStrictEqual({ limit: String(limit) })
  })

  it("takes an id and a coin that are not empty, and a status that is known", () => {
    for (const field of ["transferId", "coin"]) {
      refuses(Assets.transfers, { [field]: "" }, `${field}: must not be empty`)
    }
    for (const status of [1, "", "DONE"]) {
      refuses(Assets.transfers, { status }, "status: must be one of SUCCESS, PENDING, FAILED, STATUS_UNKNOWN")
    }
    expect(
      sent(Assets.transfers, { transferId: "t1", coin: "USDT", status: "PENDING", cursor: "a=b&c" })
    ).toStrictEqual({ transferId: "t1", coin: "USDT", status: "PENDING", cursor: "a=b&c" })
  })
})

describe("a sub-account transfers answer", () => {
  it("has transfers with instants in milliseconds and UIDs as text", () => {
    expect(answer(Assets.subAccountTransfers, "assets.subAccountTransfers")).toStrictEqual({
      list: [
        {
          transferId: "42c0cfb0-6bca-c242-bc76-4e6df6cbab16",
          coin: "USDT",
          amount: dec("0.01"),
          userId: "100001",
          subUserId: "100002",
          timestamp: at(1_700_000_000_123),
          status: "SUCCESS",
          type: "IN"
        }
      ],
      cursor: some("next%3D2")
    })
  })
})

describe("a request for sub-account transfers", () => {
  seconds(Assets.subAccountTransfers, {}, { from: "start_time", to: "end_time" })

  it("is written in snake case", () => {
    expect(
      sent(Assets.subAccountTransfers, {
        transferId: "t1",
        coin: "USDT",
        status: "SUCCESS",
        startTime: from,
        endTime: from + 1000,
        direction: 1,
        limit: 20,
        cursor: "c"
      })
    ).toStrictEqual({
      transfer_id: "t1",
      coin: "USDT",
      status: "SUCCESS",
      start_time: "1700000000",
      end_time: "1700000001",
      direction: "1",
      limit: "20",
      cursor: "c"
    })
    refuses(Assets.subAccountTransfers, { transfer_id: "t1" }, "transfer_id: is unexpected")
  })

  it("takes a direction that is a whole number or a word, and a limit that is a whole number", () => {
    for (const direction of [-1, 0.5, "next", "", "0"]) {
      refuses(
        Assets.subAccountTransfers,
        { direction },
        "direction: must be a whole number or one of Prev, Next, first, last, jump"
      )
    }
    for (const direction of ["Prev", "Next", "first", "last", "jump"] as const) {
      expect(sent(Assets.subAccountTransfers, { direction })).toStrictEqual({ direction })
    }
    for (const limit of [0, 1.5]) {
      refuses(Assets.subAccountTransfers, { limit }, "limit: must be a whole number of at least 1")
    }
    expect(sent(Assets.subAccountTransfers, { direction: 0, limit: 1 })).toStrictEqual({ direction: "0", limit: "1" })
  })

  it("takes texts that are not empty", () => {
    for (const field of ["transferId", "coin"]) {
      refuses(Assets.subAccountTransfers, { [field]: "" }, `${field}: must not be empty`)
    }
    expect(sent(Assets.subAccountTransfers, {})).toStrictEqual({})
  })
})

describe("a request to transfer", () => {
  const request = {
    requestId: "87c18caa-539a-449e-99cc-c39e4329bcc5",
    coin: "USDT",
    amount: "1.50",
    fromAccountType: "UNIFIED",
    toAccountType: "FUND"
  } as const

  it("needs all five fields", () => {
    refuses(
      Assets.transfer,
      {},
      "requestId: is missing",
      "coin: is missing",
      "amount: is missing",
      "fromAccountType: is missing",
      "toAccountType: is missing"
    )
    for (const field of ["coin", "fromAccountType", "toAccountType"]) {
      refuses(Assets.transfer, { ...request, [field]: "" }, `${field}: must not be empty`)
    }
    expect(sent(Assets.transfer, request)).toStrictEqual(request)
  })

  it("needs a UUID with dashes, in either case", () => {
    for (const requestId of [
      ...["", "t1", "87c18caa-539a-449e-99cc-c39e4329bcc", "87c18caa-539a449e-99cc-c39e4329bcc5"],
      "87c18caa539a449e99ccc39e4329bcc5"
    ]) {
      refuses(Assets.transfer, { ...request, requestId }, "requestId: must be a UUID with dashes")
    }
    for (const requestId of ["87c18caa-539a-449e-99cc-c39e4329bcc5", "87C18CAA-539A-449E-99CC-C39E4329BCC5"]) {
      expect(sent(Assets.transfer, { ...request, requestId })).toStrictEqual({ ...request, requestId })
    }
  })

  it("needs an amount over zero", () => {
    for (const value of ["0", "-1", "", "1,5", 1]) {
      refuses(Assets.transfer, { ...request, amount: value }, "amount: must be a decimal greater than 0")
    }
    expect(sent(Assets.transfer, { ...request, amount: BigDecimal.make(1n, 18) })).toStrictEqual({
      ...request,
      amount: "0.000000000000000001"
    })
  })

  it("is answered with the transfer's id", () => {
    expect(answer(Assets.transfer, "assets.transfer")).toStrictEqual({
      transferId: "87c18caa-539a-449e-99cc-c39e4329bcc5"
    })
  })
})

describe("transferable coins", () => {
  it("are asked for between two account types", () => {
    refuses(Assets.transferableCoins, {}, "fromAccountType: is missing", "toAccountType: is missing")
    for (const field of ["fromAccountType", "toAccountType"]) {
      refuses(
        Assets.transferableCoins,
        { fromAccountType: "UNIFIED", toAccountType: "FUND", [field]: "" },
        `${field}: must not be empty`
      )
    }
    expect(sent(Assets.transferableCoins, { fromAccountType: "UNIFIED", toAccountType: "CONTRACT" })).toStrictEqual({
      fromAccountType: "UNIFIED",
      toAccountType: "CONTRACT"
    })
  })

  it("are answered as coins", () => {
    expect(answer(Assets.transferableCoins, "assets.transferableCoins")).toStrictEqual({ coins: ["BTC", "USDT"] })
  })
})

describe("a request to withdraw internally", () => {
  const request = { requestId: "w1", coin: "USDT", address: "100001", amount: "10", addressType: 3 } as const

  it("needs request id, coin, address type, address and amount", () => {
    for (const field of ["requestId", "coin", "addressType", "address", "amount"]) {
      const { [field]: _, ...rest } = { ...request } as Record<string, unknown>
      refuses(Assets.withdrawInternal, rest, `${field}: is missing`)
    }
    for (const field of ["coin", "address"]) {
      refuses(Assets.withdrawInternal, { ...request, [field]: "" }, `${field}: must not be empty`)
    }
    expect(sent(Assets.withdrawInternal, request)).toStrictEqual(request)
  })

  it("needs a request id of 1 to 64 letters and digits, whose case counts", () => {
    for (const requestId of ["", "a".repeat(65), "a-b", "a b", "é", "a\n"]) {
      refuses(Assets.withdrawInternal, { ...request, requestId }, "requestId: must be 1 to 64 letters and digits")
    }
    for (const requestId of ["a", "aB3".padEnd(64, "Z")]) {
      expect(sent(Assets.withdrawInternal, { ...request, requestId })).toStrictEqual({ ...request, requestId })
    }
  })

  it("takes address type 1, 2 or 3", () => {
    for (const addressType of [0, 4]) {
      refuses(
        Assets.withdrawInternal,
        { ...request, addressType },
        `addressType: Expected 1 | 2 | 3, actual ${addressType}`
      )
    }
    refuses(Assets.withdrawInternal, { ...request, addressType: "3" }, "addressType: must be one of 1, 2, 3")
    expect(sent(Assets.withdrawInternal, { ...request, addressType: 1, address: "a@b.example" })).toStrictEqual({
      ...request,
      addressType: 1,
      address: "a@b.example"
    })
  })

  it("needs an area code with a phone number, and takes one with the others", () => {
    const phone = { ...request, addressType: 2, address: "5550100" } as const
    refuses(Assets.withdrawInternal, phone, "areaCode: is missing")
    for (const areaCode of ["44", 0, 1.5]) {
      refuses(Assets.withdrawInternal, { ...phone, areaCode }, "areaCode: must be a whole number of at least 1")
      // The document ignores it but for phone numbers.
      expect(sent(Assets.withdrawInternal, { ...request, areaCode })).toStrictEqual({ ...request, areaCode })
    }
    expect(sent(Assets.withdrawInternal, { ...phone, areaCode: 44 })).toStrictEqual({ ...phone, areaCode: 44 })
    expect(sent(Assets.withdrawInternal, { ...request, areaCode: 44 })).toStrictEqual({ ...request, areaCode: 44 })
    expect(sent(Assets.withdrawInternal, { ...request, addressType: 1, areaCode: 1 })).toStrictEqual({
      ...request,
      addressType: 1,
      areaCode: 1
    })
  })

  it("needs an amount over zero", () => {
    for (const value of ["0", "-0.1", "", 1]) {
      refuses(Assets.withdrawInternal, { ...request, amount: value }, "amount: must be a decimal greater than 0")
    }
    expect(sent(Assets.withdrawInternal, { ...request, amount: "0.10" })).toStrictEqual({ ...request, amount: "0.10" })
  })

  it("takes a remark of at most 50 characters, whatever their length in bytes", () => {
    for (const remark of ["x".repeat(51), "😀".repeat(51)]) {
      refuses(Assets.withdrawInternal, { ...request, remark }, "remark: must be at most 50 characters")
    }
    for (const remark of ["", "x".repeat(50), "😀".repeat(50)]) {
      expect(sent(Assets.withdrawInternal, { ...request, remark })).toStrictEqual({ ...request, remark })
    }
  })

  it("is answered with the withdrawal's id", () => {
    expect(answer(Assets.withdrawInternal, "assets.withdrawInternal")).toStrictEqual({ withdrawId: "9000001" })
  })
})

describe("the funding account", () => {
  it("is asked for as FUND or SPOT, with one coin or all", () => {
    refuses(Assets.fundingAssets, {}, "accountType: is missing")
    for (const accountType of ["UNIFIED", "", "fund"]) {
      refuses(Assets.fundingAssets, { accountType }, "accountType: must be FUND or SPOT")
    }
    refuses(Assets.fundingAssets, { accountType: "FUND", coin: "" }, "coin: must not be empty")
    expect(sent(Assets.fundingAssets, { accountType: "FUND" })).toStrictEqual({ accountType: "FUND" })
    expect(sent(Assets.fundingAssets, { accountType: "SPOT", coin: "USDT" })).toStrictEqual({
      accountType: "SPOT",
      coin: "USDT"
    })
  })

  it("is answered with both accounts, a banned one by its status", () => {
    expect(answer(Assets.fundingAssets, "assets.fundingAssets")).toStrictEqual({
      spot: some({
        status: "ACCOUNT_STATUS_NORMAL",
        assets: [{ coin: "USDT", free: dec("10"), totalBalance: dec("12.5") }]
      }),
      fund: some({ status: "ACCOUNT_STATUS_UNSPECIFIED", assets: [] })
    })
  })
})
