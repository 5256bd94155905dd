/** The spelling of decimals in requests and responses. */
import * as BigDecimal from "effect/BigDecimal"

// `BigDecimal.fromString` reads "" as zero and accepts any exponent, whose plain form can take a gigabyte.
export const plain = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?$/

/** Formats without an exponent and keeps trailing zeros (`"1.50"` stays `"1.50"`). */
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

// More than twice the digits of any amount, price or rate of the service.
const maxDigits = 100

/** The rule for decimals in requests, used in failure messages. */
export const inputRule = `must be a BigDecimal or plain decimal text such as "0.001", of at most ${maxDigits} digits`

// The form that the service documents: no exponent, no plus sign, digits on both sides of a point, no leading zeros.
export const plainText = /^-?(0|[1-9]\d*)(\.\d+)?$/

export const isPlainText = (input: unknown): input is string =>
  typeof input === "string" && input.length <= maxDigits + 2 && plainText.test(input)

/** Returns true for a decimal that requests do not accept: `"01"`, `"1e1"`, or one with too many digits. */
const isMisspelled = (input: unknown): boolean =>
  typeof input === "string"
    ? plain.test(input) && !isPlainText(input)
    : BigDecimal.isBigDecimal(input) && !isPrintable(input)

/** The message for an input that breaks a rule: a number, or a spelling that is refused, is the mistake that comes first. */
export const refuseInput = (rule: string, input: unknown): string =>
  typeof input === "number"
    ? `must be decimal text such as "0.01", not the number ${input}`
    : isMisspelled(input)
      ? inputRule
      : rule

const bound = 10n ** BigInt(maxDigits)

// `BigDecimal.make` accepts any scale, even `NaN` or one that prints a billion zeros.
export const isPrintable = (input: unknown): input is BigDecimal.BigDecimal =>
  BigDecimal.isBigDecimal(input) &&
  Number.isInteger(input.scale) &&
  Math.abs(input.scale) <= maxDigits &&
  input.value < bound &&
  input.value > -bound &&
  isPlainText(format(input))
