/**
 * Look-ups of writes with an unknown outcome.
 *
 * @sibling
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Effect from "effect/Effect"
import type { OutcomeUnknown, ReadFailure } from "./Failure.js"
import { lookUps } from "./lookUps.js"

/** Adds a way to determine the outcome of the write to its failure. */
export const withLookUp = (
  failure: OutcomeUnknown,
  lookUp: Effect.Effect<Endpoint.Finding, ReadFailure>
): OutcomeUnknown => {
  lookUps.set(failure, lookUp)
  return failure
}
