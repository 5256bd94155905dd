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

export const open = <const Known extends ReadonlyArray<string>>(
  identifier: string,
  known: Known
): Enumeration<Known[number]> => {
  const values = new Set<string>(known)
  // `Open<Known>` is `string` with a hint for editors, which a schema cannot express.
  const schema = Schema.String.annotations({
    identifier,
    examples: [known[0] ?? ""],
    jsonSchema: { type: "string", examples: [known[0] ?? ""], "x-enumeration": identifier },
    arbitrary: () => (fc) =>
      fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: unforeseen(fc) })
  }) as unknown as Schema.Schema<Open<Known[number]>, string>
  return Object.assign(schema, {
    known,
    isKnown: (value: string): value is Known[number] => values.has(value)
  })
}

/** The enumeration without the empty text, for fields that decide how money is counted. */
export const requireStated = <Known extends string>(values: Enumeration<Known>): Enumeration<Known> =>
  Object.assign(
    values
      .pipe(
        Schema.filter((value) => value !== "", { message: () => ({ message: "must not be empty", override: true }) })
      )
      .annotations({
        ...Option.match(SchemaAST.getIdentifierAnnotation(values.ast), {
          onNone: () => ({}),
          onSome: (identifier) => ({ identifier })
        }),
        [ReadId]: () => (input: unknown) => (typeof input === "string" && input !== "" ? input : refused)
      }),
    { known: values.known, isKnown: values.isKnown }
  )

/** An open enumeration of digits, documented as text. Numbers are accepted as well. */
export const textOrNumber = <Known extends string>(
  values: Enumeration<Known>
): Schema.Schema<Open<Known>, string | number> =>
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
export const openInteger = <const Known extends readonly [number, ...ReadonlyArray<number>]>(
  identifier: string,
  known: Known
): Schema.Schema<Known[number] | (number & {}), string | number> =>
  integer(
    "number",
    Schema.Int.annotations({ identifier }),
    (fc) => fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: fc.nat() }),
    { "x-enumeration": identifier }
  )
