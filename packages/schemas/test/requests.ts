import { describe, it } from "@effect/vitest"
import { inspect } from "node:util"
import * as assert from "node:assert/strict"
import type * as Endpoint from "../src/endpoint/Endpoint.js"
import { refusals, sent } from "./helpers.js"

class Each {
  constructor(readonly values: ReadonlyArray<unknown>) {}
  [inspect.custom](): string {
    return this.values.map((value) => inspect(value, { depth: 0 }).slice(0, 40)).join(" | ")
  }
}

/** A field of a request that takes one of these values after the other. */
export const each = (...values: ReadonlyArray<unknown>): Each => new Each(values)

type Request = Readonly<Record<string, unknown>>

const expanded = (given: object): ReadonlyArray<Request> =>
  Object.entries(given).reduce<ReadonlyArray<Request>>(
    (all, [name, value]: [string, unknown]) =>
      all.flatMap((rest) => (value instanceof Each ? value.values : [value]).map((one) => ({ ...rest, [name]: one }))),
    [{}]
  )

/**
 * A request and what becomes of it: the reasons for which it is refused, each as `path: rule`; the wire, or no more, if it is sent as it is, in a
 * query as text.
 */
export type Row = readonly [given: object, ...outcome: ReadonlyArray<string> | readonly [wire: object]]

/** A row for each of some fields, which are separated by blanks. */
export const fields = (names: string, row: (name: string) => Row): ReadonlyArray<Row> => names.split(" ").map(row)

/** None of these fields is empty text. */
export const notEmpty = (names: string, rest: object = {}): ReadonlyArray<Row> =>
  fields(names, (name) => [{ ...rest, [name]: "" }, `${name}: must not be empty`])

const asItIs = ({ method }: Endpoint.Any, request: object): object =>
  method === "POST"
    ? request
    : Object.fromEntries(Object.entries(request).map(([name, value]) => [name, String(value)]))

/** Tests each of the rows: of requests by themselves, or of what is at a place within one. */
export const requests = (
  endpoint: Endpoint.Any,
  rows: ReadonlyArray<Row>,
  { at = "", within = (given) => given }: { readonly at?: string; readonly within?: (given: Request) => object } = {}
): void => {
  describe(endpoint.name, () => {
    for (const [given, ...outcome] of rows) {
      const [wire] = outcome
      const reasons = outcome.flatMap((one) => (typeof one === "string" ? [`${at}${one}`] : []))
      const title = inspect(given, { breakLength: Infinity, depth: 1 })
      it(reasons.length > 0 ? `refuses ${title}: ${reasons.join("; ")}` : `sends ${title}`, () => {
        for (const request of expanded(given).map(within)) {
          assert.deepEqual([request, refusals(endpoint, request)], [request, reasons])
          if (reasons.length > 0) continue
          assert.deepStrictEqual(sent(endpoint, request), typeof wire === "object" ? wire : asItIs(endpoint, request))
        }
      })
    }
  })
}
