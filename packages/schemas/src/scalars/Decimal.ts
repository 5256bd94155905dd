/**
 * Prices, quantities, balances, fees and rates: decimal text on the wire, `BigDecimal` in the domain, never a `number`. A JSON number in a
 * response is read by its digits.
 */
import type * as Arbitrary from "effect/Arbitrary"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Codec from "./codec.js"
import { refused } from "../compiler/protocol.js"
import * as decimalText from "./decimalText.js"

/** The type of a decimal in a request: a `BigDecimal`, or plain decimal text such as `"0.001"`. */
export type Input = DecimalInput

/** `Input`, under the name that editors show in type errors. */
export type DecimalInput = BigDecimal.BigDecimal | string

// A `number` holds this many digits exactly.
const exactDigits = 15

/**
 * Reads text in the form that `format` prints, if its digits fit into a `number`; returns `undefined` otherwise. Nearly every decimal of a
 * response has this form, and a page contains a thousand of them, so this takes a single pass.
 */
const scan = (text: string): BigDecimal.BigDecimal | undefined => {
  const end = text.length
  const start = text.charCodeAt(0) === minus ? 1 : 0
  let digits = 0
  let point = end
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index)
    if (code >= zero && code <= zero + 9) digits = digits * 10 + (code - zero)
    else if (code === period && point === end) point = index
    else return undefined
  }
  const scale = point === end ? 0 : end - point - 1
  const isPrinted =
    point > start &&
    (point === end || scale > 0) &&
    (text.charCodeAt(start) !== zero || point === start + 1) &&
    (start === 0 || digits > 0)
  return isPrinted && point - start + scale <= exactDigits
    ? BigDecimal.make(BigInt(start === 0 ? digits : -digits), scale)
    : undefined
}

const [minus, period, zero] = [0x2d, 0x2e, 0x30]

/**
 * Parses decimal text. Returns `none` for "", for text that is not a number, and for exponents of more than three digits.
 *
 * @category conversions
 */
export const parse = (text: string): Option.Option<BigDecimal.BigDecimal> => {
  const scanned = scan(text)
  if (scanned !== undefined) return Option.some(scanned)
  return decimalText.plain.test(text) ? BigDecimal.fromString(text) : Option.none()
}

/**
 * Formats without an exponent and keeps trailing zeros (`"1.50"` stays `"1.50"`).
 *
 * @category conversions
 */
export const format: (decimal: BigDecimal.BigDecimal) => string = decimalText.format

/** Returns the decimal of a request input, or `none` for text that is not a decimal. */
export const fromInput = (input: Input): Option.Option<BigDecimal.BigDecimal> =>
  typeof input === "string" ? parse(input) : Option.some(input)

/**
 * Returns the number of decimals of an amount, not counting trailing zeros.
 *
 * @category conversions
 */
export const decimals = (decimal: BigDecimal.BigDecimal): number => Math.max(0, BigDecimal.normalize(decimal).scale)

const texts = (): Arbitrary.LazyArbitrary<string> => (fc) =>
  fc
    .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 12 }))
    .map(([negative, value, scale]) => format(BigDecimal.make(negative ? -value : value, scale)))

const text = Schema.String.annotations({
  identifier: "DecimalText",
  description: "decimal text",
  arbitrary: texts
})

const readText = (wire: string): BigDecimal.BigDecimal | typeof refused =>
  scan(wire) ?? Option.getOrElse(parse(wire), () => refused)

// `Json.parse` returns a number as text if a double cannot hold its digits.
const read = (wire: unknown): BigDecimal.BigDecimal | typeof refused =>
  typeof wire === "string" ? readText(wire) : typeof wire === "number" ? readText(String(wire)) : refused

const textRule = 'must be decimal text such as "0.001"'

/** A decimal that is always present. Text and numbers are accepted; it is written as text, without an exponent and with its trailing zeros. */
export const Decimal: Schema.Schema<BigDecimal.BigDecimal, string | number> = Codec.make<
  BigDecimal.BigDecimal,
  string | number
>({
  wire: Schema.Union(text, Schema.Number).annotations({
    message: () => ({ message: textRule, override: true }),
    jsonSchema: { type: "string", format: "decimal", description: "decimal text" },
    arbitrary: texts
  }),
  domain: Schema.BigDecimalFromSelf,
  rule: textRule,
  read,
  write: format
}).annotations({ identifier: "Decimal" })

/**
 * A decimal in a request, of at most 100 digits. Text is checked and sent verbatim: an optional minus sign and digits, with digits on both
 * sides of a point. `"+1"`, `".5"`, `"01"`, `"1e1"`, `""`, `"1,5"` and a `number` are refused.
 */
export const DecimalInput: Schema.Schema<Input, string> = Schema.transformOrFail(
  text.annotations({
    jsonSchema: {
      type: "string",
      format: "decimal",
      description: "decimal text",
      pattern: decimalText.plainText.source
    },
    message: ({ actual }) => decimalText.refuseInput(decimalText.inputRule, actual)
  }),
  Schema.declare((input: unknown): input is Input => decimalText.isPrintable(input) || decimalText.isPlainText(input), {
    title: "DecimalInput",
    message: ({ actual }) => decimalText.refuseInput(decimalText.inputRule, actual),
    arbitrary: () => (fc) => texts()(fc),
    equivalence: () => (a, b) => Option.getEquivalence(BigDecimal.Equivalence)(fromInput(a), fromInput(b)),
    pretty: () => (input) => (typeof input === "string" ? input : format(input))
  }),
  {
    strict: true,
    decode: (wire, _, ast) =>
      Option.match(decimalText.isPlainText(wire) ? parse(wire) : Option.none(), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, wire, decimalText.inputRule)),
        onSome: (decimal): Either.Either<Input, ParseResult.ParseIssue> => Either.right(decimal)
      }),
    encode: (input) => ParseResult.succeed(typeof input === "string" ? input : format(input))
  }
)
