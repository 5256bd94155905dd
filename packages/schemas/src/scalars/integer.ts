/** Whole numbers for counts, ids and levels, never for money: a number or text on the wire, `number` in the domain. */
import type * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import * as Codec from "./codec.js"
import { refused } from "../compiler/protocol.js"

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
  Codec.make({
    wire: Codec.textOrNumber<string | number>(rule, (fc) =>
      spelling === "text" ? values(fc).map(String) : values(fc)
    ).annotations({
      identifier: `Integer(${spelling})`,
      jsonSchema: { anyOf: [{ type: "string" }, { type: "number" }], ...described }
    }),
    domain: to,
    rule,
    read,
    write: (value) => (spelling === "text" ? String(value) : value)
  })

/** A whole number that is documented as a number. Text is accepted as well. */
export const Integer = integer("number")

/** A whole number that is documented as text. A number is accepted as well. */
export const IntegerText = integer("text")
