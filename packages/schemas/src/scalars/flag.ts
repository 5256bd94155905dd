/**
 * Yes-or-no fields, `boolean` in the domain. Each schema is named after the spelling that the service documents and writes that spelling.
 * All spellings are accepted.
 */
import * as Schema from "effect/Schema"
import * as Codec from "./codec.js"
import { refused } from "../compiler/protocol.js"

/** The spellings of a flag on the wire. */
type Wire = boolean | 0 | 1 | "0" | "1" | "true" | "false"

const spellings = [true, false, 0, 1, "0", "1", "true", "false"] as const

const wires: ReadonlySet<unknown> = new Set(spellings)

const isOn = (wire: Wire): boolean => wire === true || wire === 1 || wire === "1" || wire === "true"

const isWire = (input: unknown): input is Wire => wires.has(input)

const rule = "must be true or false, or 1 or 0"

const make = (on: Wire, off: Wire): Schema.Schema<boolean, Wire> =>
  Codec.make({
    wire: Schema.Literal(...spellings).annotations({
      message: () => ({ message: rule, override: true }),
      jsonSchema: typeof on === "boolean" ? { type: "boolean" } : { enum: [off, on], format: "boolean" },
      arbitrary: () => (fc) => fc.constantFrom(on, off)
    }),
    domain: Schema.Boolean,
    rule,
    // Nearly every flag is a boolean.
    read: (input) => (typeof input === "boolean" ? input : isWire(input) ? isOn(input) : refused),
    write: (flag) => (flag ? on : off)
  })

/** Writes `true` and `false`. Accepts `1`, `"1"` and `"true"` as true, and `0`, `"0"` and `"false"` as false. */
export const Flag: Schema.Schema<boolean, boolean | 0 | 1 | "0" | "1" | "true" | "false"> = make(true, false)

/** Writes `1` and `0`. Accepts the spellings of `Flag`. */
export const FlagNumber: Schema.Schema<boolean, boolean | 0 | 1 | "0" | "1" | "true" | "false"> = make(1, 0)

/** Writes `"1"` and `"0"`. Accepts the spellings of `Flag`. */
export const FlagText: Schema.Schema<boolean, boolean | 0 | 1 | "0" | "1" | "true" | "false"> = make("1", "0")
