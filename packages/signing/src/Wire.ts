/**
 * The text of a request. It is signed and sent as built here: nothing may re-encode it afterwards.
 *
 * @since 0.1.0
 */

/**
 * The parameters of a request on the wire side: texts for a query, any JSON for a body. `undefined` means not given.
 *
 * @since 0.1.0
 * @category models
 */
export type Parameters = Readonly<Record<string, unknown>>

// `encodeURIComponent` leaves five characters alone, of which an URL parser on the way escapes the apostrophe. With all five
// escaped here, no parser finds anything left to change.
const escape = (text: string): string =>
  unreserved.test(text)
    ? text
    : encodeURIComponent(text).replace(
        /[!'()*]/g,
        (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
      )

// Nearly all names and values: nothing in them needs to be escaped.
const unreserved = /^[\w.~-]*$/

/**
 * Whether a text can be sent at all: half a surrogate pair has no UTF-8 bytes.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isWellFormed = (text: string): boolean => !/[\uD800-\uDFFF]/u.test(text)

/**
 * Parameters that are given, in their order.
 *
 * @since 0.1.0
 * @category combinators
 */
export const given = (parameters: Parameters): ReadonlyArray<readonly [string, string | number | boolean | object]> => {
  const found: Array<[string, string | number | boolean | object]> = []
  for (const name of Object.keys(parameters)) {
    const value = parameters[name]
    if (value !== undefined && value !== null) found.push([name, value])
  }
  return found
}

/**
 * A parameter's value as text.
 *
 * @since 0.1.0
 * @category conversions
 */
export const valueText = (value: string | number | boolean | object): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value)

/**
 * The query string, without its question mark. A cursor that looks percent-encoded is encoded once more, as any other text.
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
 * The JSON body.
 *
 * @since 0.1.0
 * @category conversions
 */
export const body = (parameters: Parameters): string => JSON.stringify(Object.fromEntries(given(parameters)))
