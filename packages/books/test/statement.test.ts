import * as Decimal from "@effect-venue/schemas/Decimal"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Either } from "effect"
import * as Accounts from "../src/accounts/accounts.js"
import * as Flows from "../src/accounts/flows.js"
import * as Coins from "../src/accounts/coins.js"
import * as Postings from "../src/accounts/postings.js"
import * as Settle from "../src/accounts/settle.js"
import * as Wallets from "../src/accounts/wallets.js"
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Manifest from "@effect-venue/history/Manifest"

const hour = 3_600_000

const amount = BigDecimal.unsafeFromString
const text = (value: BigDecimal.BigDecimal) => Decimal.format(BigDecimal.normalize(value))

const balance = (wallet: string, bonus = "0"): Wallets.Balance => ({ wallet: amount(wallet), bonus: amount(bonus) })

describe("two balances of a coin", () => {
  const cases: ReadonlyArray<
    readonly [
      claim: string,
      opening: Wallets.Balance | undefined,
      closing: Wallets.Balance | undefined,
      sums: Partial<Record<keyof Flows.CoinSums, string>>,
      rule: Settle.Rule,
      rest: ReadonlyArray<readonly [string, string]>
    ]
  > = [
    ["of nothing leave nothing open", undefined, undefined, {}, Settle.unsettled, []],
    ["are explained by changes alone", balance("100"), balance("155.5"), { changes: "55.5" }, Settle.unsettled, []],
    [
      "name a bonus by how the bonus changed and what it paid",
      ...([balance("100", "2"), balance("108.5", "10.5"), { bonusUsed: "1.5", changes: "-1.5" }] as const),
      ...([Settle.unsettled, [["bonus", "10"]]] as const)
    ],
    ["show what nothing explains", balance("100"), balance("93.01"), {}, Settle.unsettled, [["unexplained", "-6.99"]]],
    [
      "keep deposits in another wallet if they add up without them",
      ...([balance("100"), balance("100"), { deposits: "25", subAccounts: "-5" }, Settle.unsettled, []] as const)
    ],
    [
      "have deposits in this wallet if they add up with them alone",
      ...([balance("100"), balance("125"), { deposits: "25", subAccounts: "-5" }] as const),
      ...([{ deposits: true, subAccounts: undefined }, []] as const)
    ],
    [
      "show transfers of a sub-account from its own side",
      ...([balance("100"), balance("105"), { subAccounts: "-5" }] as const),
      ...([{ deposits: false, subAccounts: { isSub: true } }, []] as const)
    ],
    [
      "give funding back that was not charged",
      ...([balance("100"), balance("108"), { changes: "7", funding: "-1" }] as const),
      ...([Settle.unsettled, [["funding", "1"]]] as const)
    ],
    [
      "explain nothing by a coincidence that is off by the last digit",
      ...([balance("100"), balance("125.000000000000000001"), { deposits: "25" }] as const),
      ...([Settle.unsettled, [["unexplained", "25.000000000000000001"]]] as const)
    ]
  ]
  for (const [claim, opening, closing, sums, rule, rest] of cases) {
    it(claim, () => {
      const given = Object.fromEntries(Object.entries(sums).map(([field, value]) => [field, amount(value)]))
      const settled = Settle.settle(opening, closing, { ...Flows.empty, ...given })
      expect(settled.rule).toEqual(rule)
      expect(settled.rest.map(({ amount, kind }) => [kind, text(amount)])).toEqual(rest)
    })
  }
})

describe("the snapshot of a wallet", () => {
  const wallet = (list: ReadonlyArray<unknown>, because: string | null = null) => ({
    account: null,
    at: 0,
    list,
    because
  })

  it("contains balance and bonus of each coin", () => {
    const list = [
      {
        coin: [
          { coin: "USDT", walletBalance: "1.50", bonus: "" },
          { coin: "BTC", walletBalance: "2", bonus: "1" }
        ]
      }
    ]
    const found = Either.getOrThrow(Wallets.balances(wallet(list)))
    expect([...found].map(([coin, { bonus, wallet }]) => [coin, text(wallet), text(bonus)])).toEqual([
      ["USDT", "1.5", "0"],
      ["BTC", "2", "1"]
    ])
  })

  const broken: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, string | null]> = [
    ["was not read", [], "no permission"],
    ["is no record", [7], null],
    ["has no coins", [{}], null],
    ["has a balance that is no decimal", [{ coin: [{ coin: "USDT", walletBalance: 1.5 }] }], null],
    ["has a balance without coin", [{ coin: [{ walletBalance: "1" }] }], null]
  ]
  for (const [what, list, because] of broken) {
    it(`is refused if it ${what}`, () => {
      expect(Either.isLeft(Wallets.balances(wallet(list, because)))).toBe(true)
    })
  }
})

describe("balances around an export of a year", () => {
  const to = Date.parse("2026-01-01T00:00:00Z")
  const from = Date.parse("2025-01-01T00:00:00Z")
  const second = 1000
  const outcome = (range: { readonly from: number; readonly to: number }, opened: number, closed: number) => {
    const list = [{ accountType: "UNIFIED", coin: [{ coin: "USDT", walletBalance: "5", bonus: "0" }] }]
    const manifest = Manifest.make(range, "ndjson", [], {
      ...{ startedAt: from, endedAt: to, starts: 1, rereads: 0, retries: 0, lost: [], conflicts: 0 },
      walletsAtStart: [{ account: null, at: opened, list, because: null }],
      walletsAtEnd: [{ account: null, at: closed, list, because: null }],
      listings: []
    })
    const [pending] = Accounts.begin(manifest)
    return pending === undefined ? undefined : Accounts.checkReconcilable(manifest, pending)
  }
  const cases: ReadonlyArray<
    readonly [claim: string, range: readonly [number, number], at: readonly [number, number], isReconciled: boolean]
  > = [
    ["are not reconciled if both were read at its end", [from, to], [to + 2 * second, to + 9 * second], false],
    ["are not reconciled if the clocks differ a little", [from, to], [to - 2 * second, to + 9 * second], false],
    ["are not reconciled if both were read before its rows", [from, to], [from - 9 * second, from], false],
    ["are reconciled over a day by which it was continued", [from, to + hour * 24], [to, to + hour * 24], true],
    ["are reconciled over a range of some seconds", [to, to + 5 * second], [to, to + 5 * second], true]
  ]
  for (const [claim, [start, end], [opened, closed], isReconciled] of cases) {
    it(claim, () => {
      const found = outcome({ from: start, to: end }, opened, closed)
      expect(found?._tag).toBe(isReconciled ? "Right" : "Left")
      if (found?._tag === "Left") expect(found.left).toContain("these rows are not between two balances")
    })
  }
})

describe("the sizes closed by closed profits and executions", () => {
  const between = { from: 1_000_000, to: 9_000_000 }
  const subject = (dataset: string) => ({ name: dataset, dataset, account: null, parameters: { category: "linear" } })
  const result = (recorded: string, fills: ReadonlyArray<readonly [at: number, size: string]>) => {
    const flows = Flows.make(between)
    const coins = Coins.make([{ category: "linear", list: ["BTCUSDT BTC USDT USDT"], because: null }], [])
    const add = (dataset: string, row: Dataset.Row) => {
      const booked = Postings.read(subject(dataset), row, coins)
      if (booked !== undefined) flows.add(booked)
    }
    add("closed-pnl", {
      symbol: "BTCUSDT",
      side: "Sell",
      closedSize: recorded,
      cumEntryValue: "10",
      cumExitValue: "12",
      closedPnl: "1.5",
      updatedTime: "2000000"
    })
    for (const [at, closedSize] of fills) {
      add("executions", { symbol: "BTCUSDT", closedSize, execFee: "0.1", execTime: String(at) })
    }
    return flows.result()
  }

  it("are equal if every order was filled between the balances", () => {
    const { doubts, unmatched } = result("0.5", [
      [2_000_000, "0.2"],
      [3_000_000, "0.30"],
      [4_000_000, "0"]
    ])
    expect([unmatched, [...doubts]]).toEqual([[], []])
  })

  it("are reported if an order was filled before the opening balance too", () => {
    const fills = [
      [600_000, "0.2"],
      [2_000_000, "0.3"]
    ] as const
    expect(result("0.5", fills).unmatched).toEqual([expect.stringMatching(/^BTCUSDT: closed profits of 0\.2 more/)])
  })

  it("are reported if the closed profit of an execution is missing", () => {
    expect(result("0.5", [[2_000_000, "0.75"]]).unmatched).toEqual([
      expect.stringMatching(/^BTCUSDT: executions closed 0\.25 whose closed profits are not in this export/)
    ])
  })

  it("are uncertain for rows within a second of a balance", () => {
    expect([...result("0.5", [[1_000_500, "0.5"]]).doubts]).toEqual([
      ["rows within a second of a snapshot, which may belong to its other side", 1]
    ])
  })
})
