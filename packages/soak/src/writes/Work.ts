import * as Schema from "effect/Schema"

/** A call of the program that is killed, as the simulation makes it. */
export const Call = Schema.Struct({ id: Schema.String, kind: Schema.Literal("create", "batch", "transfer") })

export type Call = typeof Call.Type
