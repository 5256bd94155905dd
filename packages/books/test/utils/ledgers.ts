import type * as Ledger from "@effect-venue/books/Ledger"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/** A balance by account and coin, as decimal text. */
export type Balance = readonly [account: string, coin: string, amount: string]

/** A program that reads ledgers, when it is installed. */
export interface Reader {
  readonly as: Ledger.Program
  readonly program: string
  /** Arguments that check a file strictly. */
  readonly check: ReadonlyArray<string>
  /** Arguments that print balances. */
  readonly print: (file: string) => ReadonlyArray<string>
  /** A printed balance, with account, coin and amount. */
  readonly line: RegExp
}

export const readers: ReadonlyArray<Reader> = [
  {
    ...{ as: "beancount", program: "bean-query", check: [] },
    print: (file) => [
      ...["-f", "csv", file],
      "SELECT account, currency, str(sum(number)) WHERE account ~ 'Assets' GROUP BY account, currency"
    ],
    line: /^(Assets\S*) *,(\S+) *,Decimal\('(.*)'\) *$/gm
  },
  {
    ...{ as: "ledger", program: "hledger", check: ["check", "-s", "-f"] },
    print: (file) => ["-f", file, "balance", "--flat", "-N", "-E", "--layout", "bare", "-O", "csv", "Assets"],
    line: /^"(Assets[^"]*)","([^"]*)","([^"]*)"$/gm
  },
  {
    ...{ as: "ledger", program: "ledger", check: ["--pedantic", "balance", "-f"] },
    print: (file) => ["-f", file, "csv", "Assets"],
    line: /^"[^"]*","[^"]*","[^"]*","(Assets[^"]*)","(?:\\")?([^"\\]*)(?:\\")?","([^"]*)".*$/gm
  }
]

/** The command that installs the programs. */
export const installing = "apt-get install beancount hledger ledger"

/** Whether a program is on this machine. */
export const isInstalled = ({ program }: Reader): boolean => spawnSync(program, ["--version"]).error === undefined

const run = (program: string, args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(program, args, { env: { ...process.env, LC_ALL: "C.UTF-8" } })
  return { out: String(stdout), errors: `${String(stderr)}${status === 0 ? "" : String(stdout)}` }
}

const write = (ledger: string, { as }: Reader): string => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "ledger-")), `books.${as}`)
  fs.writeFileSync(file, ledger)
  return file
}

/** What a program finds wrong with a ledger. */
export const errorsOf = (reader: Reader, ledger: string): string => {
  const file = write(ledger, reader)
  return run(reader.program, reader.check.length === 0 ? reader.print(file) : [...reader.check, file]).errors
}

/** The balances of the wallets as a program adds them up, and what it finds wrong. */
export const readBalances = (reader: Reader, ledger: string) => {
  const { errors, out } = run(reader.program, reader.print(write(ledger, reader)))
  return { errors, balances: Array.from(out.matchAll(reader.line), ([, ...cells]) => cells as unknown as Balance) }
}

/** The postings to wallets in a file. */
export const postingsIn = (ledger: string): ReadonlyArray<Balance> =>
  Array.from(
    ledger.matchAll(/^ +(Assets\S*) {2}(\S+) ("[^"]*"|\S+)(?: @@ .*)?$/gm),
    ([, account = "", amount = "", coin = ""]) => [account, coin.replaceAll('"', ""), amount]
  )

/** The real names of coins, by their names in a file. */
export const namesIn = (ledger: string): ReadonlyMap<string, string> =>
  new Map([
    ...Array.from(
      ledger.matchAll(/ commodity (\S+)\n {2}name: "(.*)"$/gm),
      ([, name = "", coin = ""]) => [name, coin] as const
    ),
    ...Array.from(
      ledger.matchAll(/^; the coin "(.*)" is\ncommodity "(.*)"$/gm),
      ([, coin = "", name = ""]) => [name, coin] as const
    )
  ])
