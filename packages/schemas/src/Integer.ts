/**
 * Whole numbers that are counts, ids or levels, never money: a number or text on the wire, `number` in the domain.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { reads, refused } from "./internal/reading.js"

// Past 2^53 a JSON number has lost digits already: better no answer than a wrong one.
const read = (input: unknown): number | typeof refused => {
  const value = typeof input === "string" && /^-?\d+$/.test(input) ? Number(input) : input
  return Number.isSafeInteger(value) ? (value as number) : refused // as the line before has found
}

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
        const value = read(wire)
        return value === refused
          ? Either.left(new ParseResult.Type(ast, wire, "must be a whole number below 2^53"))
          : Either.right(value)
      },
      encode: (value) => Either.right(spelling === "text" ? String(value) : value)
    }
  ).annotations(reads(() => read))

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
