/**
 * The order of calls that wait for the same rate limit.
 *
 * @sibling
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import type { PriorityName } from "./CallOptions.js"

/** Highest first. */
export const order: ReadonlyArray<PriorityName> = ["urgent", "write", "read", "bulk"]

/** The priority of an operation. */
export const ofEndpoint = (endpoint: Pick<Endpoint.Properties, "safety" | "urgent">): PriorityName =>
  endpoint.urgent === true ? "urgent" : endpoint.safety === "read" ? "read" : "write"
