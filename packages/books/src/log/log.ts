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
import type { Change, Log, Source, Transaction } from "./Books.js"
import type * as Sink from "@effect-venue/history/Sink"
import * as Sorting from "@effect-venue/history/siblings/Sorting"
import * as Accounts from "../accounts/accounts.js"
import * as Anchors from "./anchors.js"
import * as Booked from "./booked.js"
import { zero } from "../accounts/fields.js"
import * as Parts from "../accounts/parts.js"
import * as Postings from "../accounts/postings.js"

/** The record of changes that follow from snapshots. */
export const wallet = "wallet"

/** A row between the two passes. */
interface Kept extends Pick<
  Postings.BookedRow,
  "at" | "between" | "isLiquidation" | "postings" | "reference" | "symbol"
> {
  readonly account: number
  readonly record: string
}

type Packed = readonly [
  account: number,
  record: string,
  reference: string,
  symbol: string,
  isLiquidation: boolean,
  between: Postings.BookedRow["between"] | null,
  postings: ReadonlyArray<readonly [wallet: string | null, coin: string, kind: Postings.PostingKind, amount: string]>
]

const pack = ({ account, between, isLiquidation, postings, record, reference, symbol }: Kept): string =>
  JSON.stringify([
    ...[account, record, reference, symbol, isLiquidation, between ?? null],
    postings.map(({ amount, coin, kind, wallet }) => [wallet ?? null, coin, kind, Decimal.format(amount)])
  ])

const unpack = (at: number | undefined, text: string): Kept => {
  // It was packed above.
  const [account, record, reference, symbol, isLiquidation, between, postings] = JSON.parse(text) as Packed
  return {
    ...{ at, account, record, reference, symbol, isLiquidation },
    between: between ?? undefined,
    postings: postings.map(([wallet, coin, kind, amount]) => ({
      wallet: wallet ?? undefined,
      coin,
      kind,
      amount: Option.getOrElse(Decimal.parse(amount), () => zero)
    }))
  }
}

/** Rows that are put in order at once: a block of the buffer. */
const blockLength = 2000

interface Opened {
  readonly account: Anchors.Account
  readonly anchors: Anchors.Anchors
}

/** The running balances of all accounts. */
const running = (opened: ReadonlyArray<Opened>) => {
  const balances = opened.map(
    ({ anchors }) => new Map(Array.from(anchors.coins, ([coin, { opening }]) => [coin, opening]))
  )
  return (index: number, at: number, booked: Booked.Booked, isLast: boolean): Change => {
    const anchors = opened[index]?.anchors
    const known = balances[index]
    const before = known?.get(booked.currency)
    if (booked.wallet !== Postings.trading || anchors === undefined || before === undefined) {
      return { ...booked, balance: undefined }
    }
    const balance = BigDecimal.sum(before, booked.amount)
    known?.set(booked.currency, balance)
    const { closedAt, coins, openedAt } = anchors
    const isExact = coins.get(booked.currency)?.rest.length === 0
    return { ...booked, balance: isExact || at < openedAt || at >= closedAt || isLast ? balance : undefined }
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
      ...{ at, account: account.name, record: wallet, reference: "", symbol: "", counterparty: undefined },
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
          ...{ wallet: Postings.trading, currency, kind: "opening" },
          amount: source.anchors.coins.get(currency)?.opening ?? zero
        }
      ],
      (booked) => ({ ...booked, balance: booked.amount })
    )
  )

/** Gives rows in their order the balances after them, and adds the transactions that no row has. */
const transactions = <E>(
  opened: ReadonlyArray<Opened>,
  begin: number,
  sorted: Sorting.Sorted<Kept, E>
): Stream.Stream<Transaction, E> =>
  Stream.suspend(() => {
    const change = running(opened)
    const closings = opened
      .map((source, index) => ({ source, index, at: source.anchors.closedAt }))
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
      const { account: index, between, record, reference, symbol } = kept
      const source = opened[index]
      const uid = source?.account.uid ?? null
      const ruleOf = (coin: string) => source?.anchors.coins.get(coin)?.rule ?? Booked.unsettled
      const isSub = Booked.isSubOf(ruleOf(kept.postings[0]?.coin ?? ""), between, uid)
      return {
        ...{ at, account: source?.account.name ?? null, record, reference, symbol },
        counterparty: isSub ? between?.master : between?.sub,
        changes: Booked.changesOf(kept, ruleOf, uid).map((booked) => change(index, at, booked, false))
      }
    }
    const ofInstant = (rows: ReadonlyArray<Sorting.Placed<Kept>>): ReadonlyArray<Transaction> => {
      const at = rows[0]?.by ?? 0
      return [
        ...takeBefore(at),
        ...rows
          .map(({ row }) => row)
          .sort(inOrder)
          .map((kept) => ofRow(at, kept))
      ]
    }
    return Stream.fromIterable(openings(opened, begin)).pipe(
      Stream.concat(Stream.mapConcat(sorted, (rows) => byInstant(rows).flatMap(ofInstant))),
      Stream.concat(Stream.suspend(() => Stream.fromIterable(takeBefore(Number.MAX_VALUE))))
    )
  })

/** Rows in groups of one instant. */
const byInstant = (rows: ReadonlyArray<Sorting.Placed<Kept>>): ReadonlyArray<ReadonlyArray<Sorting.Placed<Kept>>> =>
  Arr.isNonEmptyReadonlyArray(rows) ? Arr.groupWith(rows, (left, right) => left.by === right.by) : []

/** See `Books.log`. */
export const make = <E, R, SE = never>(
  { manifest, rows }: Source<E, R>,
  buffer?: Sink.Buffer<SE>
): Effect.Effect<Log<SE>, E | SE, R> =>
  Effect.gen(function* () {
    const pending = Accounts.begin(manifest)
    const names = [...new Set(manifest.parts.map(({ account }) => account))]
    const accounts = names.map((name) => {
      const { identity } =
        manifest.parts.find(({ account, identity }) => account === name && identity.uid !== null) ?? {}
      return Anchors.account(
        name,
        identity?.uid ?? null,
        pending.find(({ account }) => account === name)
      )
    })
    const sorting = Sorting.make<Kept, SE>({ buffer, newestFirst: false, otherwise: 0, pack, unpack })
    let begin = manifest.from
    const read = (part: Manifest.Part, index: number, row: Dataset.Row): ReadonlyArray<Kept> => {
      const reading = Postings.read(part, row)
      if (reading === undefined) return []
      accounts[index]?.add(part, reading)
      const { at } = reading
      if (at === undefined || !reading.postings.some(Booked.isChange)) return []
      begin = Math.min(begin, at)
      return [{ ...reading, account: index, record: part.dataset }]
    }
    for (const dataset of Postings.datasets) {
      for (const part of Parts.chosen(manifest, dataset).counted) {
        const index = names.indexOf(part.account)
        yield* rows(part).pipe(
          Stream.grouped(blockLength),
          Stream.runForEach((chunk) =>
            sorting.take(Chunk.toReadonlyArray(chunk).flatMap((row) => read(part, index, row)))
          )
        )
      }
    }
    const opened = accounts.map((account): Opened => ({ account, anchors: account.anchors(manifest) }))
    for (const { opening } of pending) begin = Math.min(begin, opening.at)
    return {
      accounts: opened.map(({ account: { name }, anchors: { notes } }) => ({ name, notes })),
      snapshots: opened.flatMap(({ anchors }) => anchors.snapshots),
      transactions: transactions(opened, begin, sorting.sorted)
    }
  })
