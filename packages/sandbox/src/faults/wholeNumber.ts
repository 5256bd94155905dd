import * as Schema from "effect/Schema"

/** A number, or its text in a query. */
export const whole = (least: number, rule: string) => {
  const filter = <I>(schema: Schema.Schema<number, I>) =>
    schema.pipe(Schema.filter((count) => Number.isInteger(count) && count >= least, { message: () => rule }))
  return Schema.Union(filter(Schema.Number), filter(Schema.NumberFromString))
}

/** The number of latest records to return; as text in a query. */
export const latest = whole(1, "must be a whole number of at least 1")
