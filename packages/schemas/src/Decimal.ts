/**
 * Prices, quantities, balances, fees and rates: decimal text on the wire, `BigDecimal` in the domain, where they are never a `number`. A
 * number of a response is read by its digits.
 *
 * @since 0.1.0
 */
import type * as Arbitrary from "effect/Arbitrary"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { reads, refused } from "./internal/compiler/protocol.js"

/**
 * The input type of a request's decimals: a `BigDecimal`, or plain decimal text such as `"0.001"`.
 *
 * @since 0.1.0
 * @category models
 */
export type Input = DecimalInput

/**
 * `Input` under the name that editors show in an error.
 *
 * @since 0.1.0
 * @category models
 */
export type DecimalInput = BigDecimal.BigDecimal | string

// `BigDecimal.fromString` reads "" as zero and takes exponents of any size, whose plain form may be a gigabyte long.
const plain = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/

// Digits that a `number` counts exactly.
const exactDigits = 15

/**
 * Reads nearly every text of a response: what `format` prints, if it fits into a `number`. `undefined` for any other. A page
 * has a thousand of them, so they are read in one pass.
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
 * Reads decimal text. `none` for "", for anything that is not a number, and for exponents over three digits.
 *
 * @since 0.1.0
 * @category conversions
 */
export const parse = (text: string): Option.Option<BigDecimal.BigDecimal> => {
  const scanned = scan(text)
  if (scanned !== undefined) return Option.some(scanned)
  return plain.test(text) ? BigDecimal.fromString(text) : Option.none()
}

/**
 * Prints plainly, never with an exponent, and keeps trailing zeros (`"1.50"` stays `"1.50"`).
 *
 * @since 0.1.0
 * @category conversions
 */
export const format = (decimal: BigDecimal.BigDecimal): string => {
  const negative = decimal.value < 0n
  const digits = (negative ? -decimal.value : decimal.value).toString()
  const sign = negative ? "-" : ""
  if (decimal.scale <= 0) {
    return sign + (decimal.value === 0n ? "0" : digits + "0".repeat(-decimal.scale))
  }
  const padded = digits.padStart(decimal.scale + 1, "0")
  const point = padded.length - decimal.scale
  return `${sign}${padded.slice(0, point)}.${padded.slice(point)}`
}

/**
 * The decimal of a request input. `none` for text that is not a decimal.
 *
 * @since 0.1.0
 * @category conversions
 */
export const fromInput = (input: Input): Option.Option<BigDecimal.BigDecimal> =>
  typeof input === "string" ? parse(input) : Option.some(input)

/**
 * How many decimals an amount needs, trailing zeros not counted.
 *
 * @since 0.1.0
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

// What `format` would print otherwise ("-0.00", "1e-05", ".5", the number 1), so that a wire value survives a round trip.
const spelled = new WeakMap<BigDecimal.BigDecimal, string | number>()

const readText = (wire: string): BigDecimal.BigDecimal | undefined => {
  const scanned = scan(wire)
  if (scanned !== undefined) return scanned
  const decimal = Option.getOrUndefined(parse(wire))
  if (decimal !== undefined && format(decimal) !== wire) spelled.set(decimal, wire)
  return decimal
}

// `Json.parse` reads a number as text where a double has another value than its digits.
const read = (wire: unknown): BigDecimal.BigDecimal | typeof refused => {
  if (typeof wire === "string") return readText(wire) ?? refused
  const decimal = typeof wire === "number" ? readText(String(wire)) : undefined
  if (decimal === undefined) return refused
  spelled.set(decimal, wire as number) // as the line before last has found
  return decimal
}

const textRule = 'must be decimal text such as "0.001"'

/**
 * A decimal that is always there. It is written back as it was read: as a number if it was one.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Decimal: Schema.Schema<BigDecimal.BigDecimal, string | number> = Schema.transformOrFail(
  Schema.Union(text, Schema.Number).annotations({
    message: () => ({ message: textRule, override: true }),
    jsonSchema: { type: "string", format: "decimal", description: "decimal text" },
    arbitrary: texts
  }),
  Schema.BigDecimalFromSelf,
  {
    strict: true,
    decode: (wire, _, ast) => {
      const decimal = read(wire)
      return decimal === refused
        ? ParseResult.fail(new ParseResult.Type(ast, wire, textRule))
        : ParseResult.succeed(decimal)
    },
    encode: (decimal) => ParseResult.succeed(spelled.get(decimal) ?? format(decimal))
  }
).annotations({ identifier: "Decimal", ...reads(() => read) })

// No amount, price or rate of the service has half as many.
const maxDigits = 100

/**
 * What the input of a decimal has to be, for the message of a refusal.
 *
 * @since 0.1.0
 * @category constants
 */
export const inputRule = `must be a BigDecimal or plain decimal text such as "0.001", of at most ${maxDigits} digits`

// What the service is documented to read: no exponent, no plus sign, digits on both sides of a point, no zeros in front.
const plainText = /^-?(0|[1-9]\d*)(\.\d+)?$/

const isPlainText = (input: unknown): input is string =>
  typeof input === "string" && input.length <= maxDigits + 2 && plainText.test(input)

/**
 * Whether a decimal is meant that requests do not take: `"01"`, `"1e1"`, one with too many digits.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isMisspelled = (input: unknown): boolean =>
  typeof input === "string"
    ? plain.test(input) && !isPlainText(input)
    : BigDecimal.isBigDecimal(input) && !isPrintable(input)

const bound = 10n ** BigInt(maxDigits)

// `BigDecimal.make` takes any scale, also one that is not a number or that is printed as a billion zeros.
const isPrintable = (input: unknown): input is BigDecimal.BigDecimal =>
  BigDecimal.isBigDecimal(input) &&
  Number.isInteger(input.scale) &&
  Math.abs(input.scale) <= maxDigits &&
  input.value < bound &&
  input.value > -bound &&
  isPlainText(format(input))

/**
 * A decimal of a request, of at most 100 digits. Text is checked and sent verbatim: digits, with a point between digits and a minus sign before
 * them. `"+1"`, `".5"`, `"01"`, `"1e1"`, `""`, `"1,5"` and a `number` are refused.
 *
 * @since 0.1.0
 * @category schemas
 */
export const DecimalInput: Schema.Schema<Input, string> = Schema.transformOrFail(
  text.annotations({
    jsonSchema: { type: "string", format: "decimal", description: "decimal text", pattern: plainText.source }
  }),
  Schema.declare((input: unknown): input is Input => isPrintable(input) || isPlainText(input), {
    identifier: "DecimalInput",
    message: () => inputRule
  }),
  {
    strict: true,
    decode: (wire, _, ast) =>
      Option.match(isPlainText(wire) ? parse(wire) : Option.none(), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, wire, inputRule)),
        onSome: (decimal): Either.Either<Input, ParseResult.ParseIssue> => Either.right(decimal)
      }),
    encode: (input) => ParseResult.succeed(typeof input === "string" ? input : format(input))
  }
)
