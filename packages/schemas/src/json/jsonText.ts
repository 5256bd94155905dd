// Finds positions in valid JSON text. Nothing here recurses, because a row can be nested deeper than the stack allows.

const quote = 34
const comma = 44
const minus = 45
const backslash = 92
export const openBrace = 123
const closeBrace = 125
export const openBracket = 91
const closeBracket = 93

/** Brackets and braces differ only in this bit. */
const braceBit = 32

export const afterSpace = (text: string, from: number): number => {
  let at = from
  for (let code = text.charCodeAt(at); code <= 32; code = text.charCodeAt(at)) at++
  return at
}

/** Returns the position after the string that begins at `from`: after the next quote that follows an even number of backslashes. */
export const afterString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((end - before) % 2 === 1) return end + 1
  }
}

/** Returns the position after the list or object that begins at `from`. */
const afterNested = (text: string, from: number): number => {
  let depth = 0
  for (let at = from; ;) {
    const code = text.charCodeAt(at)
    if (code === quote) {
      at = afterString(text, at)
      continue
    }
    at++
    if ((code | braceBit) === openBrace) depth++
    else if ((code | braceBit) === closeBrace && --depth === 0) return at
  }
}

/** Returns the position after the number or word that begins at `from`. */
const afterWord = (text: string, from: number): number => {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code <= 32 || code === comma || code === closeBrace || code === closeBracket) return at
  }
  return text.length
}

export const afterValue = (text: string, from: number): number => {
  const code = text.charCodeAt(from)
  if (code === quote) return afterString(text, from)
  return code === openBrace || code === openBracket ? afterNested(text, from) : afterWord(text, from)
}

/** Visits the members of the object that begins at `from`; `visit` returns the position after the value. */
export const forEachMember = (text: string, from: number, visit: (name: string, value: number) => number): number => {
  let at = afterSpace(text, from + 1)
  while (text.charCodeAt(at) !== closeBrace) {
    const end = afterString(text, at)
    const name = text.slice(at, end)
    const colon = afterSpace(text, end)
    at = afterSpace(text, visit(name, afterSpace(text, colon + 1)))
    if (text.charCodeAt(at) === comma) at = afterSpace(text, at + 1)
  }
  return at + 1
}

/** Removes the quotes and escapes of a name. */
export const unquote = (name: string): string => (name.includes("\\") ? String(JSON.parse(name)) : name.slice(1, -1))

/** Returns the items of the list that begins at `from`, and the position after it. */
export const itemsOf = (text: string, from: number): readonly [items: ReadonlyArray<string>, end: number] => {
  const items: Array<string> = []
  let at = afterSpace(text, from + 1)
  while (text.charCodeAt(at) !== closeBracket) {
    const end = afterValue(text, at)
    items.push(text.slice(at, end))
    at = afterSpace(text, end)
    if (text.charCodeAt(at) === comma) at = afterSpace(text, at + 1)
  }
  return [items, at + 1]
}

/** Puts quotes around the numbers for which `isKept` returns false. */
export const quoteNumbers = (text: string, isKept: (number: string) => boolean): string => {
  let quoted = ""
  let done = 0
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === quote) at = afterString(text, at)
    else if (code === minus || (code >= 48 && code <= 57)) {
      const end = afterWord(text, at)
      const number = text.slice(at, end)
      if (!isKept(number)) {
        quoted += `${text.slice(done, at)}"${number}"`
        done = end
      }
      at = end
    } else at++
  }
  return done === 0 ? text : quoted + text.slice(done)
}
