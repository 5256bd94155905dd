import * as Schema from "effect/Schema"

/** What a process of the measurement does. */
export const Order = Schema.Struct({
  /** The sandbox's server. */
  url: Schema.String,
  /** The Redis that the processes share; each has its limits in memory without it. */
  redis: Schema.optional(Schema.String),
  prefix: Schema.String,
  fibers: Schema.Number,
  /** When it ends, in milliseconds of the wall clock. */
  end: Schema.Number
})

export type Order = typeof Order.Type

/** How the calls of one process ended. */
export const Work = Schema.Struct({
  /** When each call was answered, in milliseconds of the wall clock. */
  answers: Schema.Array(Schema.Number),
  /** Calls that were refused for a limit, and those that failed for any other reason, by tag. */
  refused: Schema.Number,
  failed: Schema.Record({ key: Schema.String, value: Schema.Number })
})

export type Work = typeof Work.Type
