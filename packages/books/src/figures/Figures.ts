/**
 * The figures of a log: sums by month and symbol, and statements, as one fold of its transactions.
 */
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { plain } from "../accounts/fields.js"
import { trading } from "../accounts/Kinds.js"
import type { Basis, Change, Kind, Lack, Log, Transaction } from "../log/Books.js"
import * as Statements from "./Statements.js"
import * as Sum from "./Sum.js"
import { countNoun, formatInstant } from "@effect-venue/schemas/siblings/Words"

export type { AccountStatement, BalanceCheck, Statement, StatementEntry, StatementLabel } from "./Statements.js"

/**
 * The parts of a result, each a group of kinds of changes. `pnl`: exit value less entry value of closed positions, before fees. `fees` under zero were
 * paid, over zero received; `funding` likewise.
 */
export const parts = ["pnl", "fees", "funding", "bonuses"] as const

export type Part = (typeof parts)[number]

const partOf: Readonly<Partial<Record<Kind, Part>>> = {
  realisedPnl: "pnl",
  liquidation: "pnl",
  fee: "fees",
  funding: "funding",
  bonus: "bonuses"
}

/** Sums of one coin. */
export type Result = Readonly<Record<Part, Sum.Sum>>

/** The result of a symbol in a month. */
export interface Line extends Result {
  readonly month: string
  readonly account: string | null
  readonly category: string
  readonly symbol: string
  readonly currency: string
}

/** The result of a coin. */
export interface Total extends Result {
  readonly currency: string
}

/** The result of a month in a coin. */
export interface MonthTotal extends Total {
  readonly month: string
}

/** A balance of the trading wallet that the rows take under zero, which proves that a change is not listed. */
export interface BelowZero {
  readonly account: string | null
  readonly currency: string
  /** When it was under zero first, in milliseconds. */
  readonly at: number
  /** The least balance. */
  readonly least: BigDecimal.BigDecimal
}

export interface Figures {
  /** In the order of month, account, category, symbol and coin. */
  readonly lines: ReadonlyArray<Line>
  /** In the order of coins. */
  readonly totals: ReadonlyArray<Total>
  /** In the order of months. */
  readonly months: ReadonlyArray<MonthTotal>
  /** Results of the steps of time, by coin and step. */
  readonly steps: ReadonlyMap<string, ReadonlyMap<number, Result>>
  readonly statements: ReadonlyArray<Statements.AccountStatement>
  readonly belowZero: ReadonlyArray<BelowZero>
  /** Whether every row of the period is in a sum. */
  readonly isWhole: boolean
}

export interface Options {
  /** Half-open, milliseconds. Changes outside it count for the balances alone. */
  readonly period: { readonly from: number; readonly to: number }
  /** Whether the period is all of the export: statements are between its snapshots then, if it has two. */
  readonly isWhole: boolean
  readonly monthOf: (at: number) => string
  readonly stepOf: (at: number) => number
  /** The rows that could not be read at all: every sum of these kinds lacks them. */
  readonly unread?: ReadonlyArray<{ readonly kinds: ReadonlyArray<Kind>; readonly because: string }> | undefined
}

/** The result of no change. */
export const nothing: Result = { pnl: Sum.zero, fees: Sum.zero, funding: Sum.zero, bonuses: Sum.zero }

const addTo = (result: Result, part: Part, sum: Sum.Sum): Result => ({
  ...result,
  [part]: Sum.addAll([result[part], sum])
})

/** The result of all parts. */
export const netOf = (result: Result): Sum.Sum => Sum.addAll(parts.map((part) => result[part]))

/** Adds results by key. */
class Table<K extends object> {
  readonly #rows = new Map<string, K & Result>()

  add(key: K, part: Part, sum: Sum.Sum): void {
    const name = JSON.stringify(Object.values(key))
    const row = this.#rows.get(name) ?? { ...key, ...nothing }
    this.#rows.set(name, { ...row, ...addTo(row, part, sum) })
  }

  all(): ReadonlyArray<K & Result> {
    return [...this.#rows].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, row]) => row)
  }
}

/** What sums of a month and a part lack whose coin is not known: every coin can be the one. */
interface Unassigned {
  readonly month: string | undefined
  readonly part: Part
  readonly sum: Sum.Sum
}

const lackSum = ({ because }: Lack, rows = 1): Sum.Sum => Sum.lacking(because, rows)

/** Adds what has no coin to the results of all coins of its month. */
const addUnassigned = <K extends { readonly currency: string; readonly month?: string }>(
  rows: ReadonlyArray<K & Result>,
  unassigned: ReadonlyArray<Unassigned>
): ReadonlyArray<K & Result> =>
  rows.map((row) =>
    unassigned
      .filter(() => row.currency !== unknownCoin)
      .filter(({ month }) => month === undefined || row.month === undefined || month === row.month)
      .reduce((result, { part, sum }) => ({ ...result, ...addTo(result, part, sum) }), row)
  )

/** The coin of sums that have nothing but rows whose coin is not known. What they lack, the sums of every coin may lack. */
export const unknownCoin = ""

/** Adds up what has no coin, by month and part. */
const addWithoutCoin = (all: Map<string, Unassigned>, { month, part, sum }: Unassigned): void => {
  const key = `${month ?? ""} ${part}`
  all.set(key, { month, part, sum: Sum.addAll([all.get(key)?.sum ?? Sum.zero, sum]) })
}

const makeTables = ({ monthOf, stepOf }: Options) => {
  const lines = new Table<{
    month: string
    account: string | null
    category: string
    symbol: string
    currency: string
  }>()
  const months = new Table<{ month: string; currency: string }>()
  const totals = new Table<{ currency: string }>()
  const steps = new Map<string, Map<number, Result>>()
  const unassigned = new Map<string, Unassigned>()
  const addSum = (transaction: Transaction, currency: string, part: Part, sum: Sum.Sum): void => {
    const { account, at, category, symbol } = transaction
    const month = monthOf(at)
    lines.add({ month, account, category, symbol, currency }, part, sum)
    months.add({ month, currency }, part, sum)
    totals.add({ currency }, part, sum)
    const ofCoin = steps.get(currency) ?? new Map<number, Result>()
    const step = stepOf(at)
    ofCoin.set(step, addTo(ofCoin.get(step) ?? nothing, part, sum))
    steps.set(currency, ofCoin)
  }
  return {
    addChange: (transaction: Transaction, { amount, currency, kind }: Change) => {
      const part = partOf[kind]
      if (part !== undefined && kind !== "opening") addSum(transaction, currency, part, Sum.of(amount))
    },
    addLack: (transaction: Transaction, lack: Lack) => {
      const part = partOf[lack.kind]
      if (part === undefined) return
      if (lack.currency !== undefined) addSum(transaction, lack.currency, part, lackSum(lack))
      else {
        addSum(transaction, unknownCoin, part, lackSum(lack))
        addWithoutCoin(unassigned, { month: monthOf(transaction.at), part, sum: lackSum(lack) })
      }
    },
    addEverywhere: (kind: Kind, currency: string | undefined, sum: Sum.Sum) => {
      const part = partOf[kind]
      if (part === undefined) return
      if (currency === undefined) addWithoutCoin(unassigned, { month: undefined, part, sum })
      else totals.add({ currency }, part, sum)
    },
    result: () => {
      const all = [...unassigned.values()]
      // What is missing needs a line, even if there is no other one.
      if (totals.all().length === 0) for (const { part, sum } of all) totals.add({ currency: unknownCoin }, part, sum)
      return {
        lines: lines.all(),
        months: addUnassigned(months.all(), all),
        totals: addUnassigned(totals.all(), all),
        steps
      }
    }
  }
}

/** Finds balances that the rows take under zero. */
const watchBalances = () => {
  const found = new Map<string, BelowZero>()
  return {
    add: ({ account, at, changes }: Pick<Transaction, "account" | "at" | "changes">) => {
      for (const { balance, currency, derivedBalance, wallet } of changes) {
        const after = balance ?? derivedBalance
        if (wallet !== trading || after === undefined || !BigDecimal.isNegative(after)) continue
        const key = JSON.stringify([account, currency])
        const before = found.get(key)
        found.set(key, {
          ...{ account, currency, at: before?.at ?? at },
          least: before === undefined ? after : BigDecimal.min(before.least, after)
        })
      }
    },
    result: (): ReadonlyArray<BelowZero> => [...found.values()]
  }
}

const ofAccount = (account: string | null, words: string): string => (account === null ? words : `${account}: ${words}`)

/** Returns a balance under zero in words. */
export const describeBelowZero = ({ account, at, currency, least }: BelowZero): string =>
  ofAccount(
    account,
    `The rows take the balance of the trading wallet to ${plain(least)} ${currency}, under zero first at ${formatInstant(at)} UTC: a change is not listed, such as a withdrawal, or its dataset is not in this export.`
  )

/** What the balances of an account are computed from, in words, unless it is two of them. */
const describeBasis = (basis: Basis): ReadonlyArray<string> => {
  if (basis._tag === "Between") return []
  if (basis._tag === "None") return [`There are no balances: ${basis.because}.`]
  return [`All balances are computed back from that of ${formatInstant(basis.at)} UTC: ${basis.because}.`]
}

/** Returns what keeps the accounts of a log from adding up, in words: rows that are in no sum, gaps, and balances under zero. */
export const doubtsOf = <E>(log: Log<E>): Effect.Effect<ReadonlyArray<string>, E> =>
  Effect.gen(function* () {
    const balances = watchBalances()
    const rows = new Map<string, number>()
    const count = (account: string | null, because: string, more: number): void => {
      const words = ofAccount(account, because)
      rows.set(words, (rows.get(words) ?? 0) + more)
    }
    yield* Stream.runForEach(log.transactions, (transaction) =>
      Effect.sync(() => {
        balances.add(transaction)
        const reasons = new Set(transaction.lacks.map(({ because }) => because))
        for (const because of reasons) count(transaction.account, because, 1)
      })
    )
    for (const { account, lack, rows: more } of log.undated) count(account, lack.because, more)
    return [
      ...log.accounts.flatMap(({ basis, name, notes }) =>
        [...describeBasis(basis), ...notes].map((note) => ofAccount(name, note))
      ),
      ...Array.from(rows, ([words, number]) => `${countNoun(number, "row")} not booked: ${words}.`),
      ...balances.result().map(describeBelowZero)
    ]
  })

/** Adds up the transactions of a log, in memory that does not depend on their number. */
export const make = <E>(log: Log<E>, options: Options): Effect.Effect<Figures, E> =>
  Effect.gen(function* () {
    const { period, unread = [] } = options
    const tables = makeTables(options)
    const balances = watchBalances()
    const statements = Statements.make(log, options)
    let isWhole = log.undated.length + unread.length === 0
    const isWithin = (at: number) => at >= period.from && at < period.to
    yield* Stream.runForEach(log.transactions, (transaction) =>
      Effect.sync(() => {
        balances.add(transaction)
        statements.add(transaction)
        if (!isWithin(transaction.at) && !(options.isWhole && transaction.record === "wallet")) return
        for (const change of transaction.changes) tables.addChange(transaction, change)
        for (const lack of transaction.lacks) tables.addLack(transaction, lack)
        isWhole &&= transaction.lacks.length === 0
      })
    )
    for (const { lack, rows } of log.undated) tables.addEverywhere(lack.kind, lack.currency, lackSum(lack, rows))
    for (const { because, kinds } of unread) {
      for (const kind of kinds) tables.addEverywhere(kind, undefined, Sum.lacking(because, undefined))
    }
    return { ...tables.result(), statements: statements.result(), belowZero: balances.result(), isWhole }
  })
