/**
 * Whole numbers that are counts, ids or levels, never money: a number or text on the wire, `number` in the domain.
 *
 * @since 0.1.0
 */
import { integer } from "./internal/integer.js"

/**
 * Documented as a number; text is read too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Integer = integer("number")

/**
 * Documented as text; a number is read too.
 *
 * @since 0.1.0
 * @category schemas
 */
export const IntegerText = integer("text")
