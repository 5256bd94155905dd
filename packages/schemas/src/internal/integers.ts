/** Whole numbers for counts, ids and levels, never for money: a number or text on the wire, `number` in the domain. */
import { integer } from "./integer.js"

/** A whole number that is documented as a number. Text is accepted as well. */
export const Integer = integer("number")

/** A whole number that is documented as text. A number is accepted as well. */
export const IntegerText = integer("text")
