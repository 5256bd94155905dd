import * as Books from "@effect-venue/books/Books"
import type * as Figures from "@effect-venue/books/Figures"
import * as Ledger from "@effect-venue/books/Ledger"
import * as Decimal from "@effect-venue/schemas/Decimal"
import { BigDecimal, Chunk, Effect, Stream } from "effect"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { expect } from "vitest"
import { at } from "../../src/export/exported.js"
import * as Months from "../../src/options/months.js"

/** Whether a program is on this machine. */
export const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined

/** The command that installs the programs that check ledgers. */
export const installing = "apt-get install beancount hledger"

export const text = (amount: BigDecimal.BigDecimal): string => Decimal.format(BigDecimal.normalize(amount))

/** The time between the snapshots of a statement. */
export const betweenOf = (statement: Figures.AccountStatement | undefined): Between =>
  statement ?? expect.fail("there is no statement")

interface Between {
  readonly from: number
  readonly to: number
}

/** The log of an export in a folder. */
export const logOf = (folder: string) =>
  Effect.gen(function* () {
    const exported = at(folder)
    const { manifest } = yield* exported.verify
    return yield* Books.log({ manifest, rows: (part) => exported.rows(manifest, part) })
  })

/**
 * Checks that the changes of each currency between the snapshots of a wallet come to the change of the wallet, and that the last balance is that of
 * the wallet. Returns the lines that no row explains.
 */
export const reconciled = (log: Books.Log<never>, { from: opened, to: closed }: Between) =>
  Effect.gen(function* () {
    const all = Chunk.toReadonlyArray(yield* Stream.runCollect(log.transactions))
    const lines = all.flatMap(({ at, changes, record }) => changes.map((change) => ({ at, record, ...change })))
    const unified = lines.filter(({ wallet }) => wallet === "UNIFIED")
    const balanceAt = (at: number, currency: string) =>
      log.snapshots.find((one) => one.at === at && one.currency === currency)?.balance ?? BigDecimal.fromBigInt(0n)
    const currencies = [...new Set(unified.map(({ currency }) => currency))]
    expect(currencies.length).toBeGreaterThan(1)
    for (const currency of currencies) {
      const between = unified.filter(
        (line) => line.currency === currency && line.kind !== "opening" && line.at >= opened && line.at <= closed
      )
      const sum = between.reduce((total, { amount }) => BigDecimal.sum(total, amount), BigDecimal.fromBigInt(0n))
      const change = BigDecimal.subtract(balanceAt(closed, currency), balanceAt(opened, currency))
      expect([currency, text(sum)]).toEqual([currency, text(change)])
      const last = unified.findLast((line) => line.currency === currency)
      if (last?.balance !== undefined) expect(text(last.balance)).toBe(text(balanceAt(closed, currency)))
    }
    return unified.filter(({ kind }) => kind === "unexplained")
  })

/** A ledger in a file of a folder. */
export const ledgerOf = (log: Books.Log<never>, as: Ledger.Program, folder: string) =>
  Effect.map(Stream.mkString(Ledger.render(log, as, Months.utc)), (ledger) => {
    const file = path.join(folder, `books.${as}`)
    fs.writeFileSync(file, ledger)
    return { file, ledger }
  })

const run = (program: string, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync(program, args, { env: { ...process.env, LC_ALL: "C.UTF-8" } })
  expect(`${String(stderr)}${status === 0 ? "" : String(stdout)}`).toBe("")
  return String(stdout)
}

/** Has the programs check the ledgers of a log, and compares the balances with those of the wallet. */
export const checked = (log: Books.Log<never>, folder: string) =>
  Effect.gen(function* () {
    const beancount = yield* ledgerOf(log, "beancount", folder)
    run("bean-check", beancount.file)
    const { file } = yield* ledgerOf(log, "ledger", folder)
    run("hledger", "-f", file, "check")
    const closed = Math.max(...log.snapshots.map(({ at }) => at))
    const wallet = log.snapshots.filter(({ at }) => at === closed)
    expect([...beancount.ledger.matchAll(/^\d{4}-\d\d-\d\d balance /gm)]).toHaveLength(wallet.length)
    const csv = run(
      "hledger",
      "-f",
      file,
      "balance",
      "--flat",
      "-N",
      "-E",
      "--layout",
      "bare",
      "-O",
      "csv",
      "Assets:.*:Unified"
    )
    const balances = new Map(
      [...csv.matchAll(/^"[^"]*","([^"]*)","([^"]*)"$/gm)].map(([, currency = "", amount = ""]) => [currency, amount])
    )
    for (const { balance, currency } of wallet) {
      expect([currency, text(BigDecimal.unsafeFromString(balances.get(currency) ?? "0"))]).toEqual([
        currency,
        text(balance)
      ])
    }
  })
