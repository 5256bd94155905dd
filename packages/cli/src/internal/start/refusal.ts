import * as Data from "effect/Data"

/** The arguments do not fit together: nothing was sent, nothing was written. */
export class Refusal extends Data.TaggedError("Refusal")<{ readonly message: string }> {}
