/**
 * The text of a request. It is signed and sent exactly as built here; do not encode it again.
 *
 * @since 0.1.0
 */

/**
 * The parameters of a request on the wire side: texts for a query, any JSON for a body. `undefined` means absent.
 *
 * @since 0.1.0
 * @category models
 */
export type Parameters = Readonly<Record<string, unknown>>

// `encodeURIComponent` leaves five characters unescaped, and URL parsers escape the apostrophe later. With all five escaped here, a parser
// changes nothing.
const escape = (text: string): string =>
  unreserved.test(text)
    ? text
    : encodeURIComponent(text).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
      )

// Matches nearly all names and values, which need no escaping.
const unreserved = /^[\w.~-]*$/

/**
 * Returns true if a text can be sent. Half a surrogate pair has no UTF-8 bytes.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isWellFormed = (text: string): boolean => !/[\uD800-\uDFFF]/u.test(text)

/**
 * Returns the parameters that are present, in their order.
 *
 * @since 0.1.0
 * @category combinators
 */
export const present = (
  parameters: Parameters
): ReadonlyArray<readonly [string, string | number | boolean | object]> => {
  const found: Array<[string, string | number | boolean | object]> = []
  for (const name of Object.keys(parameters)) {
    const value = parameters[name]
    if (value !== undefined && value !== null) found.push([name, value])
  }
  return found
}

/**
 * Converts the value of a parameter to text.
 *
 * @since 0.1.0
 * @category conversions
 */
export const valueText = (value: string | number | boolean | object): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value)

/**
 * Builds the query string, without the question mark. A cursor that looks percent-encoded is encoded once more, like any other text.
 *
 * @since 0.1.0
 * @category conversions
 */
export const query = (parameters: Parameters): string => {
  let text = ""
  for (const name of Object.keys(parameters)) {
    const value = parameters[name]
    if (value === undefined || value === null) continue
    text += `${text === "" ? "" : "&"}${escape(name)}=${escape(valueText(value))}`
  }
  return text
}

/**
 * Builds the JSON body.
 *
 * @since 0.1.0
 * @category conversions
 */
export const body = (parameters: Parameters): string => JSON.stringify(Object.fromEntries(present(parameters)))
