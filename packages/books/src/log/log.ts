/** The log of an export: every change of a balance, oldest first, with the balance after it. */
import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Arr from "effect/Array"
import * as BigDecimal from "effect/BigDecimal"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Order from "effect/Order"
import * as Stream from "effect/Stream"
import type * as Dataset from "@effect-venue/history/Dataset"
import type * as Manifest from "@effect-venue/history/Manifest"
import type { Change, Log, LogOptions, Source, Transaction, Undated } from "./Books.js"
import * as Sorting from "@effect-venue/history/siblings/Sorting"
import * as Accounts from "../accounts/accounts.js"
import * as Anchors from "./anchors.js"
import * as Booked from "./booked.js"
import * as Coins from "../accounts/coins.js"
import { zero } from "../accounts/fields.js"
import { type Lack, type Posting, trading } from "../accounts/Kinds.js"
import * as Parts from "../accounts/parts.js"
import * as Postings from "../accounts/postings.js"
import * as Settle from "../accounts/settle.js"

/** The record of changes that follow from snapshots. */
const wallet = "wallet"

/** A row between the two passes. */
interface Kept extends Booked.Row, Pick<Postings.BookedRow, "at" | "reference" | "symbol"> {
  readonly account: number
  readonly record: string
  readonly category: string
}

type Packed = Omit<Kept, "at" | "postings" | "rebate"> & {
  readonly postings: ReadonlyArray<WithText<Posting>>
  readonly rebate?: WithText<Postings.Rebate>
}

type WithText<A> = Omit<A, "amount"> & { readonly amount: string }

const pack = ({ account, between, category, lacks, postings, rebate, record, reference, symbol }: Kept): string => {
  const toText = <A extends Pick<Posting, "amount">>(one: A) => ({ ...one, amount: Decimal.format(one.amount) })
  return JSON.stringify({
    ...{ account, between, category, lacks, record, reference, symbol },
    postings: postings.map(toText),
    rebate: rebate === undefined ? undefined : toText(rebate)
  })
}

const unpack = (at: number | undefined, text: string): Kept => {
  const { postings, rebate, ...rest } = JSON.parse(text) as Packed // as it was packed above
  const amountOf = ({ amount }: { readonly amount: string }) => Option.getOrElse(Decimal.parse(amount), () => zero)
  return {
    ...{ ...rest, at },
    postings: postings.map((posting) => ({ ...posting, amount: amountOf(posting) })),
    rebate: rebate === undefined ? undefined : { ...rebate, amount: amountOf(rebate) }
  }
}

/** Rows that are put in order at once: a block of the buffer. */
const blockLength = 2000

interface Opened {
  readonly account: Anchors.Account
  readonly anchors: Anchors.Anchors
}

/** Gives a change of an account its balance. */
type WithBalance = (index: number, at: number, booked: Booked.Booked, isLast: boolean) => Change

/** The running balances of all accounts. */
const running = (opened: ReadonlyArray<Opened>): WithBalance => {
  const balances = opened.map(
    ({ anchors }) => new Map(Array.from(anchors.coins, ([coin, { opening }]) => [coin, opening]))
  )
  return (index, at, booked, isLast) => {
    const anchors = opened[index]?.anchors
    const current = balances[index]
    const before = current?.get(booked.currency)
    if (booked.wallet !== trading || anchors === undefined || before === undefined) {
      return { ...booked, balance: undefined, derivedBalance: undefined }
    }
    const after = BigDecimal.sum(before, booked.amount)
    current?.set(booked.currency, after)
    const { basis, coins } = anchors
    const isBetween = basis._tag === "Between" && at >= basis.from && at < basis.to
    if (!isBetween) return { ...booked, balance: undefined, derivedBalance: after }
    const isExact = coins.get(booked.currency)?.rest.length === 0
    return { ...booked, balance: isExact || isLast ? after : undefined, derivedBalance: undefined }
  }
}

/** The transactions that no row has: opening balances, and the rest at a closing snapshot. */
const withoutRows = (
  at: number,
  { account, anchors }: Opened,
  changes: (coin: string) => ReadonlyArray<Booked.Booked>,
  change: (booked: Booked.Booked, isLast: boolean) => Change
): ReadonlyArray<Transaction> =>
  Array.from(anchors.coins.keys()).flatMap((coin) => {
    const all = changes(coin).filter(({ amount }) => !BigDecimal.isZero(amount))
    return all.map((booked, index): Transaction => ({
      ...{ at, account: account.name, record: wallet, category: "", reference: "", symbol: "" },
      ...{ counterparty: undefined, lacks: [] },
      changes: [change(booked, index === all.length - 1)]
    }))
  })

const inOrder = Order.combine(
  Order.mapInput(Order.string, ({ record }: Kept) => record),
  Order.mapInput(Order.string, ({ reference }: Kept) => reference)
)

/** The opening balances, as the first transactions. */
const openings = (opened: ReadonlyArray<Opened>, begin: number): ReadonlyArray<Transaction> =>
  opened.flatMap((source) =>
    withoutRows(
      begin,
      source,
      (currency) => [
        {
          ...{ wallet: trading, currency, kind: "opening" as const },
          amount: source.anchors.coins.get(currency)?.opening ?? zero
        }
      ],
      (booked) => ({ ...booked, balance: undefined, derivedBalance: booked.amount })
    )
  )

/** When the changes are booked that no row has. */
const closedAt = ({ anchors: { basis } }: Opened): number =>
  basis._tag === "Between" ? basis.to : Number.POSITIVE_INFINITY

/** Gives rows in their order the balances after them, and adds the transactions that no row has. */
const transactions = <E>(
  opened: ReadonlyArray<Opened>,
  begin: number,
  sorted: Sorting.Sorted<Kept, E>
): Stream.Stream<Transaction, E> =>
  Stream.suspend(() => {
    const change = running(opened)
    const closings = opened
      .map((source, index) => ({ source, index, at: closedAt(source) }))
      .sort((left, right) => left.at - right.at)
    const takeBefore = (at: number): ReadonlyArray<Transaction> => {
      const due = closings.splice(0, closings.filter((closing) => closing.at <= at).length)
      return due.flatMap(({ at, index, source }) =>
        withoutRows(
          at,
          source,
          (coin) => source.anchors.coins.get(coin)?.rest ?? [],
          (booked, isLast) => ({ ...change(index, at - 1, booked, isLast) })
        )
      )
    }
    const ofRow = (at: number, kept: Kept): Transaction => {
      const { account: index, between, category, record, reference, symbol } = kept
      const source = opened[index]
      const rules: Booked.Rules = {
        ruleOf: (coin) => source?.anchors.coins.get(coin)?.rule ?? Settle.unsettled,
        rebates: source?.anchors.rebates,
        uid: source?.account.uid ?? null
      }
      const isSub = Booked.isSubOf(rules.ruleOf(kept.postings[0]?.coin ?? ""), between, rules.uid)
      return {
        ...{ at, account: source?.account.name ?? null, record, category, reference, symbol },
        counterparty: isSub ? between?.master : between?.sub,
        changes: Booked.changesOf(kept, rules).map((booked) => change(index, at, booked, false)),
        lacks: Booked.lacksOf(kept, rules.rebates)
      }
    }
    const ofInstant = (rows: ReadonlyArray<Kept>): ReadonlyArray<Transaction> => {
      const at = rows[0]?.at ?? 0
      return [...takeBefore(at), ...rows.toSorted(inOrder).map((kept) => ofRow(at, kept))]
    }
    return Stream.fromIterable(openings(opened, begin)).pipe(
      Stream.concat(Stream.mapConcat(sorted, (rows) => byInstant(rows).flatMap(ofInstant))),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(takeBefore(Number.MAX_VALUE))))
    )
  })

/** Rows in groups of one instant. */
const byInstant = (rows: ReadonlyArray<Kept>): ReadonlyArray<ReadonlyArray<Kept>> =>
  Arr.isNonEmptyReadonlyArray(rows) ? Arr.groupWith(rows, (left, right) => (left.at ?? 0) === (right.at ?? 0)) : []

const noTime = "no time that can be read"

/** Counts what rows without a time have. */
const countUndated = () => {
  const found = new Map<string, Undated>()
  return {
    add: (account: string | null, record: string, { lacks, postings, rebate }: Booked.Row) => {
      const all: ReadonlyArray<Lack> = [
        ...lacks,
        ...postings.map(({ coin, kind }) => ({ kind, currency: coin, because: noTime })),
        ...(rebate === undefined ? [] : [{ kind: "fee" as const, currency: undefined, because: noTime }])
      ]
      for (const lack of all) {
        const key = JSON.stringify([account, record, lack.kind, lack.currency, lack.because])
        found.set(key, { account, record, lack, rows: (found.get(key)?.rows ?? 0) + 1 })
      }
    },
    result: () => [...found.values()]
  }
}

/** The accounts of an export, with the UID that their credentials declare. */
const accountsOf = (manifest: Manifest.Manifest): ReadonlyArray<Anchors.Account> => {
  const pending = Accounts.begin(manifest)
  return [...new Set(manifest.parts.map(({ account }) => account))].map((name) => {
    const declared = manifest.parts.find(({ account, identity }) => account === name && identity.uid !== null)
    return Anchors.account(
      name,
      declared?.identity.uid ?? null,
      pending.find(({ account }) => account === name)
    )
  })
}

/** See `Books.log`. */
export const make = <E, R, SE = never>(
  { manifest, rows }: Source<E, R>,
  { buffer, symbols = [] }: LogOptions<SE> = {}
): Effect.Effect<Log<SE>, E | SE, R> =>
  Effect.gen(function* () {
    const coins = Coins.make(manifest.run.listings, symbols)
    const accounts = accountsOf(manifest)
    const sorting = Sorting.make<Kept, SE>({ buffer, newestFirst: false, otherwise: 0, pack, unpack })
    const undated = countUndated()
    let begin = manifest.from
    const read = (part: Manifest.Part, index: number, row: Dataset.Row): ReadonlyArray<Kept> => {
      const booked = Postings.read(part, row, coins)
      if (booked === undefined) return []
      accounts[index]?.add(part, booked)
      const { at } = booked
      if (!Booked.isLogged(booked)) return []
      if (at === undefined) {
        undated.add(part.account, part.dataset, booked)
        return []
      }
      begin = Math.min(begin, at)
      return [{ ...booked, account: index, record: part.dataset, category: part.parameters.category ?? "" }]
    }
    for (const dataset of Postings.datasets) {
      for (const part of Parts.chosen(manifest, dataset).counted) {
        const index = accounts.findIndex(({ name }) => name === part.account)
        yield* rows(part).pipe(
          Stream.grouped(blockLength),
          Stream.runForEach((chunk) =>
            sorting.take(Chunk.toReadonlyArray(chunk).flatMap((row) => read(part, index, row)))
          )
        )
      }
    }
    const opened = accounts.map((account): Opened => ({ account, anchors: account.anchors(manifest) }))
    for (const { anchors } of opened) {
      if (anchors.basis._tag === "Between") begin = Math.min(begin, anchors.basis.from)
    }
    return {
      accounts: opened.map(({ account: { name }, anchors: { basis, notes } }) => ({ name, basis, notes })),
      notes: coins.notes(),
      snapshots: opened.flatMap(({ anchors }) => anchors.snapshots),
      undated: undated.result(),
      transactions: transactions(opened, begin, sorting.sorted)
    }
  })
