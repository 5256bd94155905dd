/**
 * Prices, quantities, balances, fees and rates: decimal text on the wire, `BigDecimal` in the domain. Never a `number`.
 *
 * @since 0.1.0
 */
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { reads, refused } from "./internal/decoding.js"

/**
 * What a request takes where the service wants a decimal: a `BigDecimal`, or decimal text such as `"0.001"`.
 *
 * @since 0.1.0
 * @category models
 */
export type Input = BigDecimal.BigDecimal | string

// `BigDecimal.fromString` reads "" as zero and takes exponents of any size, whose plain form may be a gigabyte long.
const plain = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/

// Digits that a `number` counts exactly.
const exactDigits = 15

/**
 * Nearly every text that comes: what `format` prints, and not longer than a `number` can count. `undefined` for any other. A page
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
 * The decimal of a request input. Text that is not a decimal gives `none`.
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

const text = Schema.String.annotations({
  identifier: "DecimalText",
  description: "decimal text",
  arbitrary: () => (fc) =>
    fc
      .tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 12 }))
      .map(([negative, value, scale]) => format(BigDecimal.make(negative ? -value : value, scale)))
})

// Texts that `format` would print otherwise ("-0.00", "1e-05", ".5"), so that a wire value survives a round trip.
const spelled = new WeakMap<BigDecimal.BigDecimal, string>()

const readText = (wire: string): BigDecimal.BigDecimal | undefined => {
  const scanned = scan(wire)
  if (scanned !== undefined) return scanned
  const decimal = Option.getOrUndefined(parse(wire))
  if (decimal !== undefined && format(decimal) !== wire) spelled.set(decimal, wire)
  return decimal
}

/**
 * A decimal that is always there. What was read is written back as it was.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Decimal: Schema.Schema<BigDecimal.BigDecimal, string> = Schema.transformOrFail(
  text,
  Schema.BigDecimalFromSelf,
  {
    strict: true,
    decode: (wire, _, ast) => {
      const decimal = readText(wire)
      return decimal === undefined
        ? ParseResult.fail(new ParseResult.Type(ast, wire, 'must be decimal text such as "0.001"'))
        : ParseResult.succeed(decimal)
    },
    encode: (decimal) => ParseResult.succeed(spelled.get(decimal) ?? format(decimal))
  }
).annotations({
  identifier: "Decimal",
  ...reads(() => (input) => (typeof input === "string" ? readText(input) : undefined) ?? refused)
})

const inputRule = 'must be a BigDecimal or decimal text such as "0.001"'

/**
 * A decimal of a request. Text is checked and sent as it was given; `""`, `"1,5"` or a `number` are refused.
 *
 * @since 0.1.0
 * @category schemas
 */
export const DecimalInput: Schema.Schema<Input, string> = Schema.transformOrFail(
  text,
  Schema.declare(
    (input: unknown): input is Input =>
      BigDecimal.isBigDecimal(input) || (typeof input === "string" && plain.test(input)),
    { identifier: "DecimalInput", message: () => inputRule }
  ),
  {
    strict: true,
    decode: (wire, _, ast) =>
      Option.match(parse(wire), {
        onNone: () => ParseResult.fail(new ParseResult.Type(ast, wire, inputRule)),
        onSome: (decimal): Either.Either<Input, ParseResult.ParseIssue> => Either.right(decimal)
      }),
    encode: (input) => ParseResult.succeed(typeof input === "string" ? plainText(input) : format(input))
  }
)

// Text goes out as it was given unless it has an exponent, a plus sign or a bare point, which the service may not read.
const plainText = (input: string): string =>
  /^-?\d+(\.\d+)?$/.test(input) ? input : Option.match(parse(input), { onNone: () => input, onSome: format })
