/**
 * The books of an export: every change of a balance that its rows contain, and the statement of an account between two snapshots of its
 * wallet.
 */
import type * as BigDecimal from "effect/BigDecimal"
import type * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Logs from "./log.js"
import * as Render from "./render.js"
import type * as Manifest from "@effect-venue/history/Manifest"
import type * as Sink from "@effect-venue/history/Sink"

export type { Currency } from "../accounts/currencies.js"

/** The kind of a change. */
export type Kind =
  | "opening"
  | "trade"
  | "fee"
  | "funding"
  | "realisedPnl"
  | "liquidation"
  | "transfer"
  | "deposit"
  | "bonus"
  | "unexplained"

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
  /** The balance of the wallet after it; `undefined` if it cannot be derived. */
  readonly balance: BigDecimal.BigDecimal | undefined
}

/** The changes of one record. */
export interface Transaction {
  /** Milliseconds. */
  readonly at: number
  readonly account: string | null
  /** The dataset of the record; `wallet` if no record has the changes: they follow from snapshots of the wallet. */
  readonly record: string
  /** The id of the record, or of its order. */
  readonly reference: string
  readonly symbol: string
  /** The UID of the other account, of transfers with a sub-account. */
  readonly counterparty: string | undefined
  readonly changes: ReadonlyArray<Change>
}

/** An export whose rows can be read. */
export interface Source<E, R> {
  readonly manifest: Manifest.Manifest
  readonly rows: (part: Manifest.Part) => Stream.Stream<Dataset.Row, E, R>
}

/** The log of an export. `accounts` has notes about missing records. */
export interface Log<E> {
  readonly accounts: ReadonlyArray<{ readonly name: string | null; readonly notes: ReadonlyArray<string> }>
  readonly snapshots: ReadonlyArray<Snapshot>
  /** Oldest first. Can be read several times. */
  readonly transactions: Stream.Stream<Transaction, E>
}

/**
 * Reads an export once, for its log. Memory holds some thousand rows, and the buffer all that change a balance. The buffer defaults to
 * memory; for a long history, pass one of `Sink.folderSpool`.
 *
 * @category constructors
 */
export const log: <E, R, SE = never>(
  source: Source<E, R>,
  buffer?: Sink.Buffer<SE>
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
 * A log as the bytes of a file, with a line for each change: `time`, `account`, `wallet`, `currency`, `kind`, `change`, `balance`, `symbol`, `record`,
 * `reference`. Parquet has decimals as DECIMAL(38, 18).
 *
 * @category conversions
 */
export const render: <E>(
  transactions: Stream.Stream<Transaction, E>,
  format: Format,
  options?: RenderOptions
) => Stream.Stream<Uint8Array, unknown> = Render.render
