/** The text of a request. It is signed and sent exactly as built here. */
import type { Parameters } from "./Signer.js"

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

/** Converts the value of a parameter to text. */
export const valueText = (value: string | number | boolean | object): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value)

export const query = (parameters: Parameters): string => {
  let text = ""
  for (const name of Object.keys(parameters)) {
    const value = parameters[name]
    if (value === undefined || value === null) continue
    text += `${text === "" ? "" : "&"}${escape(name)}=${escape(valueText(value))}`
  }
  return text
}

export const body = (parameters: Parameters): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null))
  )
