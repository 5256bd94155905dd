/**
 * Yes-or-no fields that the service spells as 0 and 1: `boolean` in the domain. Each schema is named after the documented spelling,
 * which it writes; it reads the other spelling too.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"
import { reads, refused } from "./internal/decoding.js"

/**
 * How a flag may be spelled on the wire.
 *
 * @since 0.1.0
 * @category models
 */
export type Wire = 0 | 1 | "0" | "1"

const isOn = (wire: Wire): boolean => wire === 1 || wire === "1"

const make = (on: Wire, off: Wire): Schema.Schema<boolean, Wire> =>
  Schema.transform(
    Schema.Literal(0, 1, "0", "1").annotations({ arbitrary: () => (fc) => fc.constantFrom(on, off) }),
    Schema.Boolean,
    { strict: true, decode: isOn, encode: (flag) => (flag ? on : off) }
  ).annotations(
    reads(() => (input) => (input === 1 || input === "1" ? true : input === 0 || input === "0" ? false : refused))
  )

/**
 * `1` is true, `0` is false. Text is read too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FlagNumber: Schema.Schema<boolean, Wire> = make(1, 0)

/**
 * `"1"` is true, `"0"` is false. A number is read too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FlagText: Schema.Schema<boolean, Wire> = make("1", "0")
