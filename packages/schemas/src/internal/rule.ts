/** The rules for request parameters. A rule names a field and states the requirement. Both appear in `InvalidRequest` and in the reference. */
import type * as Arbitrary from "effect/Arbitrary"
import * as BigDecimal from "effect/BigDecimal"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Decimal from "../Decimal.js"
import type { Enumeration, Open } from "../Enumerations.js"
import * as Instant from "../Instant.js"
import { inputRule, isMisspelled } from "./decimalText.js"

/** A rule for a whole request. A violation is reported for one of its fields. */
export interface Rule<in A> {
  readonly field: string
  readonly rule: string
  readonly holds: (request: A) => boolean
}

/** The annotation in which a request schema stores its rules for the reference pages. */
export const AnnotationId: unique symbol = Symbol.for("@effect-venue/schemas/Rule")

/** Returns the rules that `all` added to a schema, outermost first. */
export const ofSchema = (schema: Schema.Schema.Any): ReadonlyArray<Pick<Rule<never>, "field" | "rule">> => {
  const collect = (ast: SchemaAST.AST): ReadonlyArray<Pick<Rule<never>, "field" | "rule">> => {
    const own = Option.getOrElse(SchemaAST.getAnnotation<ReadonlyArray<Rule<never>>>(AnnotationId)(ast), () => [])
    if (SchemaAST.isRefinement(ast)) return [...own, ...collect(ast.from)]
    if (SchemaAST.isUnion(ast)) return [...own, ...ast.types.flatMap(collect)]
    return own
  }
  return collect(schema.ast)
}

/** The keys of every member of a union. */
type KeysOf<A> = A extends unknown ? keyof A & string : never

export const make = <A>(field: KeysOf<A>, rule: string, holds: (request: A) => boolean): Rule<A> => ({
  field,
  rule,
  holds
})

/** Adds rules to a request schema. All rules are checked, so that a refusal reports every violation at once. */
export const all = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  ...rules: ReadonlyArray<Rule<NoInfer<A>>>
): Schema.Schema<A, I, R> =>
  schema.pipe(
    Schema.filter(
      (request) =>
        rules.flatMap(({ field, holds, rule }) => (holds(request) ? [] : [{ path: [field], message: rule }])),
      { [AnnotationId]: rules }
    )
  )

/** Returns true if a request contains a value for a field, other than `undefined` and empty text. */
export const has = <A>(request: A, field: KeysOf<A>): boolean =>
  // The key belongs to a member of the union; other members can lack it.
  isGiven((request as Readonly<Record<string, unknown>>)[field])

const isGiven = (value: unknown): boolean => value !== undefined && value !== ""

/** Narrows the type of a schema. The rules of the schema must enforce the narrower type at run time. */
export const typed =
  <A>() =>
  <B, I>(schema: [A] extends [B] ? Schema.Schema<B, I> : never): Schema.Schema<A, I> =>
    // Every `A` is a `B`, and decoded values satisfy the rules.
    schema as unknown as Schema.Schema<A, I>

/** Requires at least one of the fields. A violation is reported for the first. */
export const atLeastOne = <const K extends string>(
  ...fields: readonly [K, ...ReadonlyArray<K>]
): Rule<{ readonly [P in K]?: unknown }> => ({
  field: fields[0],
  rule: `one of ${fields.join(", ")} is required`,
  holds: (request) => fields.some((field) => isGiven(request[field]))
})

/** Allows `field` only if the condition is true. */
export const onlyWhen = <A>(field: KeysOf<A>, condition: string, holds: (request: A) => boolean): Rule<A> =>
  make<A>(field, `only with ${condition}`, (request) => !has(request, field) || holds(request))

/** Requires `field` if the condition is true. */
export const requiredWhen = <A>(field: KeysOf<A>, condition: string, holds: (request: A) => boolean): Rule<A> =>
  make<A>(field, `required when ${condition}`, (request) => has(request, field) || !holds(request))

/** The rules of a time range: the end is not before the start, and the range is not longer than the span that the service documents. */
export const timeRange = <From extends string, To extends string>(
  from: From,
  to: To,
  span?: Duration.Duration
): ReadonlyArray<Rule<{ readonly [K in From | To]?: Instant.Input | undefined }>> => {
  type Range = { readonly [K in From | To]?: Instant.Input | undefined }
  const length = (request: Range): Option.Option<number> =>
    Option.zipWith(
      Option.flatMap(Option.fromNullable(request[from]), Instant.millis),
      Option.flatMap(Option.fromNullable(request[to]), Instant.millis),
      (start, end) => end - start
    )
  const rules: Array<Rule<Range>> = [
    {
      field: to,
      rule: `must not be before ${from}`,
      holds: (request) => !Option.exists(length(request), (millis) => millis < 0)
    }
  ]
  if (span !== undefined) {
    rules.push({
      field: to,
      rule: `must be at most ${Duration.format(span)} after ${from}`,
      holds: (request) => !Option.exists(length(request), (millis) => millis > Duration.toMillis(span))
    })
  }
  return rules
}

const listed = (values: ReadonlyArray<string | number>): string => values.join(", ").replace(/, ([^,]*)$/, " or $1")

// Fields ------------------------------------------------------------------------------------------------------------

const wholeNumber = (min: number, max: number) =>
  Schema.Number.annotations({
    message: () => ({ message: wholeNumberRule(min, max), override: true }),
    arbitrary: wholeNumbers(min, max)
  }).pipe(
    Schema.filter((value) => Number.isInteger(value) && value >= min && value <= max, {
      message: () => ({ message: wholeNumberRule(min, max), override: true }),
      jsonSchema: bounds(min, max),
      arbitrary: wholeNumbers(min, max)
    })
  )

const wholeNumbers = (min: number, max: number) => (): Arbitrary.LazyArbitrary<number> => (fc) =>
  fc.integer({ min, max: Math.min(max, min + 1_000_000) })

const bounds = (minimum: number, maximum: number): object => ({
  type: "integer",
  minimum,
  ...(maximum === Number.MAX_SAFE_INTEGER ? {} : { maximum })
})

const wholeNumberRule = (min: number, max: number): string =>
  max === Number.MAX_SAFE_INTEGER
    ? `must be a whole number of at least ${min}`
    : `must be a whole number from ${min} to ${max}`

/** A whole number in a JSON body. */
export const bodyInteger = (min: number, max: number = Number.MAX_SAFE_INTEGER): Schema.Schema<number> =>
  wholeNumber(min, max)

/** A whole number in a query, in which every value is text. */
export const queryInteger = (min: number, max: number = Number.MAX_SAFE_INTEGER): Schema.Schema<number, string> =>
  Schema.transformOrFail(
    Schema.String.annotations({
      jsonSchema: bounds(min, max),
      arbitrary: () => (fc) => wholeNumbers(min, max)()(fc).map(String)
    }),
    wholeNumber(min, max),
    {
      strict: true,
      decode: (text, _, ast) =>
        /^-?\d{1,16}$/.test(text)
          ? ParseResult.succeed(Number(text))
          : ParseResult.fail(new ParseResult.Type(ast, text, wholeNumberRule(min, max))),
      encode: (value) => ParseResult.succeed(String(value))
    }
  )

/** Text that satisfies a rule. `sample` generates such texts for tests; `jsonSchema` is the rule in JSON Schema. */
export const text = (
  rule: string,
  holds: (value: string) => boolean,
  sample = /^[A-Z0-9]{1,12}$/,
  jsonSchema: object = {}
): Schema.Schema<string> =>
  Schema.String.annotations({
    message: () => ({ message: rule, override: true }),
    arbitrary: () => (fc) => fc.stringMatching(sample)
  }).pipe(Schema.filter(holds, { message: () => ({ message: rule, override: true }), jsonSchema }))

const worded = <A, I>(schema: Schema.Schema<A, I>, rule: string): Schema.Schema<A, I> =>
  schema.annotations({ message: () => ({ message: rule, override: true }) })

/** True or false. */
export const flag: Schema.Schema<boolean> = worded(Schema.Boolean, "must be true or false")

/** Text that is not empty. */
export const nonEmpty: Schema.Schema<string> = text("must not be empty", (value) => value.length > 0, undefined, {
  minLength: 1
})

/** Text that can be empty, for parameters for which the service documents that. */
export const mayBeEmpty: Schema.Schema<string> = Schema.String.annotations({
  message: () => ({ message: "must be text", override: true }),
  arbitrary: () => (fc) => fc.stringMatching(/^[A-Z0-9]{0,12}$/)
})

/** Accepts empty text besides `schema`, for parameters for which the service documents empty text as absent. */
export const orEmpty = <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A | "", I | ""> =>
  Schema.Union(Schema.Literal(""), schema).annotations({
    message: ({ actual }) => ({ message: refusalOf(schema, actual), override: true })
  })

const refusalOf = <A, I>(schema: Schema.Schema<A, I>, actual: unknown): string =>
  Either.match(ParseResult.encodeUnknownEither(schema)(actual), { onLeft: inOneLine, onRight: () => "" })

/** One of the known values of an enumeration, for a parameter that accepts no others. `UNKNOWN` is only used in responses. */
export const known = <Known extends string>(values: Enumeration<Known>): Schema.Schema<Exclude<Known, "UNKNOWN">> =>
  closed(values.known.filter((value): value is Exclude<Known, "UNKNOWN"> => value !== "UNKNOWN"))

const closed = <Value extends string | number>(values: ReadonlyArray<Value>): Schema.Schema<Value> =>
  Schema.Literal(...values).annotations({
    ...(values.every(Number.isInteger) ? { jsonSchema: { type: "integer", enum: values } } : {}),
    message: () => ({
      message: values.length > 3 ? `must be one of ${values.join(", ")}` : `must be ${listed(values)}`,
      override: true
    })
  })

/** A value of an open enumeration that is not empty. */
export const nonEmptyOf = <Known extends string>(values: Enumeration<Known>): Schema.Schema<Open<Known>, string> =>
  worded(values, "must be text").pipe(
    Schema.filter((value) => value !== "", { message: () => ({ message: "must not be empty", override: true }) })
  )

/** One of a closed list of values. */
export const oneOf = <const Values extends readonly [string, ...ReadonlyArray<string>]>(
  ...values: Values
): Schema.Schema<Values[number]> => closed<Values[number]>(values)

/** One of a closed list of whole numbers in a JSON body. */
export const bodyOneOf = <const Values extends readonly [number, ...ReadonlyArray<number>]>(
  ...values: Values
): Schema.Schema<Values[number]> => closed<Values[number]>(values)

/** One of a closed list of whole numbers in a query, in which every value is text. */
export const queryOneOf = <const Values extends readonly [number, ...ReadonlyArray<number>]>(
  ...values: Values
): Schema.Schema<Values[number], string> =>
  Schema.transformOrFail(
    Schema.String.annotations({
      jsonSchema: { type: "integer", enum: values },
      arbitrary: () => (fc) => fc.constantFrom(...values.map(String))
    }),
    Schema.typeSchema(bodyOneOf(...values)),
    {
      strict: true,
      // Compared as text, because `Number` reads "" as 0.
      decode: (text, _, ast) => {
        const value = values.find((value) => String(value) === text)
        return value === undefined
          ? ParseResult.fail(new ParseResult.Type(ast, text, `must be ${listed(values)}`))
          : ParseResult.succeed(value)
      },
      encode: (value) => ParseResult.succeed(String(value))
    }
  )

/** A variant of a request whose parameters depend on the category. */
export const forCategory = <const C extends "spot" | "linear" | "inverse", Fields extends Schema.Struct.Fields>(
  category: C,
  fields: Fields
): Schema.Struct<
  {
    /** Spot, USDT-linear or inverse contracts. */
    category: Schema.Literal<[C]>
  } & Fields
> =>
  Schema.Struct({
    /** Spot, USDT-linear or inverse contracts. */
    category: Schema.Literal(category),
    ...fields
  })

/**
 * The variants of a request for `linear` and `inverse`, which differ only in the category. As a type they are one variant, so that a
 * category known only at run time is accepted.
 */
export const forContracts = <A, I>(
  of: (category: "linear" | "inverse") => Schema.Schema<A, I>
): readonly [Schema.Schema<A, I>, Schema.Schema<A, I>] => [of("linear"), of("inverse")]

/** A list. A refused item is reported with the rule of the item. */
export const list = <A, I>(item: Schema.Schema<A, I>): Schema.Schema<ReadonlyArray<A>, ReadonlyArray<I>> =>
  Schema.Array(item).annotations({ message: () => "must be a list" })

/** Several texts in one parameter, separated by commas. */
export const commaSeparated: Schema.Schema<ReadonlyArray<string>, string> = Schema.transform(
  Schema.String.annotations({
    jsonSchema: {
      type: "string",
      pattern: "^[^,]+(,[^,]+)*$",
      format: "comma-separated",
      description: "separated by commas"
    },
    arbitrary: () => (fc) => fc.stringMatching(/^[A-Z0-9]{1,9}(,[A-Z0-9]{1,9}){0,3}$/)
  }),
  list(text("must not be empty or contain a comma", (item) => item.length > 0 && !item.includes(","))).pipe(
    // Reported for the parameter as a whole, which is a single text on the wire, so that a refused item is not mistaken for a missing one.
    Schema.filter((items) => items.length > 0, {
      message: (issue) => ({
        message:
          issue._tag === "Refinement" && issue.kind === "From" ? inOneLine(issue.issue) : "must name at least one",
        override: true
      })
    })
  ),
  { strict: true, decode: (joined) => joined.split(","), encode: (items) => items.join(",") }
)

/**
 * A decimal whose value satisfies a rule. Use `"0"` for parameters that the service cancels with zero. `jsonSchema` is the part of the rule
 * that JSON Schema can express for text.
 */
export const decimal = (
  rule: string,
  holds: (value: BigDecimal.BigDecimal) => boolean,
  jsonSchema?: object
): Schema.Schema<Decimal.Input, string> =>
  Decimal.DecimalInput.pipe(
    Schema.filter((input) => Option.exists(Decimal.fromInput(input), holds), {
      message: (issue) => ({
        message: isMisspelled(issue.actual) ? inputRule : rule,
        override: true
      }),
      ...(jsonSchema === undefined ? {} : { jsonSchema })
    })
  )

// The pattern excludes a minus sign; JSON Schema cannot express that a decimal is not zero.
const unsigned = { pattern: "^(0|[1-9]\\d*)(\\.\\d+)?$" }

/** A decimal greater than zero. */
export const positive = decimal("must be a decimal greater than 0", BigDecimal.isPositive, unsigned)

/** A decimal of at least zero. */
export const notNegative = decimal(
  "must be a decimal of at least 0",
  (value) => !BigDecimal.isNegative(value),
  unsigned
)

const inOneLine = (issue: ParseResult.ParseIssue): string =>
  ParseResult.ArrayFormatter.formatIssueSync(issue)
    .map(({ message, path }) => (path.length === 0 ? message : `[${path.join(".")}] ${message}`))
    .join("; ")

// Drops the refusal by `undefined`, which does not help the caller.
const withoutUndefined = (issue: ParseResult.ParseIssue): string => {
  const refusals = issue._tag === "Composite" ? [issue.issues].flat() : []
  return inOneLine(refusals[0] ?? issue)
}

/** An optional parameter; `undefined` counts as absent. A refused value is reported once, with the rule of the parameter. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.optionalWith(
    Schema.UndefinedOr(schema).annotations({
      message: (issue) => ({ message: withoutUndefined(issue), override: true })
    }),
    { exact: true }
  )
