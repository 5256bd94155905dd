import type * as Dataset from "@effect-venue/history/Dataset"
import * as DatasetSchema from "@effect-venue/history/siblings/DatasetSchema"

/** The schema of a dataset as text. */
export const schemaOf = (
  dataset: Dataset.Dataset<never, unknown>,
  as: DatasetSchema.Dialect | "json-schema"
): string =>
  as === "json-schema"
    ? JSON.stringify(DatasetSchema.jsonSchema(dataset), undefined, 2)
    : DatasetSchema.createTable(dataset, as).trimEnd()
