/** The return codes as data: the meaning and family of each, and whether it proves that nothing was executed. */
import { groups, noChange } from "./returnCodeRules.js"
import { rows } from "./returnCodeTable.js"

/** The family of a return code. The library defines the families (docs/reference/return-codes.md#families). */
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

/** How to interpret a return code. */
export interface Rule {
  readonly code: number
  readonly family: Family
  /** `no`: the code proves that the request was not executed. `unknown`: it does not. */
  readonly executed: "no" | "unknown"
  /** The requested state was already in force. */
  readonly noChange: boolean
  /** The service's pages list the code; otherwise it is only known from related sources. */
  readonly onServicePage?: boolean
  /** The part of the service that returns the code. */
  readonly scope?: string
  readonly meaning?: string
}

/** A return code with its meaning. */
export type ReturnCode = Required<Rule>

/** The interpretation of return codes, by code. */
export type Table = ReadonlyMap<number, Rule>

/** The interpretation of every documented return code. The texts are in `table`, so that a bundle without texts is smaller. */
export const rules: Table = /* @__PURE__ */ new Map(
  /* @__PURE__ */ groups.flatMap(({ codes, executed, family }) =>
    codes.map((code): readonly [number, Rule] => [code, { code, family, executed, noChange: noChange.includes(code) }])
  )
)

/** The return codes with their texts. (docs/reference/return-codes.md) */
export const table: ReadonlyMap<number, ReturnCode> = /* @__PURE__ */ new Map(
  /* @__PURE__ */ rows.flatMap(({ code, ...words }) => {
    const rule = rules.get(code)
    return rule === undefined ? [] : [[code, { ...words, ...rule }] as const]
  })
)

/**
 * Adds codes to a table, or replaces the interpretation of existing ones.
 *
 * @category combinators
 */
export const extend = (base: Table, codes: Iterable<Rule>): Table =>
  new Map([...base, ...Array.from(codes, (row) => [row.code, row] as const)])
