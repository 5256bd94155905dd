/**
 * The books of an export: every change of a balance that its rows contain, and the statement of an account between two snapshots of its
 * wallet.
 *
 * @since 0.1.0
 */
export {
  /**
   * The kind of a change.
   *
   * @since 0.1.0
   * @category models
   */
  type Kind
} from "./internal/books/booked.js"

export {
  /**
   * A currency, or the text in its place.
   *
   * @since 0.1.0
   * @category models
   */
  type Currency
} from "./internal/books/currencies.js"

export {
  /**
   * A change of a balance. `balance`: that of the wallet after it; `undefined` if it cannot be derived.
   *
   * @since 0.1.0
   * @category models
   */
  type Change,
  /**
   * The log of an export: `transactions`, oldest first, and `accounts` with notes about missing records.
   *
   * @since 0.1.0
   * @category models
   */
  type Log,
  /**
   * Reads an export once, for its log. Memory holds some thousand rows, and the buffer all that change a balance.
   *
   * @since 0.1.0
   * @category constructors
   */
  make as log,
  /**
   * An export whose rows can be read.
   *
   * @since 0.1.0
   * @category models
   */
  type Source,
  /**
   * The changes of one record. `record` is its dataset, or `wallet` if the changes follow from snapshots of the wallet.
   *
   * @since 0.1.0
   * @category models
   */
  type Transaction
} from "./internal/books/log.js"

export {
  /**
   * The format of a log in a file.
   *
   * @since 0.1.0
   * @category models
   */
  type Format,
  /**
   * Every `Format`.
   *
   * @since 0.1.0
   * @category constants
   */
  formats,
  /**
   * A log as the bytes of a file, with a line for each change: `time`, `account`, `wallet`, `currency`, `kind`, `change`, `balance`, `symbol`, `record`, `reference`. Parquet has decimals as DECIMAL(38, 18).
   *
   * @since 0.1.0
   * @category conversions
   */
  render
} from "./internal/books/render.js"
