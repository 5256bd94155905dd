import * as Decimal from "@effect-venue/schemas/Decimal"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Either } from "effect"
import * as Accounts from "../src/accounts/accounts.js"
import * as Flows from "../src/accounts/flows.js"
import type * as Postings from "../src/accounts/postings.js"
import * as Statement from "../src/accounts/statement.js"
import * as Wallets from "../src/accounts/wallets.js"
import * as Manifest from "@effect-venue/history/Manifest"

const hour = 3_600_000

const amount = BigDecimal.unsafeFromString
const text = (value: BigDecimal.BigDecimal) => Decimal.format(BigDecimal.normalize(value))

const amounts = (texts: Partial<Record<Postings.PostingKind, string>>): Flows.Amounts =>
  Object.fromEntries(Object.entries(texts).map(([kind, value]) => [kind, amount(value)]))

const balance = (wallet: string, bonus = "0"): Wallets.Balance => ({ wallet: amount(wallet), bonus: amount(bonus) })

describe("a statement", () => {
  const cases: ReadonlyArray<
    readonly [
      claim: string,
      opening: Wallets.Balance | undefined,
      closing: Wallets.Balance | undefined,
      amounts: Partial<Record<Postings.PostingKind, string>>,
      entries: ReadonlyArray<readonly [Statement.Label, string]>,
      unexplained: string,
      aside: ReadonlyArray<readonly [Statement.Label, string]>
    ]
  > = [
    ["of nothing is nothing", undefined, undefined, {}, [], "0", []],
    [
      "adds transfers, profit, spot and funding",
      balance("100"),
      balance("155.5"),
      {
        transfersIn: "50",
        transfersOut: "-10",
        pnl: "8",
        gross: "9",
        contractFees: "-1",
        funding: "-0.5",
        spotTrades: "10",
        spotFees: "-1"
      },
      [
        ["transfersIn", "50"],
        ["transfersOut", "-10"],
        ["pnl", "8"],
        ["spotTrades", "10"],
        ["spotFees", "-1"],
        ["funding", "-0.5"]
      ],
      "-1",
      []
    ],
    [
      "has fees of positions that are still open beside the profit of those that were closed",
      balance("100"),
      balance("107.75"),
      { pnl: "8", gross: "9", contractFees: "-1.25" },
      [
        ["pnl", "8"],
        ["feesOutsidePnl", "-0.25"]
      ],
      "0",
      []
    ],
    [
      "gives back the fees of positions that were opened before",
      balance("100"),
      balance("108.5"),
      { pnl: "8", gross: "9", contractFees: "-0.5" },
      [
        ["pnl", "8"],
        ["feesOutsidePnl", "0.5"]
      ],
      "0",
      []
    ],
    [
      "names a bonus by how the bonus changed and what it paid",
      balance("100", "2"),
      balance("108.5", "10.5"),
      { bonusUsed: "1.5", contractFees: "-1.5" },
      [
        ["feesOutsidePnl", "-1.5"],
        ["bonuses", "10"]
      ],
      "0",
      []
    ],
    ["shows what nothing explains", balance("100"), balance("93.01"), {}, [], "-6.99", []],
    [
      "keeps deposits aside where it adds up without them",
      balance("100"),
      balance("100"),
      { deposits: "25", subAccounts: "-5" },
      [],
      "0",
      [
        ["deposits", "25"],
        ["subAccounts", "-5"]
      ]
    ],
    [
      "has deposits where it adds up with them alone",
      balance("100"),
      balance("125"),
      { deposits: "25", subAccounts: "-5" },
      [["deposits", "25"]],
      "0",
      [["subAccounts", "-5"]]
    ],
    [
      "has transfers of a sub-account from its own side",
      balance("100"),
      balance("105"),
      { subAccounts: "-5" },
      [["subAccounts", "5"]],
      "0",
      []
    ],
    [
      "counts funding once where closed profits are after funding too",
      balance("100"),
      balance("107"),
      { pnl: "7", gross: "9", contractFees: "-1", funding: "-1" },
      [
        ["pnl", "7"],
        ["feesOutsidePnl", "1"],
        ["funding", "-1"]
      ],
      "0",
      []
    ],
    [
      "explains nothing by a coincidence that is off by the last digit",
      balance("100"),
      balance("125.000000000000000001"),
      { deposits: "25" },
      [],
      "25.000000000000000001",
      [["deposits", "25"]]
    ]
  ]
  for (const [claim, opening, closing, given, entries, unexplained, aside] of cases) {
    it(claim, () => {
      const made = Statement.make("USDT", opening, closing, amounts(given))
      expect(made.entries.map(({ amount, label }) => [label, text(amount)])).toEqual(entries)
      expect(text(made.unexplained)).toBe(unexplained)
      expect(made.aside.map(({ amount, label }) => [label, text(amount)])).toEqual(aside)
      const sum = [made.opening, ...made.entries.map((entry) => entry.amount), made.unexplained]
      expect(text(sum.reduce((total, one) => BigDecimal.sum(total, one)))).toBe(text(made.closing))
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
      walletsAtEnd: [{ account: null, at: closed, list, because: null }]
    })
    const [pending] = Accounts.begin(manifest)
    return pending === undefined ? undefined : Accounts.conclude(manifest, pending, []).outcome
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
      if (found?._tag === "Left") expect(found.left).toContain("cannot be reconciled")
    })
  }
})

describe("the sizes closed by closed profits and executions", () => {
  const between = { from: 1_000_000, to: 9_000_000 }
  const subject = (dataset: string) => ({ name: dataset, dataset, account: null, parameters: { category: "linear" } })
  const result = (recorded: string, fills: ReadonlyArray<readonly [at: number, size: string]>) => {
    const flows = Flows.make(between)
    flows.add(subject("closed-pnl"), {
      symbol: "BTCUSDT",
      side: "Sell",
      closedSize: recorded,
      cumEntryValue: "10",
      cumExitValue: "12",
      closedPnl: "1.5",
      updatedTime: "2000000"
    })
    for (const [at, closedSize] of fills) {
      flows.add(subject("executions"), { symbol: "BTCUSDT", closedSize, execFee: "0.1", execTime: String(at) })
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
