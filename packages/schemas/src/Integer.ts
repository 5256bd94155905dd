/**
 * Whole numbers for counts, ids and levels, never for money: a number or text on the wire, `number` in the domain.
 *
 * @since 0.1.0
 */
import { integer } from "./internal/integer.js"

/**
 * A whole number that is documented as a number. Text is accepted as well.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Integer = integer("number")

/**
 * A whole number that is documented as text. A number is accepted as well.
 *
 * @since 0.1.0
 * @category schemas
 */
export const IntegerText = integer("text")
