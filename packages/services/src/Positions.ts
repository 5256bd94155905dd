/** Positions: margin, leverage, stops, risk limits, and the profit of closed positions. */
import * as Endpoints from "@effect-venue/schemas/Positions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Trace from "@effect-venue/transport/siblings/Trace"
import * as Transport from "@effect-venue/transport/Transport"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Stream from "effect/Stream"
import { layerOf } from "./calls/making.js"
import * as Pages from "./calls/pages.js"

export {
  AddMarginRequest,
  ClosedPnl,
  ClosedPnlRequest,
  ClosedPnlResult,
  ConfirmNewRiskLimitRequest,
  ListRequest,
  ListResult,
  MarginChange,
  Position,
  PreUpgradeClosedPnlRequest,
  PreUpgradeClosedPnlResult,
  RiskLimit,
  SetLeverageRequest,
  SetRiskLimitRequest,
  SetTpslModeRequest,
  TpslModeSet,
  TradingStopRequest
} from "@effect-venue/schemas/Positions"

export class Positions extends Context.Tag("@effect-venue/services/Positions")<Positions, Positions.Shape>() {}

export declare namespace Positions {
  export interface Shape {
    /**
     * Returns one page of the positions of a symbol or of a settle coin; 1 to 200 rows, default 20. Fails as any read does. Limit: 10 calls
     * a second per category, for spot assumed. (docs/reference/positions/list.md)
     */
    readonly list: (request: Endpoints.ListRequest) => Effect.Effect<Endpoints.ListResult, Failure.ReadFailure>
    /** All pages of `list`, row by row. Each page is a call, and fails as `list` does. */
    readonly listStream: (request: Endpoints.ListRequest) => Stream.Stream<Endpoints.Position, Failure.ReadFailure>
    /**
     * Adds margin to an isolated position, or removes it if negative; at most 4 decimals. It has no id, so `Effect.retry` around it can add
     * the margin twice: after `OutcomeUnknown`, look at the position first. Fails as any write does, with `Rejected`
     * (`PositionState`, `InsufficientBalance`). Limit: none is documented. (docs/reference/positions/addMargin.md)
     */
    readonly addMargin: (
      request: Endpoints.AddMarginRequest
    ) => Effect.Effect<Endpoints.MarginChange, Failure.WriteFailure>
    /**
     * Sets the take profit, stop loss or trailing stop of a position; 0 cancels. Fails as any write does, with `Rejected` (`noChange`) if
     * the values are already set. Limit: 10 calls a second per category, for spot assumed. (docs/reference/positions/setTradingStop.md)
     */
    readonly setTradingStop: (request: Endpoints.TradingStopRequest) => Effect.Effect<void, Failure.WriteFailure>
    /**
     * Sets the risk limit of a position. The service has deprecated this operation. Fails as any write does. Limit: 10 calls a second per
     * category. (docs/reference/positions/setRiskLimit.md)
     */
    readonly setRiskLimit: (
      request: Endpoints.SetRiskLimitRequest
    ) => Effect.Effect<Endpoints.RiskLimit, Failure.WriteFailure>
    /**
     * Confirms a new risk limit, which clears the position's `isReduceOnly` flag. Fails as any write does, with `Rejected` if the flag is
     * not set. Limit: none is documented. The service's document contains neither the path nor the payload of this operation.
     * (docs/reference/positions/confirmNewRiskLimit.md)
     */
    readonly confirmNewRiskLimit: (
      request: Endpoints.ConfirmNewRiskLimitRequest
    ) => Effect.Effect<void, Failure.WriteFailure>
    /**
     * Sets the leverage of a symbol. Fails as any write does, with `Rejected` (`noChange`) if it is already set. Limit: 10 calls a second
     * per category. The service's document contains only the path of this operation. (docs/reference/positions/setLeverage.md)
     */
    readonly setLeverage: (request: Endpoints.SetLeverageRequest) => Effect.Effect<void, Failure.WriteFailure>
    /**
     * Sets the mode of take profits and stop losses for requests without a mode. Fails as any write does, with `Rejected` if a stop of the
     * position prevents the change. Limit: 10 calls a second per category. The service's document contains only the path of this operation.
     * (docs/reference/positions/setTpslMode.md)
     */
    readonly setTpslMode: (
      request: Endpoints.SetTpslModeRequest
    ) => Effect.Effect<Endpoints.TpslModeSet, Failure.WriteFailure>
    /**
     * Returns one page of closed profit and loss, newest first: at most 7 days, by default the last 7, up to 730 days ago; 1 to 100 rows,
     * default 50. Fails as any read does. Limit: 10 calls a second per category. The service's document contains only the path of this
     * operation. (docs/reference/positions/closedPnl.md)
     */
    readonly closedPnl: (
      request: Endpoints.ClosedPnlRequest
    ) => Effect.Effect<Endpoints.ClosedPnlResult, Failure.ReadFailure>
    /**
     * All pages of `closedPnl`, row by row. Each page is a call, and fails as `closedPnl` does. For a range of any length, use
     * `History.stream` with `History.closedPnl`.
     */
    readonly closedPnlStream: (
      request: Endpoints.ClosedPnlRequest
    ) => Stream.Stream<Endpoints.ClosedPnl, Failure.ReadFailure>
    /**
     * Returns one page of closed profit and loss from before the upgrade to a unified account, newest first: at most 7 days, by default the
     * last 7; 1 to 100 rows, default 50. Fails as any read does. Limit: none is documented.
     * (docs/reference/positions/preUpgradeClosedPnl.md)
     */
    readonly preUpgradeClosedPnl: (
      request: Endpoints.PreUpgradeClosedPnlRequest
    ) => Effect.Effect<Endpoints.PreUpgradeClosedPnlResult, Failure.ReadFailure>
    /**
     * All pages of `preUpgradeClosedPnl`, row by row. Each page is a call, and fails as `preUpgradeClosedPnl` does. For a range of any length, use
     * `History.stream` with `History.preUpgradeClosedPnl`.
     */
    readonly preUpgradeClosedPnlStream: (
      request: Endpoints.PreUpgradeClosedPnlRequest
    ) => Stream.Stream<Endpoints.ClosedPnl, Failure.ReadFailure>
  }
}

export const make = (transport: Transport.Transport.Shape): Positions.Shape => {
  const list = (request: Endpoints.ListRequest) => transport.call(Endpoints.list, request)
  const listPage = (request: Endpoints.ListRequest) => Pages.toPage(list(request))

  const closedPnl = (request: Endpoints.ClosedPnlRequest) => transport.call(Endpoints.closedPnl, request)
  const closedPnlPage = (request: Endpoints.ClosedPnlRequest) => Pages.toPage(closedPnl(request))

  const preUpgradeClosedPnl = (request: Endpoints.PreUpgradeClosedPnlRequest) =>
    transport.call(Endpoints.preUpgradeClosedPnl, request)
  const preUpgradeClosedPnlPage = (request: Endpoints.PreUpgradeClosedPnlRequest) =>
    Pages.toPage(preUpgradeClosedPnl(request))

  return Trace.namedAll<Positions.Shape>("Positions", {
    list,
    listStream: (request) => Pages.rows(Endpoints.list, request, listPage),
    addMargin: (request) => transport.call(Endpoints.addMargin, request),
    setTradingStop: (request) => transport.call(Endpoints.setTradingStop, request),
    setRiskLimit: (request) => transport.call(Endpoints.setRiskLimit, request),
    confirmNewRiskLimit: (request) => transport.call(Endpoints.confirmNewRiskLimit, request),
    setLeverage: (request) => transport.call(Endpoints.setLeverage, request),
    setTpslMode: (request) => transport.call(Endpoints.setTpslMode, request),
    closedPnl,
    closedPnlStream: (request) => Pages.rows(Endpoints.closedPnl, request, closedPnlPage),
    preUpgradeClosedPnl,
    preUpgradeClosedPnlStream: (request) => Pages.rows(Endpoints.preUpgradeClosedPnl, request, preUpgradeClosedPnlPage)
  })
}

export const layer: Layer.Layer<Positions, never, Transport.Transport> = Layer.effect(
  Positions,
  Effect.map(Transport.Transport, make)
)

/**
 * For tests: a service with only these members. Calling another member dies with an error that names it, such as `Positions.setLeverage`; a missing
 * stream dies when it is run.
 */
export const layerTest = (members: Partial<Positions.Shape>): Layer.Layer<Positions> =>
  layerOf(Positions, "Positions", make, members)
