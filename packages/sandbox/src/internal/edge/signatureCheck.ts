/**
 * How a sandbox checked the signature of a request, for its log.
 */
import * as Schema from "effect/Schema"

/**
 * How the signature of a request was checked.
 *
 * | value | meaning |
 * |---|---|
 * | `valid` | it is the signature of the key |
 * | `wrong` | it is not the signature of the key for these bytes |
 * | `missing` | the headers lack the key, the timestamp or the signature |
 * | `incomplete` | the parameters lack one of them, although the operation is signed in its parameters |
 * | `contradictory` | headers and parameters differ |
 * | `unknownKey` | the key does not exist |
 * | `outsideWindow` | the timestamp is malformed, or outside of the receive window |
 * | `notNeeded` | the operation is public |
 * | `notChecked` | the request was refused before, or a fault kept it from the exchange |
 */
export const SignatureCheck = Schema.Literal(
  "valid",
  "wrong",
  "missing",
  "incomplete",
  "contradictory",
  "unknownKey",
  "outsideWindow",
  "notNeeded",
  "notChecked"
)

export type SignatureCheck = typeof SignatureCheck.Type
