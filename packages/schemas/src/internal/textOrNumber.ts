import type * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** The wire side of what may be text or a number; anything else is refused in the words of `rule`. */
export const textOrNumber = <A extends string | number>(
  rule: string,
  values: Arbitrary.LazyArbitrary<A>
): Schema.Schema<string | number> =>
  Schema.Union(Schema.String, Schema.Number).annotations({
    message: () => ({ message: rule, override: true }),
    arbitrary: () => values
  })
