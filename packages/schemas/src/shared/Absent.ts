/**
 * Fields that can be empty. In the domain they are an `Option`. Encoding a decoded record writes the same spelling of "nothing" back: `""`,
 * `null` or no key at all.
 */
import type * as Arbitrary from "effect/FastCheck"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { check as checkOf } from "../internal/compiler/check.js"
import { anyOf } from "../internal/compiler/shapes.js"
import { read as readOf, readList } from "../internal/compiler/read.js"
import { noneAbsent, noneSpelled, noneVerbatim, spelling } from "../internal/none.js"
import { CheckId, leftOut, ReadFieldId, refused, WriteFieldId } from "../internal/compiler/protocol.js"
import type { Check, ReadField, Write } from "../internal/compiler/protocol.js"
import { WireId } from "../internal/wire.js"

/** A struct field that decodes `""`, `null`, a missing key and the filler texts of the field to `none`. */
type Field<A, I> = Schema.PropertySignature<":", Option.Option<A>, never, "?:", I | string | null>

/** How the wire spelled "nothing". `unexpected` contains the value of an undescribed field that did not have the expected form. */
export type Spelling = { readonly text: string | null } | { readonly leftOut: true } | { readonly unexpected: unknown }

// `Schema.OptionFromSelf` would return a new `none` and lose the remembered spelling.
const optionAsIs = <A, I>(codec: Schema.Schema<A, I>): Schema.Schema<Option.Option<A>> => {
  const isValue = Schema.is(codec)
  const judge = (
    input: unknown,
    _: SchemaAST.ParseOptions,
    ast: SchemaAST.AST
  ): Either.Either<Option.Option<A>, ParseResult.ParseIssue> =>
    // The value was checked on the line before.
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

/** The `none` of each spelling that a field accepts, and the length of the longest. */
interface Spellings extends ReadonlyMap<string | null, Option.Option<never>> {
  readonly longest: number
}

const spellings = (fillers: ReadonlyArray<string>): Spellings =>
  Object.assign(new Map(["", null, ...fillers].map((spelling) => [spelling, noneSpelled(spelling)])), {
    longest: Math.max(0, ...fillers.map(({ length }) => length))
  })

/** The wire side: an input of the codec, or a spelling of nothing. An undescribed field accepts everything. */
const wireSide = <A, I>(
  codec: Schema.Schema<A, I>,
  identifier: "OrNothing" | "OrDefault",
  fillers: ReadonlyArray<string>,
  isUndescribed = false
): Schema.Schema<I | string | null> => {
  const validate = ParseResult.validateEither(Schema.encodedSchema(codec))
  const nothing = spellings(fillers)
  const isNothing = (input: unknown): input is string | null =>
    input === null || (typeof input === "string" && nothing.has(input))
  // Parsing instead of a guard keeps the path of a failure inside a nested object.
  const judge = (
    input: unknown,
    options: SchemaAST.ParseOptions
  ): Either.Either<I | string | null, ParseResult.ParseIssue> =>
    // The value of an undescribed field is passed on without being read as an `I`.
    isUndescribed || isNothing(input) ? Either.right(input as string | null) : validate(input, options)
  return Schema.declare(
    [Schema.encodedSchema(codec)],
    { decode: () => judge, encode: () => judge },
    {
      identifier,
      [CheckId]: (): Check => {
        if (isUndescribed) return () => true
        const check = checkOf(SchemaAST.encodedAST(codec.ast))
        // Most values pass this check, which saves the look-up.
        return anyOf([check, isNothing])
      },
      [WireId]: (): Schema.Schema.Any =>
        identifier === "OrDefault"
          ? codec
          : Schema.Union(codec, Schema.Literal("", ...fillers).annotations({ description: "nothing" }), Schema.Null),
      arbitrary: (value) => (fc) =>
        fc.oneof(
          ...[value(fc), fc.constantFrom<string | null>(...nothing.keys())],
          // Not an `I`, because the field accepts any value.
          ...(isUndescribed ? [fc.constantFrom<unknown>("not described", [], {}) as Arbitrary.Arbitrary<I>] : [])
        )
    }
  )
}

const orNothing = <A, I>(
  codec: Schema.Schema<A, I>,
  fillers: ReadonlyArray<string>,
  isUndescribed: boolean
): Schema.Schema<Option.Option<A>, I | string | null> => {
  const decode = ParseResult.decodeUnknownEither(codec)
  const encode = ParseResult.encodeEither(codec)
  const nothing = spellings(fillers)
  return Schema.transformOrFail(wireSide(codec, "OrNothing", fillers, isUndescribed), optionAsIs(codec), {
    strict: true,
    decode: (input, options): Either.Either<Option.Option<A>, ParseResult.ParseIssue> => {
      const none = noneOf(nothing, input)
      if (none !== undefined) return Either.right(none)
      const some = Either.map(decode(input, options), Option.some)
      return isUndescribed ? Either.orElse(some, () => Either.right(noneVerbatim(input))) : some
    },
    encode: (option, options): Either.Either<I | string | null, ParseResult.ParseIssue> => {
      if (Option.isSome(option)) return encode(option.value, options)
      const spelled = spelling(option)
      // The spelling was read by this field, so it is one of its texts; an undescribed field can have any value.
      return Either.right(spelled === undefined ? "" : (spelled as string | null))
    }
  })
}

/** The `none` for an input, if it spells one. A filler such as `"0"` is also recognised as a number, and written as text. */
const noneOf = (nothing: Spellings, input: unknown): Option.Option<never> | undefined => {
  // A look-up hashes its text, and most texts are longer.
  if (typeof input === "string") return input.length <= nothing.longest ? nothing.get(input) : undefined
  if (input === null) return nothing.get(null)
  return typeof input === "number" && nothing.size > 2 ? nothing.get(String(input)) : undefined
}

const field = <A, I>(
  codec: Schema.Schema<A, I>,
  fillers: ReadonlyArray<string>,
  isLeftOut: (none: Option.Option<unknown>) => boolean,
  isUndescribed = false
): Field<A, I> =>
  Schema.optionalToRequired(orNothing(codec, fillers, isUndescribed), optionAsIs(codec), {
    decode: Option.getOrElse((): Option.Option<A> => noneAbsent),
    encode: (option) => (Option.isNone(option) && isLeftOut(option) ? Option.none() : Option.some(option))
  }).annotations({
    [ReadFieldId]: (): ReadField => {
      const nothing = spellings(fillers)
      const read = readOf(codec.ast)
      // The schema's decoder accepts some inputs that the compiled reader refuses.
      const orVerbatim = (input: unknown) =>
        Option.orElse(Schema.decodeUnknownOption(codec)(input), () => noneVerbatim(input))
      return {
        read: (input) => {
          const none = noneOf(nothing, input)
          if (none !== undefined) return none
          const value = read(input)
          if (value === refused) return isUndescribed ? orVerbatim(input) : refused
          return Option.some(value)
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
 * A field that the service documents as `""` when it is empty. A `none` that a program creates is written that way. `fillers` are further
 * texts that mean "nothing" in this field, such as `"0"` for an instant.
 */
export const emptyable = <A, I>(
  codec: Schema.Schema<A, I>,
  ...fillers: ReadonlyArray<string>
): Schema.PropertySignature<":", Option.Option<A>, never, "?:", I | string | null> =>
  field(codec, fillers, (none) => none === noneAbsent)

/** A field that the service documents as left out when it is empty. A `none` that a program creates is written that way. */
export const omittable = <A, I>(
  codec: Schema.Schema<A, I>,
  ...fillers: ReadonlyArray<string>
): Schema.PropertySignature<":", Option.Option<A>, never, "?:", I | string | null> =>
  field(codec, fillers, (none) => spelling(none) === undefined)

/**
 * A field whose meaning the service does not document. `written` is how an empty one is written. A value that `codec` cannot decode becomes
 * `none` and is written back verbatim, so that an unexpected value never makes a response unreadable.
 */
export const undescribed = <A, I>(
  codec: Schema.Schema<A, I>,
  written: "empty" | "left out",
  ...fillers: ReadonlyArray<string>
): Schema.PropertySignature<":", Option.Option<A>, never, "?:", unknown> =>
  field(
    codec,
    fillers,
    written === "empty" ? (none) => none === noneAbsent : (none) => spelling(none) === undefined,
    true
    // The field accepts any value.
  ) as unknown as Schema.PropertySignature<":", Option.Option<A>, never, "?:", unknown>

/**
 * A field with a default. `""`, `null` and a missing key decode to `value`: the documented default, or the empty text of an open
 * enumeration. Encoding writes `value`.
 */
export const withDefault = <A, I>(
  codec: Schema.Schema<A, I>,
  value: NoInfer<A>
): Schema.PropertySignature<":", A, never, "?:", I | string | null> => {
  const decode = ParseResult.decodeUnknownEither(codec)
  const encode = ParseResult.encodeEither(codec)
  const type = Schema.typeSchema(codec)
  const orDefault: Schema.Schema<A, I | string | null> = Schema.transformOrFail(
    wireSide(codec, "OrDefault", []),
    type,
    {
      strict: true,
      decode: (input, options): Either.Either<A, ParseResult.ParseIssue> =>
        input === null || input === "" ? Either.right(value) : decode(input, options),
      encode: (domain, options): Either.Either<I | string | null, ParseResult.ParseIssue> => encode(domain, options)
    }
  )
  return Schema.optionalToRequired(orDefault, type, {
    decode: Option.getOrElse(() => value),
    encode: Option.some
  }).annotations({
    [ReadFieldId]: (): ReadField => {
      const read = readOf(codec.ast)
      return { read: (input) => (input === null || input === "" ? value : read(input)), absent: value }
    },
    [WriteFieldId]: (write: (ast: SchemaAST.AST) => Write): Write => write(codec.ast)
  })
}

/** Returns true if the key of the field was missing on the wire. */
export const wasLeftOut = (option: Option.Option<unknown>): boolean => option === noneAbsent

/** Returns how the wire spelled a `none`. Returns `undefined` for a `none` that a program created, and for a `some`. */
export const spellingOf = (option: Option.Option<unknown>): Spelling | undefined => {
  if (wasLeftOut(option)) return { leftOut: true }
  const spelled = spelling(option)
  return spelled === undefined
    ? undefined
    : spelled === null || typeof spelled === "string"
      ? { text: spelled }
      : { unexpected: spelled }
}

/** Returns a `none` that is encoded with this spelling. */
export const spelledAs = (spelling: Spelling): Option.Option<never> =>
  "text" in spelling
    ? noneSpelled(spelling.text)
    : "unexpected" in spelling
      ? noneVerbatim(spelling.unexpected)
      : noneAbsent

/** One empty list per spelling. Encoding recognises them by identity. */
const emptyLists = { leftOut: [], null: [], text: [] } as const

/** The wire side of a list. `null` is an empty list; so is `""`, unless the list is the content of a response. */
type WireList<I, Kind extends "list" | "rows"> = ReadonlyArray<I> | Instead[Kind]

interface Instead {
  readonly list: null | ""
  readonly rows: null
}

/** Values that are accepted instead of a list. */
const instead: { readonly [Kind in keyof Instead]: ReadonlyArray<Instead[Kind]> } = { list: [null, ""], rows: [null] }

const emptyListOf = (kind: keyof Instead, input: unknown): ReadonlyArray<never> | undefined =>
  input === null ? emptyLists.null : input === "" && kind === "list" ? emptyLists.text : undefined

/** Returns the spelling of an empty list that was not sent as `[]`. */
const spellingOfList = (items: unknown): null | "" | typeof leftOut | undefined =>
  items === emptyLists.null ? null : items === emptyLists.text ? "" : items === emptyLists.leftOut ? leftOut : undefined

const orNoList = <A, I, const Kind extends keyof Instead>(
  kind: Kind,
  item: Schema.Schema<A, I>
): Schema.Schema<ReadonlyArray<A>, WireList<I, Kind>> => {
  const all = Schema.Array(item)
  const encoded = Schema.encodedSchema(all)
  const type = Schema.typeSchema(all)
  const decode = ParseResult.decodeUnknownEither(all)
  const encode = ParseResult.encodeEither(all)
  const validate = ParseResult.validateEither(encoded)
  const validateType = ParseResult.validateEither(type)
  const isInstead = (input: unknown): input is Instead[Kind] => emptyListOf(kind, input) !== undefined
  const judge = (
    input: unknown,
    options: SchemaAST.ParseOptions
  ): Either.Either<WireList<I, Kind>, ParseResult.ParseIssue> =>
    isInstead(input) ? Either.right(input) : validate(input, options)
  const wire: Schema.Schema<WireList<I, Kind>> = Schema.declare(
    [encoded],
    { decode: () => judge, encode: () => judge },
    {
      identifier: "List",
      [WireId]: (): Schema.Schema.Any => all,
      [CheckId]: (): Check => {
        const check = checkOf(encoded.ast)
        return (input) => check(input) || isInstead(input)
      },
      arbitrary: (items) => (fc) =>
        fc.oneof({ weight: 9, arbitrary: items(fc) }, { weight: 1, arbitrary: fc.constantFrom(...instead[kind]) })
    }
  )
  // `Schema.Array` copies the list, and the copy would no longer be recognised as one that was left out.
  const judgeType = (
    input: unknown,
    options: SchemaAST.ParseOptions
  ): Either.Either<ReadonlyArray<A>, ParseResult.ParseIssue> =>
    Either.map(validateType(input, options), () => input as ReadonlyArray<A>) // validated by `validateType`
  const asIs: Schema.Schema<ReadonlyArray<A>> = Schema.declare(
    [type],
    { decode: () => judgeType, encode: () => judgeType },
    { identifier: "Array", [WireId]: (): Schema.Schema.Any => all, arbitrary: (items) => items }
  )
  return Schema.transformOrFail(wire, asIs, {
    strict: true,
    decode: (input, options): Either.Either<ReadonlyArray<A>, ParseResult.ParseIssue> => {
      const empty = emptyListOf(kind, input)
      return empty === undefined ? decode(input, options) : Either.right(empty)
    },
    encode: (items, options): Either.Either<WireList<I, Kind>, ParseResult.ParseIssue> => {
      const spelled = spellingOfList(items)
      return isInstead(spelled) ? Either.right(spelled) : encode(items, options)
    }
  })
}

const listReader = (kind: keyof Instead, item: SchemaAST.AST, absent: unknown) => (): ReadField => {
  const read = readList(readOf(item))
  return { read: (input) => emptyListOf(kind, input) ?? read(input), absent }
}

const listWriter =
  (kind: keyof Instead, item: SchemaAST.AST) =>
  (write: (ast: SchemaAST.AST) => Write): Write => {
    const writeItems = readList(write(item))
    return (items) => {
      const spelled = spellingOfList(items)
      if (spelled === leftOut) return kind === "list" ? leftOut : []
      return emptyListOf(kind, spelled) === undefined ? writeItems(items) : spelled
    }
  }

/** A list that decodes `null`, `""` and a missing key to an empty list, and encodes it back the same way. */
export const list = <A, I>(
  item: Schema.Schema<A, I>
): Schema.PropertySignature<":", ReadonlyArray<A>, never, "?:", ReadonlyArray<I> | null | ""> => {
  const items = orNoList("list", item)
  return Schema.optionalToRequired(items, Schema.typeSchema(items), {
    decode: Option.getOrElse((): ReadonlyArray<A> => emptyLists.leftOut),
    encode: (items) => (items === emptyLists.leftOut ? Option.none() : Option.some(items))
  }).annotations({
    [ReadFieldId]: listReader("list", item.ast, emptyLists.leftOut),
    [WriteFieldId]: listWriter("list", item.ast)
  })
}

/**
 * The list that a response consists of. `null` is an empty list. A missing key is a failure, because a response without its list must not
 * be mistaken for one without rows.
 */
export const rows = <A, I>(
  item: Schema.Schema<A, I>
): Schema.PropertySignature<":", ReadonlyArray<A>, never, ":", ReadonlyArray<I> | null> =>
  Schema.propertySignature(orNoList("rows", item)).annotations({
    [ReadFieldId]: listReader("rows", item.ast, refused),
    [WriteFieldId]: listWriter("rows", item.ast)
  })
