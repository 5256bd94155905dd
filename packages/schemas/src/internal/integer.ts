import type * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { textOrNumber } from "./textOrNumber.js"
import { reads, refused } from "./compiler/protocol.js"

// Beyond 2^53 a JSON number has lost digits, so it is refused instead of being read wrongly.
const read = (input: unknown): number | typeof refused => {
  const value = typeof input === "string" && /^-?\d+$/.test(input) ? Number(input) : input
  return Number.isSafeInteger(value) ? (value as number) : refused // checked by `isSafeInteger`
}

const rule = "must be a whole number below 2^53"

/**
 * A whole number that is written in the documented spelling and accepted in both. `values` generates samples; `described` is its JSON
 * Schema.
 */
export const integer = (
  spelling: "text" | "number",
  to: Schema.Schema<number> = Schema.Int,
  values: Arbitrary.LazyArbitrary<number> = (fc) => fc.integer({ min: 0 }),
  described: { readonly [keyword: string]: unknown } = { format: "integer" }
): Schema.Schema<number, string | number> =>
  Schema.transformOrFail(
    textOrNumber<string | number>(rule, (fc) =>
      spelling === "text" ? values(fc).map(String) : values(fc)
    ).annotations({
      identifier: `Integer(${spelling})`,
      jsonSchema: { anyOf: [{ type: "string" }, { type: "number" }], ...described }
    }),
    to,
    {
      strict: true,
      decode: (wire, _, ast) => {
        const value = read(wire)
        return value === refused ? Either.left(new ParseResult.Type(ast, wire, rule)) : Either.right(value)
      },
      encode: (value) => Either.right(spelling === "text" ? String(value) : value)
    }
  ).annotations(reads(() => read))
