/**
 * Decoders that are made once and used for every answer: a schema is taken apart into functions that go straight from the wire to
 * the value. What they refuse is given to the schema's own decoder, which says where and why, so that the outcome is always the
 * one that `Schema.decodeUnknownEither` has. Where the runtime allows code from text, structs are read by such code; elsewhere by a list of
 * their fields, with the same results. (docs/decisions)
 *
 * @since 0.1.0
 */
import * as Either from "effect/Either"
import type * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as compiled from "./internal/compiled.js"
import { refused } from "./internal/decoding.js"

/**
 * From the wire side to the domain side. Made when it is first used.
 *
 * @since 0.1.0
 * @category constructors
 */
export const decodeUnknownEither = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => Either.Either<A, ParseResult.ParseError>) => {
  const made = lazy(() => ({ read: compiled.read(schema.ast), ordinary: Schema.decodeUnknownEither(schema) }))
  return (input) => {
    const { ordinary, read } = made()
    const value = read(input)
    // What is not refused is the schema's own type: that is what reading means.
    return value === refused ? ordinary(input) : Either.right(value as A)
  }
}

/**
 * The wire side as it came: checked, and then the very same object, with all its keys and in their order.
 *
 * @since 0.1.0
 * @category constructors
 */
export const validateWireEither = <A, I>(
  schema: Schema.Schema<A, I>
): ((input: unknown) => Either.Either<I, ParseResult.ParseError>) => {
  const made = lazy(() => {
    const wire = Schema.encodedSchema(schema)
    return { check: compiled.check(wire.ast), ordinary: Schema.validateEither(wire) }
  })
  return (input) => {
    const { check, ordinary } = made()
    return check(input) ? Either.right(input as I) : Either.map(ordinary(input), () => input as I) // having been checked
  }
}

const lazy = <A>(make: () => A): (() => A) => {
  let made: A | undefined
  return () => (made ??= make())
}
