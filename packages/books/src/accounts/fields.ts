import * as Decimal from "@effect-venue/schemas/Decimal"
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Column from "@effect-venue/history/siblings/Column"
import type * as Dataset from "@effect-venue/history/Dataset"

export const zero: BigDecimal.BigDecimal = BigDecimal.fromBigInt(0n)

export const total = (amounts: ReadonlyArray<BigDecimal.BigDecimal>): BigDecimal.BigDecimal =>
  amounts.reduce((sum, amount) => BigDecimal.sum(sum, amount), zero)

/** An amount as plain text without trailing zeros. */
export const plain = (amount: BigDecimal.BigDecimal): string => Decimal.format(BigDecimal.normalize(amount))

/** The text of a field; empty if it has none. */
export const text = (row: Dataset.Row, field: string): string => {
  const value = row[field]
  return typeof value === "string" ? value : ""
}

/** The exact decimal of a field; `undefined` if it has none that can be read. */
export const decimal = (row: Dataset.Row, field: string): BigDecimal.BigDecimal | undefined =>
  Option.getOrUndefined(Decimal.parse(text(row, field)))

/** The instant of a field in milliseconds; `undefined` if it has none that can be read. */
export const instant = (row: Dataset.Row, field: string, kind: Column.Kind = "millis"): number | undefined =>
  Column.millis(kind, row[field])
