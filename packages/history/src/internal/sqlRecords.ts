import * as Decimal from "@effect-venue/schemas/Decimal"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Column from "../Column.js"
import type * as Dataset from "../Dataset.js"
import type * as Part from "../Part.js"
import * as Cell from "./cell.js"

type Value = string | number | boolean | null

/** A value as its column has it; `undefined` where it does not fit. */
const valueOf = (column: Column.Column, value: unknown, isPostgres: boolean): Value | undefined => {
  if (value === null || value === undefined) return null
  if (column.kind === "json") return JSON.stringify(value)
  if (value === "" && column.kind !== "text") return null
  if (Column.isInstant(column.kind)) return Column.millis(column.kind, value)
  switch (column.kind) {
    case "decimal":
      return typeof value === "string" && Option.isSome(Decimal.parse(value)) ? value : undefined
    case "integer": {
      const count = typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value
      return typeof count === "number" && Number.isSafeInteger(count) ? count : undefined
    }
    case "boolean":
      return typeof value === "boolean" ? (isPostgres ? value : Number(value)) : undefined
    default:
      return typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined
  }
}

/** A row as its table has it. What fits no column is in `extra`, as JSON. */
export const recordOf = (
  name: string,
  part: Part.Part<unknown, unknown>,
  key: string,
  row: Readonly<Record<string, unknown>>,
  isPostgres: boolean
): Record<string, Value> => {
  const record: Record<string, Value> = {
    venue_export: name,
    venue_part: part.name,
    venue_key: key,
    venue_account: Option.getOrNull(part.account),
    venue_category: part.parameters.category ?? null
  }
  const extra: Record<string, unknown> = {}
  const names = new Set<string>()
  for (const column of part.dataset.columns) {
    names.add(column.name)
    const value = valueOf(column, row[column.name], isPostgres)
    record[column.name] = value ?? null
    if (value === undefined) extra[column.name] = row[column.name]
  }
  for (const [field, value] of Object.entries(row)) if (!names.has(field)) extra[field] = value
  record.venue_extra = Object.keys(extra).length === 0 ? null : JSON.stringify(extra)
  return record
}

/** A record of a table as the wire had it, as far as that can be told. */
export const wireOf = (
  dataset: Dataset.Dataset<never, unknown>,
  record: Readonly<Record<string, unknown>>
): Dataset.Row => {
  const extra: unknown = typeof record.venue_extra === "string" ? JSON.parse(record.venue_extra) : {}
  return {
    ...Object.fromEntries(
      dataset.columns.map(({ kind, name }) => {
        const value = record[name]
        if (value === null || value === undefined) return [name, ""]
        if (Column.isInstant(kind)) return [name, Cell.counted(kind, Number(value))]
        if (kind === "json" && typeof value === "string") return [name, JSON.parse(value)]
        return [name, kind === "boolean" ? Boolean(value) : value]
      })
    ),
    ...(Predicate.isRecord(extra) ? extra : {})
  }
}
