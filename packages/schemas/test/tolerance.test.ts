/**
 * Every field of every answer, in every spelling: as a number, as text, as `null`, as `""`, and missing. Generated from the schemas, so that a
 * new field is covered by itself. What may never be missing is listed here, with the reason; all else never loses a page.
 */
import { fieldsOf, ofList, reasons, specification } from "@effect-venue/testing/Specification"
import { describe, expect, it } from "@effect/vitest"
import {
  Arbitrary,
  BigDecimal,
  DateTime,
  Either,
  FastCheck as fc,
  Option,
  ParseResult,
  Schema,
  SchemaAST
} from "effect"
import * as Decoder from "@effect-venue/schemas/siblings/Decoder"
import * as Endpoints from "../src/document/Endpoints.js"
import * as Envelope from "@effect-venue/schemas/siblings/Envelope"
import * as Orders from "../src/domains/Orders.js"
import { asJson } from "./decoding.js"

type Path = ReadonlyArray<string | number>

interface Answer {
  readonly name: string
  readonly schema: AnySchema
  readonly wire: unknown
}

type AnySchema = Schema.Schema<unknown>

const envelopes = (["standard", "legacy", "bare"] as const).map((kind) => ({
  name: `envelope.${kind}`,
  schema: Envelope.fromKind(kind) as AnySchema,
  wire:
    kind === "standard"
      ? { retCode: 10001, retMsg: "no", retExtInfo: {}, time: 1_700_000_000_123 }
      : {
          ret_code: 10001,
          ret_msg: "no",
          ...(kind === "legacy" ? { ext_code: "", ext_info: null, time_now: 1_700_000_000_123 } : {})
        }
}))

/** The fields that may never be missing, by answer. */
const never: Readonly<Record<string, ReturnType<typeof fieldsOf>>> = {
  ...Object.fromEntries(Object.entries(specification).map(([name, { required }]) => [name, fieldsOf(required)])),
  "assets.transfer, second spelling": { transfer_id: "id" },
  "apiLimits.set, second spelling": fieldsOf(ofList({ id: "uids", limit: "rate", outcome: "success" })),
  "apiLimits.query, second spelling": fieldsOf(ofList({ id: "uids", limit: "rate" }, "result")),
  "envelope.standard": { retCode: "outcome" },
  "envelope.legacy": { ret_code: "outcome" },
  "envelope.bare": { ret_code: "outcome" }
}

/** An answer with all its fields, no list of it empty and nothing spelled as nothing. */
const full = (schema: AnySchema): unknown => {
  const isFull = (value: unknown): boolean =>
    Array.isArray(value)
      ? value.length > 0 && value.every(isFull)
      : typeof value === "object" && value !== null
        ? Object.values(value).every(isFull)
        : value !== null && value !== "" && value !== "not described"
  const wires = fc
    .sample(Arbitrary.make(Schema.encodedSchema(schema)).map(asJson), { seed: 1, numRuns: 400 })
    .map((wire) => wire)
  return merged(
    wires.filter((wire) => typeof wire === "object" && wire !== null),
    isFull
  )
}

/** One of several answers: each field from the first that has it in full. */
const merged = (wires: ReadonlyArray<unknown>, isFull: (value: unknown) => boolean): unknown => {
  const first = wires.find((wire) => Array.isArray(wire) && wire.length > 0)
  if (first !== undefined) {
    return [
      merged(
        wires.flatMap((wire) => (Array.isArray(wire) ? (wire as ReadonlyArray<unknown>) : [])),
        isFull
      )
    ]
  }
  const objects = wires.filter(
    (wire): wire is object =>
      typeof wire === "object" && wire !== null && !Array.isArray(wire) && Object.keys(wire).length > 0
  )
  if (objects.length === 0) return wires.find(isFull)
  const keys = [...new Set(objects.flatMap((wire) => Object.keys(wire)))]
  return Object.fromEntries(
    keys.map((key) => [
      key,
      merged(
        objects.flatMap((wire) => (key in wire ? [(wire as Record<string, unknown>)[key]] : [])),
        isFull
      )
    ])
  )
}

const pathsOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => {
        const here = [...path, Array.isArray(value) ? Number(key) : key]
        return [here, ...pathsOf(inner, here)]
      })
    : []

const missing = Symbol("missing")

const replaced = (value: unknown, [key, ...rest]: Path, by: unknown): unknown => {
  if (key === undefined) return by
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === key ? replaced(item, rest, by) : item))
  return Object.fromEntries(
    Object.entries(value as object).flatMap(([name, inner]) =>
      name !== key ? [[name, inner]] : rest.length === 0 && by === missing ? [] : [[name, replaced(inner, rest, by)]]
    )
  )
}

const at = (value: unknown, [key, ...rest]: Path): unknown =>
  key === undefined ? value : at((value as Record<string | number, unknown>)[key], rest)

const nameOf = (path: Path): string =>
  path.map((key, index) => (typeof key === "number" ? "[]" : `${index === 0 ? "" : "."}${key}`)).join("")

/** The other spellings of a value: digits as text and as a number, a flag as either. */
const otherSpellings = (wire: unknown): ReadonlyArray<unknown> => {
  if (typeof wire === "boolean") return [String(wire), Number(wire), String(Number(wire))]
  if (typeof wire === "number") return [String(wire)]
  if (typeof wire !== "string" || !/^-?(?=[\d.]{1,16}$)\d+(\.\d+)?$/.test(wire) || Number(wire) === 0) return []
  // A decimal may have zeros at its end that a number has not; an id is its digits.
  return wire.includes(".") || String(Number(wire)) === wire ? [Number(wire)] : []
}

/** What the domain says, whatever the scale of its decimals. */
const said = (value: unknown): unknown =>
  BigDecimal.isBigDecimal(value)
    ? BigDecimal.format(BigDecimal.normalize(value))
    : DateTime.isDateTime(value)
      ? value.toJSON()
      : Option.isOption(value)
        ? Option.isSome(value)
          ? ["some", said(value.value)]
          : "none"
        : Array.isArray(value)
          ? value.map(said)
          : typeof value === "object" && value !== null
            ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, said(inner)]))
            : value

const issuesOf = (error: ParseResult.ParseError): ReadonlyArray<string> =>
  ParseResult.ArrayFormatter.formatErrorSync(error).map(({ path }) => path.join("."))

/** The wire sides of an answer: two of one that the document spells in two ways. */
const wireSides = (schema: AnySchema): ReadonlyArray<AnySchema> => {
  const { ast } = Schema.encodedSchema(schema)
  return SchemaAST.isDeclaration(ast) && Option.contains(SchemaAST.getTitleAnnotation(ast), "EitherSpelling")
    ? ast.typeParameters.map((type) => Schema.make(type))
    : [schema]
}

const answers: ReadonlyArray<Answer> = [
  ...Endpoints.all.flatMap(({ name, result }) =>
    wireSides(result as AnySchema).map((side, index) => ({
      name: index === 0 ? name : `${name}, second spelling`,
      schema: result as AnySchema,
      wire: full(side)
    }))
  ),
  ...envelopes
]

describe("a field of a response", () => {
  const seen = { fields: 0, spelled: 0 }

  for (const { name, schema, wire } of answers) {
    const read = Decoder.decodeUnknownEither(schema)
    const check = Decoder.validateWireEither(schema)
    const ordinary = Schema.decodeUnknownEither(schema)
    const paths = pathsOf(wire)
    const required = never[name] ?? {}
    const names = new Set(paths.map(nameOf))
    const whole = Either.getOrThrow(ordinary(wire))

    it(`${name}: contains every required field`, () => {
      expect(Object.keys(required).filter((path) => !names.has(path))).toEqual([])
    })

    it(`${name}: can be text or a number`, () => {
      for (const path of paths) {
        seen.fields++
        for (const other of otherSpellings(at(wire, path))) {
          const changed = replaced(wire, path, other)
          for (const decode of [read, ordinary]) {
            expect([nameOf(path), other, Either.map(decode(changed), said)]).toEqual([
              nameOf(path),
              other,
              Either.right(said(whole))
            ])
          }
          expect([nameOf(path), other, Either.isRight(check(changed))]).toEqual([nameOf(path), other, true])
          seen.spelled++
        }
      }
    })

    it(`${name}: does not affect other fields if it is null, missing or empty`, () => {
      const optional = paths.filter((path) => !(nameOf(path) in required) && typeof path.at(-1) === "string")
      for (const path of optional) {
        for (const nothing of [null, missing, ""]) {
          const changed = replaced(wire, path, nothing)
          const outcomes = [read, ordinary].map((decode) => {
            const decoded = decode(changed)
            return Either.isLeft(decoded) ? issuesOf(decoded.left) : said(decoded.right)
          })
          const [first, second] = outcomes
          expect([nameOf(path), nothing, first]).toEqual([nameOf(path), nothing, second])
          expect([nameOf(path), nothing, Array.isArray(first)]).toEqual([
            nameOf(path),
            nothing,
            Array.isArray(said(whole))
          ])
          expect([nameOf(path), nothing, Either.isRight(check(changed))]).toEqual([nameOf(path), nothing, true])
        }
      }
    })

    it(`${name}: fails with its path if it is required and missing`, () => {
      for (const path of paths.filter((path) => nameOf(path) in required)) {
        const isRows = required[nameOf(path)] === "rows"
        for (const nothing of typeof path.at(-1) === "number"
          ? [null, ""]
          : isRows
            ? [missing, ""]
            : [null, missing, ""]) {
          const decoded = read(replaced(wire, path, nothing))
          const issues = Either.isLeft(decoded) ? issuesOf(decoded.left) : ["was read"]
          // Where neither spelling is there, the first is missing.
          const isOther = nothing === missing && path.length === 1 && name.endsWith("second spelling")
          const where = isOther
            ? Object.keys(answers.find((one) => name.startsWith(one.name))?.wire ?? {})
            : [path.join(".")]
          expect([nameOf(path), nothing, issues.length, issues[0]]).toEqual([
            ...[nameOf(path), nothing, 1],
            expect.stringMatching(new RegExp(`^${where.join()}(\\.|$)`))
          ])
        }
      }
    })
  }

  it("is one of hundreds", () => {
    expect(seen.fields).toBeGreaterThan(450)
    expect(seen.spelled).toBeGreaterThan(90)
  })

  it("has a reason if it is required", () => {
    for (const fields of Object.values(never)) {
      for (const reason of Object.values(fields)) expect(reasons).toHaveProperty(reason)
    }
  })
})

describe("an undocumented field", () => {
  const order = answers.find(({ name }) => name === "orders.open")
  const undescribed = [
    ["orders.open", "list.0.IsLeverage"],
    ["orders.open", "list.0.PlaceType"],
    ["instruments.list", "list.0.deliveryTime"],
    ["instruments.list", "list.0.deliveryFeeRate"],
    ["instruments.list", "list.0.unifiedMarginTrade"],
    ["instruments.list", "list.0.riskParameters"],
    ["positions.list", "list.0.tradeMode"],
    ["positions.list", "list.0.positionBalance"],
    ["account.walletBalance", "list.0.totalEquity"],
    ["account.walletBalance", "list.0.totalPerpUPL"],
    ["account.walletBalance", "list.0.accountLTV"],
    ["account.walletBalance", "list.0.coin.0.borrowAmount"],
    ["account.walletBalance", "list.0.coin.0.availableToBorrow"],
    ["account.walletBalance", "list.0.coin.0.accruedInterest"]
  ] as const

  it("never makes a page unreadable", () => {
    for (const [name, text] of undescribed) {
      const answer = answers.find((one) => one.name === name)
      if (answer === undefined) throw new Error(name)
      const { schema } = answer
      const path = text.split(".").map((key) => (/^\d+$/.test(key) ? Number(key) : key))
      for (const value of ["cross", "2", 7.5, true, [], { a: [1] }, [null]]) {
        const changed = replaced(answer.wire, path, value)
        for (const decode of [Decoder.decodeUnknownEither(schema), Schema.decodeUnknownEither(schema)]) {
          const decoded = decode(changed)
          expect([text, value, Either.isRight(decoded)]).toEqual([text, value, true])
          // Where the value is one that the field expects, it is written; otherwise the field is empty.
          const written = at(Schema.encodeSync(schema)(Either.getOrThrow(decoded)), path)
          expect([
            "",
            "0",
            undefined,
            value,
            Number(value),
            String(Number(value)),
            JSON.stringify(value)
          ]).toContainEqual(written)
        }
        expect(Either.isRight(Decoder.validateWireEither(schema)(changed))).toBe(true)
      }
    }
  })

  it("is none if it does not have the expected form", () => {
    const [first] = Schema.decodeUnknownSync(Orders.open.result)(
      replaced(order?.wire, ["list", 0, "IsLeverage"], "cross")
    ).list
    expect(first?.isLeverage).toEqual(Option.none())
  })
})

/** The lists of details of a write that has succeeded. */
const decidesNothing = new Set(["orders.cancelAll list"])

describe("a list under a name that is not documented", () => {
  for (const { name, schema, wire } of answers) {
    const lists = pathsOf(wire).filter((path) => Array.isArray(at(wire, path)))
    if (lists.length === 0) continue
    it(`is not read as an empty list of ${name}`, () => {
      for (const path of lists) {
        const [above, key] = [path.slice(0, -1), path.at(-1)]
        const { [String(key)]: list, ...others } = at(wire, above) as Readonly<Record<string, unknown>>
        const beside = replaced(wire, above, { ...others, [String(key)]: list, added: list })
        expect(Either.isRight(Decoder.decodeUnknownEither(schema)(beside))).toBe(true)
        const renamed = replaced(wire, above, { ...others, renamed: list })
        const emptied = replaced(wire, above, { ...others, renamed: [] })
        for (const changed of [renamed, emptied]) {
          for (const decode of [Decoder.decodeUnknownEither(schema), Schema.decodeUnknownEither(schema)]) {
            const decoded = decode(changed)
            expect([nameOf(path), Either.isLeft(decoded)]).toEqual([
              nameOf(path),
              !decidesNothing.has(`${name} ${nameOf(path)}`)
            ])
            if (Either.isRight(decoded)) continue
            const [issue] = ParseResult.ArrayFormatter.formatErrorSync(decoded.left)
            // An answer with two documented spellings is judged by either.
            expect(nameOf((issue?.path ?? []).slice(0, -1) as Path)).toBe(nameOf(above))
          }
          expect(Either.isLeft(Decoder.validateWireEither(schema)(changed))).toBe(
            !decidesNothing.has(`${name} ${nameOf(path)}`)
          )
        }
      }
    })
  }
})
