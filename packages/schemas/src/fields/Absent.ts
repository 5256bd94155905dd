/**
 * Fields that can be empty: `Option` in the domain. The service spells "nothing" in several ways: `""`, `null`, a filler such as `"0"` or `"None"`, or no key
 * at all. Every spelling is read, and the documented one is written.
 *
 * @sibling
 */
import type * as Arbitrary from "effect/FastCheck"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { check as checkOf } from "../compiler/check.js"
import { anyOf } from "../compiler/shapes.js"
import { read as readOf, readList } from "../compiler/read.js"
import { CheckId, leftOut, LeftOutId, ReadFieldId, ReadId, refused, WriteFieldId } from "../compiler/protocol.js"
import type { Check, Read, ReadField, Write } from "../compiler/protocol.js"
import * as Refusals from "../rules/Refusals.js"
import type { Enumeration, Open } from "../scalars/Enumerations.js"

type Judged<A> = Either.Either<A, ParseResult.ParseIssue>

/** A struct field that decodes `""`, `null`, a missing key and the filler texts of the field to `none`. */
type Field<A, I> = Schema.PropertySignature<":", Option.Option<A>, never, "?:", I | string | null>

// The none of a missing key: a list whose cursor was left out does not tell that it has ended. It consists of its prototype only.
const noneLeftOut = Object.create(Object.getPrototypeOf(Option.none()) as object) as Option.Option<never>

/** Returns true if the key of the field was missing on the wire. */
export const wasLeftOut = (option: Option.Option<unknown>): boolean => option === noneLeftOut

// `Schema.OptionFromSelf` would return a new none.
const optionAsIs = <A, I>(codec: Schema.Schema<A, I>): Schema.Schema<Option.Option<A>> => {
  const isValue = Schema.is(codec)
  const judge = (input: unknown, _: SchemaAST.ParseOptions, ast: SchemaAST.AST): Judged<Option.Option<A>> =>
    // The value was checked on the line before.
    Option.isOption(input) && (Option.isNone(input) || isValue(input.value))
      ? Either.right(input as Option.Option<A>)
      : Either.left(new ParseResult.Type(ast, input))
  return Schema.declare(
    [Schema.typeSchema(codec)],
    { decode: () => judge, encode: () => judge },
    {
      title: "Option",
      equivalence: Option.getEquivalence,
      pretty: (show) => Option.match({ onNone: () => "none()", onSome: (value) => `some(${show(value)})` }),
      arbitrary: (value) => (fc) => fc.oneof(value(fc).map(Option.some), fc.constant(Option.none<A>()))
    }
  )
}

/** Recognises the spellings of nothing. A filler such as `"0"` is also recognised as a number. */
const isNothingOf = (fillers: ReadonlyArray<string>) => {
  const texts = new Set(["", ...fillers])
  const longest = Math.max(...Array.from(texts, ({ length }) => length))
  return (input: unknown): input is string | null => {
    // A look-up hashes its text, and most texts are longer.
    if (typeof input === "string") return input.length <= longest && texts.has(input)
    return input === null || (typeof input === "number" && fillers.length > 0 && texts.has(String(input)))
  }
}

/** The wire side: an input of the codec, or a spelling of nothing. An undescribed field accepts everything. */
const wireSide = <A, I>(
  codec: Schema.Schema<A, I>,
  title: "OrNothing" | "OrDefault",
  fillers: ReadonlyArray<string>,
  isUndescribed = false
): Schema.Schema<I | string | null> => {
  const validate = ParseResult.validateEither(Schema.encodedSchema(codec))
  const isNothing = isNothingOf(fillers)
  // Parsing instead of a guard keeps the path of a failure inside a nested object.
  const judge = (input: unknown, options: SchemaAST.ParseOptions): Judged<I | string | null> =>
    // The value of an undescribed field is passed on without being read as an `I`.
    isUndescribed || isNothing(input) ? Either.right(input as string | null) : validate(input, options)
  return Schema.declare(
    [Schema.encodedSchema(codec)],
    { decode: () => judge, encode: () => judge },
    {
      title,
      // Most values pass the first check, which saves the look-up.
      [CheckId]: (): Check =>
        isUndescribed ? () => true : anyOf([checkOf(SchemaAST.encodedAST(codec.ast)), isNothing]),
      [SchemaAST.SurrogateAnnotationId]: (title === "OrDefault" ? codec : orNothing(codec, fillers)).ast,
      arbitrary: (value) => (fc) =>
        fc.oneof(
          ...[value(fc), fc.constantFrom<string | null>("", null, ...fillers)],
          // Not an `I`, because the field accepts any value.
          ...(isUndescribed ? [fc.constantFrom<unknown>("not described", [], {}) as Arbitrary.Arbitrary<I>] : [])
        )
    }
  )
}

/** A value or a spelling of nothing, for descriptions such as JSON Schema. */
const orNothing = <A, I>(codec: Schema.Schema<A, I>, fillers: ReadonlyArray<string> = []): Schema.Schema.Any =>
  Schema.Union(codec, Schema.Literal("", ...fillers).annotations({ description: "nothing" }), Schema.Null)

interface FieldOptions {
  readonly fillers: ReadonlyArray<string>
  /** How nothing is written. */
  readonly written: "" | "0" | typeof leftOut
  /** Whether a value that the codec cannot read is nothing, too. */
  readonly isUndescribed: boolean
}

const field = <A, I>(codec: Schema.Schema<A, I>, { fillers, isUndescribed, written }: FieldOptions): Field<A, I> => {
  const decode = ParseResult.decodeUnknownEither(codec)
  const encode = ParseResult.encodeEither(codec)
  const isNothing = isNothingOf(fillers)
  const domain = optionAsIs(codec)
  const none = Option.none<A>()
  const readable = Schema.transformOrFail(wireSide(codec, "OrNothing", fillers, isUndescribed), domain, {
    strict: true,
    decode: (input, options): Judged<Option.Option<A>> => {
      if (isNothing(input)) return Either.right(none)
      const some = Either.map(decode(input, options), Option.some)
      return isUndescribed ? Either.orElse(some, () => Either.right(none)) : some
    },
    encode: (option, options): Judged<I | string | null> =>
      Option.isSome(option) ? encode(option.value, options) : Either.right(written === leftOut ? "" : written)
  })
  return Schema.optionalToRequired(readable, domain, {
    decode: Option.getOrElse((): Option.Option<A> => noneLeftOut),
    encode: Option.liftPredicate((option) => Option.isSome(option) || written !== leftOut)
  }).annotations({
    [ReadFieldId]: (): ReadField => {
      const read = readOf(codec.ast)
      // The schema's decoder accepts some inputs that the compiled reader refuses.
      const unread: (input: unknown) => unknown = isUndescribed ? Schema.decodeUnknownOption(codec) : () => refused
      return {
        read: (input) => {
          if (isNothing(input)) return none
          const value = read(input)
          return value === refused ? unread(input) : Option.some(value)
        },
        absent: noneLeftOut
      }
    },
    [WriteFieldId]: (write: (ast: SchemaAST.AST) => Write): Write => {
      const writeValue = write(codec.ast)
      return (option) =>
        Option.isOption(option) ? (Option.isSome(option) ? writeValue(option.value) : written) : refused
    }
  })
}

/**
 * A field that the service documents as `""` when it is empty, and that is written so. `fillers` are further texts that mean "nothing" in this field, such as
 * `"0"` for an instant.
 */
export const emptyable = <A, I>(
  codec: Schema.Schema<A, I>,
  ...fillers: ReadonlyArray<string>
): Schema.PropertySignature<":", Option.Option<A>, never, "?:", I | string | null> =>
  field(codec, { fillers, written: "", isUndescribed: false })

/** A field that the service documents as left out when it is empty, and that is written so. */
export const omittable = <A, I>(
  codec: Schema.Schema<A, I>,
  ...fillers: ReadonlyArray<string>
): Schema.PropertySignature<":", Option.Option<A>, never, "?:", I | string | null> =>
  field(codec, { fillers, written: leftOut, isUndescribed: false })

/**
 * A field whose meaning the service does not document. `written` is how an empty one is written. A value that `codec` cannot decode becomes `none`, so that an
 * unexpected value never makes a response unreadable.
 */
export const undescribed = <A, I>(
  codec: Schema.Schema<A, I>,
  written: "empty" | "0" | "left out",
  ...fillers: ReadonlyArray<string>
): Schema.PropertySignature<":", Option.Option<A>, never, "?:", unknown> =>
  // The field accepts any value.
  field(codec, {
    fillers,
    written: written === "empty" ? "" : written === "0" ? "0" : leftOut,
    isUndescribed: true
  }) as unknown as Schema.PropertySignature<":", Option.Option<A>, never, "?:", unknown>

const orDefault = <A, I>(
  codec: Schema.Schema<A, I>,
  value: A,
  decidesNothing: boolean
): Schema.PropertySignature<":", A, never, "?:", I | string | null> => {
  const decode = ParseResult.decodeUnknownEither(codec)
  const encode = ParseResult.encodeEither(codec)
  const type = Schema.typeSchema(codec)
  const readable: Schema.Schema<A, I | string | null> = Schema.transformOrFail(
    wireSide(codec, "OrDefault", [], decidesNothing),
    type,
    {
      strict: true,
      decode: (input, options): Judged<A> => {
        if (input === null || input === "") return Either.right(value)
        const decoded = decode(input, options)
        return decidesNothing ? Either.orElse(decoded, () => Either.right(value)) : decoded
      },
      encode: (domain, options): Judged<I | string | null> => encode(domain, options)
    }
  )
  return Schema.optionalToRequired(readable, type, {
    decode: Option.getOrElse(() => value),
    encode: Option.some
  }).annotations({
    [ReadFieldId]: (): ReadField => {
      const read = readOf(codec.ast)
      const unread = decidesNothing ? value : refused
      return {
        read: (input) => {
          const decoded = input === null || input === "" ? value : read(input)
          return decoded === refused ? unread : decoded
        },
        absent: value
      }
    },
    [WriteFieldId]: (write: (ast: SchemaAST.AST) => Write): Write => write(codec.ast)
  })
}

/**
 * A field with a default. `""`, `null` and a missing key decode to `value`: the documented default, or the empty text of an open
 * enumeration. Encoding writes `value`.
 */
export const withDefault = <A, I>(
  codec: Schema.Schema<A, I>,
  value: NoInfer<A>
): Schema.PropertySignature<":", A, never, "?:", I | string | null> => orDefault(codec, value, false)

/** A field of an enumeration that is the empty text if the service sends `""`, `null` or no key. */
export const orEmptyText = <Name extends string, Known extends string>(
  values: Enumeration<Name, Known, string>
): Schema.PropertySignature<":", Open<Name, Known>, never, "?:", string | null> =>
  withDefault(values, "" as unknown as Open<Name, Known>) // every open enumeration of texts has it

/** A field with a default that decides nothing: a value that `codec` cannot read is absent. */
export const ignorable = <A, I>(
  codec: Schema.Schema<A, I>,
  value: NoInfer<A>
): Schema.PropertySignature<":", A, never, "?:", I | string | null> => orDefault(codec, value, true)

/** What is accepted instead of a list, and means an empty one. The list that a response consists of is not `""`. */
interface Instead {
  readonly list: null | ""
  readonly rows: null
}

const instead: { readonly [Kind in keyof Instead]: ReadonlyArray<Instead[Kind]> } = { list: [null, ""], rows: [null] }

/** A list, or what is accepted instead of it. An empty list is written as `[]`. */
const orNoList = <A, I, const Kind extends keyof Instead>(
  kind: Kind,
  item: Schema.Schema<A, I>
): Schema.Schema<ReadonlyArray<A>, ReadonlyArray<I> | Instead[Kind]> => {
  const all = Schema.Array(item)
  const encoded = Schema.encodedSchema(all)
  const decode = ParseResult.decodeUnknownEither(all)
  const encode = ParseResult.encodeEither(all)
  const validate = ParseResult.validateEither(encoded)
  const isInstead = (input: unknown): input is Instead[Kind] => instead[kind].some((value) => value === input)
  const judge = (input: unknown, options: SchemaAST.ParseOptions): Judged<ReadonlyArray<I> | Instead[Kind]> =>
    isInstead(input) ? Either.right(input) : validate(input, options)
  const wire: Schema.Schema<ReadonlyArray<I> | Instead[Kind]> = Schema.declare(
    [encoded],
    { decode: () => judge, encode: () => judge },
    {
      title: "List",
      [SchemaAST.SurrogateAnnotationId]: all.ast,
      [CheckId]: (): Check => anyOf([checkOf(encoded.ast), isInstead]),
      arbitrary: (items) => (fc) =>
        fc.oneof({ weight: 9, arbitrary: items(fc) }, { weight: 1, arbitrary: fc.constantFrom(...instead[kind]) })
    }
  )
  return Schema.transformOrFail(wire, Schema.typeSchema(all), {
    strict: true,
    decode: (input, options): Judged<ReadonlyArray<A>> =>
      isInstead(input) ? Either.right([]) : decode(input, options),
    encode: (items, options): Judged<ReadonlyArray<I> | Instead[Kind]> => encode(items, options)
  })
}

const compileList = (kind: keyof Instead, item: SchemaAST.AST, absent: unknown) => ({
  [ReadFieldId]: (): ReadField => {
    const read = readList(readOf(item))
    const values: ReadonlyArray<unknown> = instead[kind]
    return { read: (input) => (values.includes(input) ? [] : read(input)), absent }
  },
  [WriteFieldId]: (write: (ast: SchemaAST.AST) => Write): Write => readList(write(item))
})

/** A list that decodes `null`, `""` and a missing key to an empty list. Its record is made by `namedLists`. */
export const list = <A, I>(
  item: Schema.Schema<A, I>
): Schema.PropertySignature<":", ReadonlyArray<A>, never, "?:", ReadonlyArray<I> | null | ""> => {
  const items = orNoList("list", item)
  return Schema.optionalToRequired(items, Schema.typeSchema(items), {
    decode: Option.getOrElse((): ReadonlyArray<A> => []),
    encode: Option.some
  }).annotations(compileList("list", item.ast, []))
}

/**
 * A record with lists that can be missing. One that is missing beside a list that is not documented has another name now: that record is a failure, because it
 * must not be mistaken for one without entries.
 */
export const namedLists = <A, I>(
  record: Schema.Schema<A, I>,
  ...lists: ReadonlyArray<keyof NoInfer<I> & string>
): Schema.Schema<A, I> => {
  const encoded = Schema.encodedSchema(record)
  const documented = new Set(SchemaAST.getPropertySignatures(encoded.ast).map(({ name }) => name))
  const validate = ParseResult.validateEither(encoded)
  const missingIn = (input: object): string | undefined => lists.find((list) => !Object.hasOwn(input, list))
  const otherIn = (input: object): string | undefined =>
    Object.entries(input).find(([name, value]) => Array.isArray(value) && !documented.has(name))?.[0]
  const isRenamed = (input: unknown): input is object =>
    Predicate.isRecord(input) && missingIn(input) !== undefined && otherIn(input) !== undefined
  const judge = (input: unknown, options: SchemaAST.ParseOptions, ast: SchemaAST.AST): Judged<I> => {
    if (!isRenamed(input)) return validate(input, options)
    const issue = new ParseResult.Type(ast, undefined, `expected this list beside the list ${otherIn(input)}`)
    return Either.left(new ParseResult.Pointer(missingIn(input) ?? "", input, issue))
  }
  const wire: Schema.Schema<I> = Schema.declare(
    [encoded],
    { decode: () => judge, encode: () => judge },
    {
      title: "NamedLists",
      [CheckId]: (): Check => {
        const check = checkOf(encoded.ast)
        return (input) => !isRenamed(input) && check(input)
      },
      [SchemaAST.SurrogateAnnotationId]: record.ast,
      arbitrary: (value) => value
    }
  )
  const named = Schema.compose(wire, record).annotations({
    // For `Schema.pick` and the like: they would take the fields of both sides of the composition.
    [SchemaAST.SurrogateAnnotationId]: record.ast,
    [ReadId]: (): Read => {
      const read = readOf(record.ast)
      return (input) => (isRenamed(input) ? refused : read(input))
    }
  })
  return Option.match(SchemaAST.getIdentifierAnnotation(record.ast), {
    onNone: () => named,
    onSome: (identifier) => Refusals.record(identifier)(named)
  })
}

/** The entries of a list that are read one by one: a `Left` is an entry that cannot be read, as it was sent. */
type Entries<A> = ReadonlyArray<Either.Either<A, unknown>>

/**
 * A list whose entries are read one by one: `none` if there is no list, and an entry that cannot be read is a `Left`. `null` and `""` are an empty list.
 */
export const readableList = <A, I>(
  item: Schema.Schema<A, I>
): Schema.PropertySignature<":", Option.Option<Entries<A>>, never, "?:", unknown> => {
  const all = Schema.Array(item)
  const type = Schema.OptionFromSelf(
    Schema.Array(Schema.EitherFromSelf({ left: Schema.Unknown, right: Schema.typeSchema(item) }))
  )
  const decode = Schema.decodeUnknownOption(item)
  const encode = ParseResult.encodeEither(item)
  const judge = (input: unknown): Judged<unknown> => Either.right(input)
  const isEmpty = (input: unknown) => input === null || input === ""
  const wire: Schema.Schema<unknown> = Schema.declare(
    [Schema.encodedSchema(all)],
    { decode: () => judge, encode: () => judge },
    {
      title: "List",
      [SchemaAST.SurrogateAnnotationId]: orNothing(all).ast,
      [CheckId]: (): Check => () => true,
      [LeftOutId]: (input: unknown): ReadonlyArray<ReadonlyArray<number>> =>
        Array.isArray(input)
          ? input.flatMap((sent: unknown, index) => (Option.isNone(decode(sent)) ? [[index]] : []))
          : isEmpty(input)
            ? []
            : [[]],
      arbitrary: (items) => (fc) => items(fc).map((all): unknown => all)
    }
  )
  const items = Schema.transformOrFail(wire, type, {
    strict: true,
    decode: (input): Judged<Option.Option<Entries<A>>> =>
      Either.right(
        Array.isArray(input)
          ? Option.some(input.map((sent: unknown) => Either.fromOption(decode(sent), () => sent)))
          : Option.liftPredicate(isEmpty)(input).pipe(Option.as([]))
      ),
    encode: (entries, options): Judged<unknown> =>
      Either.all(
        Option.getOrElse(entries, (): Entries<A> => []).map((entry): Judged<unknown> =>
          Either.isLeft(entry) ? Either.right(entry.left) : encode(entry.right, options)
        )
      )
  })
  return Schema.optionalToRequired(items, type, {
    decode: Option.getOrElse(() => Option.none<Entries<A>>()),
    encode: Option.liftPredicate(Option.isSome)
  })
}

/**
 * The list that a response consists of. `null` is an empty list. A missing key is a failure, because a response without its list must not
 * be mistaken for one without rows.
 */
export const rows = <A, I>(
  item: Schema.Schema<A, I>
): Schema.PropertySignature<":", ReadonlyArray<A>, never, ":", ReadonlyArray<I> | null> =>
  Schema.propertySignature(orNoList("rows", item)).annotations(compileList("rows", item.ast, refused))
