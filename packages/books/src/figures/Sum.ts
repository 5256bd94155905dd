/**
 * Sums over rows that carry what they lack. The value of a sum can be read with `match` alone, which takes what to do if rows are not in it.
 */
import * as BigDecimal from "effect/BigDecimal"

/** Why rows are not in a sum. */
export interface SumLack {
  readonly because: string
  /** The number of rows; `undefined` if it is not known. */
  readonly rows: number | undefined
}

/** How to read a sum: `whole` if every row is in it, `lacking` with the reasons if not. */
export interface SumCases<A, B> {
  readonly whole: (value: BigDecimal.BigDecimal) => A
  readonly lacking: (value: BigDecimal.BigDecimal, lacks: ReadonlyArray<SumLack>) => B
}

/** A sum of amounts of one coin, and the rows that are not in it. */
export class Sum {
  readonly #value: BigDecimal.BigDecimal
  readonly #lacks: ReadonlyMap<string, number | undefined>

  private constructor(value: BigDecimal.BigDecimal, lacks: ReadonlyMap<string, number | undefined>) {
    this.#value = value
    this.#lacks = lacks
  }

  static of(amount: BigDecimal.BigDecimal): Sum {
    return new Sum(amount, new Map())
  }

  static lacking(because: string, rows: number | undefined): Sum {
    return new Sum(BigDecimal.fromBigInt(0n), new Map([[because, rows]]))
  }

  static add(left: Sum, right: Sum): Sum {
    if (right.#lacks.size === 0) return new Sum(BigDecimal.sum(left.#value, right.#value), left.#lacks)
    const lacks = new Map(left.#lacks)
    for (const [because, rows] of right.#lacks) {
      const before = lacks.has(because) ? lacks.get(because) : 0
      lacks.set(because, rows === undefined || before === undefined ? undefined : before + rows)
    }
    return new Sum(BigDecimal.sum(left.#value, right.#value), lacks)
  }

  static negate(sum: Sum): Sum {
    return new Sum(BigDecimal.negate(sum.#value), sum.#lacks)
  }

  static match<A, B>(sum: Sum, { lacking, whole }: SumCases<A, B>): A | B {
    const lacks = Array.from(sum.#lacks, ([because, rows]) => ({ because, rows }))
    return lacks.length === 0 ? whole(sum.#value) : lacking(sum.#value, lacks)
  }
}

/** Nothing, of which nothing is missing. */
export const zero: Sum = Sum.of(BigDecimal.fromBigInt(0n))

/** Returns the sum of an amount alone, of which no row is missing. */
export const of: (amount: BigDecimal.BigDecimal) => Sum = (amount) => Sum.of(amount)

/** Returns a sum without amounts that lacks rows. */
export const lacking: (because: string, rows: number | undefined) => Sum = (because, rows) => Sum.lacking(because, rows)

/** Adds sums. What one of them lacks, the result lacks. */
export const addAll = (sums: ReadonlyArray<Sum>): Sum => sums.reduce((total, sum) => Sum.add(total, sum), zero)

/** Returns the sum with the opposite sign. */
export const negate: (sum: Sum) => Sum = (sum) => Sum.negate(sum)

/** Reads a sum: its value together with what it lacks. */
export const match = <A, B = A>(sum: Sum, cases: SumCases<A, B>): A | B => Sum.match(sum, cases)

/** Whether a sum is zero and lacks nothing. */
export const isNothing = (sum: Sum): boolean => match(sum, { whole: BigDecimal.isZero, lacking: () => false })

/** What a sum lacks. */
export const lacksOf = (sum: Sum): ReadonlyArray<SumLack> =>
  match(sum, { whole: () => [], lacking: (_value, lacks) => lacks })
