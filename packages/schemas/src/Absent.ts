/**
 * Fields that may have nothing to say. The domain sees an `Option`; the wire's own spelling of nothing (`""`, `null` or
 * no key at all) survives a round trip.
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import * as compiled from "./internal/compiled.js"
import { noneAbsent, noneSpelled, spelling } from "./internal/none.js"
import { CheckId, leftOut, ReadFieldId, refused, WriteFieldId } from "./internal/decoding.js"
import type { Check, ReadField, Write } from "./internal/decoding.js"
import { WireId } from "./internal/wire.js"

/**
 * A struct field that reads `""`, `null`, a missing key and the field's fillers as `none`.
 *
 * @since 0.1.0
 * @category models
 */
export type Field<A, I> = Schema.PropertySignature<":", Option.Option<A>, never, "?:", I | string | null>

/**
 * A spelling of nothing.
 *
 * @since 0.1.0
 * @category models
 */
export type Spelling = { readonly text: string | null } | { readonly leftOut: true }

// Not `Schema.OptionFromSelf`: that one answers with a none of its own, and the spelling would be lost.
const optionAsIs = <A, I>(codec: Schema.Schema<A, I>): Schema.Schema<Option.Option<A>> => {
  const isValue = Schema.is(codec)
  const judge = (
    input: unknown,
    _: SchemaAST.ParseOptions,
    ast: SchemaAST.AST
  ): Either.Either<Option.Option<A>, ParseResult.ParseIssue> =>
    // Whether the value fits has just been asked.
    Option.isOption(input) && (Option.isNone(input) || isValue(input.value))
      ? Either.right(input as Option.Option<A>)
      : Either.left(new ParseResult.Type(ast, input))
  return Schema.declare(
    [Schema.typeSchema(codec)],
    { decode: () => judge, encode: () => judge },
    {
      identifier: "Option",
      arbitrary: (value) => (fc) => fc.oneof(value(fc).map(Option.some), fc.constant(Option.none<A>()))
    }
  )
}

/** The nones that a field spells, by their spelling. */
const spellings = (fillers: ReadonlyArray<string>): ReadonlyMap<string | null, Option.Option<never>> =>
  new Map(["", null, ...fillers].map((spelling) => [spelling, noneSpelled(spelling)]))

const orNothing = <A, I>(
  codec: Schema.Schema<A, I>,
  fillers: ReadonlyArray<string>
): Schema.Schema<Option.Option<A>, I | string | null> => {
  const decode = ParseResult.decodeUnknownEither(codec)
  const encode = ParseResult.encodeEither(codec)
  const validate = ParseResult.validateEither(Schema.encodedSchema(codec))
  const nothing = spellings(fillers)
  const isNothing = (input: unknown): input is string | null =>
    input === null || (typeof input === "string" && nothing.has(input))
  // A filler such as "0", as a bare number. It is written back as text.
  const isFiller = (input: unknown): boolean => typeof input === "number" && fillers.includes(String(input))
  // Judged by parsing, not by a guard, so that a refusal says where inside a nested object it happened.
  const judge = (
    input: unknown,
    options: SchemaAST.ParseOptions
  ): Either.Either<I | string | null, ParseResult.ParseIssue> =>
    isNothing(input) ? Either.right(input) : validate(input, options)
  const wire: Schema.Schema<I | string | null> = Schema.declare(
    [Schema.encodedSchema(codec)],
    { decode: () => judge, encode: () => judge },
    {
      identifier: "OrNothing",
      [CheckId]: (): Check => {
        const check = compiled.check(SchemaAST.encodedAST(codec.ast))
        // Most texts fit, and need not be looked up.
        return (input) => check(input) || isNothing(input)
      },
      [WireId]: (): Schema.Schema.Any =>
        Schema.Union(codec, Schema.Literal("", ...fillers).annotations({ description: "nothing" }), Schema.Null),
      arbitrary: (value) => (fc) => fc.oneof(value(fc), fc.constantFrom<string | null>(...nothing.keys()))
    }
  )
  return Schema.transformOrFail(wire, optionAsIs(codec), {
    strict: true,
    decode: (input, options): Either.Either<Option.Option<A>, ParseResult.ParseIssue> =>
      isNothing(input) || isFiller(input)
        ? Either.right(nothing.get(input === null ? null : String(input)) ?? Option.none())
        : Either.map(decode(input, options), Option.some),
    encode: (option, options): Either.Either<I | string | null, ParseResult.ParseIssue> => {
      if (Option.isSome(option)) return encode(option.value, options)
      const spelled = spelling(option)
      return Either.right(spelled === undefined ? "" : spelled)
    }
  })
}

const field = <A, I>(
  codec: Schema.Schema<A, I>,
  fillers: ReadonlyArray<string>,
  isLeftOut: (none: Option.Option<unknown>) => boolean
): Field<A, I> =>
  Schema.optionalToRequired(orNothing(codec, fillers), optionAsIs(codec), {
    decode: Option.getOrElse((): Option.Option<A> => noneAbsent),
    encode: (option) => (Option.isNone(option) && isLeftOut(option) ? Option.none() : Option.some(option))
  }).annotations({
    [ReadFieldId]: (): ReadField => {
      const nothing = spellings(fillers)
      const read = compiled.read(codec.ast)
      return {
        read: (input) => {
          const none = input === null || typeof input === "string" ? nothing.get(input) : undefined
          if (none !== undefined) return none
          const value = read(input)
          if (value === refused) return refused
          const filler = typeof input === "number" && fillers.length > 0 ? nothing.get(String(input)) : undefined
          return filler ?? Option.some(value)
        },
        absent: noneAbsent
      }
    },
    [WriteFieldId]: (write: (ast: SchemaAST.AST) => Write): Write => {
      const writeValue = write(codec.ast)
      return (option) => {
        if (!Option.isOption(option)) return refused
        if (Option.isSome(option)) return writeValue(option.value)
        const spelled = spelling(option)
        return isLeftOut(option) ? leftOut : spelled === undefined ? "" : spelled
      }
    }
  })

/**
 * Documented as `""` when there is nothing: that is how a none of the domain's own making is written. `fillers` are
 * further texts that mean nothing in this field, such as `"0"` for an instant.
 *
 * @since 0.1.0
 * @category schemas
 */
export const emptyable = <A, I>(codec: Schema.Schema<A, I>, ...fillers: ReadonlyArray<string>): Field<A, I> =>
  field(codec, fillers, (none) => none === noneAbsent)

/**
 * Documented as left out when there is nothing: that is how a none of the domain's own making is written.
 *
 * @since 0.1.0
 * @category schemas
 */
export const omittable = <A, I>(codec: Schema.Schema<A, I>, ...fillers: ReadonlyArray<string>): Field<A, I> =>
  field(codec, fillers, (none) => spelling(none) === undefined)

/**
 * How a none was spelled on the wire: a text, null, or left out. `undefined` for a none of the domain's own making, and for what
 * is no none.
 *
 * @since 0.1.0
 * @category getters
 */
export const spellingOf = (option: Option.Option<unknown>): Spelling | undefined => {
  if (option === noneAbsent) return { leftOut: true }
  const text = spelling(option)
  return text === undefined ? undefined : { text }
}

/**
 * The none that is written in this way.
 *
 * @since 0.1.0
 * @category constructors
 */
export const spelledAs = (spelling: Spelling): Option.Option<never> =>
  "text" in spelling ? noneSpelled(spelling.text) : noneAbsent

const noList: ReadonlyArray<never> = []

/**
 * A list that may be left out: an empty one then. It is left out again only where it was.
 *
 * @since 0.1.0
 * @category schemas
 */
export const list = <A>(
  item: Schema.Schema<A>
): Schema.PropertySignature<":", ReadonlyArray<A>, never, "?:", ReadonlyArray<A>> => {
  const all = Schema.Array(item)
  const validate = ParseResult.validateEither(all)
  // As it is, for `Schema.Array` copies, and a copy of the list that was left out is a list.
  const judge = (
    input: unknown,
    options: SchemaAST.ParseOptions
  ): Either.Either<ReadonlyArray<A>, ParseResult.ParseIssue> =>
    Either.map(validate(input, options), () => input as ReadonlyArray<A>) // it has just been validated
  const asIs: Schema.Schema<ReadonlyArray<A>> = Schema.declare(
    [all],
    { decode: () => judge, encode: () => judge },
    {
      identifier: "List",
      [WireId]: (): Schema.Schema.Any => all,
      [CheckId]: () => compiled.check(all.ast),
      arbitrary: (items) => items
    }
  )
  return Schema.optionalToRequired(asIs, asIs, {
    decode: Option.getOrElse((): ReadonlyArray<A> => noList),
    encode: (items) => (items === noList ? Option.none() : Option.some(items))
  })
}
