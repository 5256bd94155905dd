import { isOfText, leftOut, refused } from "./protocol.js"
import type { Check, Read } from "./protocol.js"
import type { Fields } from "./shapes.js"

// Structs as generated code, one line per field. The engine then knows the offset of each field, which it does not in a loop over names.
// The code contains only the names of fields, as quoted text; the readers are passed as functions. If the runtime forbids generated code,
// the compiler uses a loop.

/** The functions that generated code uses besides its fields. */
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

/** A field that is read: its key in the input, its key in the output, and its value if the key is missing. */
export interface ReadField {
  readonly from: PropertyKey
  readonly to: PropertyKey
  readonly read: Read
  readonly absent: () => unknown
  readonly mayBeLeftOut: boolean
}

let isAllowed: boolean | undefined

/** Evaluates `code` with the names of `seen` in scope. */
const run = (code: string, seen: Readonly<Record<string, unknown>>): unknown => {
  if (isAllowed === false) return undefined
  try {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- contains only text from this file and quoted names
    const make = new Function(...Object.keys(seen), `"use strict"\n${code}`) as (...seen: Array<unknown>) => unknown // `Function` is untyped
    isAllowed = true
    return make(...Object.values(seen))
  } catch (error) {
    if (isAllowed === true) throw error
    isAllowed = false
    return undefined
  }
}

// A symbol key cannot be written as text.
const isNameable = (name: PropertyKey): boolean => typeof name !== "symbol"

const quote = (name: PropertyKey): string => JSON.stringify(String(name))

const numberEach = <A>(letter: string, values: ReadonlyArray<A>): Record<string, A> =>
  Object.fromEntries(values.map((value, index) => [`${letter}${index}`, value]))

export const checkStruct = (fields: ReadonlyArray<CheckedField>, dependencies: Dependencies): Check | undefined => {
  if (!fields.every(({ name }) => isNameable(name))) return undefined
  const lines = fields.map(({ check, isOptional, name }, index) => {
    const present = isOptional ? `!(value === undefined && isMissing(input, ${quote(name)})) && ` : ""
    const other = isOfText(check) ? `typeof value !== "string" && ` : ""
    return `value = input[${quote(name)}]; if (${other}${present}!check${index}(value)) return false`
  })
  return run(
    `return (input) => {\nif (!isFields(input)) return false\nlet value\n${lines.join("\n")}\nreturn true\n}`,
    {
      ...dependencies,
      ...numberEach(
        "check",
        fields.map(({ check }) => check)
      )
    }
  ) as Check | undefined // generated above
}

export const readStruct = (fields: ReadonlyArray<ReadField>, dependencies: Dependencies): Read | undefined => {
  if (!fields.every(({ from, to }) => isNameable(from) && isNameable(to))) return undefined
  const lines = fields.map(({ from }, index) =>
    [
      `const input${index} = input[${quote(from)}]`,
      `const value${index} = input${index} === undefined && isMissing(input, ${quote(from)})`,
      `  ? absent${index}() : read${index}(input${index})`,
      `if (value${index} === refused) return refused`
    ].join("\n")
  )
  // Keys are added in order: from the first optional one, one at a time.
  const firstUncertain = fields.findIndex(({ mayBeLeftOut }) => mayBeLeftOut)
  const certain = firstUncertain < 0 ? fields.length : firstUncertain
  const literal = fields.slice(0, certain).map(({ to }, index) => `${quote(to)}: value${index}`)
  const others = fields.slice(certain).map(({ mayBeLeftOut, to }, index) => {
    const value = `value${certain + index}`
    return `${mayBeLeftOut ? `if (${value} !== leftOut) ` : ""}struct[${quote(to)}] = ${value}`
  })
  const code = ["if (!isFields(input)) return refused", ...lines, `const struct = { ${literal.join(", ")} }`, ...others]
  return run(`return (input) => {\n${code.join("\n")}\nreturn struct\n}`, {
    ...dependencies,
    refused,
    leftOut,
    ...numberEach(
      "read",
      fields.map(({ read }) => read)
    ),
    ...numberEach(
      "absent",
      fields.map(({ absent }) => absent)
    )
  }) as Read | undefined // generated above
}
