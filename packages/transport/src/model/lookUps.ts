import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type * as Effect from "effect/Effect"
import type { OutcomeUnknown, ReadFailure } from "./Failure.js"

/** A look-up is an effect and cannot be a field of a schema, so it is stored beside the failure. */
export const lookUps = new WeakMap<OutcomeUnknown, Effect.Effect<Endpoint.Finding, ReadFailure>>()
