/**
 * The rules that a value breaks, in the words of the reader. A schema of many variants, as they are of a request, would otherwise be printed whole.
 *
 * @sibling
 */
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { acceptAll } from "../compiler/protocol.js"
import { describeChoice, listAlternatives, nearest, showValue, suggest } from "./Words.js"

/** A rule that a part of a value breaks. */
export interface Refusal {
  readonly path: ReadonlyArray<PropertyKey>
  readonly rule: string
  /** Whether the part is missing, or one that the value must not have. */
  readonly kind: "missing" | "unexpected" | "refused"
}

/** What is refused: the parameters of a request, the fields of a record, or the options of a program. */
export type Subject = "parameters" | "fields" | "options"

const words = {
  parameters: { missing: "is required", unexpected: "is not a parameter", isUndefinedMissing: true },
  fields: { missing: "is missing", unexpected: "is unexpected", isUndefinedMissing: false },
  options: { missing: "is required", unexpected: "is not an option", isUndefinedMissing: true }
} as const

// A rule can contain a value, and a path the name of a field of the caller.
const [longestRule, longestName] = [200, 60]

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text)

/** The message that the schema gives for an issue, by the rules of Effect's formatters. */
const messageOf = (issue: ParseResult.ParseIssue): string | undefined => {
  if (issue._tag === "Pointer" || issue._tag === "Unexpected") return undefined
  const given = Option.getOrUndefined(SchemaAST.getMessageAnnotation(issue.ast))?.(issue)
  if (given === undefined) return undefined
  const { message, override } =
    typeof given === "string" ? { message: given, override: false } : "override" in given ? given : noMessage
  const isOfParts =
    issue._tag === "Composite" ||
    (issue._tag === "Refinement" && issue.kind === "From") ||
    (issue._tag === "Transformation" && issue.kind !== "Transformation")
  return typeof message !== "string" || (isOfParts && !override) ? undefined : message
}

/** The text or number that breaks a rule, unless the rule shows it. */
const valueOf = (rule: string, issue: ParseResult.ParseIssue): string =>
  rule.startsWith("must be ") &&
  !rule.includes(", not ") &&
  "actual" in issue &&
  (typeof issue.actual === "string" || typeof issue.actual === "number")
    ? showValue(issue.actual)
    : ""

const noMessage = { message: undefined, override: false }

const literalsOf = (ast: SchemaAST.AST): ReadonlyArray<string | number> | undefined => {
  if (SchemaAST.isUnion(ast)) {
    const literals = ast.types.map(literalsOf)
    return literals.every((values) => values !== undefined) ? literals.flat() : undefined
  }
  return SchemaAST.isLiteral(ast) && (typeof ast.literal === "string" || typeof ast.literal === "number")
    ? [ast.literal]
    : undefined
}

const nounOf = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "StringKeyword":
      return "text"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "TypeLiteral":
      return "an object"
    case "TupleType":
      return "a list"
    case "Refinement":
    case "Transformation":
      return nounOf(ast.from)
    case "Union":
      return listAlternatives(Arr.dedupe(ast.types.filter((type) => !SchemaAST.isUndefinedKeyword(type)).map(nounOf)))
    default:
      return cut(String(ast), longestName)
  }
}

const describe = (ast: SchemaAST.AST, actual: unknown): string => {
  const values = literalsOf(ast)
  return values === undefined ? `must be ${nounOf(ast)}${showValue(actual)}` : describeChoice(values, actual)
}

/** Adds the name that was meant to the refusal of another, of those that the object at `path` does not have yet. */
const correct = (
  refusal: Refusal,
  path: ReadonlyArray<PropertyKey>,
  { actual, ast }: ParseResult.Composite
): Refusal => {
  const word = refusal.path.at(-1)
  const isOfThis = refusal.kind === "unexpected" && refusal.path.length === path.length + 1
  if (!isOfThis || typeof word !== "string" || !SchemaAST.isTypeLiteral(ast)) return refusal
  const names = ast.propertySignatures.flatMap(({ name }) =>
    typeof name === "string" && !Predicate.hasProperty(actual, name) ? [name] : []
  )
  const close = nearest(word, names)
  return close.length === 0 ? refusal : { ...refusal, rule: `${refusal.rule}: ${suggest(close)}` }
}

const listAt = (
  issue: ParseResult.ParseIssue,
  path: ReadonlyArray<PropertyKey>,
  subject: Subject,
  category: string
): ReadonlyArray<Refusal> => {
  const { isUndefinedMissing, missing, unexpected } = words[subject]
  const refuse = (rule: string, kind: Refusal["kind"] = "refused") => [{ path, rule: cut(rule, longestRule), kind }]
  const own = messageOf(issue)
  if (issue._tag === "Missing") return refuse(own ?? missing, "missing")
  if (issue._tag === "Unexpected") {
    const isOfBatch = path.length > 1 && path.at(-1) === "category"
    return refuse(unexpected + (isOfBatch ? " of an order: it belongs to the batch" : category), "unexpected")
  }
  if (isUndefinedMissing && path.length > 0 && issue._tag !== "Pointer" && issue.actual === undefined)
    return refuse(missing, "missing")
  if (own !== undefined) return refuse(own + valueOf(own, issue))
  const inner = (part: ParseResult.ParseIssue) => listAt(part, path, subject, category)
  switch (issue._tag) {
    case "Type":
      return refuse(
        issue.message === undefined ? describe(issue.ast, issue.actual) : issue.message + valueOf(issue.message, issue)
      )
    case "Forbidden":
      return refuse(issue.message ?? "is forbidden")
    case "Pointer":
      return listAt(
        issue.issue,
        [...path, ...Arr.ensure(issue.path).map((name) => (typeof name === "string" ? cut(name, longestName) : name))],
        subject,
        category
      )
    case "Composite": {
      // That an optional value is not `undefined` does not help.
      const parts = Arr.ensure(issue.issues)
        .filter((part) => part._tag !== "Type" || !SchemaAST.isUndefinedKeyword(part.ast))
        .map((part) => inner(part).map((refusal) => correct(refusal, path, issue)))
      // Of a union without a field that selects a variant, the variant that fits best.
      return SchemaAST.isUnion(issue.ast) && parts.length > 1 ? best(issue, path, parts) : parts.flat()
    }
    default:
      return inner(issue.issue)
  }
}

const depthOf = (refusals: ReadonlyArray<Refusal>): number => Math.max(...refusals.map(({ path }) => path.length))

const best = (
  { actual, ast }: ParseResult.Composite,
  path: ReadonlyArray<PropertyKey>,
  parts: ReadonlyArray<ReadonlyArray<Refusal>>
): ReadonlyArray<Refusal> => {
  const deepest = parts.reduce((left, right) => (depthOf(right) > depthOf(left) ? right : left))
  return depthOf(deepest) > path.length
    ? deepest
    : [{ path, rule: cut(describe(ast, actual), longestRule), kind: "refused" }]
}

/** Lists the rules that a value breaks. */
export const list = (issue: ParseResult.ParseIssue, subject: Subject): ReadonlyArray<Refusal> => {
  const given = "actual" in issue ? issue.actual : undefined
  const category =
    Predicate.hasProperty(given, "category") && typeof given.category === "string" && subject === "parameters"
      ? ` for category ${cut(given.category, longestName)}`
      : ""
  return listAt(issue, [], subject, category)
}

/** The rules in one text, for a parameter that is refused as a whole. */
export const inOneLine = (issue: ParseResult.ParseIssue): string =>
  list(issue, "parameters")
    .map(({ path, rule }) => (path.length === 0 ? rule : `[${path.join(".")}] ${rule}`))
    .join("; ")

const issueOf =
  (ast: SchemaAST.AST, actual: unknown) =>
  ({ kind, path, rule }: Refusal): ParseResult.ParseIssue => {
    const issue =
      kind === "missing"
        ? new ParseResult.Missing(new SchemaAST.Type(ast), rule)
        : kind === "unexpected"
          ? new ParseResult.Unexpected(actual, rule)
          : new ParseResult.Type(ast, actual, rule)
    const [first, ...rest] = path
    if (first === undefined) return issue
    return new ParseResult.Pointer(rest.length === 0 ? first : [first, ...rest], actual, issue)
  }

/** An issue that consists of the broken rules, each at its path, under the name of what is refused. */
const flatten = (title: string, subject: Subject) => {
  const ast = SchemaAST.annotations(SchemaAST.unknownKeyword, { [SchemaAST.TitleAnnotationId]: title })
  return (issue: ParseResult.ParseIssue): Either.Either<never, ParseResult.ParseIssue> => {
    const actual = "actual" in issue ? issue.actual : undefined
    const [first, ...rest] = list(issue, subject).map(issueOf(ast, actual))
    return Either.left(first === undefined ? issue : new ParseResult.Composite(ast, actual, [first, ...rest]))
  }
}

type Annotations = Readonly<
  Record<"decodingFallback", (issue: ParseResult.ParseIssue) => Either.Either<never, ParseResult.ParseIssue>>
>

/** The annotations of a request: its refusals consist of the broken rules. */
export const ofRequest: Annotations = { decodingFallback: flatten("request", "parameters") }

/**
 * Words the refusals of a schema, also when it is encoded: an encoder first decodes the domain side of a refinement, and only a decoder uses a fallback.
 */
const wording =
  (identifier: string | undefined) =>
  <A, I>(schema: Schema.Schema<A, I>): Schema.Schema<A, I> =>
    Schema.make(
      new SchemaAST.Refinement(schema.ast, acceptAll, {
        ...(identifier === undefined ? {} : { [SchemaAST.IdentifierAnnotationId]: identifier }),
        [SchemaAST.DecodingFallbackAnnotationId]: flatten(identifier ?? "result", "fields")
      })
    )

/** Names the schema of a record. Its refusals consist of the broken rules. */
export const record: (identifier: string) => <A, I>(schema: Schema.Schema<A, I>) => Schema.Schema<A, I> = wording

/** The schema of a result. Its refusals consist of the broken rules. */
export const result: <A, I>(schema: Schema.Schema<A, I>) => Schema.Schema<A, I> = wording(undefined)
