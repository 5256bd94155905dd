import * as Schema from "effect/Schema"

/** A field with its meaning, which the OpenAPI document and the reference repeat. */
export const described = <A, I>(schema: Schema.Schema<A, I>, description: string) => schema.annotations({ description })

/** An optional field with its meaning. */
export const optional = <A, I>(schema: Schema.Schema<A, I>, description: string) =>
  Schema.optional(described(schema, description))
