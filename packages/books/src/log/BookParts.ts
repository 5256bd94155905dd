/**
 * The parts of the books that the command uses: accounts, statements, and the currency of a field.
 *
 * @sibling
 */
export * from "./Books.js"
export { type Booked } from "./booked.js"
export { begin, conclude, type OfAccount, type Pending } from "../accounts/accounts.js"
export { ofFee as currencyOfFee, ofValue as currencyOfValue } from "../accounts/currencies.js"
export { decimal as fieldDecimal, instant as fieldInstant, text as fieldText } from "../accounts/fields.js"
export { type Between } from "../accounts/flows.js"
export { type Chosen, chosen } from "../accounts/parts.js"
export { datasets } from "../accounts/postings.js"
export { type Entry, type Label, type Statement } from "../accounts/statement.js"
