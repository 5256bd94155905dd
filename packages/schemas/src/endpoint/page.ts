/** Schemas shared by the cursor-paged lists. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "../fields/Absent.js"
import type * as Endpoint from "./Endpoint.js"
import * as Id from "../scalars/Id.js"
import * as Rule from "../rules/rule.js"

/** The cursor of the next page; `none` on the last page. */
export const next = Absent.emptyable(Id.Cursor)

/** The `cursor` of a request, from the previous page. Empty text requests the first page. */
export const cursor = Rule.optional(Rule.mayBeEmpty)

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

/** The paging of a v3 list, from its maximum and default page size. (docs/reference/rules.md#limits-other) */
export const ofList = (max: number, defaultSize: number): Endpoint.Paging => ({
  items: "list",
  cursor: "nextPageCursor",
  cursorParameter: "cursor",
  sizeParameter: "limit",
  size: Option.some({ min: 1, max, default: defaultSize })
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
