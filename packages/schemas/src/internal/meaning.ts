/** The meanings of fields and parameters, for descriptions. Decoders do not read them. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** `unit` is the unit of a number. `alias` is the name of the field that this one spells differently. */
export interface Meaning {
  readonly meaning: string
  readonly unit?: string
  readonly alias?: string
}

/** The annotation for the unit and the alias of a field. */
const MoreId: unique symbol = Symbol.for("@effect-venue/schemas/Meaning")

/** Returns the meaning of a field, if it has one. */
export const meaningOf = (signature: SchemaAST.PropertySignature): Meaning | undefined =>
  Option.match(SchemaAST.getDescriptionAnnotation(signature), {
    onNone: () => undefined,
    onSome: (meaning) => ({
      meaning,
      ...Option.getOrElse(SchemaAST.getAnnotation<Omit<Meaning, "meaning">>(MoreId)(signature), () => ({}))
    })
  })

/** Adds a meaning and a unit to a field. A later meaning replaces an earlier one. */
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

/** Marks a field as a second spelling of another field. */
export const alias = <F extends Schema.PropertySignature.All>(field: F, of: string): F =>
  // Annotations do not change the type.
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
export const base = "base coin; for inverse contracts USD"
export const price = "quote coin per base coin"
export const share = "fraction; 0.0006 is 0.06 %"
