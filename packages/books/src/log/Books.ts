/**
 * The books of an export: every change of a balance that its rows contain, and every amount that is in none.
 */
import type * as BigDecimal from "effect/BigDecimal"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Dataset from "@effect-venue/history/Dataset"
import type { Kind, Lack, SymbolEntry } from "../accounts/Kinds.js"
import * as Logs from "./log.js"
import * as Render from "./render.js"
import type * as Manifest from "@effect-venue/history/Manifest"
import type * as Sink from "@effect-venue/history/Sink"

export type { Kind, Lack, SymbolCoins, SymbolEntry } from "../accounts/Kinds.js"

/** A balance of the trading wallet as the service reported it. */
export interface Snapshot {
  readonly account: string | null
  readonly at: number
  readonly currency: string
  readonly balance: BigDecimal.BigDecimal
}

/** A change of a balance. */
export interface Change {
  readonly wallet: string
  readonly currency: string
  readonly kind: Kind
  readonly amount: BigDecimal.BigDecimal
  /** The balance of the trading wallet after it, between two snapshots that the rows explain; `undefined` otherwise. */
  readonly balance: BigDecimal.BigDecimal | undefined
  /**
   * The balance of the trading wallet after it, computed from a snapshot at another time: wrong if a change is not listed, such as a withdrawal. Defined only
   * if `balance` is not.
   */
  readonly derivedBalance: BigDecimal.BigDecimal | undefined
}

/** The changes of one record. */
export interface Transaction {
  /** Milliseconds. */
  readonly at: number
  readonly account: string | null
  /** The dataset of the record; `wallet` if no record has the changes: they follow from snapshots of the wallet. */
  readonly record: string
  /** The category of the record; empty if it has none. */
  readonly category: string
  /** The id of the record, or of its order. */
  readonly reference: string
  readonly symbol: string
  /** The UID of the other account, of transfers with a sub-account. */
  readonly counterparty: string | undefined
  readonly changes: ReadonlyArray<Change>
  /** The amounts of the record that are in no change. */
  readonly lacks: ReadonlyArray<Lack>
}

/** Rows without a time that can be read: they are in no transaction. */
export interface Undated {
  readonly account: string | null
  readonly record: string
  readonly lack: Lack
  readonly rows: number
}

/**
 * What the balances of an account are computed from.
 *
 * - `Between`: two snapshots, in milliseconds.
 * - `Closing`: the last snapshot alone. `because`: why the rows are not between two.
 * - `None`: nothing.
 */
export type Basis =
  | { readonly _tag: "Between"; readonly from: number; readonly to: number }
  | { readonly _tag: "Closing"; readonly at: number; readonly because: string }
  | { readonly _tag: "None"; readonly because: string }

/** An account of a log, with notes about what keeps it from adding up. */
export interface AccountLog {
  readonly name: string | null
  readonly basis: Basis
  readonly notes: ReadonlyArray<string>
}

/** An export whose rows can be read. */
export interface Source<E, R> {
  readonly manifest: Manifest.Manifest
  readonly rows: (part: Manifest.Part) => Stream.Stream<Dataset.Row, E, R>
}

/** The log of an export. */
export interface Log<E> {
  readonly accounts: ReadonlyArray<AccountLog>
  /** What is doubtful about the coins of symbols, in words. */
  readonly notes: ReadonlyArray<string>
  readonly snapshots: ReadonlyArray<Snapshot>
  readonly undated: ReadonlyArray<Undated>
  /** Oldest first. Can be read several times. */
  readonly transactions: Stream.Stream<Transaction, E>
}

export interface LogOptions<E = never> {
  /** The coins of symbols that the service does not list. */
  readonly symbols?: ReadonlyArray<SymbolEntry> | undefined
  /** Holds all that changes a balance. Defaults to memory; for a long history, pass one of `Sink.folderSpool`. */
  readonly buffer?: Sink.Buffer<E> | undefined
}

/**
 * Reads an export once, for its log. Memory holds some thousand rows.
 *
 * @category constructors
 */
export const log: <E, R, SE = never>(
  source: Source<E, R>,
  options?: LogOptions<SE>
) => Effect.Effect<Log<SE>, E | SE, R> = Logs.make

/** Every `Format`. */
export const formats = ["csv", "ndjson", "parquet"] as const

/** The format of a log in a file. */
export type Format = (typeof formats)[number]

export interface RenderOptions {
  /** Puts a single quote before cells of CSV that a spreadsheet takes for a formula (see `Sink.csv`). Defaults to `false`. */
  readonly spreadsheetSafe?: boolean | undefined
}

/**
 * A log as the bytes of a file, with a line for each change: `time`, `account`, `wallet`, `currency`, `kind`, `change`, `balance`,
 * `derivedBalance`, `symbol`, `record`, `reference`, `notBooked`. An amount that is in no change has a line without `change`, with the reason in `notBooked`. Parquet has decimals as DECIMAL(38, 18).
 *
 * @category conversions
 */
export const render: <E>(
  log: Pick<Log<E>, "transactions" | "undated">,
  format: Format,
  options?: RenderOptions
) => Stream.Stream<Uint8Array, unknown> = Render.render
