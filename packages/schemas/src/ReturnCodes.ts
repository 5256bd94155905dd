/**
 * The return codes as data: what each means, which family it belongs to, and whether it proves that nothing was executed.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import { groups, noChange, refusingRanges } from "./internal/returnCodeRules.js"
import { rows } from "./internal/returnCodes.js"

/**
 * What kind of answer a code is. The families are ours (docs/reference/return-codes.md#families).
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
 * What follows from a code.
 *
 * @since 0.1.0
 * @category models
 */
export interface Rule {
  readonly code: number
  readonly family: Family
  /** `no`: the code proves that the request was not executed. `unknown`: it does not. */
  readonly executed: "no" | "unknown"
  /** The state asked for was the state already. */
  readonly noChange: boolean
  /** The code is on the service's own pages; otherwise it was seen in sister sources only. */
  readonly onServicePage?: boolean
  /** The part of the service that gives it. */
  readonly scope?: string
  readonly meaning?: string
}

/**
 * A code with the words for it.
 *
 * @since 0.1.0
 * @category models
 */
export type ReturnCode = Required<Rule>

/**
 * What follows from codes, by number.
 *
 * @since 0.1.0
 * @category models
 */
export type Table = ReadonlyMap<number, Rule>

/**
 * What follows from each return code. By this answers are read; the words for them are in `table`, which a
 * program that has no use for them does not carry.
 *
 * @since 0.1.0
 * @category constants
 */
export const rules: Table = /* @__PURE__ */ new Map(
  /* @__PURE__ */ groups.flatMap(({ codes, executed, family }) =>
    codes.map((code): readonly [number, Rule] => [code, { code, family, executed, noChange: noChange.includes(code) }])
  )
)

/**
 * The table of return codes. (docs/reference/return-codes.md)
 *
 * @since 0.1.0
 * @category constants
 */
export const table: ReadonlyMap<number, ReturnCode> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ rows.flatMap(({ code, ...words }) => {
    const rule = rules.get(code)
    return rule === undefined ? [] : [[code, { ...words, ...rule }] as const]
  })
)

/**
 * The table with more codes, or with other readings of known ones.
 *
 * @since 0.1.0
 * @category combinators
 */
export const extend = (base: Table, codes: Iterable<Rule>): Table =>
  new Map([...base, ...Array.from(codes, (row) => [row.code, row] as const)])

/**
 * @since 0.1.0
 * @category getters
 */
export const get = (codes: Table, code: number): Option.Option<Rule> => Option.fromNullable(codes.get(code))

/**
 * Whether the number of a code lies among documented codes that refuse, such as 110xxx, 131xxx, 170xxx and 34xxx. A code that a
 * table lacks is then still read as a refusal.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isRefusingFamily = (code: number): boolean =>
  refusingRanges.some(([first, last]) => code >= first && code <= last)

/**
 * Return code 0: done.
 *
 * @since 0.1.0
 * @category constants
 */
export const success = 0
