/**
 * What the cursor-paged lists have in common.
 *
 * @since 0.1.0
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Absent from "./Absent.js"
import type * as Endpoint from "./Endpoint.js"
import * as Id from "./Id.js"
import { described } from "./internal/meaning.js"
import * as Rule from "./Rule.js"

/**
 * Where the next page begins; `none` on the last page.
 *
 * @since 0.1.0
 * @category schemas
 */
export const next = Absent.emptyable(Id.Cursor)

/**
 * The cursor of a request: what the page before said. Empty text asks for the first page.
 *
 * @since 0.1.0
 * @category schemas
 */
export const cursor = Rule.optional(Rule.mayBeEmpty)

/**
 * A page of a v3 list: the category asked for, the records, the cursor. `rows` is what the list means.
 *
 * @since 0.1.0
 * @category schemas
 */
export const categorised = <A, I>(record: Schema.Schema<A, I>, rows = "the rows of this page") =>
  Schema.Struct({
    /** The category of all rows. */
    category: described(Absent.emptyable(Schema.String), "the category of all rows"),
    /** The rows of this page. */
    list: described(Absent.rows(record), rows),
    /** Passed as `cursor` it returns the next page; absent on the last. */
    nextPageCursor: described(next, "passed as `cursor` it returns the next page; absent on the last")
  })

/**
 * How a v3 list is paged: the maximum of rows a page, and the default. (docs/reference/rules.md#limits-other)
 *
 * @since 0.1.0
 * @category constructors
 */
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
 * A result that says nothing: `{}` or null. What an object may hold one day is not looked at. (docs/reference/responses.md#error-bodies)
 *
 * @since 0.1.0
 * @category schemas
 */
export const nothing: Schema.Schema<void, unknown> = Schema.transform(
  Schema.declare((input: unknown): input is unknown => isNothing(input), {
    identifier: "Nothing",
    jsonSchema: { type: ["object", "null"] },
    arbitrary: () => (fc) => fc.constant({})
  }),
  Schema.Void,
  { strict: true, decode: () => undefined, encode: () => ({}) }
)
