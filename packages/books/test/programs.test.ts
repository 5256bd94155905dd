import type * as Books from "@effect-venue/books/Books"
import * as Ledger from "@effect-venue/books/Ledger"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, DateTime, Effect, Stream } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { componentsOf } from "../src/programs/doubleEntry.js"

const utc = DateTime.zoneUnsafeMakeNamed("UTC")

/** Whether a program is on this machine. */
const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined

const areInstalled = isInstalled("bean-check") && isInstalled("hledger")

/** Returns what a program reports about a file. */
const checkFile = (program: string, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(program, args, { env: { ...process.env, LC_ALL: "C.UTF-8" } })
  return `${String(stderr)}${status === 0 ? "" : String(stdout)}`
}

const amount = BigDecimal.unsafeFromString

const transaction = (more: Partial<Books.Transaction>): Books.Transaction => ({
  ...{ at: 0, account: null, record: "executions", reference: "r1", symbol: "", counterparty: undefined, changes: [] },
  ...more
})

const change = (kind: Books.Kind, currency: string, value: string, wallet = "UNIFIED"): Books.Change => ({
  ...{ kind, currency, wallet, amount: amount(value), balance: undefined }
})

const ledgerOf = (transactions: ReadonlyArray<Books.Transaction>, as: Ledger.Program) => {
  const accounts = [...new Set(transactions.map(({ account }) => account))].map((name) => ({ name, notes: [] }))
  const log: Books.Log<never> = { accounts, snapshots: [], transactions: Stream.fromIterable(transactions) }
  return Effect.runSync(Stream.mkString(Ledger.render(log, as, utc)))
}

describe("a ledger", () => {
  const trade = transaction({
    symbol: "BTCUSDT",
    changes: [change("trade", "BTC", "-3"), change("trade", "USDT", "100"), change("fee", "USDT", "-0.1")]
  })

  it("contains spot trades with their price, and books the fee as an expense", () => {
    expect(ledgerOf([trade], "ledger").trim().split("\n")).toEqual([
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

  it("writes currencies and accounts in valid names, with different names for different ones", () => {
    const odd = ["1INCH", "T", "cmETH", "CMETH"].map((coin) => transaction({ changes: [change("deposit", coin, "1")] }))
    expect([...ledgerOf(odd, "beancount").matchAll(/Unified {2}1 (\S+)/g)].map(([, name]) => name)).toEqual([
      ...["C.1INCH.X", "C.T.X", "C.-63--6D-ETH.X", "CMETH"]
    ])
    expect(ledgerOf(odd, "ledger")).toContain('1 "1INCH"')
    expect([...componentsOf(["a_b", "a.b", "main"]).values()]).toEqual(["", ":A-b", ":A-b-2", ":Main"])
  })

  it.skipIf(!areInstalled)("is accepted by bean-check and hledger: needs apt-get install beancount hledger", () => {
    const all = [
      trade,
      ...["1INCH", "T", "cmETH", "CMETH"].map((coin) => transaction({ changes: [change("deposit", coin, "1")] }))
    ]
    for (const [as, program, ...options] of [
      ["beancount", "bean-check"],
      ["ledger", "hledger", "check", "-f"]
    ] as const) {
      const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "ledger-")), `odd.${as}`)
      fs.writeFileSync(file, ledgerOf(all, as))
      expect(checkFile(program, ...options, file)).toBe("")
    }
  })
})
