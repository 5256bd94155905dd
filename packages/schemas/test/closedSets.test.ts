/**
 * Parameters that take some values and no others, of all operations: what is none of them is refused before anything is sent, in words and
 * not with a schema. What the document says may be empty is taken.
 */
import * as Samples from "@effect-venue/testing/Samples"
import * as Specification from "@effect-venue/testing/Specification"
import { describe, expect, it } from "@effect/vitest"
import { Option, SchemaAST } from "effect"
import * as Orders from "../src/domains/Orders.js"
import { namedRefusals, refusals } from "./helpers.js"

type Path = ReadonlyArray<string | number>

interface Parameter {
  readonly path: Path
  readonly type: SchemaAST.AST
  /** The discriminators of its variant. */
  readonly beside: Readonly<Record<string, unknown>>
}

const withoutUndefined = (ast: SchemaAST.AST): SchemaAST.AST =>
  SchemaAST.isUnion(ast) ? SchemaAST.Union.make(ast.types.filter((type) => !SchemaAST.isUndefinedKeyword(type))) : ast

const literals = (ast: SchemaAST.AST): ReadonlyArray<SchemaAST.LiteralValue> | undefined => {
  if (SchemaAST.isLiteral(ast)) return [ast.literal]
  if (SchemaAST.isTransformation(ast)) return literals(ast.to)
  if (!SchemaAST.isUnion(ast)) return undefined
  const all = ast.types.map(literals)
  return all.every((one) => one !== undefined) ? all.flat() : undefined
}

const set = (
  target: Readonly<Record<string, unknown>>,
  [key, ...rest]: Path,
  value: unknown
): Record<string, unknown> => {
  const name = String(key)
  if (rest.length === 0) return { ...target, [name]: value }
  const [index, ...further] = rest
  return typeof index === "number"
    ? { ...target, [name]: [set({}, further, value)] }
    : { ...target, [name]: set({}, rest, value) }
}

/** The parameters of a request, those of a list's items behind its name, with the field that names their variant. */
const parametersOf = (ast: SchemaAST.AST, path: Path, beside: Parameter["beside"]): ReadonlyArray<Parameter> => {
  if (SchemaAST.isUnion(ast)) return ast.types.flatMap((type) => parametersOf(type, path, beside))
  if (SchemaAST.isRefinement(ast)) return parametersOf(ast.from, path, beside)
  if (SchemaAST.isTransformation(ast)) return parametersOf(ast.to, path, beside)
  if (SchemaAST.isDeclaration(ast)) return ast.typeParameters.flatMap((type) => parametersOf(type, path, beside))
  if (SchemaAST.isTupleType(ast)) return ast.rest.flatMap(({ type }) => parametersOf(type, [...path, 0], beside))
  if (!SchemaAST.isTypeLiteral(ast)) return []
  const own = Object.fromEntries(
    path.length > 0
      ? []
      : ast.propertySignatures.flatMap(({ name, type }) => {
          const values = literals(type)
          return values?.length === 1 ? [[String(name), values[0]] as const] : []
        })
  )
  const variant = { ...beside, ...own }
  return ast.propertySignatures.flatMap(({ name, type: given }) => {
    const type = withoutUndefined(given)
    const here = [...path, String(name)]
    return [
      { path: here, type, beside: variant },
      ...(literals(type) === undefined ? parametersOf(type, here, variant) : [])
    ]
  })
}

const operations = Samples.all.map(({ endpoint, name }) => ({
  endpoint,
  closed: Specification.listClosed(Specification.specification[name]),
  parameters: parametersOf(SchemaAST.typeAST(endpoint.request.ast), [], {})
}))

const nameOf = (path: Path): string =>
  path
    .map((key) => (typeof key === "number" ? "[]" : key))
    .join(".")
    .replaceAll(".[]", "[]")

/** Which variant of a request is meant, these say; the client words their refusal. */
const discriminators = new Set(["category", "addressType"])

describe("a parameter with a closed set of values", () => {
  for (const { closed: names, endpoint, parameters } of operations) {
    it(`of ${endpoint.name} refuses other values before sending`, () => {
      expect(names.filter((name) => !parameters.some(({ path }) => nameOf(path) === name))).toEqual([])
      for (const { beside, path, type } of parameters) {
        const name = nameOf(path)
        // Whatever has values of its own in the schema is in the table.
        if (literals(type) !== undefined) expect(names).toContain(name)
        if (!names.includes(name)) continue
        for (const value of ["markPrice", "Nonsense", "", "UNKNOWN", 7, true, {}]) {
          const refused = namedRefusals(endpoint, set(beside, path, value))
          const own = refused.filter((text) => text.startsWith(`${path.join(".")}: `))
          expect([name, value, own.length > 0]).toEqual([name, value, true])
          if (typeof value === "object" || typeof value === "boolean" || discriminators.has(name)) continue
          expect(own.join()).toContain(`, not ${JSON.stringify(value)}`)
        }
      }
    })
  }
})

describe("an invalid parameter", () => {
  for (const { endpoint, parameters } of operations) {
    it(`of ${endpoint.name} is refused with a sentence, not with a schema`, () => {
      for (const { beside, path } of parameters) {
        if (discriminators.has(nameOf(path))) continue
        for (const value of [{ nonsense: 1 }, Symbol.iterator]) {
          const refused = namedRefusals(endpoint, set(beside, path, value))
          const own = refused.filter((text) => text.startsWith(path.join(".")) && !text.endsWith("is missing"))
          for (const text of own) expect(text).not.toMatch(/Expected|actual|readonly|filter|=>/)
        }
      }
    })
  }
})

describe("a parameter that can be empty", () => {
  it("is the cursor of every list", () => {
    const paged = operations.filter(({ endpoint }) => Option.isSome(endpoint.paging))
    expect(paged.length).toBeGreaterThan(9)
    for (const { endpoint } of paged) {
      for (const category of ["spot", "linear", "inverse"]) {
        const about = refusals(endpoint, { category, cursor: "" }).filter((text) => text.startsWith("cursor"))
        expect([endpoint.name, about]).toEqual([endpoint.name, []])
      }
    }
  })

  it("is the price of a market order, but not of others", () => {
    const create = Orders.create
    const market = { category: "linear", symbol: "A", side: "Buy", orderType: "Market", qty: "1", price: "" }
    expect(refusals(create, market)).toEqual([])
    expect(refusals(create, { ...market, orderType: "Limit" })).toEqual(["price: is required when orderType is Limit"])
    expect(refusals(create, { ...market, price: "x" })).toEqual(["price: must be a decimal greater than 0"])
  })
})
