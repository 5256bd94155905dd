/** What the fields of results and the parameters of requests mean, for descriptions. No decoder reads this. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** `unit` is what a number counts. `alias`: it is a second spelling of another. */
export interface Meaning {
  readonly meaning: string
  readonly unit?: string
  readonly alias?: string
}

/** Where a field keeps what its description does not say. */
const MoreId: unique symbol = Symbol.for("@effect-venue/schemas/Meaning")

/** What a field means, if it says so. */
export const meaningOf = (signature: SchemaAST.PropertySignature): Meaning | undefined =>
  Option.match(SchemaAST.getDescriptionAnnotation(signature), {
    onNone: () => undefined,
    onSome: (meaning) => ({
      meaning,
      ...Option.getOrElse(SchemaAST.getAnnotation<Omit<Meaning, "meaning">>(MoreId)(signature), () => ({}))
    })
  })

/** A field with what it means, and what a number counts. A meaning given later replaces an earlier one. */
export function described<F extends Schema.PropertySignature.All>(field: F, meaning: string, unit?: string): F
export function described<S extends Schema.Schema.Any>(
  field: S,
  meaning: string,
  unit?: string
): Schema.propertySignature<S>
export function described(
  field: Schema.PropertySignature.All | Schema.Schema.Any,
  meaning: string,
  unit?: string
): Schema.PropertySignature.All {
  return annotated(field, meaning, unit === undefined ? {} : { unit })
}

/** A field that is a second spelling of another. */
export const alias = <F extends Schema.PropertySignature.All>(field: F, of: string): F =>
  // Annotations leave its type as it is.
  annotated(field, `a second spelling of \`${of}\``, { alias: of }) as F

const annotated = (
  field: Schema.PropertySignature.All | Schema.Schema.Any,
  meaning: string,
  more: Omit<Meaning, "meaning">
): Schema.PropertySignature.All => {
  const signature = Schema.isPropertySignature(field) ? field : Schema.propertySignature(field)
  return signature.annotations({ description: meaning, [MoreId]: more })
}

export const settle = "settle coin"
export const quote = "quote coin"
export const base = "base coin; of inverse contracts USD"
export const price = "quote coin per base coin"
export const share = "fraction; 0.0006 is 0.06 %"
