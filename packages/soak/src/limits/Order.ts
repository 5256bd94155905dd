import * as Schema from "effect/Schema"

/** The task of a process of the measurement. */
export const Order = Schema.Struct({
  /** The sandbox's server. */
  url: Schema.String,
  /** The Redis that keeps the limits; absent if each process keeps them in its memory. */
  redis: Schema.optional(Schema.Struct({ url: Schema.String, prefix: Schema.String })),
  fibers: Schema.Number,
  /** When it ends, in milliseconds of the wall clock. */
  end: Schema.Number
})

export type Order = typeof Order.Type

/** How the calls of one process ended. */
export const Work = Schema.Struct({
  /** When each call was answered, in milliseconds of the wall clock. */
  answers: Schema.Array(Schema.Number),
  /** The tags of the failures of the others. */
  failed: Schema.Array(Schema.String)
})

export type Work = typeof Work.Type
