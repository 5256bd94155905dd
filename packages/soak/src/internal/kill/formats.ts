/** The formats of exports, each with the arguments that ask for it. */
export const formats = {
  ndjson: ["--format", "ndjson"],
  "ndjson.gz": ["--format", "ndjson", "--gzip"],
  csv: ["--format", "csv"],
  parquet: ["--format", "parquet"],
  sqlite: ["--format", "sqlite"]
} as const

export type Format = keyof typeof formats
