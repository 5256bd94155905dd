import * as Schema from "effect/Schema"

/** What a process of the measurement does. */
export const Order = Schema.Struct({
  /** The sandbox's server. */
  url: Schema.String,
  /** The Redis that the processes share; each has its limits in memory without it. */
  redis: Schema.optional(Schema.String),
  prefix: Schema.String,
  fibers: Schema.Number,
  /** What is counted: the calls answered between these instants, in milliseconds of the wall clock. */
  from: Schema.Number,
  to: Schema.Number
})

export type Order = typeof Order.Type

/** How the calls of one process ended. */
export const Work = Schema.Struct({
  /** Answered in the time that is counted. */
  counted: Schema.Number,
  /** By the end of the run: refused for a limit, and failed for any other reason, by tag. */
  refused: Schema.Number,
  failed: Schema.Record({ key: Schema.String, value: Schema.Number }),
  /** Answered in the last five seconds of the run. */
  last: Schema.Number
})

export type Work = typeof Work.Type
