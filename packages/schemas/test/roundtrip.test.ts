import * as Breadth from "@effect-venue/testing/Breadth"
import { describe, it } from "@effect/vitest"
import {
  Arbitrary,
  BigDecimal,
  DateTime,
  FastCheck as fc,
  Option,
  ParseResult,
  Predicate,
  Schema,
  SchemaAST
} from "effect"
import * as assert from "node:assert/strict"
import * as Decimal from "../src/scalars/Decimal.js"
import * as Endpoints from "../src/document/Endpoints.js"
import * as Executions from "../src/domains/Executions.js"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** What travels: no `undefined`, no -0, no odd prototypes. */
const asJson = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json

const wires = (schema: Schema.Schema.AnyNoContext): fc.Arbitrary<Json> =>
  Arbitrary.make(Schema.encodedSchema(schema)).map(asJson)

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The same wire value with an unknown field in every object of it. */
const withUnforeseen = (wire: Json, unforeseen: Json): Json => {
  if (Array.isArray(wire)) return wire.map((item: Json) => withUnforeseen(item, unforeseen))
  if (!isObject(wire)) return wire
  const out = Object.fromEntries(Object.entries(wire).map(([key, value]) => [key, withUnforeseen(value, unforeseen)]))
  return { ...out, unforeseenField: unforeseen }
}

const preserving = { onExcessProperty: "preserve" } as const

/** A value with its decimals as text, without trailing zeros. */
const comparable = (value: unknown): unknown => {
  if (BigDecimal.isBigDecimal(value)) return Decimal.format(BigDecimal.normalize(value))
  if (Option.isOption(value)) return Option.map(value, comparable)
  if (Array.isArray(value)) return value.map(comparable)
  return Predicate.isReadonlyRecord(value) && !DateTime.isDateTime(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, comparable(item)]))
    : value
}

/** A decoded value keeps its meaning when it is written in the documented spelling, and what is so written is written verbatim. */
const survives = (schema: Schema.Schema.AnyNoContext, wire: Json, options?: typeof preserving): void => {
  const decode: (input: unknown) => unknown = Schema.decodeUnknownSync(schema, options)
  const encode: (value: unknown) => unknown = Schema.encodeUnknownSync(schema, options)
  const decoded = decode(wire)
  const written = asJson(encode(decoded))
  assert.deepStrictEqual(comparable(decode(written)), comparable(decoded))
  assert.deepStrictEqual(asJson(encode(decode(written))), written)
}

const saysNothing = new Set(["positions.setTradingStop", "positions.setLeverage", "positions.confirmNewRiskLimit"])

/** The long tier runs more of each. */
const fastCheck = { numRuns: Breadth.repeats(100, 4) }

describe("results", () => {
  for (const endpoint of Endpoints.all) {
    it.prop(
      `${endpoint.name}: a decoded value is written in the documented spelling`,
      [wires(endpoint.result)],
      ([wire]) => {
        survives(endpoint.result, wire)
      },
      { fastCheck }
    )

    // A result that says nothing has no room for unknown fields.
    if (saysNothing.has(endpoint.name)) continue

    it.prop(
      `${endpoint.name}: unknown fields are kept at every level on request`,
      // Beside a documented list that is missing, a list that is not documented is that list under another name.
      [wires(endpoint.result), fc.jsonValue().map((value) => (Array.isArray(value) ? { items: value } : value))],
      ([wire, unforeseen]) => {
        survives(endpoint.result, withUnforeseen(wire, asJson(unforeseen)), preserving)
      },
      { fastCheck }
    )
  }
})

/** The names of all parameters, those of a list's items behind the name of the list. */
const parameterNames = (ast: SchemaAST.AST, prefix = ""): ReadonlyArray<string> => {
  if (SchemaAST.isUnion(ast)) return [...new Set(ast.types.flatMap((type) => parameterNames(type, prefix)))]
  if (SchemaAST.isDeclaration(ast))
    return [...new Set(ast.typeParameters.flatMap((type) => parameterNames(type, prefix)))]
  if (SchemaAST.isTupleType(ast)) return ast.rest.flatMap(({ type }) => parameterNames(type, prefix))
  if (SchemaAST.isTypeLiteral(ast)) {
    return ast.propertySignatures.flatMap(({ name, type }) => {
      const path = `${prefix}${String(name)}`
      return [path, ...parameterNames(type, `${path}.`)]
    })
  }
  return []
}

const givenNames = (wire: Json, prefix = ""): ReadonlyArray<string> =>
  Array.isArray(wire)
    ? wire.flatMap((item: Json) => givenNames(item, prefix))
    : isObject(wire)
      ? Object.entries(wire).flatMap(([name, value]) => [`${prefix}${name}`, ...givenNames(value, `${prefix}${name}.`)])
      : []

// Where what was generated breaks a rule, this is tried in its place before it is left out.
const standIns: Readonly<Record<string, Json>> = { price: "27000.5", qty: "1.50", slippageTolerance: "5" }

/** The value with the one at the path mended: replaced, or left out; an item of a list is left out where that cannot be. */
const mendedAt = (value: Json, [key, ...rest]: ReadonlyArray<PropertyKey>): Json | undefined => {
  if (Array.isArray(value)) {
    const index = Number(key)
    const item = rest.length === 0 ? undefined : mendedAt(value[index] as Json, rest)
    return [...value.slice(0, index), ...(item === undefined ? [] : [item]), ...value.slice(index + 1)] as Json
  }
  if (!isObject(value)) return undefined
  const name = String(key)
  const { [name]: there, ...others } = value
  if (rest.length > 0 && there !== undefined) {
    const inner = mendedAt(there, rest)
    return inner === undefined ? undefined : { ...others, [name]: inner }
  }
  const standIn = standIns[name]
  if (standIn !== undefined && there !== standIn) return { ...others, [name]: standIn }
  return there === undefined ? undefined : others
}

/** The generator ignores rules between parameters: a request that breaks one is mended, or else `undefined`. */
const mended = (request: Schema.Schema.AnyNoContext) => {
  const decode = Schema.decodeUnknownEither(request, { errors: "all" })
  return (wire: Json): Json | undefined => {
    let now: Json | undefined = wire
    for (let round = 0; round < 12 && now !== undefined; round++) {
      const result = decode(now)
      if (result._tag === "Right") return now
      const [first] = ParseResult.ArrayFormatter.formatErrorSync(result.left)
      now = first === undefined ? undefined : mendedAt(now, first.path)
    }
    return undefined
  }
}

describe("requests", () => {
  for (const endpoint of Endpoints.all) {
    const requests = wires(endpoint.request)
      .map(mended(endpoint.request))
      .filter((wire) => wire !== undefined)

    it.prop(
      `${endpoint.name}: a server decodes the request that a client encoded`,
      [requests],
      ([wire]) => {
        survives(endpoint.request, wire)
      },
      { fastCheck }
    )

    it(`${endpoint.name}: the examples contain every parameter`, () => {
      const names = new Set(parameterNames(Schema.encodedSchema(endpoint.request).ast))
      const seen = new Set<string>()
      for (let seed = 1; seed <= 10 && seen.size < names.size; seed++) {
        for (const wire of fc.sample(requests, { numRuns: Breadth.repeats(50, 6), seed }))
          givenNames(wire).forEach((name) => seen.add(name))
      }
      assert.deepEqual([...seen].sort(), [...names].sort())
      assert.ok(names.size > 0)
    })
  }
})

describe("decimals", () => {
  const record = Executions.Execution.pipe(Schema.pick("execFee", "execPrice"))
  const noise = fc.constantFrom("-0", "-0.00", "0.000", "1.50", "+1", ".5", "5.", "1e-05", "-1.20E+3", "00.10", "1e3")

  it.prop("every spelling of a decimal is read as its value", [noise, noise], ([execFee, execPrice]) => {
    survives(record, { execFee, execPrice })
  })

  it.prop(
    "trailing zeros are kept",
    [fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), fc.integer({ min: 1, max: 18 })],
    ([value, zeros]) => {
      const text = `${value}.${"0".repeat(zeros)}`
      assert.equal(Schema.encodeSync(Decimal.Decimal)(Schema.decodeSync(Decimal.Decimal)(text)), text)
    }
  )
})
