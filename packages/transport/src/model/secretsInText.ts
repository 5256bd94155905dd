import { isInvisible } from "@effect-venue/schemas/siblings/ShownText"

// Text that the other side echoes can contain a key in any spelling. The text is not decoded before the search: a secret can contain the escapes of one
// spelling and be written in another. Instead, each position is read in every way that it can be read in.

const redacted = "<redacted>"

// A run of 64 or more hex digits: a signature, even directly after a digit or an escape, or with zero-width characters inside.
const signatureLike = /[0-9a-f][0-9a-f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]{62,}[0-9a-f]/gi

const encoder = new TextEncoder()

/** The characters that a text can be read as at a position, and where the text continues. No characters: nothing but escapes. */
interface SpelledCharacters {
  readonly characters: string
  readonly next: number
}

/** The longest run of escapes, and the most levels of encoding, that are read. */
const maxEscapes = 16

const matchAt = (text: string, at: number, sticky: RegExp): RegExpExecArray | null => {
  sticky.lastIndex = at
  return sticky.exec(text)
}

const hexByte = /[0-9a-f]{2}/iy
const hexUnit = /u([0-9a-f]{4})/iy
const continuations = [1, 2, 3].map((count) => new RegExp(`(?:%(?:25)*[89ab][0-9a-f]){${count}}`, "iy"))

/** The character whose first byte is at `at`, in UTF-8 with a percent sign before each further byte. */
const percentDecoded = (text: string, at: number): SpelledCharacters | undefined => {
  const [hex] = matchAt(text, at, hexByte) ?? []
  if (hex === undefined) return undefined
  const byte = Number.parseInt(hex, 16)
  if (byte < 0x80) return { characters: String.fromCharCode(byte), next: at + 2 }
  const others = continuations[byte >= 0xf0 ? 2 : byte >= 0xe0 ? 1 : 0]
  const [tail] = (others && matchAt(text, at + 2, others)) ?? []
  if (tail === undefined) return undefined
  try {
    const characters = decodeURIComponent(`%${hex}${tail.replace(/%(?:25)+/g, "%")}`)
    return { characters, next: at + 2 + tail.length }
  } catch {
    return undefined
  }
}

/** The readings of a percent sign. Each level of encoding writes one more "25" behind it. */
const percentReadings = (text: string, at: number): ReadonlyArray<SpelledCharacters> => {
  const readings: Array<SpelledCharacters> = []
  for (let level = 0; level < maxEscapes; level++) {
    const next = at + 1 + 2 * level
    const unit = matchAt(text, next, hexUnit)?.[1]
    const decoded = percentDecoded(text, next)
    if (unit !== undefined) readings.push({ characters: fromHex(unit), next: next + 5 })
    if (decoded !== undefined) readings.push(decoded)
    if (!text.startsWith("25", next)) break
  }
  return readings
}

const fromHex = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

const named = new Map(
  Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    plus: "+",
    sol: "/",
    equals: "=",
    shy: "\u00ad",
    zwj: "\u200d",
    zwnj: "\u200c",
    lrm: "\u200e",
    rlm: "\u200f",
    nobreak: "\u2060",
    zerowidthspace: "\u200b"
  })
)

const entity = /(?:#0*(\d{1,7})|#x0*([0-9a-f]{1,6})|([a-z]{2,16}));/iy

const ofPoint = (point: number): string => (point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd")

/** The readings of an ampersand. Each level of encoding writes one more "amp;" behind it. */
const entityReadings = (text: string, at: number): ReadonlyArray<SpelledCharacters> => {
  const readings: Array<SpelledCharacters> = []
  for (let level = 0; level < maxEscapes; level++) {
    const next = at + 1 + 4 * level
    const [whole, decimal, hex, name] = matchAt(text, next, entity) ?? []
    if (whole === undefined) break
    const characters =
      decimal !== undefined
        ? ofPoint(Number(decimal))
        : hex !== undefined
          ? ofPoint(Number.parseInt(hex, 16))
          : named.get((name ?? "").toLowerCase())
    if (characters !== undefined) readings.push({ characters, next: next + whole.length })
    if (name?.toLowerCase() !== "amp") break
  }
  return readings
}

const escape = /u([0-9a-f]{4})|u\{0*([0-9a-f]{1,6})\}|x([0-9a-f]{2})|[bfnrtv0]/iy

/** The readings of a backslash: an escape after it and its neighbours, or only the text after them. */
const backslashReadings = (text: string, at: number): ReadonlyArray<SpelledCharacters> => {
  let next = at + 1
  while (text[next] === "\\" && next - at < maxEscapes) next++
  const [whole, unit, point, byte] = matchAt(text, next, escape) ?? []
  const hex = unit ?? byte
  const escaped =
    whole === undefined
      ? []
      : [
          {
            characters:
              hex !== undefined ? fromHex(hex) : point !== undefined ? ofPoint(Number.parseInt(point, 16)) : "\n",
            next: next + whole.length
          }
        ]
  return [...escaped, { characters: "", next }]
}

const escapeReadings = new Map([
  ["%", percentReadings],
  ["&", entityReadings],
  ["\\", backslashReadings]
])

const characterAt = (text: string, at: number): string => String.fromCodePoint(text.codePointAt(at) ?? 0)

const foldCharacter = (character: string): string =>
  character === " " || character === "-" ? "+" : character === "_" ? "/" : character.toLowerCase()

const foldedAscii = Array.from({ length: 128 }, (_, code) => foldCharacter(String.fromCharCode(code)))

/**
 * Text for comparisons: letters of both cases are the same, and so are the two spellings of Base64's special characters. A form writes a space as "+".
 */
const fold = (text: string): string =>
  text.length === 1
    ? (foldedAscii[text.charCodeAt(0)] ?? foldCharacter(text))
    : Array.from(text, foldCharacter).join("")

/** How much of a secret matches after these characters; -1 if they are not its next ones. Invisible ones can stand between any two. */
const matchAfter = (needle: string, matched: number, characters: string): number => {
  const next = fold(characters)
  if (needle.startsWith(next, matched)) return matched + next.length
  return matched > 0 && isInvisible(characters) ? matched : -1
}

// Visible ASCII without the characters that begin an escape has one reading, and most text consists of it.
const plainCodes = foldedAscii.map((character, code) =>
  code > 32 && code < 127 && !escapeReadings.has(String.fromCharCode(code)) ? character.charCodeAt(0) : 0
)

interface Match {
  readonly at: number
  readonly matched: number
}

/** The end of a secret of which a part was matched before `start`; 0 if the rest of it is not there. */
const endOf = (text: string, needle: string, start: number, matchedBefore: number): number => {
  let open: Array<Match> | undefined
  let seen: Set<number> | undefined
  let end = 0
  for (let at = start, matched = matchedBefore; ;) {
    while (matched >= 0 && matched < needle.length && at < text.length) {
      const plain = plainCodes[text.charCodeAt(at)] ?? 0
      if (plain > 0) {
        matched = plain === needle.charCodeAt(matched) ? matched + 1 : -1
        at++
        continue
      }
      const character = characterAt(text, at)
      const escapes = escapeReadings.get(character)
      if (escapes !== undefined) {
        const key = at * needle.length + matched
        if (seen?.has(key) === true) break
        seen = (seen ?? new Set()).add(key)
        for (const { characters, next } of escapes(text, at)) {
          const after = matchAfter(needle, matched, characters)
          if (after >= 0) (open ??= []).push({ at: next, matched: after })
        }
      }
      matched = matchAfter(needle, matched, character)
      at += character.length
    }
    if (matched === needle.length) end = Math.max(end, at)
    const next = open?.pop()
    if (next === undefined) return end
    at = next.at
    matched = next.matched
  }
}

/** Secrets and their encodings, folded, by their first character. */
export type Needles = ReadonlyMap<string, ReadonlyArray<string>>

// Shorter encodings occur by chance.
const shortestEncoding = 8

// Base64 of 3 bytes is 4 characters. Inside a longer text, the characters at both ends also depend on the neighbours; at the end of one, none does.
const base64Of = (secret: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((before) => {
    const padded = new Uint8Array(before + secret.length)
    padded.set(secret, before)
    const text = btoa(Array.from(padded, (byte) => String.fromCharCode(byte)).join("")).slice(
      before === 0 ? 0 : before + 1
    )
    const atEnd = text.replace(/=+$/, "")
    return [padded.length % 3 === 0 ? atEnd : atEnd.slice(0, -1), atEnd, text]
  })

const withEncodings = (secret: string): ReadonlyArray<string> => {
  const bytes = encoder.encode(secret)
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
  return [secret, ...[hex, ...base64Of(bytes)].filter(({ length }) => length >= shortestEncoding)]
}

/** Prepares the search for secrets: themselves, their hex, and their Base64, also inside longer text. */
export const needlesOf = (secrets: Iterable<string>): Needles => {
  const distinct = Array.from(secrets).filter((secret) => secret !== "")
  const needles = new Map<string, Array<string>>()
  for (const needle of new Set(distinct.flatMap(withEncodings).map(fold))) {
    const first = characterAt(needle, 0)
    needles.set(first, [...(needles.get(first) ?? []), needle])
  }
  return needles
}

const longestFrom = (text: string, { characters, next }: SpelledCharacters, needles: Needles): number => {
  // Escapes alone belong to the character after them. A longer run of them is not read.
  if (characters === "") return text[next] === "\\" || next >= text.length ? 0 : longestEnd(text, next, needles)
  const first = fold(characters)
  let longest = 0
  for (const needle of needles.get(characterAt(first, 0)) ?? []) {
    if (needle.startsWith(first)) longest = Math.max(longest, endOf(text, needle, next, first.length))
  }
  return longest
}

/** The end of the longest secret that begins at a position; 0 if none does. */
const longestEnd = (text: string, at: number, needles: Needles): number => {
  const character = characterAt(text, at)
  let longest = longestFrom(text, { characters: character, next: at + character.length }, needles)
  for (const reading of escapeReadings.get(character)?.(text, at) ?? []) {
    const isEscapeOnly = reading.characters === "" && text[reading.next] !== "\\"
    const end = isEscapeOnly ? longestEnd(text, reading.next, needles) : longestFrom(text, reading, needles)
    longest = Math.max(longest, end)
  }
  return longest
}

/** Removes secrets from text: in either case, in the spellings of URLs, JSON and HTML, and with invisible characters inside. */
export const without = (text: string, needles: Needles): string => {
  if (needles.size === 0) return text
  // Most characters begin no secret.
  const canBegin = foldedAscii.map((first, code) => needles.has(first) || escapeReadings.has(String.fromCharCode(code)))
  const parts: Array<string> = []
  let copied = 0
  for (let at = 0; at < text.length; at++) {
    if (canBegin[text.charCodeAt(at)] === false) continue
    const end = longestEnd(text, at, needles)
    if (end <= copied) continue
    // Secrets that overlap are removed as one.
    if (at >= copied) parts.push(text.slice(copied, at), redacted)
    copied = end
  }
  return copied === 0 ? text : parts.join("") + text.slice(copied)
}

export type Scrub = (text: string, signatures?: ReadonlyArray<string>) => string

/**
 * Removes secrets, in every spelling, and texts that look like a signature from foreign text. `signatures` are those of the present call, for signers whose
 * signatures are not hex.
 */
export const scrubber = (secrets: ReadonlyArray<string>): Scrub => {
  const needles = needlesOf(secrets)
  return (text, signatures = []) => {
    // No spelling is shorter than the secret.
    const possible = signatures.filter(({ length }) => length <= text.length)
    return without(without(text, needles), needlesOf(possible)).replace(signatureLike, redacted)
  }
}
