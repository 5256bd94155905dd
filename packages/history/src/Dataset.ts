/**
 * What can be exported: one definition per dataset. Rows are on the wire side, as they came: nothing of them is lost.
 *
 * @since 0.1.0
 */
import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Executions from "@effect-venue/schemas/Executions"
import * as Positions from "@effect-venue/schemas/Positions"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Pages from "@effect-venue/transport/Pages"
import type * as Transport from "@effect-venue/transport/Transport"
import type * as Windows from "@effect-venue/transport/Windows"
import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/**
 * One record as the service sent it.
 *
 * @since 0.1.0
 * @category models
 */
export type Row = object

/**
 * @since 0.1.0
 * @category models
 */
export interface Dataset<in Query, in out R extends Row> {
  /** As the command line and the manifest call it. */
  readonly name: string
  readonly summary: string
  readonly endpoint: Endpoint.Properties
  readonly categories: ReadonlyArray<string>
  /** The longest window of one request. */
  readonly span: Duration.Duration
  /** The pages of one window, newest rows first. */
  readonly pages: (
    transport: Transport.Transport.Shape,
    query: Query,
    window: Windows.Window
  ) => Stream.Stream<ReadonlyArray<R>, Failure.ReadFailure>
  /** What makes a row unique. */
  readonly key: (row: R) => string
  /** The instant of a row, in milliseconds. */
  readonly at: (row: R) => number
}

const spanOf = (endpoint: Endpoint.Properties): Duration.Duration =>
  Option.getOrElse(
    Option.flatMap(endpoint.historyWindow, (window) => window.span),
    () => Duration.infinity
  )

const nextCursor = (page: { readonly nextPageCursor?: string | null }): Option.Option<string> =>
  Option.filter(Option.fromNullable(page.nextPageCursor), (cursor) => cursor !== "")

/**
 * What to export of the executions.
 *
 * @since 0.1.0
 * @category models
 */
export interface ExecutionsQuery {
  readonly category: "spot" | "linear" | "inverse"
  readonly symbol?: string | undefined
}

/**
 * Executions of the account: 730 days back for unified accounts.
 *
 * @since 0.1.0
 * @category datasets
 */
export const executions: Dataset<ExecutionsQuery, typeof Executions.Execution.Encoded> = {
  name: "executions",
  summary: "Executions (trades) of the account",
  endpoint: Executions.list,
  categories: ["spot", "linear", "inverse"],
  span: spanOf(Executions.list),
  pages: (transport, { category, symbol }, { from, to }) =>
    Pages.stream({
      operation: Executions.list.name,
      page: (cursor) =>
        transport.callWire(Executions.list, { category, symbol, startTime: from, endTime: to, limit: 100, cursor }),
      next: nextCursor
    }).pipe(Stream.map((page) => page.list)),
  key: (row) => row.execId,
  at: (row) => Number(row.execTime)
}

/**
 * Executions from before the account became a unified one.
 *
 * @since 0.1.0
 * @category datasets
 */
export const preUpgradeExecutions: Dataset<ExecutionsQuery, typeof Executions.PreUpgradeExecution.Encoded> = {
  name: "pre-upgrade-executions",
  summary: "Executions from before the account became a unified one",
  endpoint: Executions.preUpgrade,
  categories: ["spot", "linear", "inverse"],
  span: spanOf(Executions.preUpgrade),
  pages: (transport, { category, symbol }, { from, to }) =>
    Pages.stream({
      operation: Executions.preUpgrade.name,
      page: (cursor) =>
        transport.callWire(Executions.preUpgrade, {
          category,
          symbol,
          startTime: from,
          endTime: to,
          limit: 100,
          cursor
        }),
      next: nextCursor
    }).pipe(Stream.map((page) => page.list)),
  key: (row) => row.execId,
  at: (row) => Number(row.execTime)
}

/**
 * What to export of the closed profit and loss.
 *
 * @since 0.1.0
 * @category models
 */
export interface ClosedPnlQuery {
  readonly category: "linear" | "inverse"
  readonly symbol?: string | undefined
}

/**
 * Closed profit and loss from before the account became a unified one. The records have no id: two are taken for the same when
 * everything that they say is the same.
 *
 * @since 0.1.0
 * @category datasets
 */
export const preUpgradeClosedPnl: Dataset<ClosedPnlQuery, typeof Positions.ClosedPnl.Encoded> = {
  name: "pre-upgrade-closed-pnl",
  summary: "Closed profit and loss from before the account became a unified one",
  endpoint: Positions.preUpgradeClosedPnl,
  categories: ["linear", "inverse"],
  span: spanOf(Positions.preUpgradeClosedPnl),
  pages: (transport, { category, symbol }, { from, to }) =>
    Pages.stream({
      operation: Positions.preUpgradeClosedPnl.name,
      page: (cursor) =>
        transport.callWire(Positions.preUpgradeClosedPnl, {
          category,
          symbol,
          startTime: from,
          endTime: to,
          limit: 100,
          cursor
        }),
      next: nextCursor
    }).pipe(Stream.map((page) => page.list)),
  key: (row) => JSON.stringify(row),
  at: (row) => Number(row.updatedTime)
}
