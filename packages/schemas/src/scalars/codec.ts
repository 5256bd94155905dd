/** The codec of a value without parts: a schema that is made of a reader and a writer, which compiled decoders call directly. */
import type * as Arbitrary from "effect/Arbitrary"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { type Read, ReadId, refused } from "../compiler/protocol.js"

/** The wire side of a value that can be text or a number. Other values fail with the message `rule`. */
export const textOrNumber = <A extends string | number>(
  rule: string,
  values: Arbitrary.LazyArbitrary<A>
): Schema.Schema<string | number> =>
  Schema.Union(Schema.String, Schema.Number).annotations({
    message: () => ({ message: rule, override: true }),
    arbitrary: () => values
  })

interface Codec<A, I> {
  /** The wire side, with its JSON Schema and its samples. */
  readonly wire: Schema.Schema<I>
  readonly domain: Schema.Schema<A>
  /** The failure of a value that cannot be read. */
  readonly rule: string
  readonly read: Read<A>
  readonly write: (value: NoInfer<A>) => NoInfer<I>
}

export const make = <A, I>({ domain, read, rule, wire, write }: Codec<A, I>): Schema.Schema<A, I> =>
  Schema.transformOrFail(wire, domain, {
    strict: true,
    decode: (input, _, ast) => {
      const value = read(input)
      return value === refused ? Either.left(new ParseResult.Type(ast, input, rule)) : Either.right(value)
    },
    encode: (value) => Either.right(write(value))
  }).annotations({ [ReadId]: () => read })
