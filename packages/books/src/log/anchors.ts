/** The balances that a log of one account starts from and leads to, and the changes that no row has. Pure. */
import type * as Manifest from "@effect-venue/history/Manifest"
import { countNoun } from "@effect-venue/schemas/siblings/Words"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import type { Basis, Snapshot } from "./Books.js"
import * as Accounts from "../accounts/accounts.js"
import * as Booked from "./booked.js"
import { zero } from "../accounts/fields.js"
import * as Flows from "../accounts/flows.js"
import { trading } from "../accounts/Kinds.js"
import * as Postings from "../accounts/postings.js"
import * as Settle from "../accounts/settle.js"
import * as Wallets from "../accounts/wallets.js"

/** The balances of one coin. */
interface Coin {
  readonly rule: Settle.Rule
  /** The balance before the first row. */
  readonly opening: BigDecimal.BigDecimal
  /** Changes between the snapshots without a row, booked at the closing one. */
  readonly rest: ReadonlyArray<Booked.Booked>
}

export interface Anchors {
  readonly coins: ReadonlyMap<string, Coin>
  readonly rebates: Booked.RebateCoin
  readonly basis: Basis
  readonly snapshots: ReadonlyArray<Snapshot>
  /** The gaps of the log, in words. */
  readonly notes: ReadonlyArray<string>
}

/** The sums of an account while its rows are read. */
export interface Account {
  readonly name: string | null
  readonly uid: string | null
  readonly add: (part: Manifest.Subject, row: Postings.BookedRow) => void
  readonly anchors: (manifest: Manifest.Manifest) => Anchors
}

type Sums = Flows.Flows["coins"]

const settleAll = (
  opening: Wallets.Balances,
  closing: Wallets.Balances,
  between: Sums,
  rebates: Booked.RebateCoin
): ReadonlyMap<string, Settle.Settlement> =>
  new Map(
    [...new Set([...opening.keys(), ...closing.keys(), ...between.keys()])].sort().map((coin) => {
      const sums = between.get(coin) ?? Flows.empty
      return [coin, Settle.settle(opening.get(coin), closing.get(coin), sums, Booked.rebatesOf(sums, rebates))] as const
    })
  )

/** The coin of rebates with which every coin that they can be in adds up, if it does with one alone. */
const decideRebates = (opening: Wallets.Balances, closing: Wallets.Balances, between: Sums): Booked.RebateCoin => {
  const touched = [...between].filter(
    ([, { rebatesPaid, rebatesReceived }]) => !BigDecimal.isZero(rebatesPaid) || !BigDecimal.isZero(rebatesReceived)
  )
  if (touched.length === 0) return undefined
  const fitting = (["received", "paid"] as const).filter((coin) => {
    const settled = settleAll(opening, closing, between, coin)
    return touched.every(([name]) => BigDecimal.isZero(settled.get(name)?.unexplained ?? zero))
  })
  return fitting.length === 1 ? fitting[0] : undefined
}

/** From two snapshots. `until`: sums of all rows before the closing one. */
const reconcile = (
  settlements: ReadonlyMap<string, Settle.Settlement>,
  opening: Wallets.Balances,
  between: Sums,
  until: Sums,
  rebates: Booked.RebateCoin
): ReadonlyMap<string, Coin> =>
  new Map(
    [...new Set([...settlements.keys(), ...until.keys()])].sort().map((coin) => {
      const { rest = [], rule = Settle.unsettled } = settlements.get(coin) ?? {}
      const before = BigDecimal.subtract(
        Booked.change(until.get(coin) ?? Flows.empty, rule, rebates),
        Booked.change(between.get(coin) ?? Flows.empty, rule, rebates)
      )
      return [
        coin,
        {
          rule,
          opening: BigDecimal.subtract(opening.get(coin)?.wallet ?? zero, before),
          rest: rest.map((one) => ({ ...one, wallet: trading, currency: coin }))
        }
      ]
    })
  )

/** From the closing snapshot alone. */
const computeBack = (closing: Wallets.Balances, until: Sums): ReadonlyMap<string, Coin> =>
  new Map(
    [...new Set([...closing.keys(), ...until.keys()])].sort().map((coin) => {
      const change = Booked.change(until.get(coin) ?? Flows.empty, Settle.unsettled, undefined)
      const opening = BigDecimal.subtract(closing.get(coin)?.wallet ?? zero, change)
      return [coin, { rule: Settle.unsettled, opening, rest: [] }]
    })
  )

const none = (because: string): Anchors => ({
  coins: new Map(),
  rebates: undefined,
  basis: { _tag: "None", because },
  snapshots: [],
  notes: []
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
  return rows === 0
    ? []
    : [
        `${countNoun(rows, "transfer")} with sub-accounts: booked as for a master account, since the export does not have the UID. Declare it as \`uid\` of the account.`
      ]
}

const concludeAccount = (
  name: string | null,
  manifest: Manifest.Manifest,
  pending: Accounts.Pending,
  until: Sums
): Anchors => {
  const { closing, opening } = pending
  const { coins: between, doubts, unmatched } = pending.flows.result()
  const balances = Wallets.balances(closing)
  if (Either.isLeft(balances)) return none(balances.left)
  const closed = snapshotsOf(name, closing.at, balances.right)
  const opened = Either.flatMap(Accounts.checkReconcilable(manifest, pending), () => Wallets.balances(opening))
  if (Either.isLeft(opened)) {
    return {
      coins: computeBack(balances.right, until),
      rebates: undefined,
      basis: { _tag: "Closing", at: closing.at, because: opened.left },
      snapshots: closed,
      notes: []
    }
  }
  const rebates = decideRebates(opened.right, balances.right, between)
  const settlements = settleAll(opened.right, balances.right, between, rebates)
  return {
    coins: reconcile(settlements, opened.right, between, until, rebates),
    rebates,
    basis: { _tag: "Between", from: opening.at, to: closing.at },
    snapshots: [...snapshotsOf(name, opening.at, opened.right), ...closed],
    notes: [
      ...Accounts.notesOf(manifest, pending),
      ...unmatched,
      ...Array.from(doubts, ([what, rows]) => `${countNoun(rows, "row")}: ${what}.`)
    ]
  }
}

/** The sums of one account. */
export const account = (name: string | null, uid: string | null, pending: Accounts.Pending | undefined): Account => {
  const until = Flows.make({ from: Number.NEGATIVE_INFINITY, to: pending?.closing.at ?? 0 })
  // Transfers with sub-accounts, by coin. Their records are the same for both accounts.
  const transfers = new Map<string, number>()
  return {
    name,
    uid,
    add: (part, row) => {
      if (row.between !== undefined) {
        for (const { coin } of row.postings) transfers.set(coin, (transfers.get(coin) ?? 0) + 1)
      }
      if (Postings.isPreUpgrade(part)) return
      pending?.flows.add(row)
      until.add(row)
    },
    anchors: (manifest) => {
      const found =
        pending === undefined
          ? none("the export has no balances of the account")
          : concludeAccount(name, manifest, pending, until.result().coins)
      return { ...found, notes: [...found.notes, ...findUnsigned(uid, transfers, found.coins)] }
    }
  }
}
