import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Two measurements, one directly after the other. */
export interface Pair<A = number> {
  readonly ours: A
  readonly baseline: A
}

export interface Options {
  /** The number of pairs to return. */
  readonly count: number
  /** The number of pairs to measure first and discard. Default: 0. */
  readonly warmUp?: number
}

/**
 * Measures a fixed number of pairs. The two measurements of a pair run back to back, so that other load on the machine affects both; their
 * order alternates.
 */
export const pairs = <A, E, R>(
  { count, warmUp = 0 }: Options,
  ours: Effect.Effect<A, E, R>,
  baseline: Effect.Effect<A, E, R>
): Effect.Effect<ReadonlyArray<Pair<A>>, E, R> =>
  Effect.gen(function* () {
    const measured: Array<Pair<A>> = []
    for (let index = 0; index < warmUp + count; index++) {
      if (index % 2 === 0) {
        const first = yield* ours
        measured.push({ ours: first, baseline: yield* baseline })
      } else {
        const first = yield* baseline
        measured.push({ ours: yield* ours, baseline: first })
      }
    }
    return measured.slice(warmUp)
  })

/** Selects one value of measurements with several values. */
export const figures = <K extends string>(
  measured: ReadonlyArray<Pair<Readonly<Record<K, number>>>>,
  key: K
): ReadonlyArray<Pair> => measured.map(({ baseline, ours }) => ({ ours: ours[key], baseline: baseline[key] }))

const ascending = (values: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.toSorted((left, right) => left - right)

/** Returns the middle value, or the mean of the two middle values. NaN without values. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = ascending(values)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2
}

/** Returns the smallest value that at least this fraction of the values does not exceed. NaN without values. */
export const quantile = (values: ReadonlyArray<number>, part: number): number =>
  ascending(values)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? Number.NaN

export interface Interval {
  readonly low: number
  readonly high: number
  /** The probability that such an interval contains the true median; at least the required confidence. */
  readonly confidence: number
}

/**
 * Returns the confidence interval of the median by order statistics, which only assumes independent values. Each value is below the true
 * median with probability 1/2, so the number of values below it is binomial. The interval from the k-th smallest to the k-th largest of n
 * values misses the median only if fewer than k values are below it, or fewer than k above: with probability 2 P(Bin(n, 1/2) < k). The
 * largest rank k that keeps the confidence gives the narrowest interval. None if even the extremes do not keep it: at 95 %, six values are
 * the minimum.
 */
export const medianInterval = (values: ReadonlyArray<number>, confidence: number): Option.Option<Interval> => {
  const sorted = ascending(values)
  const count = sorted.length
  let rank = 0
  let missed = 0
  let probability = 2 ** -count
  // `probability` is P(Bin(count, 1/2) = rank), `missed` twice the sum of those before it.
  while (2 * rank < count && missed + 2 * probability <= 1 - confidence) {
    missed += 2 * probability
    probability *= (count - rank) / (rank + 1)
    rank += 1
  }
  const [low, high] = [sorted[rank - 1], sorted[count - rank]]
  return low === undefined || high === undefined ? Option.none() : Option.some({ low, high, confidence: 1 - missed })
}
