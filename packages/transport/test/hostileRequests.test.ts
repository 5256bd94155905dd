import * as Endpoints from "@effect-venue/schemas/Endpoints"
import { describe, expect, it } from "@effect/vitest"
import * as Transport from "@effect-venue/transport/Transport"
import * as Samples from "@effect-venue/testing/Samples"
import { BigDecimal, Effect, Either, Option, SchemaAST } from "effect"
import * as scripted from "./utils/scripted.js"

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

describe("a request with a hostile value", () => {
  for (const endpoint of Endpoints.all) {
    const fields = new Set(fieldsOf(endpoint.request.ast))
    it.effect(`to ${endpoint.name} is refused with InvalidRequest, as a whole and in every field`, () =>
      Effect.gen(function* () {
        const { check } = yield* Transport.Transport
        for (const [title, make] of Object.entries(hostile)) {
          for (const request of [make(), ...Array.from(fields, (field) => ({ category: "linear", [field]: make() }))]) {
            const checked = yield* Effect.either(check(endpoint, request))
            // An empty object is a request where nothing is required.
            if (title === "an object without prototype" && Either.isRight(checked)) continue
            expect(checked, title).toMatchObject({ _tag: "Left", left: { _tag: "InvalidRequest" } })
          }
        }
      }).pipe(Effect.provide(scripted.make(() => "hang").layer))
    )
  }
})

/** The type under optional parts, rules and branches. */
const partsOf = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.AST> =>
  ast._tag === "Union"
    ? ast.types.flatMap(partsOf)
    : ast._tag === "Refinement"
      ? [ast, ...partsOf(ast.from)]
      : ast._tag === "TupleType"
        ? [ast, ...ast.rest.flatMap(({ type }) => partsOf(type))]
        : [ast]

interface Field {
  readonly path: ReadonlyArray<string>
  readonly isDecimal: boolean
}

/** The fields of a request, and those of each item of a batch. */
const inputsOf = (ast: SchemaAST.AST): ReadonlyArray<Field> =>
  partsOf(ast).flatMap((part) =>
    part._tag === "TypeLiteral"
      ? part.propertySignatures.flatMap(({ name, type }): ReadonlyArray<Field> => {
          const parts = partsOf(type)
          const isDecimal = parts.some((part) =>
            Option.contains(SchemaAST.getIdentifierAnnotation(part), "DecimalInput")
          )
          const inner = parts.some(({ _tag }) => _tag === "TupleType") ? inputsOf(type) : []
          return inner.length === 0
            ? [{ path: [String(name)], isDecimal }]
            : inner.map(({ isDecimal, path }) => ({ path: [String(name), "0", ...path], isDecimal }))
        })
      : []
  )

const withValue = (request: unknown, [name = "", ...rest]: ReadonlyArray<string>, value: unknown): unknown => {
  const inner = rest.length === 0 ? value : withValue(Reflect.get(Object(request), name), rest, value)
  return Array.isArray(request)
    ? request.map((item: unknown, index) => (String(index) === name ? inner : item))
    : { ...Object(request), [name]: inner }
}

const huge = {
  "a text of ten million characters": "B".repeat(10_000_000),
  "a decimal of a million digits": "1".repeat(1_000_000),
  "a decimal with a million zeros": BigDecimal.make(1n, -1_000_000),
  "a decimal with a million decimals": BigDecimal.make(1n, 1_000_000),
  "a decimal whose digits are a million": BigDecimal.make(10n ** 1_000_000n, 0),
  "a decimal with a scale that is not a number": BigDecimal.make(1n, NaN),
  "a decimal with an infinite scale": BigDecimal.make(1n, Infinity),
  "a decimal with half a scale": BigDecimal.make(1n, 0.5)
}
const misspelled = { "zeros in front": "01", "more zeros in front": "-00.5", "two zeros": "00" }

describe("an oversized or misspelled value", () => {
  for (const endpoint of Endpoints.all) {
    const fields = new Map(inputsOf(SchemaAST.typeAST(endpoint.request.ast)).map((one) => [one.path.join("."), one]))
    it.effect(`is refused before sending in every field of ${endpoint.name}`, () => {
      const far = scripted.make(() => "hang")
      return Effect.gen(function* () {
        const { call } = yield* Transport.Transport
        const sample = Samples.requests[endpoint.name as Samples.Operation]
        for (const [field, { isDecimal, path }] of fields) {
          for (const [title, value] of Object.entries({ ...huge, ...(isDecimal ? misspelled : {}) })) {
            const request = withValue(sample, path, value)
            const failure = yield* Effect.flip(call(endpoint, request))
            const because = `${title} in ${field}: ${failure.message.slice(0, 300)}`
            expect(failure._tag, because).toBe("InvalidRequest")
            expect(failure.message.length, because).toBeLessThan(5_000)
            if (failure._tag !== "InvalidRequest") continue
            const named = failure.issues.filter((issue) => issue.field.startsWith(field))
            // Without a category that exists no other field can be judged.
            if (field !== "category") expect(named.length, because).toBeGreaterThan(0)
          }
        }
        expect(far.arrived).toEqual([])
      }).pipe(Effect.provide(far.layer))
    })
  }
})

/** What ends a line, a header or a text elsewhere. */
const controls = ["\n", "\r", "\r\n", "\0", "\t", "\u001b", "\u007f", "\u0085"]

describe("a control character", () => {
  for (const endpoint of Endpoints.all) {
    const paths = new Map(inputsOf(SchemaAST.typeAST(endpoint.request.ast)).map(({ path }) => [path.join("."), path]))
    it.effect(`is refused before sending in every text of ${endpoint.name}`, () => {
      const far = scripted.make(() => "hang")
      return Effect.gen(function* () {
        const { call, check } = yield* Transport.Transport
        const sample = Samples.requests[endpoint.name as Samples.Operation]
        for (const [field, path] of paths) {
          for (const inList of [false, true]) {
            const request = (text: string) => withValue(sample, path, inList ? [text] : text)
            const takesText = yield* Effect.isSuccess(check(endpoint, request("AB1")))
            for (const control of controls) {
              for (const text of [`AB${control}1`, `${control}AB1`, `AB1${control}`]) {
                const failure = yield* Effect.flip(call(endpoint, request(text)))
                expect(failure._tag, field).toBe("InvalidRequest")
                expect(failure.message).not.toMatch(/\p{Cc}/u)
                if (!takesText) continue
                const named = { field: inList ? `${field}.0` : field }
                expect(failure).toMatchObject({ ...named, issues: [named] })
              }
            }
          }
        }
        expect(far.arrived).toEqual([])
      }).pipe(Effect.provide(far.layer))
    })
  }

  it("is tried in the texts of every kind", () => {
    const named = Endpoints.all.flatMap(({ name, request }) =>
      inputsOf(SchemaAST.typeAST(request.ast)).map(({ path }) => `${name} ${path.join(".")}`)
    )
    expect(named).toEqual(
      expect.arrayContaining([
        "orders.create symbol",
        "orders.createBatch request.0.orderLinkId",
        "orders.open cursor",
        "account.walletBalance coin",
        "assets.withdrawInternal remark",
        "apiLimits.set list.0.uids"
      ])
    )
  })
})
