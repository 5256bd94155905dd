export const formats = ["ndjson", "csv", "parquet", "sqlite"] as const

export type Format = (typeof formats)[number]

/** The database of an export in the format `sqlite`, in its folder. */
export const database = "venue.sqlite"
