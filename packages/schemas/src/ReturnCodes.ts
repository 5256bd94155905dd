/**
 * The return codes as data: what each means, which family it belongs to, and whether it proves that nothing was executed.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { rows } from "./internal/returnCodes.js"

/**
 * What kind of answer a code is. The families are ours (facts/README.md).
 *
 * @since 0.1.0
 * @category models
 */
export type Family =
  | "auth"
  | "duplicate"
  | "insufficientBalance"
  | "invalidRequest"
  | "ipBan"
  | "notFound"
  | "orderState"
  | "permission"
  | "positionState"
  | "rateLimit"
  | "riskLimit"
  | "timestamp"
  | "unavailable"
  | "unknown"

/**
 * @since 0.1.0
 * @category models
 */
export interface ReturnCode {
  readonly code: number
  readonly family: Family
  /** `no`: the code proves that the request was not executed. `unknown`: it does not. */
  readonly executed: "no" | "unknown"
  /** The code is on the service's own pages; otherwise it was seen in sister sources only. */
  readonly onServicePage: boolean
  /** The part of the service that gives it. */
  readonly scope: string
  readonly meaning: string
  /** The state asked for was the state already. */
  readonly noChange: boolean
}

/**
 * Codes by number.
 *
 * @since 0.1.0
 * @category models
 */
export type Table = ReadonlyMap<number, ReturnCode>

/**
 * The table of facts/return-codes.json.
 *
 * @since 0.1.0
 * @category constants
 */
export const table: Table = new Map(rows.map((row) => [row.code, row]))

/**
 * The table with more codes, or with other readings of known ones.
 *
 * @since 0.1.0
 * @category combinators
 */
export const extend = (base: Table, codes: Iterable<ReturnCode>): Table =>
  new Map([...base, ...Array.from(codes, (row) => [row.code, row] as const)])

/**
 * @since 0.1.0
 * @category getters
 */
export const get = (codes: Table, code: number): Option.Option<ReturnCode> => Option.fromNullable(codes.get(code))

/**
 * Return code 0: done.
 *
 * @since 0.1.0
 * @category constants
 */
export const success = 0
