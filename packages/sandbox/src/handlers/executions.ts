/** Trade history. (docs/reference/executions.md) */
import type * as Endpoints from "@effect-venue/schemas/Executions"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Handler from "../handling/handler.js"
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
export const list: Handler.Handler<typeof Endpoints.list> = (request, context) => {
  const { category, cursor, endTime, execType, limit, orderId, startTime, symbol } = request
  if (orderId === undefined && symbol !== undefined) {
    const known = Markets.findListing(context.state, category, symbol)
    if (Either.isLeft(known)) return Either.left(known.left)
  }
  const requested = Windows.history(request, context.now)
  const range = { ...requested, from: Math.max(requested.from, context.now - reachBack) }
  const fills = context.account.executions[category]
  const [start, end] = Windows.slice(fills, instant, range)
  return Either.flatMap(
    Paging.page({
      items: Paging.backwards(fills, start, end, passes(symbol, orderId, execType)),
      key: (fill) => fill.execId,
      order: "descending",
      of: [context.account.uid, "executions", category, symbol, orderId, execType, startTime, endTime],
      size: limit ?? 50,
      cursor
    }),
    (page) => Handler.read(context, { category: Option.some(category), list: page.items, nextPageCursor: page.next })
  )
}

/** Newest first. */
export const preUpgrade: Handler.Handler<typeof Endpoints.preUpgrade> = (request, context) => {
  const { category, cursor, endTime, limit, startTime, symbol } = request
  const execType = request.category === "spot" ? undefined : request.execType
  if (symbol !== undefined) {
    const known = Markets.findListing(context.state, category, symbol)
    if (Either.isLeft(known)) return Either.left(known.left)
  }
  const fills = context.account.preUpgradeExecutions[category]
  const [start, end] = Windows.slice(fills, instant, Windows.history(request, context.now))
  return Either.flatMap(
    Paging.page({
      items: Paging.backwards(fills, start, end, passes(symbol, undefined, execType)),
      key: (fill) => Ids.sortable(instant(fill)) + fill.execId,
      order: "descending",
      of: [context.account.uid, "preUpgradeExecutions", category, symbol, execType, startTime, endTime],
      size: limit ?? 50,
      cursor
    }),
    (page) => Handler.read(context, { category: Option.some(category), list: page.items, nextPageCursor: page.next })
  )
}
