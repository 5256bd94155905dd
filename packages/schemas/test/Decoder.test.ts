import { afterAll, beforeAll, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Either, FastCheck as fc, ParseResult, Schema } from "effect"
import * as assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { vi } from "vitest"
import * as Absent from "../src/Absent.js"
import * as Decimal from "../src/Decimal.js"
import * as Decoder from "../src/Decoder.js"
import type * as Endpoint from "../src/Endpoint.js"
import * as Endpoints from "../src/Endpoints.js"
import * as Envelope from "../src/Envelope.js"
import * as Executions from "../src/Executions.js"
import * as Instant from "../src/Instant.js"
import * as Integer from "../src/Integer.js"
import * as compiled from "../src/internal/compiled.js"
import { refused } from "../src/internal/decoding.js"
import * as Orders from "../src/Orders.js"

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** What else may stand where a value was expected; some of it no JSON can say. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    ...["", "0", "-0", "1e5", "1e-05", " 1", "9".repeat(30), "0.1".padEnd(40, "0"), "__proto__", "constructor", null],
    ...[undefined, true, 0, -1, 1.5, Infinity, Number.NaN, 2 ** 53, -(2 ** 60), 5n, Symbol.iterator]
  ),
  // Made anew each time, since they are changed.
  fc
    .constantFrom<() => unknown>(
      ...[() => [], () => ({}), () => [[]], () => new Date(0), () => new Map(), () => () => 1],
      () => Object.create({ symbol: "inherited" }) as object
    )
    .map((make) => make())
)

interface Mutation {
  readonly at: number
  readonly how: "replace" | "drop" | "add" | "proto" | "hole" | "undefined" | "repeat"
  readonly value: unknown
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(10_000),
  how: fc.constantFrom("replace", "replace", "drop", "add", "proto", "hole", "undefined", "repeat"),
  value: strange
})

const containers = (value: unknown): ReadonlyArray<object> =>
  typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(containers)] : []

/** Changes something at any depth, in place. */
const mutate = (wire: unknown, { at, how, value }: Mutation): unknown => {
  const all = containers(wire)
  const places = all.flatMap((container) => Object.keys(container).map((key) => [container, key] as const))
  const container = all[at % Math.max(all.length, 1)]
  const [parent, key] = places[at % Math.max(places.length, 1)] ?? []
  if (container === undefined || parent === undefined || key === undefined) return value
  switch (how) {
    case "replace":
      Reflect.set(parent, key, value)
      break
    case "undefined":
      Reflect.set(parent, key, undefined)
      break
    case "drop":
    case "hole":
      Reflect.deleteProperty(parent, key)
      break
    case "add":
      Object.assign(container, { unforeseen: value })
      break
    case "proto":
      // As `JSON.parse` makes it: a key like any other.
      Object.defineProperty(container, "__proto__", { value, enumerable: true, configurable: true, writable: true })
      break
    case "repeat":
      if (Array.isArray(container)) container.push(...container)
  }
  return wire
}

const messages = (error: ParseResult.ParseError) => ParseResult.ArrayFormatter.formatErrorSync(error)

type Compiled = typeof compiled

const printed = (value: unknown): string => {
  try {
    return JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? `${part}n` : part))
  } catch (error) {
    // What only looks like a date cannot be printed: then neither of two can be, for the same reason.
    return String(error)
  }
}

/** Whether something could have come out of `JSON.parse`, as far as its objects go. */
const isPlain = (value: unknown): boolean =>
  containers(value).every((one) => Array.isArray(one) || Object.getPrototypeOf(one) === Object.prototype)

/**
 * What was read fast is what the schema's own decoder reads: value, order of keys, spelling of what it is written back as. What it
 * refuses the other refuses too, unless `mayHesitate`: then the other decides.
 */
const agrees = (
  schema: Schema.Schema.AnyNoContext,
  input: unknown,
  { check, read }: Compiled,
  mayHesitate = !isPlain(input)
): void => {
  const any = schema as Schema.Schema<unknown>
  const ordinary = Schema.decodeUnknownEither(any)(input)
  const fast = read(schema.ast)(input)
  const whole = Decoder.decodeUnknownEither(any)(input)
  if (Either.isLeft(ordinary)) {
    assert.equal(fast, refused)
    assert.ok(Either.isLeft(whole))
    assert.deepEqual(messages(whole.left), messages(ordinary.left))
  } else {
    if (!mayHesitate) assert.notEqual(fast, refused)
    for (const value of fast === refused ? [Either.getOrThrow(whole)] : [fast, Either.getOrThrow(whole)]) {
      assert.deepStrictEqual(value, ordinary.right)
      assert.equal(printed(value), printed(ordinary.right))
      const encode = Schema.encodeUnknownEither(any)
      assert.deepStrictEqual(encode(value), encode(ordinary.right))
    }
  }

  const wire = Schema.encodedSchema(any)
  const judged = Schema.validateEither(wire)(input)
  const validated = Decoder.validateWireEither(any)(input)
  const isChecked = check(wire.ast)(input)
  if (isChecked || !mayHesitate) assert.equal(isChecked, Either.isRight(judged))
  if (Either.isLeft(judged)) {
    assert.ok(Either.isLeft(validated))
    assert.deepEqual(messages(validated.left), messages(judged.left))
  } else {
    assert.equal(Either.getOrThrow(validated), input)
  }
}

const fixtures = new URL("fixtures/successes/", import.meta.url)

const recorded = readdirSync(fixtures).map((file) => {
  const { result } = JSON.parse(readFileSync(new URL(file, fixtures), "utf8")) as { readonly result: unknown }
  return { name: file.replace(/\.json$/, ""), result }
})

const mutated = (schema: Schema.Schema.AnyNoContext) =>
  fc
    .tuple(Arbitrary.make(Schema.encodedSchema(schema)).map(asJson), fc.array(mutation, { maxLength: 2 }))
    .map(([wire, mutations]) => mutations.reduce(mutate, wire))

/** Modules that were loaded where code from text is not allowed, as where a content security policy forbids it. */
let forbidden: { readonly compiled: Compiled; readonly endpoints: ReadonlyArray<Endpoint.Any> }

beforeAll(async () => {
  vi.resetModules()
  vi.stubGlobal("Function", () => {
    throw new EvalError("Code generation from strings disallowed for this context")
  })
  const own = await import("../src/internal/compiled.js")
  const { all } = await import("../src/Endpoints.js")
  forbidden = { compiled: own, endpoints: all }
  own.check(Schema.Struct({ a: Schema.String }).ast)
  vi.unstubAllGlobals()
})

afterAll(() => {
  vi.resetModules()
})

describe("as the schema's own decoder", () => {
  for (const endpoint of Endpoints.all) {
    it.prop(`${endpoint.name}: valid and mutated results`, [mutated(endpoint.result)], ([input]) => {
      agrees(endpoint.result, input, compiled)
    })

    it.prop(
      `${endpoint.name}: where no code may be generated`,
      [mutated(endpoint.result)],
      ([input]) => {
        const own = forbidden.endpoints.find(({ name }) => name === endpoint.name)
        assert.ok(own !== undefined)
        agrees(own.result, input, forbidden.compiled)
      },
      { fastCheck: { numRuns: 25 } }
    )
  }

  for (const { name, result } of recorded) {
    it(`${name}: the recorded answer`, () => {
      const endpoint = Endpoints.all.find((one) => one.name === name)
      assert.ok(endpoint !== undefined)
      if (endpoint.extended === true) return
      assert.notEqual(compiled.read(endpoint.result.ast)(result), refused)
      agrees(endpoint.result, result, compiled)
    })
  }

  for (const kind of ["standard", "legacy", "bare"] as const) {
    const envelope = Envelope.fromKind(kind)
    const answers = fc.record({ time: fc.nat(), time_now: fc.nat(), result: fc.jsonValue() })
    it.prop(`envelope ${kind}`, [answers, fc.array(mutation, { maxLength: 2 })], ([answer, mutations]) => {
      const whole = { retCode: 0, retMsg: "OK", ret_code: 0, ret_msg: "OK", ext_code: "", ext_info: null, ...answer }
      agrees(envelope, mutations.reduce(mutate, asJson(whole)), compiled)
    })
  }
})

describe("single fields", () => {
  // Their wire sides differ, which is of no account here.
  /* eslint-disable-next-line @typescript-eslint/no-explicit-any */
  const schemas: Record<string, Schema.Schema<any, any>> = {
    decimal: Decimal.Decimal,
    "instant of ms": Instant.MillisText,
    "instant of s": Instant.SecondsNumber,
    "instant of either": Instant.disputedText("s"),
    integer: Integer.Integer,
    "integer text": Integer.IntegerText
  }
  const digits = fc.stringMatching(/^[-+]?[0-9]{0,18}\.?[0-9]{0,18}(e[-+]?\d{1,4})?$/)
  for (const [name, schema] of Object.entries(schemas)) {
    it.prop(`${name}: any text or value`, [fc.oneof(digits, fc.double(), fc.integer(), strange)], ([input]) => {
      agrees(schema, input, compiled)
      const field = Schema.Struct({ field: Absent.emptyable(schema, "0", "None") })
      agrees(field, { field: input }, compiled)
    })
  }

  it.prop("decimals are what the digits say", [digits], ([text]) => {
    const read = Decimal.parse(text)
    const isDecimal = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/.test(text)
    assert.equal(read._tag, isDecimal ? "Some" : "None")
    if (read._tag === "None") return
    const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^([-+]?)(\d*)\.?(\d*)(?:e(.*))?$/.exec(text) ?? []
    assert.equal(read.value.value, BigInt(`${whole}${fraction}` || "0") * (sign === "-" ? -1n : 1n))
    assert.equal(read.value.scale, fraction.length - Number(exponent))
  })
})

describe("schemas of an application's own", () => {
  interface Tree {
    readonly name: string
    readonly leaves: ReadonlyArray<Tree>
  }
  const Tree: Schema.Schema<Tree> = Schema.Struct({
    name: Schema.String,
    leaves: Schema.Array(Schema.suspend(() => Tree))
  })
  const schemas: Record<string, Schema.Schema.AnyNoContext> = {
    "keys that may be missing": Schema.Struct({
      first: Schema.String,
      maybe: Schema.optional(Schema.Number),
      last: Schema.optionalWith(Schema.String, { exact: true }),
      end: Schema.Boolean
    }),
    "keys with something in their place": Schema.Struct({
      count: Schema.optionalWith(Schema.NumberFromString, { default: () => 7 }),
      at: Schema.optionalWith(Schema.Date, { as: "Option", nullable: true }),
      any: Schema.Unknown
    }),
    "other names": Schema.Struct({
      one: Schema.propertySignature(Schema.NumberFromString).pipe(Schema.fromKey("two")),
      two: Schema.optional(Schema.String).pipe(Schema.fromKey("one"))
    }),
    "renamed afterwards": Schema.rename(Schema.Struct({ a: Schema.NumberFromString, b: Decimal.Decimal }), { a: "c" }),
    "a name that sets the prototype": Schema.Struct({
      ["__proto__"]: Schema.optional(Schema.Unknown),
      a: Schema.Number
    }),
    "names that objects have": Schema.Struct({
      constructor: Schema.optional(Schema.String),
      toString: Schema.String,
      hasOwnProperty: Schema.optional(Schema.Unknown)
    }),
    records: Schema.Struct({ by: Schema.Record({ key: Schema.String, value: Schema.NumberFromString }) }),
    tuples: Schema.Tuple(Schema.String, Schema.optionalElement(Schema.NumberFromString)),
    "a tuple with a rest": Schema.Tuple([Schema.String], Schema.Number, Schema.Boolean),
    "unions told apart by a literal": Schema.Union(
      Schema.Struct({ b: Schema.String }),
      Schema.Struct({ kind: Schema.Literal("a"), a: Schema.NumberFromString }),
      Schema.Struct({ kind: Schema.Literal("b"), b: Schema.String, c: Schema.optional(Schema.Number) })
    ),
    "unions of texts": Schema.Union(Schema.NumberFromString, Schema.String, Schema.Null),
    literals: Schema.Literal("a", 1, true, null),
    "what refers to itself": Tree,
    "what is filtered": Schema.Struct({
      a: Schema.NumberFromString.pipe(Schema.positive()),
      b: Schema.String.pipe(Schema.maxLength(3), Schema.brand("B"))
    }).pipe(Schema.filter(({ a, b }) => b.length < a || "must be shorter")),
    "what has to be waited for": Schema.transformOrFail(Schema.String, Schema.String, {
      strict: true,
      decode: (text) => Effect.delay(Effect.succeed(text), "1 millis"),
      encode: (text) => ParseResult.succeed(text)
    }),
    "classes of values": Schema.Struct({ set: Schema.Set(Schema.String), option: Schema.Option(Schema.Number) }),
    nothing: Schema.Struct({})
  }
  for (const [name, schema] of Object.entries(schemas)) {
    const inputs = fc.oneof(mutated(schema), strange)
    it.prop(name, [inputs], ([input]) => {
      agrees(schema, input, compiled)
    })
    it.prop(`${name}, where no code may be generated`, [inputs], ([input]) => {
      agrees(schema, input, forbidden.compiled)
    })
  }
})

describe("left to the schema's own decoder", () => {
  const effect = Schema.transformOrFail(Schema.String, Schema.Number, {
    strict: true,
    decode: (text) => Effect.sync(() => text.length),
    encode: (count) => ParseResult.succeed("x".repeat(count))
  })
  it.prop("is what is an effect, although it is done at once", [strange], ([input]) => {
    agrees(effect, input, compiled, true)
  })
})

describe("what is generated", () => {
  const isStraight = (made: (input: unknown) => unknown) =>
    made.toString().includes("check0(") || made.toString().includes("read0(")

  it("is straight lines where it may be, and lists of fields where it may not", () => {
    const { ast } = Orders.Order
    assert.ok(isStraight(compiled.read(ast)))
    assert.ok(isStraight(compiled.check(Schema.encodedSchema(Orders.Order).ast)))
    assert.ok(!isStraight(forbidden.compiled.read(ast)))
    assert.ok(!isStraight(forbidden.compiled.check(Schema.encodedSchema(Orders.Order).ast)))
  })

  it("has nothing of a schema in it but the quoted names of its fields", () => {
    const name = 'a"]; throw new Error("b\u2028\\'
    const made = compiled.read(Schema.Struct({ [name]: Schema.String }).ast)
    assert.deepEqual(made({ [name]: "c" }), { [name]: "c" })
  })

  it("keeps nothing of an answer", () => {
    const decode = Decoder.decodeUnknownEither(Executions.list.result)
    const answer = recorded.find(({ name }) => name === "executions.list")?.result
    const [one, other] = [Either.getOrThrow(decode(answer)), Either.getOrThrow(decode(answer))]
    assert.deepStrictEqual(one, other)
    assert.notEqual(one.list[0], other.list[0])
  })
})
