/**
 * The books of an export: every change of a balance that its rows contain, and the statement of an account between two snapshots of its
 * wallet.
 *
 * @since 0.1.0
 */
import type * as Column from "./Column.js"
import * as Render from "./internal/books/render.js"

export {
  /**
   * The accounts of an export that have a snapshot of its begin and one of its end.
   *
   * @since 0.1.0
   * @category constructors
   */
  begin,
  /**
   * The statement of an account when all its rows are read.
   *
   * @since 0.1.0
   * @category constructors
   */
  conclude,
  /**
   * The statements of an account.
   *
   * @since 0.1.0
   * @category models
   */
  type OfAccount,
  /**
   * An account while its rows are read.
   *
   * @since 0.1.0
   * @category models
   */
  type Pending
} from "./internal/books/accounts.js"

export {
  /**
   * A balance of the trading wallet as the service reported it.
   *
   * @since 0.1.0
   * @category models
   */
  type Snapshot
} from "./internal/books/anchors.js"

export {
  /**
   * A change of one balance.
   *
   * @since 0.1.0
   * @category models
   */
  type Booked,
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
  type Currency,
  /**
   * The currency of `execFee`: of spot the one that was bought.
   *
   * @since 0.1.0
   * @category getters
   */
  ofFee as currencyOfFee,
  /**
   * The currency of `execValue` and of `closedPnl`.
   *
   * @since 0.1.0
   * @category getters
   */
  ofValue as currencyOfValue
} from "./internal/books/currencies.js"

export {
  /**
   * The exact decimal of a field; `undefined` if it has none that can be read.
   *
   * @since 0.1.0
   * @category getters
   */
  decimal as fieldDecimal,
  /**
   * The instant of a field in milliseconds; `undefined` if it has none that can be read.
   *
   * @since 0.1.0
   * @category getters
   */
  instant as fieldInstant,
  /**
   * The text of a field; empty if it has none.
   *
   * @since 0.1.0
   * @category getters
   */
  text as fieldText
} from "./internal/books/fields.js"

export {
  /**
   * The time between two snapshots: half-open, milliseconds.
   *
   * @since 0.1.0
   * @category models
   */
  type Between
} from "./internal/books/flows.js"

export {
  /**
   * A change of a balance. `balance`: that of the wallet after it; `undefined` if it cannot be derived.
   *
   * @since 0.1.0
   * @category models
   */
  type Change,
  /**
   * The log of an export. `notes` describe missing records; `transactions` are oldest first.
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
   * The parts of a dataset whose rows count, and those whose rows are in one of them too.
   *
   * @since 0.1.0
   * @category models
   */
  type Chosen,
  /**
   * The parts of a dataset, so that every row counts once.
   *
   * @since 0.1.0
   * @category getters
   */
  chosen
} from "./internal/books/parts.js"

export {
  /**
   * The datasets whose rows change a balance.
   *
   * @since 0.1.0
   * @category constants
   */
  datasets
} from "./internal/books/postings.js"

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

export {
  /**
   * An entry of a statement, signed as it changes the wallet.
   *
   * @since 0.1.0
   * @category models
   */
  type Entry,
  /**
   * The kind of an entry.
   *
   * @since 0.1.0
   * @category models
   */
  type Label,
  /**
   * A statement of one coin: opening balance, entries, the part that they do not explain, closing balance.
   *
   * @since 0.1.0
   * @category models
   */
  type Statement
} from "./internal/books/statement.js"

/**
 * The columns of a log, in the order of its files.
 *
 * @since 0.1.0
 * @category constants
 */
export const columns: ReadonlyArray<Column.Column> = Render.columns
