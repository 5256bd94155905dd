import type * as Books from "../log/Books.js"
import * as BigDecimal from "effect/BigDecimal"
import * as Chunk from "effect/Chunk"
import * as Stream from "effect/Stream"

/** The changes of one event: one record, or both records of a transfer between two accounts of the export. */
export type Group = ReadonlyArray<Books.Transaction>

/** Joins the transactions that have the same record and id. */
export const joinRecords = <E>(transactions: Stream.Stream<Books.Transaction, E>): Stream.Stream<Group, E> =>
  transactions.pipe(
    // Grouping copies a chunk for each of its groups.
    Stream.rechunk(32),
    Stream.groupAdjacentBy(({ at, record, reference }) => `${at} ${record} ${reference}`),
    Stream.map(([, group]) => Chunk.toReadonlyArray(group))
  )

const zero = BigDecimal.fromBigInt(0n)

/** Sums by name and currency, without zeros. */
export class Sums {
  readonly #sums = new Map<
    string,
    { readonly name: string; readonly currency: string; amount: BigDecimal.BigDecimal }
  >()

  add(name: string, currency: string, amount: BigDecimal.BigDecimal): void {
    const key = `${name}\n${currency}`
    const sum = this.#sums.get(key) ?? { name, currency, amount: zero }
    sum.amount = BigDecimal.sum(sum.amount, amount)
    this.#sums.set(key, sum)
  }

  all() {
    return [...this.#sums.values()].filter(({ amount }) => !BigDecimal.isZero(amount))
  }
}
