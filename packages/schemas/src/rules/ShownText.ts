/**
 * Text of the other side in failures and logs. A line break in it would look like a line of the log, an escape sequence would command the terminal, and a change
 * of direction would reorder what is read.
 *
 * @sibling
 */

/** Characters without a glyph: controls, changes of direction, zero-width and other ignorable ones, and halves of surrogate pairs. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]/gu

const invisibleOnly = /^[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}]*$/u

/** Whether a text shows nothing. A space does. */
export const isInvisible = (text: string): boolean => !(text > " " && text < "\u007f") && invisibleOnly.test(text)

const short: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escape = (character: string): string => {
  const hex = (character.codePointAt(0) ?? 0).toString(16)
  return short[character] ?? (hex.length > 4 ? `\\u{${hex}}` : `\\u${hex.padStart(4, "0")}`)
}

/** Text in one line, with an escape for each invisible character. */
export const inOneLine = (text: string): string => text.replace(invisible, escape)

/** Foreign text without its secrets, for a failure or a log. */
export const shown = (scrub: (text: string) => string, text: string): string => inOneLine(scrub(text))

const excerptLength = 512

/** The beginning of a shown text. The secrets are removed before the text is cut, because half a secret is not recognised. */
export const excerpt = (scrub: (text: string) => string, text: string): string => {
  const whole = shown(scrub, text)
  // A surrogate pair is not cut.
  return whole.length > excerptLength ? `${whole.slice(0, excerptLength).replace(/[\ud800-\udbff]$/, "")}…` : whole
}
