import { describe, it } from "@effect/vitest"
import { Arbitrary, Either, FastCheck as fc, Schema } from "effect"
import * as Endpoints from "../src/document/Endpoints.js"
import * as Envelope from "@effect-venue/schemas/siblings/Envelope"
import { mutated, otherSchemas, runs, strange, writesAlike } from "./decoding.js"

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** With something else in one place, or without it: in the struct, or in one of the rows of one of its lists. */
const changed = (value: unknown, at: number, other: unknown): unknown => {
  if (!isPlain(value)) return other
  const keys = Object.keys(value)
  const key = keys[at % (keys.length + 1)]
  if (key === undefined) return { ...value, unforeseen: other }
  const { [key]: old, ...rest } = value
  if (Array.isArray(old) && old.length > 0) {
    return { ...value, [key]: [changed(old[0], at >> 4, other), ...old.slice(1)] }
  }
  return other === undefined ? rest : { ...value, [key]: other }
}

/** Values of the domain with something else in one place. */
const damaged = (schema: Schema.Schema.AnyNoContext) =>
  fc
    .tuple(Arbitrary.make(Schema.typeSchema(schema)), fc.nat(10_000), fc.oneof(strange, fc.constant(undefined)))
    .map(([value, at, other]) => changed(value, at, other))

const results: Readonly<Record<string, Schema.Schema.AnyNoContext>> = Object.fromEntries(
  Endpoints.all.map(({ name, result }) => [name, result])
)

const schemas: Readonly<Record<string, Schema.Schema.AnyNoContext>> = {
  ...results,
  ...Object.fromEntries(Endpoints.all.map(({ name, request }) => [`request of ${name}`, request])),
  ...Object.fromEntries(
    (["standard", "legacy", "bare"] as const).map((kind) => [`envelope ${kind}`, Envelope.fromKind(kind)])
  )
}

const numRuns = { fastCheck: { numRuns: runs.allowed } }

/** What is made of parts of other answers, or has an order of its own, may be left to the schema's own encoder. */
const hesitates = (name: string): boolean => /Batch|^envelope|^request/.test(name)

describe("the compiled encoder equals the schema's encoder", () => {
  for (const [name, schema] of Object.entries(results)) {
    it.prop(
      `${name}: decoded values`,
      [mutated(schema)],
      ([wire]) => {
        const value = Schema.decodeUnknownEither(schema as Schema.Schema<unknown>)(wire)
        if (Either.isRight(value)) writesAlike(schema, value.right, true)
      },
      numRuns
    )
  }

  for (const [name, schema] of Object.entries(schemas)) {
    it.prop(
      `${name}: values created in the domain`,
      [Arbitrary.make(Schema.typeSchema(schema))],
      ([value]) => {
        writesAlike(schema, value, hesitates(name))
      },
      numRuns
    )

    it.prop(
      `${name}: damaged values`,
      [damaged(schema)],
      ([value]) => {
        writesAlike(schema, value, true)
      },
      numRuns
    )
  }

  for (const [name, schema] of Object.entries(otherSchemas)) {
    it.prop(
      `${name}: values and damaged values`,
      [fc.oneof(Arbitrary.make(Schema.typeSchema(schema)), damaged(schema))],
      ([value]) => {
        writesAlike(schema, value, true)
      }
    )
  }
})
