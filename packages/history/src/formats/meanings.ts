import * as OpenApi from "@effect-venue/schemas/OpenApi"
import * as Predicate from "effect/Predicate"
import type * as Dataset from "../model/Dataset.js"

/** The JSON Schemas of the fields of a record, by name. */
export const fieldsOf = ({
  record
}: Pick<Dataset.Dataset<never, unknown>, "record">): Readonly<Record<string, unknown>> => {
  const { properties } = OpenApi.jsonSchema(record)
  return Predicate.isRecord(properties) ? properties : {}
}

/** The meaning of a field, and its unit; empty if it has none. */
export const meaningOf = (field: unknown): string => {
  if (!Predicate.isRecord(field) || !Predicate.isString(field.description)) return ""
  const meaning = field.description
  return Predicate.isString(field["x-unit"]) ? `${meaning}. Unit: ${field["x-unit"]}` : meaning
}

/** The meaning of the column `extra`. */
export const meaningOfExtra = "fields that are no column or do not fit their column, as JSON"
