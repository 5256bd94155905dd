/**
 * Yes-or-no fields that the service spells as 0 and 1: `boolean` in the domain.
 *
 * @since 0.1.0
 */
import * as Schema from "effect/Schema"

/**
 * `1` is true, `0` is false.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FlagNumber: Schema.Schema<boolean, 0 | 1> = Schema.transformLiterals([1, true], [0, false])

/**
 * `"1"` is true, `"0"` is false.
 *
 * @since 0.1.0
 * @category schemas
 */
export const FlagText: Schema.Schema<boolean, "0" | "1"> = Schema.transformLiterals(["1", true], ["0", false])
