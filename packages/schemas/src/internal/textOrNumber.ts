import type * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

/** The wire side of a value that can be text or a number. Other values fail with the message `rule`. */
export const textOrNumber = <A extends string | number>(
  rule: string,
  values: Arbitrary.LazyArbitrary<A>
): Schema.Schema<string | number> =>
  Schema.Union(Schema.String, Schema.Number).annotations({
    message: () => ({ message: rule, override: true }),
    arbitrary: () => values
  })
