/**
 * Whole numbers that are counts, ids or levels, never money: a number or text on the wire, `number` in the domain.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

const make = (spelling: "text" | "number"): Schema.Schema<number, string | number> =>
  Schema.transformOrFail(
    Schema.Union(Schema.String, Schema.Number).annotations({
      identifier: `Integer(${spelling})`,
      arbitrary: () => (fc) => {
        const integer = fc.integer({ min: 0 })
        return spelling === "text" ? integer.map(String) : integer
      }
    }),
    Schema.Int,
    {
      strict: true,
      decode: (wire, _, ast) => {
        const value = typeof wire === "number" ? wire : /^-?\d+$/.test(wire) ? Number(wire) : Number.NaN
        // Past 2^53 a JSON number has lost digits already: better no answer than a wrong one.
        return Number.isSafeInteger(value)
          ? Either.right(value)
          : Either.left(new ParseResult.Type(ast, wire, "must be a whole number below 2^53"))
      },
      encode: (value) => Either.right(spelling === "text" ? String(value) : value)
    }
  )

/**
 * Documented as a number; text is read too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Integer = make("number")

/**
 * Documented as text; a number is read too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const IntegerText = make("text")
