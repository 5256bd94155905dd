import * as Breadth from "@effect-venue/testing/Breadth"
import { Arbitrary, Effect, Either, FastCheck as fc, ParseResult, Schema } from "effect"
import * as assert from "node:assert/strict"
import * as Decimal from "../src/scalars/Decimal.js"
import * as Decoder from "@effect-venue/schemas/siblings/Decoder"
import * as Encoder from "@effect-venue/schemas/siblings/Encoder"
import { check } from "../src/compiler/check.js"
import { read } from "../src/compiler/read.js"
import { refused } from "../src/compiler/protocol.js"
import { write, writeStrictly } from "../src/compiler/write.js"

export const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** What else may stand where a value was expected; some of it no JSON can say. */
export const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    ...["", "0", "-0", "1e5", "1e-05", " 1", "9".repeat(30), "0.1".padEnd(40, "0"), "__proto__", "constructor", null],
    ...[undefined, true, 0, -1, 1.5, Infinity, Number.NaN, 2 ** 53, -(2 ** 60), 5n, Symbol.iterator]
  ),
  // Made anew each time, since they are changed.
  fc
    .constantFrom<() => unknown>(
      ...[() => [], () => ({}), () => [[]], () => new Date(0), () => new Map(), () => () => 1],
      () => Object.create({ symbol: "inherited" }) as object,
      // No text can be made of them.
      ...[() => ({ toString: 1, valueOf: 2 }), () => Object.create(null) as object]
    )
    .map((make) => make())
)

interface Mutation {
  readonly at: number
  readonly how: "replace" | "drop" | "add" | "proto" | "hole" | "undefined" | "repeat"
  readonly value: unknown
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(10_000),
  how: fc.constantFrom("replace", "replace", "drop", "add", "proto", "hole", "undefined", "repeat"),
  value: strange
})

const containers = (value: unknown): ReadonlyArray<object> =>
  typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(containers)] : []

/** Changes something at any depth, in place. */
export const mutate = (wire: unknown, { at, how, value }: Mutation): unknown => {
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

/** Effect's own readers and writers make a text of the field that members of a union differ in, and throw this where none can be made. */
const withoutText = /Cannot convert object to primitive value/

type Outcome = Either.Either<unknown, unknown>

/**
 * A value of the fast way and of the whole one is that of Effect's, and what Effect refuses they refuse. Returns the values beside the
 * expected one, or nothing if Effect throws.
 */
const compared = (effects: () => Outcome, fast: unknown, whole: Outcome, mayHesitate: boolean) => {
  const outcome = Either.try(effects)
  if (Either.isRight(outcome) && Either.isRight(outcome.right)) {
    const expected = outcome.right.right
    if (!mayHesitate) assert.notEqual(fast, refused)
    const values = fast === refused ? [Either.getOrThrow(whole)] : [fast, Either.getOrThrow(whole)]
    for (const value of values) {
      assert.deepStrictEqual(value, expected)
      assert.equal(printed(value), printed(expected))
    }
    return values.map((value) => ({ value, expected }))
  }
  assert.equal(fast, refused)
  assert.ok(Either.isLeft(whole) && ParseResult.isParseError(whole.left))
  if (Either.isLeft(outcome)) {
    assert.match(String(outcome.left), withoutText)
    return undefined
  }
  assert.ok(Either.isLeft(outcome.right) && ParseResult.isParseError(outcome.right.left))
  assert.deepEqual(messages(whole.left), messages(outcome.right.left))
  return []
}

/**
 * What was read fast is what the schema's own decoder reads: value, order of keys, spelling of what it is written back as. What it
 * refuses the other refuses too, unless `mayHesitate`: then the other decides.
 */
export const agrees = (schema: Schema.Schema.AnyNoContext, input: unknown, mayHesitate = !isPlain(input)): void => {
  const any = schema as Schema.Schema<unknown>
  const whole = Decoder.decodeUnknownEither(any)(input)
  const values = compared(() => Schema.decodeUnknownEither(any)(input), read(schema.ast)(input), whole, mayHesitate)
  if (values === undefined) return
  const encode = Schema.encodeUnknownEither(any)
  for (const { expected, value } of values) assert.deepStrictEqual(encode(value), encode(expected))

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

/**
 * What is written fast is what the schema's own encoder writes: value and order of keys. What it refuses the other refuses too, unless
 * `mayHesitate`: then the other decides.
 */
export const writesAlike = (schema: Schema.Schema.AnyNoContext, value: unknown, mayHesitate: boolean): void => {
  const any = schema as Schema.Schema<unknown>
  const whole = Either.try({ try: () => Encoder.encodeSync(any)(value), catch: (error) => error })
  compared(() => Schema.encodeUnknownEither(any)(value), write(schema.ast)(value), whole, mayHesitate)
  const strict = Schema.encodeUnknownEither(any, { errors: "all", onExcessProperty: "error" })
  const request = Either.mapLeft(Encoder.encodeRequest(any)(value), ParseResult.parseError)
  compared(() => strict(value), writeStrictly(schema.ast)(value), request, true)
}

export const mutated = (schema: Schema.Schema.AnyNoContext) =>
  fc
    .tuple(Arbitrary.make(Schema.encodedSchema(schema)).map(asJson), fc.array(mutation, { maxLength: 2 }))
    .map(([wire, mutations]) => mutations.reduce(mutate, wire))

interface Tree {
  readonly name: string
  readonly leaves: ReadonlyArray<Tree>
}
const Tree: Schema.Schema<Tree> = Schema.Struct({
  name: Schema.String,
  leaves: Schema.Array(Schema.suspend(() => Tree))
})
/** Schemas of other shapes than those of answers. */
export const otherSchemas: Record<string, Schema.Schema.AnyNoContext> = {
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
  "unions distinguished by a literal": Schema.Union(
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

/** Properties run more often in the long tier. */
export const runs = { allowed: Breadth.repeats(100, 3), forbidden: Breadth.repeats(25, 2) }

/** Whether a decoder is generated code: a line for each field. */
export const isStraight = (decoder: (input: unknown) => unknown): boolean => /(check|read)0\(/.test(decoder.toString())
