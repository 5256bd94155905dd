/** The balances that a log of one account starts from and leads to, and the lines that no row has. Pure. */
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import type { Snapshot } from "./Books.js"
import type * as Manifest from "@effect-venue/history/Manifest"
import * as Accounts from "../accounts/accounts.js"
import * as Booked from "./booked.js"
import { total } from "../accounts/fields.js"
import * as Flows from "../accounts/flows.js"
import * as Postings from "../accounts/postings.js"
import type * as Statement from "../accounts/statement.js"
import * as Wallets from "../accounts/wallets.js"

/** The balances of one coin. */
interface Coin {
  readonly rule: Booked.Rule
  /** The balance before the first row. */
  readonly opening: BigDecimal.BigDecimal
  /** Changes between the snapshots without a row, booked at the closing one. */
  readonly rest: ReadonlyArray<Booked.Booked>
}

export interface Anchors {
  readonly coins: ReadonlyMap<string, Coin>
  /** With a rest, balances from here on are unknown until `closedAt`. */
  readonly openedAt: number
  readonly closedAt: number
  readonly snapshots: ReadonlyArray<Snapshot>
  /** The gaps of the log, in words. */
  readonly notes: ReadonlyArray<string>
}

/** The sums of an account while its rows are read. */
export interface Account {
  readonly name: string | null
  readonly uid: string | null
  readonly add: (part: Manifest.Subject, reading: Postings.BookedRow) => void
  readonly anchors: (manifest: Manifest.Manifest) => Anchors
}

const restOf = (statement: Statement.Statement): ReadonlyArray<Booked.Booked> => {
  const { coin, entries, unexplained } = statement
  const amountOf = (label: Statement.Label) => entries.find((entry) => entry.label === label)?.amount
  const rest = [
    ["bonus", amountOf("bonuses")],
    ["funding", amountOf("fundingInPnl")],
    ["unexplained", unexplained]
  ] as const
  return rest.flatMap(([kind, amount]) =>
    amount === undefined || BigDecimal.isZero(amount)
      ? []
      : [{ wallet: Postings.trading, currency: coin, kind, amount }]
  )
}

/** From the statements of the time between two snapshots. `until`: sums of all rows before the closing one. */
const reconcile = (
  statements: ReadonlyArray<Statement.Statement>,
  between: Flows.Flows["coins"],
  until: Flows.Flows["coins"]
): ReadonlyMap<string, Coin> => {
  const known = new Map(statements.map((statement) => [statement.coin, statement]))
  return new Map(
    [...new Set([...known.keys(), ...until.keys()])].sort().map((coin) => {
      const statement = known.get(coin)
      const rule = statement === undefined ? Booked.unsettled : Booked.ruleOf(statement, between.get(coin))
      const before = BigDecimal.subtract(
        Booked.change(until.get(coin) ?? {}, rule),
        Booked.change(between.get(coin) ?? {}, rule)
      )
      const opening = BigDecimal.subtract(statement?.opening ?? total([]), before)
      return [coin, { rule, opening, rest: statement === undefined ? [] : restOf(statement) }]
    })
  )
}

/** From the closing snapshot alone. */
const backwards = (closing: Wallets.Balances, until: Flows.Flows["coins"]): ReadonlyMap<string, Coin> =>
  new Map(
    [...new Set([...closing.keys(), ...until.keys()])].sort().map((coin) => {
      const change = Booked.change(until.get(coin) ?? {}, Booked.unsettled)
      const opening = BigDecimal.subtract(closing.get(coin)?.wallet ?? total([]), change)
      return [coin, { rule: Booked.unsettled, opening, rest: [] }]
    })
  )

const none = (notes: ReadonlyArray<string>): Anchors => ({
  coins: new Map(),
  openedAt: Number.POSITIVE_INFINITY,
  closedAt: Number.POSITIVE_INFINITY,
  snapshots: [],
  notes
})

const snapshotsOf = (account: string | null, at: number, balances: Wallets.Balances): ReadonlyArray<Snapshot> =>
  Array.from(balances, ([currency, { wallet }]) => ({ account, at, currency, balance: wallet }))

/** Transfers with sub-accounts whose sign is unknown. */
const findUnsigned = (
  uid: string | null,
  transfers: ReadonlyMap<string, number>,
  coins: Anchors["coins"]
): ReadonlyArray<string> => {
  const rows = Array.from(transfers)
    .filter(([coin]) => uid === null && coins.get(coin)?.rule.subAccounts === undefined)
    .reduce((sum, [, count]) => sum + count, 0)
  const words = `${rows} ${rows === 1 ? "transfer" : "transfers"}`
  return rows === 0
    ? []
    : [`${words} with sub-accounts: booked as for a master account, since the export does not have the UID.`]
}

/** The sums of one account. */
export const account = (name: string | null, uid: string | null, pending: Accounts.Pending | undefined): Account => {
  const until = Flows.make({ from: Number.NEGATIVE_INFINITY, to: pending?.closing.at ?? 0 })
  const doubts = new Map<string, number>()
  const doubt = (what: string) => void doubts.set(what, (doubts.get(what) ?? 0) + 1)
  // Transfers with sub-accounts, by coin. Their records are the same for both accounts.
  const transfers = new Map<string, number>()
  const findDoubts = (counted: ReadonlyMap<string, number>) =>
    Array.from(doubts).flatMap(([what, rows]) => {
      const more = rows - (counted.get(what) ?? 0)
      return more === 0 ? [] : [`${more} ${more === 1 ? "row" : "rows"} outside the balances: ${what}.`]
    })
  const anchor = (manifest: Manifest.Manifest): Anchors => {
    if (pending === undefined) return none([...findDoubts(new Map()), "This export has no balances of the account."])
    const { closing, flows, opening } = pending
    const { coins, doubts } = flows.result()
    const { notes, outcome } = Accounts.conclude(manifest, pending, [])
    const balances = Wallets.balances(closing)
    const all = [...(Either.isLeft(outcome) ? [`The log starts from the closing balance: ${outcome.left}.`] : notes)]
    all.push(...findDoubts(doubts))
    if (Either.isLeft(balances)) return none([`There are no balances: ${balances.left}.`, ...findDoubts(doubts)])
    const found = until.result().coins
    const closed = snapshotsOf(name, closing.at, balances.right)
    if (Either.isLeft(outcome)) {
      const coins = backwards(balances.right, found)
      return { coins, openedAt: closing.at, closedAt: closing.at, snapshots: closed, notes: all }
    }
    const opened = Either.getOrElse(Wallets.balances(opening), (): Wallets.Balances => new Map())
    return {
      coins: reconcile(outcome.right, coins, found),
      openedAt: opening.at,
      closedAt: closing.at,
      snapshots: [...snapshotsOf(name, opening.at, opened), ...closed],
      notes: all
    }
  }
  return {
    name,
    uid,
    add: (part, reading) => {
      if (reading.at === undefined) doubt("no time that can be read, left out")
      else reading.doubts.forEach(doubt)
      if (reading.between !== undefined) {
        for (const { coin } of reading.postings) transfers.set(coin, (transfers.get(coin) ?? 0) + 1)
      }
      if (Postings.isPreUpgrade(part)) return
      pending?.flows.addReading(reading)
      until.addReading(reading)
    },
    anchors: (manifest) => {
      const found = anchor(manifest)
      return { ...found, notes: [...found.notes, ...findUnsigned(uid, transfers, found.coins)] }
    }
  }
}
