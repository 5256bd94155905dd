/** The rules for request parameters. A rule names a field and states the requirement. Both appear in `InvalidRequest` and in the reference. */
import { describeChoice } from "./Words.js"
import { inOneLine, ofRequest } from "./Refusals.js"
import type * as Arbitrary from "effect/Arbitrary"
import * as BigDecimal from "effect/BigDecimal"
import * as Duration from "effect/Duration"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as Decimal from "../scalars/Decimal.js"
import type { Enumeration, Open } from "../scalars/Enumerations.js"
import * as Instant from "../scalars/Instant.js"
import { refuseInput } from "../scalars/decimalText.js"

/**
 * Where a rule, a bound or a closed list of a parameter comes from, in the reference and as `x-source` of its JSON Schema.
 *
 * `document`: the service's document. `public`: the public pages of the service, for a payload that its document does not show. `ours`: neither. Beyond it a
 * request would not be the one that it reads as: a guard would measure a wrong amount, a limit order would be a market order, or a parameter absent.
 */
export type Source = "document" | "public" | "ours"

/** The source of a closed list. A list that is not shown is open, because the service can accept other values. */
export type ListSource = Exclude<Source, "ours">

/** A rule for a whole request. A violation is reported for one of its fields. */
export interface Rule<in A> {
  readonly source: Source
  readonly field: string
  readonly rule: string
  readonly holds: (request: A) => boolean
}

/** The annotation in which a request schema stores its rules for the reference pages. */
export const AnnotationId: unique symbol = Symbol.for("@effect-venue/schemas/Rule")

type Described = Pick<Rule<never>, "source" | "field" | "rule">

/** Returns the rules that `all` added to a schema, outermost first. */
export const ofSchema = (schema: Schema.Schema.Any): ReadonlyArray<Described> => {
  const collect = (ast: SchemaAST.AST): ReadonlyArray<Described> => {
    const own = Option.getOrElse(SchemaAST.getAnnotation<ReadonlyArray<Rule<never>>>(AnnotationId)(ast), () => [])
    if (SchemaAST.isRefinement(ast)) return [...own, ...collect(ast.from)]
    if (SchemaAST.isUnion(ast)) return [...own, ...ast.types.flatMap(collect)]
    return own
  }
  return collect(schema.ast)
}

/** The keys of every member of a union. */
type KeysOf<A> = A extends unknown ? keyof A & string : never

export const make = <A>(source: Source, field: KeysOf<A>, rule: string, holds: (request: A) => boolean): Rule<A> => ({
  source,
  field,
  rule,
  holds
})

/**
 * Adds rules to a request schema. All rules are checked, so that a refusal reports every violation at once. A refusal consists of the broken rules, each at
 * its field: the schema itself is not printed.
 */
export const all = <A, I, R>(
  schema: Schema.Schema<A, I, R>,
  ...rules: ReadonlyArray<Rule<NoInfer<A>>>
): Schema.Schema<A, I, R> =>
  schema.pipe(
    Schema.filter(
      (request) =>
        rules.filter(({ holds }) => !holds(request)).map(({ field, rule }) => ({ path: [field], message: rule })),
      { [AnnotationId]: rules, ...ofRequest }
    )
  )

/** A request with one variant. */
export const request = <Fields extends Schema.Struct.Fields>(
  fields: Fields,
  ...rules: ReadonlyArray<Rule<NoInfer<Schema.Struct<Fields>["Type"]>>>
) => all(Schema.Struct(fields), ...rules)

/** A request with several variants, which a field such as the category distinguishes. */
export const variants = <const Members extends ReadonlyArray<Schema.Schema.AnyNoContext>>(...members: Members) =>
  all(Schema.Union(...members))

/** Returns true if a request contains a value for a field, other than `undefined` and empty text. */
export const has = <A>(request: A, field: KeysOf<A>): boolean =>
  // The key belongs to a member of the union; other members can lack it.
  isGiven((request as Readonly<Record<string, unknown>>)[field])

const isGiven = (value: unknown): boolean => value !== undefined && value !== ""

/** Requires at least one of the fields. A violation is reported for the first. */
export const atLeastOne = <const K extends string>(
  source: Source,
  ...fields: readonly [K, ...ReadonlyArray<K>]
): Rule<{ readonly [P in K]?: unknown }> => ({
  source,
  field: fields[0],
  rule: `one of ${fields.join(", ")} is required`,
  holds: (request) => fields.some((field) => isGiven(request[field]))
})

/** Allows `field` only if the condition is true. */
export const onlyWhen = <A>(
  source: Source,
  field: KeysOf<A>,
  condition: string,
  holds: (request: A) => boolean
): Rule<A> =>
  make<A>(source, field, `is allowed only with ${condition}`, (request) => !has(request, field) || holds(request))

/** Requires `field` if the condition is true. */
export const requireWhen = <A>(
  source: Source,
  field: KeysOf<A>,
  condition: string,
  holds: (request: A) => boolean
): Rule<A> =>
  make<A>(source, field, `is required when ${condition}`, (request) => has(request, field) || !holds(request))

/** The longest range of a request, and its source. */
interface LongestRange {
  readonly source: Source
  readonly length: Duration.Duration
}

/** The rules of a time range: the end is not before the start, and the range is not longer than the service documents. */
export const timeRange = <From extends string, To extends string>(
  from: From,
  to: To,
  longest?: LongestRange
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
      // A range that ends before it begins is none.
      source: "ours",
      field: to,
      rule: `must not be before ${from}`,
      holds: (request) => !Option.exists(length(request), (millis) => millis < 0)
    }
  ]
  if (longest !== undefined) {
    rules.push({
      source: longest.source,
      field: to,
      rule: `must be at most ${Duration.format(longest.length)} after ${from}`,
      holds: (request) => !Option.exists(length(request), (millis) => millis > Duration.toMillis(longest.length))
    })
  }
  return rules
}

const from = (source: Source, jsonSchema: object): object => ({ ...jsonSchema, "x-source": source })

// Fields ------------------------------------------------------------------------------------------------------------

/** The smallest and largest value of a number, and their source. */
interface Bounds {
  readonly source: Source
  readonly min: number
  readonly max: number
}

const wholeNumber = (bounds?: Bounds) => {
  const { max, min } = bounds ?? { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }
  const message = () => ({ message: wholeNumberRule(bounds), override: true })
  return Schema.Number.annotations({ message, arbitrary: wholeNumbers(bounds) }).pipe(
    Schema.filter((value) => Number.isInteger(value) && value >= min && value <= max, {
      message,
      jsonSchema: integerSchema(bounds),
      arbitrary: wholeNumbers(bounds)
    })
  )
}

const wholeNumbers =
  (bounds?: Bounds): (() => Arbitrary.LazyArbitrary<number>) =>
  () =>
  (fc) =>
    fc.integer({ min: bounds?.min ?? -1000, max: Math.min(bounds?.max ?? 1_000_000, 1_000_000) })

const integerSchema = (bounds?: Bounds): object =>
  bounds === undefined
    ? { type: "integer" }
    : from(bounds.source, { type: "integer", minimum: bounds.min, maximum: bounds.max })

const wholeNumberRule = (bounds?: Bounds): string =>
  bounds === undefined ? "must be a whole number" : `must be a whole number from ${bounds.min} to ${bounds.max}`

const queryNumber = (bounds?: Bounds): Schema.Schema<number, string> =>
  Schema.transformOrFail(
    Schema.String.annotations({
      jsonSchema: integerSchema(bounds),
      arbitrary: () => (fc) => wholeNumbers(bounds)()(fc).map(String)
    }),
    wholeNumber(bounds),
    {
      strict: true,
      decode: (text, _, ast) =>
        /^-?\d{1,16}$/.test(text)
          ? ParseResult.succeed(Number(text))
          : ParseResult.fail(new ParseResult.Type(ast, text, wholeNumberRule(bounds))),
      encode: (value) => ParseResult.succeed(String(value))
    }
  )

/** A whole number in a JSON body. */
export const bodyInteger: Schema.Schema<number> = wholeNumber()

/** A whole number in a query, in which every value is text. */
export const queryInteger: Schema.Schema<number, string> = queryNumber()

/** A whole number between two others in a query. */
export const queryIntegerIn = (source: Source, min: number, max: number): Schema.Schema<number, string> =>
  queryNumber({ source, min, max })

/** Text that satisfies a rule. `sample` generates such texts for tests; `jsonSchema` is the rule in JSON Schema. */
export const text = (
  source: Source,
  rule: string,
  holds: (value: string) => boolean,
  sample = /^[A-Z0-9]{1,12}$/,
  jsonSchema: object = {}
): Schema.Schema<string> =>
  Schema.String.annotations({ arbitrary: () => (fc) => fc.stringMatching(sample) }).pipe(
    Schema.filter(holds, { message: () => rule, jsonSchema: from(source, jsonSchema) })
  )

/** True or false. */
export const flag: Schema.Schema<boolean> = Schema.Boolean

/** Text that is not empty: an empty one is an absent parameter. */
export const nonEmpty: Schema.Schema<string> = text(
  "ours",
  "must not be empty",
  (value) => value.length > 0,
  undefined,
  {
    minLength: 1
  }
)

/** Text that can be empty, for parameters for which the service documents that. */
export const mayBeEmpty: Schema.Schema<string> = Schema.String.annotations({
  arbitrary: () => (fc) => fc.stringMatching(/^[A-Z0-9]{0,12}$/)
})

/** Accepts empty text besides `schema`, for parameters for which the service documents empty text as absent. */
export const orEmpty = <A, I>(source: ListSource, schema: Schema.Schema<A, I>): Schema.Schema<A | "", I | ""> =>
  Schema.Union(
    Schema.Literal("").annotations({ jsonSchema: from(source, { type: "string", enum: [""] }) }),
    schema
  ).annotations({
    message: ({ actual }) => ({ message: refusalOf(schema, actual), override: true })
  })

const refusalOf = <A, I>(schema: Schema.Schema<A, I>, actual: unknown): string =>
  Either.match(ParseResult.encodeUnknownEither(schema)(actual), { onLeft: inOneLine, onRight: () => "" })

/**
 * A value of an enumeration, in a parameter that accepts some of them and no others: `only`, by default all known ones. Its type is that of the records, so
 * that the value of a record fits; a value that the parameter does not accept is refused with its name.
 */
export const oneOfKnown = <Name extends string, Known extends string | number, Wire>(
  source: ListSource,
  values: Enumeration<Name, Known, Wire>,
  ...only: ReadonlyArray<NoInfer<Known>>
): Schema.Schema<Open<Name, Known>> =>
  // Other values of the type are refused when the schema is used.
  closeList(source, only.length === 0 ? values.known : only) as unknown as Schema.Schema<Open<Name, Known>>

/** `oneOfKnown` of whole numbers in a query, in which every value is text. */
export const queryOneOfKnown = <Name extends string, Known extends number, Wire>(
  source: ListSource,
  values: Enumeration<Name, Known, Wire>
): Schema.Schema<Open<Name, Known>, string> =>
  closeQueryList(source, values.known) as unknown as Schema.Schema<Open<Name, Known>, string> // as in `oneOfKnown`

const closeList = <Value extends string | number>(
  source: ListSource,
  values: ReadonlyArray<Value>
): Schema.Schema<Value> =>
  Schema.Literal(...values).annotations({
    jsonSchema: from(source, { type: values.every(Number.isInteger) ? "integer" : "string", enum: values }),
    message: ({ actual }) => ({ message: describeChoice(values, actual), override: true })
  })

/** A value of an open enumeration that is not empty. */
export const nonEmptyOf = <Name extends string, Known extends string>(
  values: Enumeration<Name, Known, string>
): Schema.Schema<Open<Name, Known>, string> =>
  values.pipe(Schema.filter((value) => String(value) !== "", { message: () => "must not be empty" }))

/** One of a closed list of values. */
export const oneOf = <const Values extends readonly [string, ...ReadonlyArray<string>]>(
  source: ListSource,
  ...values: Values
): Schema.Schema<Values[number]> => closeList<Values[number]>(source, values)

/** One of a closed list of whole numbers in a query, in which every value is text. */
export const queryOneOf = <const Values extends readonly [number, ...ReadonlyArray<number>]>(
  source: ListSource,
  ...values: Values
): Schema.Schema<Values[number], string> => closeQueryList<Values[number]>(source, values)

const closeQueryList = <Value extends number>(
  source: ListSource,
  values: ReadonlyArray<Value>
): Schema.Schema<Value, string> =>
  Schema.transformOrFail(
    Schema.String.annotations({
      jsonSchema: from(source, { type: "integer", enum: values }),
      arbitrary: () => (fc) => fc.constantFrom(...values.map(String))
    }),
    Schema.typeSchema(closeList(source, values)),
    {
      strict: true,
      // Compared as text, because `Number` reads "" as 0.
      decode: (text, _, ast) => {
        const value = values.find((value) => String(value) === text)
        return value === undefined
          ? ParseResult.fail(new ParseResult.Type(ast, text, describeChoice(values, text)))
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
    category: Schema.Literal(category).annotations({
      jsonSchema: from("document", { type: "string", enum: [category] })
    }),
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

/** A list with a smallest and a largest number of items. */
export const listOf = <A, I>(
  { max, min, source }: Bounds,
  rule: string,
  item: Schema.Schema<A, I>
): Schema.Schema<ReadonlyArray<A>, ReadonlyArray<I>> =>
  list(item).pipe(
    Schema.filter((items) => items.length >= min && items.length <= max, {
      message: () => rule,
      jsonSchema: from(source, { minItems: min, maxItems: max })
    })
  )

/** Several texts in one parameter, separated by commas. */
export const commaSeparated: Schema.Schema<ReadonlyArray<string>, string> = Schema.transform(
  Schema.String.annotations({
    jsonSchema: from("document", {
      type: "string",
      pattern: "^[^,]+(,[^,]+)*$",
      format: "comma-separated",
      description: "separated by commas"
    }),
    arbitrary: () => (fc) => fc.stringMatching(/^[A-Z0-9]{1,9}(,[A-Z0-9]{1,9}){0,3}$/)
  }),
  list(text("document", "must not be empty or contain a comma", (item) => item.length > 0 && !item.includes(","))).pipe(
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
  source: Source,
  rule: string,
  holds: (value: BigDecimal.BigDecimal) => boolean,
  jsonSchema: object = {}
): Schema.Schema<Decimal.Input, string> =>
  Decimal.DecimalInput.pipe(
    Schema.filter((input) => Option.exists(Decimal.fromInput(input), holds), {
      message: ({ actual }) => ({ message: refuseInput(rule, actual), override: true }),
      jsonSchema: from(source, jsonSchema)
    })
  )

// The pattern excludes a minus sign; JSON Schema cannot express that a decimal is not zero.
const unsigned = { pattern: "^(0|[1-9]\\d*)(\\.\\d+)?$" }

/** A decimal. */
export const anyDecimal: Schema.Schema<Decimal.Input, string> = Decimal.DecimalInput.pipe(
  Schema.filter((input) => Option.isSome(Decimal.fromInput(input)), {
    message: ({ actual }) => ({ message: refuseInput("must be a decimal", actual), override: true })
  })
)

/** A decimal greater than zero. */
export const positive = (source: Source): Schema.Schema<Decimal.Input, string> =>
  decimal(source, "must be a decimal greater than 0", BigDecimal.isPositive, unsigned)

/** A decimal of at least zero. */
export const notNegative = (source: Source): Schema.Schema<Decimal.Input, string> =>
  decimal(source, "must be a decimal of at least 0", (value) => !BigDecimal.isNegative(value), unsigned)

/** An optional parameter; `undefined` counts as absent. */
export const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(schema)
