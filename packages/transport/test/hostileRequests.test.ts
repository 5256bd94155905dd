import * as Endpoints from "@effect-venue/schemas/Endpoints"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as SchemaAST from "effect/SchemaAST"
import { codecOf } from "../src/internal/codec.js"

const fieldsOf = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Union"
    ? ast.types.flatMap(fieldsOf)
    : SchemaAST.getPropertySignatures(SchemaAST.typeAST(ast)).map(({ name }) => String(name))

/** No text, number or copy can be made of these. */
const hostile: Readonly<Record<string, () => unknown>> = {
  "an object without text": () => ({ toString: 1, valueOf: 2 }),
  "an object without prototype": () => Object.create(null) as object,
  "a symbol": () => Symbol("symbol"),
  "a list of itself": () => {
    const list: Array<unknown> = []
    list.push(list)
    return list
  }
}

describe("a request with something strange in it", () => {
  for (const endpoint of Endpoints.all) {
    const fields = new Set(fieldsOf(endpoint.request.ast))
    it(`to ${endpoint.name} is refused as invalid, in whatever field it is, and alone`, () => {
      const { encode } = codecOf(endpoint as Parameters<typeof codecOf>[0])
      for (const [title, make] of Object.entries(hostile)) {
        for (const request of [make(), ...Array.from(fields, (field) => ({ category: "linear", [field]: make() }))]) {
          const encoded = encode(request)
          // An empty object is a request where nothing is required.
          if (title === "an object without prototype" && Either.isRight(encoded)) continue
          expect(encoded, title).toMatchObject({ _tag: "Left", left: { _tag: "InvalidRequest" } })
        }
      }
    })
  }
})
