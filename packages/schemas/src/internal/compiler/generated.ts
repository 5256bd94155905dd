import { leftOut, refused } from "./protocol.js"
import type { Check, Read } from "./protocol.js"

// Structs as straight lines of code, one per field: an engine then knows where each field lies, which it cannot where names come
// out of a list. The names of fields, as text, are all that goes into the code; what is done with a field is handed to it as a
// function. Where the runtime forbids code from text there is no function, and the compiler goes through the list.

type Fields = Readonly<Record<PropertyKey, unknown>>

/** What generated code is given besides its fields. */
export interface Dependencies {
  readonly isFields: (input: unknown) => input is Fields
  readonly isMissing: (input: Fields, name: PropertyKey) => boolean
}

/** A field that is checked. */
export interface CheckedField {
  readonly name: PropertyKey
  readonly isOptional: boolean
  readonly check: Check
}

/** A field that is read: under which key it comes, under which it goes, and what it is when its key is missing. */
export interface ReadField {
  readonly from: PropertyKey
  readonly to: PropertyKey
  readonly read: Read
  readonly absent: () => unknown
  readonly mayBeLeftOut: boolean
}

let isAllowed: boolean | undefined

/** The function that `code` returns, seeing `seen` by their names. */
const run = (code: string, seen: Readonly<Record<string, unknown>>): unknown => {
  if (isAllowed === false) return undefined
  try {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- made of this file's own words and of quoted names
    const make = new Function(...Object.keys(seen), `"use strict"\n${code}`) as (...seen: Array<unknown>) => unknown // as any is
    isAllowed = true
    return make(...Object.values(seen))
  } catch (error) {
    if (isAllowed === true) throw error
    isAllowed = false
    return undefined
  }
}

// A key that is a symbol has no text.
const isNameable = (name: PropertyKey): boolean => typeof name !== "symbol"

const quoted = (name: PropertyKey): string => JSON.stringify(String(name))

const numbered = <A>(letter: string, values: ReadonlyArray<A>): Record<string, A> =>
  Object.fromEntries(values.map((value, index) => [`${letter}${index}`, value]))

export const checkStruct = (fields: ReadonlyArray<CheckedField>, dependencies: Dependencies): Check | undefined => {
  if (!fields.every(({ name }) => isNameable(name))) return undefined
  const lines = fields.map(({ isOptional, name }, index) => {
    const missing = isOptional ? ` && !(value === undefined && isMissing(input, ${quoted(name)}))` : ""
    return `value = input[${quoted(name)}]; if (!check${index}(value)${missing}) return false`
  })
  return run(
    `return (input) => {\nif (!isFields(input)) return false\nlet value\n${lines.join("\n")}\nreturn true\n}`,
    {
      ...dependencies,
      ...numbered(
        "check",
        fields.map(({ check }) => check)
      )
    }
  ) as Check | undefined // it was written here
}

export const readStruct = (fields: ReadonlyArray<ReadField>, dependencies: Dependencies): Read | undefined => {
  if (!fields.every(({ from, to }) => isNameable(from) && isNameable(to))) return undefined
  const lines = fields.map(({ from }, index) =>
    [
      `const input${index} = input[${quoted(from)}]`,
      `const value${index} = input${index} === undefined && isMissing(input, ${quoted(from)})`,
      `  ? absent${index}() : read${index}(input${index})`,
      `if (value${index} === refused) return refused`
    ].join("\n")
  )
  // Keys go in in their order: from the first on that may be left out, one by one.
  const firstUncertain = fields.findIndex(({ mayBeLeftOut }) => mayBeLeftOut)
  const certain = firstUncertain < 0 ? fields.length : firstUncertain
  const literal = fields.slice(0, certain).map(({ to }, index) => `${quoted(to)}: value${index}`)
  const others = fields.slice(certain).map(({ mayBeLeftOut, to }, index) => {
    const value = `value${certain + index}`
    return `${mayBeLeftOut ? `if (${value} !== leftOut) ` : ""}struct[${quoted(to)}] = ${value}`
  })
  const code = ["if (!isFields(input)) return refused", ...lines, `const struct = { ${literal.join(", ")} }`, ...others]
  return run(`return (input) => {\n${code.join("\n")}\nreturn struct\n}`, {
    ...dependencies,
    refused,
    leftOut,
    ...numbered(
      "read",
      fields.map(({ read }) => read)
    ),
    ...numbered(
      "absent",
      fields.map(({ absent }) => absent)
    )
  }) as Read | undefined // it was written here
}
