/** Open enumerations: editors complete the known values, and values that the service adds later still decode. */
import type * as Arbitrary from "effect/Arbitrary"
import type * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type { Enumeration, Open } from "./Enumerations.js"
import * as Codec from "./codec.js"
import { ReadId, refused } from "../compiler/protocol.js"
import { integer } from "./integer.js"

let unforeseenTexts: FastCheck.Arbitrary<string> | undefined

/** Values that the service could add. Created once, because fast-check spends a millisecond on each pattern. */
const unforeseen: Arbitrary.LazyArbitrary<string> = (fc) =>
  (unforeseenTexts ??= fc.stringMatching(/^[A-Z][a-zA-Z]{0,15}$/))

/** Adds the known values to the schema of an enumeration. `Open` brands other values, which a schema cannot express. */
const withKnown = <Name extends string, Known extends string | number, Wire>(
  schema: Schema.Schema.AnyNoContext,
  known: ReadonlyArray<Known>
): Enumeration<Name, Known, Wire> => {
  const values = new Set<string | number>(known)
  // The schema reads every text or number, and `Open` is that with a brand.
  return Object.assign(schema as Schema.Schema<Open<Name, Known>, Wire>, {
    known,
    isKnown: (value: string | number): value is Known => values.has(value),
    // `Enumeration.make` types the argument.
    make: (value: unknown) => value as Open<Name, Known>
  })
}

export const open = <const Name extends string, const Known extends ReadonlyArray<string>>(
  identifier: Name,
  known: Known
): Enumeration<Name, Known[number]> =>
  withKnown(
    Schema.String.annotations({
      identifier,
      examples: [known[0] ?? ""],
      jsonSchema: { type: "string", examples: [known[0] ?? ""], "x-enumeration": identifier },
      arbitrary: () => (fc) =>
        fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: unforeseen(fc) })
    }),
    known
  )

/** The enumeration without the empty text, for fields that decide how money is counted. */
export const requireStated = <Name extends string, Known extends string>(
  values: Enumeration<Name, Known, string>
): Enumeration<Name, Known, string> =>
  withKnown(
    values
      .pipe(
        Schema.filter((value) => String(value) !== "", {
          message: () => ({ message: "must not be empty", override: true })
        })
      )
      .annotations({
        ...Option.match(SchemaAST.getIdentifierAnnotation(values.ast), {
          onNone: () => ({}),
          onSome: (identifier) => ({ identifier })
        }),
        [ReadId]: () => (input: unknown) => (typeof input === "string" && input !== "" ? input : refused)
      }),
    values.known
  )

/** An open enumeration of digits, documented as text. Numbers are accepted as well. */
export const textOrNumber = <Name extends string, Known extends string>(
  values: Enumeration<Name, Known, string>
): Schema.Schema<Open<Name, Known>, string | number> =>
  Schema.transform(
    Codec.textOrNumber("must be text or a number", (fc) => fc.constantFrom(...values.known)).annotations({
      jsonSchema: {
        anyOf: [{ type: "string" }, { type: "number" }],
        "x-enumeration": Option.getOrElse(SchemaAST.getIdentifierAnnotation(values.ast), () => "")
      }
    }),
    values,
    { strict: true, decode: String, encode: (value) => value }
  )

/** An open enumeration of whole numbers, documented as numbers. Text is accepted as well. */
export const openInteger = <const Name extends string, const Known extends readonly [number, ...ReadonlyArray<number>]>(
  identifier: Name,
  known: Known
): Enumeration<Name, Known[number], string | number> =>
  withKnown(
    integer(
      "number",
      Schema.Int.annotations({ identifier }),
      (fc) => fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: fc.nat() }),
      { "x-enumeration": identifier }
    ),
    known
  )
