/**
 * The parts of the books that the command uses.
 *
 * @sibling
 */
export * from "./Books.js"
export { make as makeCoins, type Coins, type Found } from "../accounts/coins.js"
export { decimal as fieldDecimal, instant as fieldInstant, text as fieldText } from "../accounts/fields.js"
export { type Chosen, chosen } from "../accounts/parts.js"
export { datasets } from "../accounts/postings.js"
