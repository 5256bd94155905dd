import * as Column from "@effect-venue/history/Column"
import type * as Dataset from "@effect-venue/history/Dataset"
import * as Decimal from "@effect-venue/schemas/Decimal"
import type * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"

/** The text of a field; empty where it has none. */
export const text = (row: Dataset.Row, field: string): string => {
  const value = row[field]
  return typeof value === "string" ? value : ""
}

/** The exact decimal of a field, `undefined` where it has none that can be read. */
export const decimal = (row: Dataset.Row, field: string): BigDecimal.BigDecimal | undefined =>
  Option.getOrUndefined(Decimal.parse(text(row, field)))

/** The instant of a field in milliseconds, `undefined` where it has none that can be read. */
export const instant = (row: Dataset.Row, field: string, kind: Column.Kind = "millis"): number | undefined =>
  Column.millis(kind, row[field])
