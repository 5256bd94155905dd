const redacted = "<redacted>"

// Any run of 64 or more hex digits: a signature, even directly after a digit or an escape.
const signatureLike = /[0-9a-f]{64,}/gi

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")

const anyCase = (hex: string): string =>
  Array.from(hex, (digit) => (/[a-f]/i.test(digit) ? `[${digit.toLowerCase()}${digit.toUpperCase()}]` : digit)).join("")

const encoder = new TextEncoder()

const percentEncoded = (character: string): string =>
  Array.from(encoder.encode(character), (byte) => `%(?:25)*${anyCase(byte.toString(16).padStart(2, "0"))}`).join("")

const unicodeEscaped = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, index) => `\\\\{1,16}u${anyCase(character.charCodeAt(index).toString(16).padStart(4, "0"))}`
  ).join("")

const entities: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" }

const htmlEscaped = (character: string): string => {
  const point = character.codePointAt(0) ?? 0
  const named = entities[character]
  return `&(?:${named === undefined ? "" : `${named}|`}#0*${point}|#[xX]0*${anyCase(point.toString(16))});`
}

/** A character in any spelling of URLs, JSON texts and HTML pages. The plain one is last: a "%" or "&" is the first character of others, too. */
const spellings = (character: string): string =>
  `(?:${percentEncoded(character)}|${unicodeEscaped(character)}|${htmlEscaped(character)}|\\\\{0,16}${escaped(character)}${
    character === " " ? "|\\+" : ""
  })`

const patternOf = (secret: string): RegExp => new RegExp(Array.from(secret, spellings).join(""), "gu")

export const without = (text: string, patterns: ReadonlyArray<RegExp>): string =>
  patterns.reduce((scrubbed, pattern) => scrubbed.replace(pattern, redacted), text)

const isHex = (secret: string): boolean => /^[0-9a-f]{64,}$/i.test(secret)

/** Whether a text can contain a signature that `signatureLike` does not find. Compiling a pattern takes longer than a call. */
const mayHide = (text: string, signature: string): boolean =>
  text.length >= signature.length && (!isHex(signature) || /[%\\&]/.test(text))

export const patternsOf = (secrets: ReadonlyArray<string>): ReadonlyArray<RegExp> =>
  [...secrets]
    .filter((secret) => secret !== "")
    // The longest first: otherwise a secret that is part of a longer one would leave the rest of it.
    .sort((left, right) => right.length - left.length)
    .map(patternOf)

export type Scrub = (text: string, signatures?: ReadonlyArray<string>) => string

/**
 * Removes secrets, in every spelling of `spellings`, and texts that look like a signature from foreign text. `signatures` are those of the present call, for
 * signers whose signatures are not hex.
 */
export const scrubber = (secrets: ReadonlyArray<string>): Scrub => {
  // Compiled for the first text, since most transports never need it.
  let patterns: ReadonlyArray<RegExp> | undefined
  return (text, signatures = []) => {
    patterns ??= patternsOf(secrets)
    const hidden = signatures.filter((signature) => mayHide(text, signature))
    return without(without(text, patterns), patternsOf(hidden)).replace(signatureLike, redacted)
  }
}

const excerptLength = 512

/** The beginning of a text without its secrets. The secrets are removed before the text is cut, because half a secret is not recognised. */
export const excerpt = (scrub: (text: string) => string, text: string): string => {
  const scrubbed = scrub(text)
  return scrubbed.length > excerptLength ? `${scrubbed.slice(0, excerptLength)}…` : scrubbed
}
