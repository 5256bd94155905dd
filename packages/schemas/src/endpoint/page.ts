/** Schemas shared by the cursor-paged lists. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "../fields/Absent.js"
import type * as Endpoint from "./Endpoint.js"
import * as Id from "../scalars/Id.js"
import * as instants from "../scalars/instants.js"
import * as Rule from "../rules/rule.js"

/** The cursor of the next page; `none` on the last page. */
export const next = Absent.emptyable(Id.Cursor)

/** The `cursor` of a request, from the previous page. Empty text requests the first page. */
export const cursor = Rule.optional(Rule.mayBeEmpty)

/** The parameters of a list whose time range is at most a week. */
export const weekOfRows = {
  /** Only rows of this instrument. */
  symbol: Rule.optional(Rule.nonEmpty),
  /** Only rows at or after this instant; default: 7 days before `endTime`, or the last 7 days. */
  startTime: Rule.optional(instants.queryInstant("ms")),
  /** Only rows at or before this instant; default: 7 days after `startTime`. */
  endTime: Rule.optional(instants.queryInstant("ms")),
  /** Maximum number of rows per page. */
  limit: Rule.optional(Rule.queryIntegerIn("document", 1, 100)),
  /** The cursor from the previous page, verbatim; default: the first page. */
  cursor
}

/** A page of a v3 list: the requested category, the records and the cursor. */
export const pageOf = <A, I>(record: Schema.Schema<A, I>) =>
  Schema.Struct({
    /** The category of the rows. */
    category: Absent.emptyable(Schema.String),
    /** The rows of this page. */
    list: Absent.rows(record),
    /** The `cursor` of the next page; absent on the last page. */
    nextPageCursor: next
  })

/** The paging of a list, from its maximum and default page size. The names default to those of v3. (docs/reference/rules.md#limits-other) */
export const ofList = (
  max: number,
  defaultSize: number,
  names: Partial<Pick<Endpoint.Paging, "items" | "cursor" | "sizeParameter">> = {}
): Endpoint.Paging => ({
  items: "list",
  cursor: "nextPageCursor",
  cursorParameter: "cursor",
  sizeParameter: "limit",
  size: Option.some({ min: 1, max, default: defaultSize }),
  ...names
})

const isNothing = (input: unknown): boolean =>
  input === undefined || (typeof input === "object" && !Array.isArray(input))

/**
 * A result without information: an object or null. Fields that the service adds later are ignored.
 * (docs/reference/responses.md#error-bodies)
 */
export const nothing: Schema.Schema<void, unknown> = Schema.transform(
  Schema.declare((input: unknown): input is unknown => isNothing(input), {
    title: "Nothing",
    jsonSchema: { type: ["object", "null"] },
    arbitrary: () => (fc) => fc.constant({})
  }),
  Schema.Void,
  { strict: true, decode: () => undefined, encode: () => ({}) }
)
