/**
 * The return codes by which responses are classified. An application can extend them with a layer. The documented ones are `ReturnCodes.rules` of
 * `@effect-venue/schemas`.
 *
 * @since 0.1.0
 */
import * as ReturnCodes from "@effect-venue/schemas/ReturnCodes"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * The meaning of every return code. Defaults to `ReturnCodes.rules`.
 *
 * @since 0.1.0
 * @category references
 */
export class ReturnCodeTable extends Context.Reference<ReturnCodeTable>()("@effect-venue/transport/ReturnCodeTable", {
  defaultValue: (): ReturnCodes.Table => ReturnCodes.rules
}) {}

/**
 * Extends the table in force with more codes, or replaces the classification of existing codes.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerExtend = (codes: Iterable<ReturnCodes.Rule>): Layer.Layer<never> =>
  Layer.effectContext(
    Effect.map(ReturnCodeTable, (table) => Context.make(ReturnCodeTable, ReturnCodes.extend(table, codes)))
  )
