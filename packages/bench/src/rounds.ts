import * as Effect from "effect/Effect"
import * as Option from "effect/Option"

/** Two measurements, one directly after the other. */
export interface Pair<A = number> {
  readonly ours: A
  readonly baseline: A
}

export interface Options {
  /** Pairs that are returned. */
  readonly count: number
  /** Pairs that are measured first and left out. Defaults to 0. */
  readonly warmUp?: number
}

/**
 * Measures a fixed number of pairs. The two of a pair run back to back, so that what else happens on the machine falls on both;
 * the order alternates, so that neither has the advantage of a place.
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

/** One figure of measurements that give several. */
export const figures = <K extends string>(
  measured: ReadonlyArray<Pair<Readonly<Record<K, number>>>>,
  key: K
): ReadonlyArray<Pair> => measured.map(({ baseline, ours }) => ({ ours: ours[key], baseline: baseline[key] }))

const ascending = (values: ReadonlyArray<number>): ReadonlyArray<number> =>
  values.toSorted((left, right) => left - right)

/** The middle value, or the mean of the two middle ones. NaN without values. */
export const median = (values: ReadonlyArray<number>): number => {
  const sorted = ascending(values)
  const at = (index: number): number => sorted[index] ?? Number.NaN
  const middle = (sorted.length - 1) / 2
  return (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2
}

/** The smallest value that so large a part of the values is at most. NaN without values. */
export const quantile = (values: ReadonlyArray<number>, part: number): number =>
  ascending(values)[Math.max(0, Math.ceil(values.length * part) - 1)] ?? Number.NaN

export interface Interval {
  readonly low: number
  readonly high: number
  /** The probability with which such an interval covers the true median: at least what was demanded. */
  readonly confidence: number
}

/**
 * The confidence interval of the median by order statistics, which assumes nothing about the distribution of the values but that
 * they are independent.
 *
 * Each value is below the true median with probability 1/2, so the number of those below it is binomial. The interval from the
 * k-th smallest to the k-th largest of n values misses the median only when fewer than k values are below it, or fewer than k
 * above: with probability 2 P(Bin(n, 1/2) < k). Of the ranks k that keep the confidence, the largest gives the narrowest interval.
 *
 * None when even the extremes do not keep it: at 95 %, six values are the fewest.
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
