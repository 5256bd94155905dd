/** Field names. The service spells them in three ways; the domain uses lower camel case. */
import * as Schema from "effect/Schema"

/** `tradeVolume` to `trade_volume`. */
export type SnakeCase<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Head extends Lowercase<Head>
    ? `${Head}${SnakeCase<Tail>}`
    : `_${Lowercase<Head>}${SnakeCase<Tail>}`
  : S

type Renamed<I, Case extends "snake" | "capital"> = {
  [K in keyof I as K extends string ? (Case extends "snake" ? SnakeCase<K> : Capitalize<K>) : never]: I[K]
}

const renameFields = <Fields extends Schema.Struct.Fields, Case extends "snake" | "capital">(
  fields: Fields,
  rename: (name: string) => string
): Schema.Schema<Schema.Struct.Type<Fields>, Renamed<Schema.Struct.Encoded<Fields>, Case>> => {
  const out = Object.entries(fields).map(
    ([name, field]): [string, Schema.PropertySignature.All | Schema.Schema.All] => {
      const wireName = rename(name)
      // A field that is not a signature is a schema, but `isPropertySignature` does not narrow to that.
      const signature = Schema.isPropertySignature(field) ? field : Schema.propertySignature(field as Schema.Schema.Any)
      // `fromKey` only uses properties that every signature has, so the type parameters do not matter.
      const renamable = signature as Schema.PropertySignature.All & Renamable
      return [name, wireName === name ? field : renamable.pipe(Schema.fromKey(wireName))]
    }
  )
  // Every field was renamed according to the type, which a list of entries cannot express.
  return Schema.Struct(Object.fromEntries(out)) as unknown as Schema.Schema<
    Schema.Struct.Type<Fields>,
    Renamed<Schema.Struct.Encoded<Fields>, Case>
  >
}

type Renamable = Schema.PropertySignature<":", unknown, never, ":", unknown>

/** A struct whose wire names are in snake case. */
export const snakeCased = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  renameFields<Fields, "snake">(fields, (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))

export const capitalise = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

/** A struct whose wire names begin with a capital letter. */
export const capitaliseFields = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  renameFields<Fields, "capital">(fields, capitalise)
