import type * as Dataset from "../../Dataset.js"

const none: ReadonlyArray<string> = []

/** Names the fields and values of a row that its schema does not have. */
export const driftOf = (dataset: Dataset.Dataset<never, unknown>): ((row: Dataset.Row) => ReadonlyArray<string>) => {
  const columns = new Map(dataset.columns.map((column) => [column.name, column]))
  return (row) => {
    const found: Array<string> = []
    for (const [name, value] of Object.entries(row)) {
      const column = columns.get(name)
      if (column === undefined) found.push(`unknownField ${name}`)
      else if (column.isKnown !== undefined && value !== "" && value !== null && value !== undefined) {
        const text = typeof value === "string" || typeof value === "number" ? String(value) : undefined
        if (text !== undefined && !column.isKnown(text)) found.push(`unknownValue ${name}=${text.slice(0, 64)}`)
      }
    }
    return found.length === 0 ? none : found
  }
}
