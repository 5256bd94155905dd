import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** Two parallel lists: one in the result, one in the ext info. */
interface Parallel<I, J> {
  readonly result: { readonly list: ReadonlyArray<I> }
  readonly extInfo: { readonly list: ReadonlyArray<J> }
}

/**
 * Decodes two parallel lists to one list of merged slots. Lists of different lengths are refused, because their slots cannot be paired.
 *
 * The function is long, because every step needs the schemas made from its type parameters.
 */
export const join = <A extends object, I, B extends object, J>(
  item: Schema.Schema<A, I>,
  info: Schema.Schema<B, J>
): Schema.Schema<
  ReadonlyArray<A & B>,
  { readonly result: { readonly list: ReadonlyArray<I> }; readonly extInfo: { readonly list: ReadonlyArray<J> } }
> => {
  const parallel = Schema.Struct({
    result: Schema.Struct({
      list: Schema.propertySignature(Schema.Array(item)).annotations({ description: "An entry for each order" })
    }),
    extInfo: Schema.Struct({ list: Schema.Array(info) })
  })
  const encoded = Schema.encodedSchema(parallel)
  const decode = ParseResult.decodeEither(parallel)
  const encode = ParseResult.encodeEither(parallel)
  const validate = ParseResult.validateEither(encoded)
  const slots = Schema.Array(Schema.extend(Schema.typeSchema(item), Schema.typeSchema(info)))

  const sameLength = (
    input: unknown,
    options: SchemaAST.ParseOptions,
    ast: SchemaAST.AST
  ): Either.Either<Parallel<I, J>, ParseResult.ParseIssue> =>
    Either.filterOrLeft(
      validate(input, options),
      ({ extInfo, result }) => extInfo.list.length === result.list.length,
      ({ extInfo, result }) =>
        new ParseResult.Pointer(
          ["extInfo", "list"],
          input,
          new ParseResult.Type(
            ast,
            extInfo.list,
            `must have as many entries as result.list: ${result.list.length}, not ${extInfo.list.length}`
          )
        )
    )
  const wire: Schema.Schema<Parallel<I, J>> = Schema.declare(
    [Schema.encodedSchema(item), Schema.encodedSchema(info)],
    { decode: () => sameLength, encode: () => sameLength },
    {
      title: "Parallel",
      [SchemaAST.SurrogateAnnotationId]: parallel.ast,
      arbitrary: (items, extras) => (fc) =>
        fc.array(fc.tuple(items(fc), extras(fc)), { maxLength: 4 }).map((pairs) => ({
          result: { list: pairs.map(([inResult]) => inResult) },
          extInfo: { list: pairs.map(([, inExtInfo]) => inExtInfo) }
        }))
    }
  )
  // Declared, because the compiler would read the fields of a struct from the wire.
  const validateSlots = ParseResult.validateEither(slots)
  const judgeSlots = (input: unknown, options: SchemaAST.ParseOptions) =>
    Either.map(validateSlots(input, options), () => input as ReadonlyArray<A & B>) // validated, and not copied
  const domain: Schema.Schema<ReadonlyArray<A & B>> = Schema.declare(
    [slots],
    { decode: () => judgeSlots, encode: () => judgeSlots },
    { title: "Slots", arbitrary: (value) => value, equivalence: (same) => same, pretty: (show) => show }
  )
  return Schema.transformOrFail(wire, domain, {
    strict: true,
    decode: (input, options) =>
      Either.map(decode(input, options), ({ extInfo, result }) =>
        result.list.flatMap((inResult, index) => {
          const inExtInfo = extInfo.list[index]
          return inExtInfo === undefined ? [] : [{ ...inExtInfo, ...inResult }]
        })
      ),
    // Each slot has the fields of both lists.
    encode: (list, options) =>
      encode(
        { result: { list }, extInfo: { list } },
        {
          ...options,
          onExcessProperty: options.onExcessProperty === "preserve" ? "preserve" : "ignore"
        }
      )
  })
}
