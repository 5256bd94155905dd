import type * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { textOrNumber } from "./textOrNumber.js"
import { reads, refused } from "./compiler/protocol.js"

// Past 2^53 a JSON number has lost digits already: better no answer than a wrong one.
const read = (input: unknown): number | typeof refused => {
  const value = typeof input === "string" && /^-?\d+$/.test(input) ? Number(input) : input
  return Number.isSafeInteger(value) ? (value as number) : refused // as the line before has found
}

const rule = "must be a whole number below 2^53"

/** A whole number that is documented in one spelling, which is written, and read in either. `values` are those to generate, `described` what JSON Schema says of it. */
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
