import type * as Books from "@effect-venue/books/Books"
import * as Ledger from "@effect-venue/books/Ledger"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, DateTime, Effect, Stream } from "effect"
import { componentsOf } from "../src/programs/doubleEntry.js"
import { errorsOf, installing, isInstalled, readers } from "./utils/ledgers.js"

const utc = DateTime.zoneUnsafeMakeNamed("UTC")

/** Names of coins that programs refuse, misread or take for one another. */
const odd = [
  ...["TRUE", "FALSE", "NULL", "T", "h", "s", "E", "e", "E3", "X", "1", "12", "1INCH", "1000000BABYDOGE", "C98"],
  ...["币安人生", "我踏马", "我踏马来了", "ИГРА", "ÄÖ", "ſ", "İSTANBUL", "عملة", "🚀", "🚀🚀"],
  ...["cmETH", "CMETH", "stETH", "sUSDe", "USDTARBITRUMONELONGNAME", "USDTARBITRUMONELONGNAMEX", "L".repeat(60)],
  ...[
    "USDT.E",
    "USDT_E",
    "USDT-E",
    "A.B",
    "A-B_C",
    "a;b",
    "a b",
    " a",
    'a"b',
    "a\\b",
    "a@b",
    "a{b}",
    "a=b",
    "-A",
    "#A"
  ],
  ...["a|b", "a'b", "$", "", "C.X", "constructor", "__proto__", "BTC "]
]

const amount = BigDecimal.unsafeFromString

const transaction = (more: Partial<Books.Transaction>): Books.Transaction => ({
  ...{ at: 0, account: null, record: "executions", reference: "r1", symbol: "", counterparty: undefined, changes: [] },
  ...{ category: "", lacks: [] },
  ...more
})

const change = (kind: Books.Kind, currency: string, value: string, wallet = "UNIFIED"): Books.Change => ({
  ...{ kind, currency, wallet, amount: amount(value), balance: undefined, derivedBalance: undefined }
})

const ledgerOf = (transactions: ReadonlyArray<Books.Transaction>, as: Ledger.Program) => {
  const accounts = [...new Set(transactions.map(({ account }) => account))].map((name) => ({
    ...{ name, notes: [], basis: { _tag: "None", because: "there is none" } as const }
  }))
  const log: Books.Log<never> = {
    accounts,
    notes: [],
    undated: [],
    snapshots: [],
    transactions: Stream.fromIterable(transactions)
  }
  return Effect.runSync(Stream.mkString(Ledger.render(log, as, utc)))
}

describe("a ledger", () => {
  const trade = transaction({
    symbol: "BTCUSDT",
    changes: [change("trade", "BTC", "-3"), change("trade", "USDT", "100"), change("fee", "USDT", "-0.1")]
  })

  it("contains spot trades with their price, and books the fee as an expense", () => {
    expect(ledgerOf([trade], "ledger").trim().split("\n")).toEqual([
      ...["tag time", "tag reference", ""],
      ...["account Assets:Venue:Unified", "commodity BTC", "commodity USDT", "account Expenses:Fees"],
      "1970-01-01 * Trade BTCUSDT  ; time: 1970-01-01T00:00:00.000Z",
      "    ; reference: r1",
      "    Assets:Venue:Unified  -3 BTC @@ 100 USDT",
      "    Assets:Venue:Unified  100 USDT",
      "    Assets:Venue:Unified  -0.1 USDT",
      "    Expenses:Fees  0.1 USDT"
    ])
  })

  it("nets a transfer between two accounts by its id", () => {
    const side = (account: string, value: string) =>
      transaction({ account, record: "sub-account-transfers", changes: [change("transfer", "USDT", value, "FUND")] })
    const both = ledgerOf([side("main", "-3"), side("desk", "3")], "ledger")
    expect(both).toContain("    Assets:Venue:Main:Fund  -3 USDT\n    Assets:Venue:Desk:Fund  3 USDT\n\n")
    expect(ledgerOf([side("main", "-3")], "ledger")).toContain("    Equity:Transfers  3 USDT")
  })

  const deposits = odd.map((coin, index) =>
    transaction({ reference: `r${index}`, changes: [change("deposit", coin, "7")] })
  )

  /** The names of coins in the lines of deposits. */
  const namesIn = (ledger: string) =>
    [...ledger.matchAll(/^ +Assets:Venue:Unified {2}7 (.+)$/gm)].map(([, name = ""]) => name)

  it("names every coin as beancount's grammar allows, with different names for different coins", () => {
    const ledger = ledgerOf(deposits, "beancount")
    const names = namesIn(ledger)
    expect(new Set(names).size).toBe(odd.length)
    for (const name of names) {
      expect(name).toMatch(/^[A-Z][A-Z0-9'._-]{0,22}[A-Z0-9]$/)
      expect(name).not.toMatch(/^(TRUE|FALSE|NULL)$/)
    }
    for (const [index, coin] of odd.entries()) {
      expect(ledger).toContain(
        `1970-01-01 commodity ${names[index] ?? ""}\n  name: "${coin.replaceAll(/["\\]/g, (char) => `\\${char}`)}"\n`
      )
    }
    expect(ledgerOf([trade], "beancount")).toContain("-3 BTC @@ 100 USDT")
  })

  it("names every coin as ledger's grammar allows, with different names for different coins", () => {
    const ledger = ledgerOf(deposits, "ledger")
    const names = namesIn(ledger)
    expect(new Set(names).size).toBe(odd.length)
    for (const name of names) {
      expect(name).toMatch(/^([A-Za-z]{2,}|"[\p{L}\p{N}][\p{L}\p{N} ._-]*")$/u)
      expect(ledger).toContain(`commodity ${name}\n`)
    }
    expect(ledger).toContain('; the coin "a;b" is\ncommodity "C.AB-')
  })

  it("names every account of its own", () => {
    expect([...componentsOf(["a_b", "a.b", "main"]).values()]).toEqual(["", ":A-b", ":A-b-2", ":Main"])
  })

  for (const reader of readers) {
    it.skipIf(!isInstalled(reader))(`is accepted by ${reader.program}: needs ${installing}`, () => {
      expect(errorsOf(reader, ledgerOf([trade, ...deposits], reader.as))).toBe("")
    })
  }
})
