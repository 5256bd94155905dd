/** Trade history. (docs/reference/executions.md) */
import type * as Endpoints from "@effect-venue/schemas/Executions"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Handler from "../handling/handler.js"
import * as Ids from "../trading/ids.js"
import * as Markets from "../handling/markets.js"
import * as Paging from "../handling/paging.js"
import * as Windows from "../handling/windows.js"

const reachBack = 730 * 86_400_000

type ListedFill = Pick<Endpoints.PreUpgradeExecution, "execTime" | "symbol" | "execType" | "orderId">

const instant = (fill: ListedFill): number => fill.execTime.epochMillis

const passes =
  (symbol: string | undefined, orderId: string | undefined, execType: string | undefined) =>
  (fill: ListedFill): boolean =>
    (orderId !== undefined ? fill.orderId === orderId : symbol === undefined || fill.symbol === symbol) &&
    (execType === undefined || Option.contains(fill.execType, execType))

/** Newest `execId` first. Ids sort by time. */
export const list: Handler.Handler<typeof Endpoints.list> = (request, context) =>
  Either.gen(function* () {
    const { category, execType, limit, orderId, symbol } = request
    if (orderId === undefined && symbol !== undefined) yield* Markets.findListing(context.state, category, symbol)
    const requested = Windows.history(request, context.now)
    const range = { ...requested, from: Math.max(requested.from, context.now - reachBack) }
    const fills = context.account.executions[category]
    const [start, end] = Windows.slice(fills, instant, range)
    return yield* Paging.readPage(context, request, {
      name: "executions",
      items: Paging.backwards(fills, start, end, passes(symbol, orderId, execType)),
      key: (fill) => fill.execId,
      order: "descending",
      size: limit ?? 50
    })
  })

/** Newest first. */
export const preUpgrade: Handler.Handler<typeof Endpoints.preUpgrade> = (request, context) =>
  Either.gen(function* () {
    const { category, limit, symbol } = request
    const execType = request.category === "spot" ? undefined : request.execType
    if (symbol !== undefined) yield* Markets.findListing(context.state, category, symbol)
    const fills = context.account.preUpgradeExecutions[category]
    const [start, end] = Windows.slice(fills, instant, Windows.history(request, context.now))
    return yield* Paging.readPage(context, request, {
      name: "preUpgradeExecutions",
      items: Paging.backwards(fills, start, end, passes(symbol, undefined, execType)),
      key: (fill) => Ids.sortable(instant(fill)) + fill.execId,
      order: "descending",
      size: limit ?? 50
    })
  })
