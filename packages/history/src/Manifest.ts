/**
 * What an export read: enough to see that nothing is missing.
 *
 * @since 0.1.0
 */
import type * as Option from "effect/Option"

/**
 * What one window gave.
 *
 * @since 0.1.0
 * @category models
 */
export interface WindowCoverage {
  /** Half-open, milliseconds. */
  readonly from: number
  readonly to: number
  readonly rows: number
  readonly pages: number
  /** Rows left out because they had been given already. */
  readonly duplicates: number
}

/**
 * What the whole export gave.
 *
 * @since 0.1.0
 * @category models
 */
export interface Manifest {
  readonly dataset: string
  /** Half-open, milliseconds. */
  readonly from: number
  readonly to: number
  readonly location: string
  readonly rows: number
  readonly pages: number
  readonly duplicates: number
  /** The instants of the first and the last row, milliseconds. */
  readonly first: Option.Option<number>
  readonly last: Option.Option<number>
  /** Oldest first, without gap or overlap from `from` to `to`. */
  readonly windows: ReadonlyArray<WindowCoverage>
}
