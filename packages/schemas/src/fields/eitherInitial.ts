import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { check as checkOf } from "../compiler/check.js"
import { CheckId, ReadId } from "../compiler/protocol.js"
import type { Check, Read } from "../compiler/protocol.js"
import { read as readOf } from "../compiler/read.js"
import { isFields } from "../compiler/shapes.js"
import * as Naming from "../rules/naming.js"
import * as Refusals from "../rules/Refusals.js"

type Names = ReadonlyArray<{ readonly small: string; readonly capital: string }>

/** The fields of a record that have no documented name, and a name with a small initial. */
const onlySmall = (names: Names, input: unknown): Names =>
  isFields(input)
    ? names.filter(({ capital, small }) => !Object.hasOwn(input, capital) && Object.hasOwn(input, small))
    : []

/** Adds the documented names of these fields to a record. */
const addDocumentedNames = (names: Names, input: unknown): unknown =>
  names.length === 0 || !isFields(input)
    ? input
    : { ...input, ...Object.fromEntries(names.map(({ capital, small }) => [capital, input[small]])) }

/** An issue of a record, at the names that the record has. */
const atOwnNames = (names: Names, issue: ParseResult.ParseIssue): ParseResult.ParseIssue => {
  const at = (inner: ParseResult.ParseIssue) => atOwnNames(names, inner)
  switch (issue._tag) {
    case "Pointer": {
      const own = names.find(({ capital }) => capital === issue.path)
      return own === undefined ? issue : new ParseResult.Pointer(own.small, issue.actual, issue.issue)
    }
    case "Composite": {
      const [first, ...others] = Arr.ensure(issue.issues).map(at)
      return first === undefined ? issue : new ParseResult.Composite(issue.ast, issue.actual, [first, ...others])
    }
    case "Refinement":
      return new ParseResult.Refinement(issue.ast, issue.actual, issue.kind, at(issue.issue))
    case "Transformation":
      return new ParseResult.Transformation(issue.ast, issue.actual, issue.kind, at(issue.issue))
    default:
      return issue
  }
}

/**
 * A struct whose wire names are documented with a capital initial, but sent with a small one too. A field is read by its documented name, and by the other one
 * only if that key is missing, so the value of a documented key always counts. The documented names are written.
 */
export const eitherInitial = <Fields extends Schema.Struct.Fields>(fields: Fields, identifier: string) => {
  const documented = Naming.capitaliseFields(fields).annotations({ identifier })
  const encoded = Schema.encodedSchema(documented)
  type Wire = typeof encoded.Type
  const names = Object.keys(fields).map((small) => ({ small, capital: Naming.capitalise(small) }))

  const judge =
    <A>(decode: (input: unknown, options: SchemaAST.ParseOptions) => Either.Either<A, ParseResult.ParseIssue>) =>
    (input: unknown, options: SchemaAST.ParseOptions): Either.Either<A, ParseResult.ParseIssue> => {
      const small = onlySmall(names, input)
      return Either.mapLeft(decode(addDocumentedNames(small, input), options), (issue) => atOwnNames(small, issue))
    }
  const validate = judge(ParseResult.validateEither(encoded))
  const decode = judge(ParseResult.decodeUnknownEither(documented))

  const wire: Schema.Schema<Wire> = Schema.declare(
    // Both spellings are described, for a comparison with what was sent.
    [encoded, Schema.encodedSchema(Schema.Struct(fields))],
    { decode: () => validate, encode: () => validate },
    {
      title: "EitherInitial",
      [CheckId]: (): Check => {
        const check = checkOf(encoded.ast)
        return (input) => check(addDocumentedNames(onlySmall(names, input), input))
      },
      [SchemaAST.SurrogateAnnotationId]: documented.ast,
      arbitrary: (record) => record
    }
  )
  return Schema.transformOrFail(wire, documented, {
    strict: true,
    // Decoded here for a failure at the names that the record has.
    decode: (input, options) => {
      const small = onlySmall(names, input)
      return small.length === 0
        ? Either.right(input)
        : Either.map(
            decode(input, options),
            // Its wire side was validated with the documented names.
            () => addDocumentedNames(small, input) as Wire
          )
    },
    encode: (record) => Either.right(record)
  })
    .annotations({
      [ReadId]: (): Read => {
        const read = readOf(documented.ast)
        return (input) => read(addDocumentedNames(onlySmall(names, input), input))
      }
    })
    .pipe(Refusals.record(identifier))
}
