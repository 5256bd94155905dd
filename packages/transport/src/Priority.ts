/**
 * The order of calls that wait for the same rate limit: cancellations and amendments before other writes, those before reads,
 * those before bulk exports.
 *
 * @since 0.1.0
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Context from "effect/Context"

/**
 * @since 0.1.0
 * @category models
 */
export type Name = "urgent" | "write" | "read" | "bulk"

/**
 * The priorities, highest first.
 *
 * @since 0.1.0
 * @category constants
 */
export const order: ReadonlyArray<Name> = ["urgent", "write", "read", "bulk"]

/**
 * The priority of the calls of a program, if it is not that of their operations: history exports run under `bulk`. Defaults to `by operation`:
 * `urgent` for cancellations and amendments, `write` for other writes, `read` for reads.
 *
 * @since 0.1.0
 * @category references
 */
export class Priority extends Context.Reference<Priority>()("@effect-venue/transport/Priority", {
  defaultValue: (): Name | "by operation" => "by operation"
}) {}

/**
 * The order of calls of the same priority that wait for the same rate limits: lower turns go first, and calls of equal turns in the order of their arrival.
 * Defaults to 0. A history export sets the number of the window, so that its oldest window is stored first.
 *
 * @since 0.1.0
 * @category references
 */
export class Turn extends Context.Reference<Turn>()("@effect-venue/transport/Priority/Turn", {
  defaultValue: () => 0
}) {}

/**
 * The priority of an operation.
 *
 * @since 0.1.0
 * @category getters
 */
export const ofEndpoint = (endpoint: Pick<Endpoint.Properties, "safety" | "urgent">): Name =>
  endpoint.urgent === true ? "urgent" : endpoint.safety === "read" ? "read" : "write"
