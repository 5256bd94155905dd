import * as Schema from "effect/Schema"

/** The task of a process of the measurement. */
export const Order = Schema.Struct({
  /** The sandbox's server. */
  url: Schema.String,
  /** The Redis that keeps the limits; absent if each process keeps them in its memory. */
  redis: Schema.optional(Schema.Struct({ url: Schema.String, prefix: Schema.String })),
  /** Of a UID whose limit is used by exports. Without it calls are charged to their address alone. */
  uid: Schema.optional(
    Schema.Struct({
      apiKey: Schema.String,
      apiSecret: Schema.String,
      /** Whether calls of high priority are cancels, with a separate limit as at the service, or share the limit of the exports. */
      cancels: Schema.Literal("own limit", "same limit")
    })
  ),
  fibers: Schema.Number,
  /** When it ends, in milliseconds of the wall clock. */
  end: Schema.Number
})

export type Order = typeof Order.Type

/** A call of high priority, in milliseconds of the wall clock. */
export const Cancel = Schema.Struct({
  askedAt: Schema.Number,
  /** When the store had no room for it for the last time; absent if it went at once. */
  fullAt: Schema.optional(Schema.Number),
  answeredAt: Schema.Number
})

export type Cancel = typeof Cancel.Type

/** How the calls of one process ended. */
export const Work = Schema.Struct({
  /** When each call that is charged to the measured limit was answered, in milliseconds of the wall clock. */
  answers: Schema.Array(Schema.Number),
  /** When each export page had its places. */
  pages: Schema.Array(Schema.Number),
  cancels: Schema.Array(Cancel),
  /** Calls that were refused for a limit, and those that failed for any other reason, by tag. */
  refused: Schema.Number,
  failed: Schema.Record({ key: Schema.String, value: Schema.Number })
})

export type Work = typeof Work.Type
