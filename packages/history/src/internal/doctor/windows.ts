import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Column from "../../shared/Column.js"
import type * as Dataset from "../../Dataset.js"
import * as Rows from "../../shared/Rows.js"
import * as Datasets from "../../shared/Datasets.js"
import type { Finding } from "./findings.js"

type Filed = Pick<Dataset.Dataset<never, unknown>, "filedBy" | "instant">

const filedOf = (operation: string): Filed | undefined =>
  Datasets.datasets.find(({ endpoint }) => endpoint.name === operation)

const rowOf = (text: string): Dataset.Row => {
  const row: unknown = JSON.parse(text)
  return Predicate.isReadonlyRecord(row) ? row : {}
}

const nameOf = Option.match({ onNone: () => "", onSome: ({ name }: Column.Column) => name })

/** Reports rows outside the requested window, by the instant that the service documents for them. */
export const outside = (
  endpoint: string,
  operation: string,
  rows: ReadonlyArray<string>,
  { from, to }: { readonly from: number; readonly to: number }
): ReadonlyArray<Finding> => {
  const filed = filedOf(endpoint)
  if (filed === undefined) return []
  // Both ends of a request belong to its window.
  const window = [{ from, to: to + 1 }]
  const all = rows.map(rowOf)
  const beyond = (by: Filed) => all.filter((row) => !Rows.isWithin(by, row, window)).length
  const byInstant = beyond({ ...filed, filedBy: Option.none() })
  if (byInstant === 0) return []
  const isFiledByOther = beyond(filed) === 0
  const [instant, filedBy] = [nameOf(filed.instant), nameOf(filed.filedBy)]
  return [
    {
      verdict: isFiledByOther ? "notice" : "problem",
      check: "history",
      operation,
      detail: isFiledByOther
        ? `it is listed by ${filedBy}: the ${instant} of ${byInstant} of ${all.length} rows is outside the requested window`
        : `${beyond(filed)} of ${all.length} rows are outside the requested window`
    }
  ]
}
