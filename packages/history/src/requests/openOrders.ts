import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Orders from "@effect-venue/schemas/Orders"
import { orderKinds } from "@effect-venue/schemas/siblings/OrderKinds"
import type * as Failure from "@effect-venue/transport/Failure"
import * as Pages from "@effect-venue/transport/siblings/Pages"
import * as Transport from "@effect-venue/transport/Transport"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Column from "../model/Column.js"
import type * as Dataset from "../model/Dataset.js"
import type * as Manifest from "../model/Manifest.js"
import * as DatasetPages from "../model/pages.js"

type Category = "spot" | "linear" | "inverse"

interface Query {
  readonly category: Category
  readonly symbol?: string | undefined
}

/** The most attempts to read a list to its end. */
const walks = 5

/** The longest time until a closed order is in the history. */
const lag = Duration.toMillis("1 hour")

/** All rows of a list. Fails if the list cannot be read to its end, since an incomplete list is of no use here. */
const all = (
  operation: string,
  page: (cursor: string | undefined) => Effect.Effect<Dataset.Page, Failure.ReadFailure, Transport.Transport>
): Effect.Effect<ReadonlyArray<unknown>, Failure.ReadFailure, Transport.Transport> => {
  const read = (attempt: number): ReturnType<typeof all> =>
    Effect.suspend(() => {
      const found: Array<unknown> = []
      const list = { page, text: JSON.stringify, comparesRows: false, prepare: ({ rows }: Dataset.Page) => rows }
      return Effect.flatMap(
        Pages.walk(list, (rows) => Effect.sync(() => void found.push(...rows))),
        ({ problem }): ReturnType<typeof all> => {
          if (problem === undefined) return Effect.succeed(found)
          return attempt < walks ? read(attempt + 1) : Effect.fail(Pages.failure(operation, problem))
        }
      )
    })
  return read(1)
}

const instruments = DatasetPages.of(Instruments.list)
const orders = DatasetPages.of(Orders.open)

/** What linear contracts are settled in: without a symbol, orders are asked for by it. */
const settleCoins = Effect.map(
  all(Instruments.list.name, (cursor) => instruments({ category: "linear", limit: 1000, cursor })),
  (rows) => [
    ...new Set(
      rows.flatMap((row) => (Predicate.isRecord(row) && typeof row.settleCoin === "string" ? [row.settleCoin] : []))
    )
  ]
)

const requests = ({ category, symbol }: Query) => {
  const common = { symbol, limit: 50 }
  switch (category) {
    case "spot":
      // Spot lists stop orders separately.
      return Effect.succeed(orderKinds.spot.map((orderFilter) => ({ category, ...common, orderFilter })))
    case "inverse":
      return Effect.succeed([{ category, ...common }])
    case "linear":
      return symbol === undefined
        ? Effect.map(settleCoins, (coins) => coins.map((settleCoin) => ({ category, settleCoin, limit: 50 })))
        : Effect.succeed([{ category, symbol, limit: 50 }])
  }
}

interface Ends {
  readonly open: readonly [one: string, several: string]
  readonly closed: readonly [one: string, several: string]
}

/** The kinds of orders that `read` returns, with what a dataset awaits of each. */
export const kindsOf = ({ closed, open }: Ends): Dataset.Settling<unknown>["kinds"] => ({
  open: [`open order: ${open[0]}`, `open orders: ${open[1]}`],
  closed: [
    `order that closed within the last hour: ${closed[0]}`,
    `orders that closed within the last hour: ${closed[1]}`
  ]
})

/**
 * The open orders, and those that were closed recently and can still be absent from the history, under the instants at which they were
 * created. Closed orders are read last, so that an order that closes meanwhile is not missed.
 */
export const read = (
  query: Query
): Effect.Effect<ReadonlyArray<Manifest.Unsettled>, Failure.ReadFailure, Transport.Transport> =>
  Effect.gen(function* () {
    const { account } = yield* Transport.Transport
    const localNow = yield* Clock.currentTimeMillis
    const found = new Map<unknown, Manifest.Unsettled>()
    const orderRequests = yield* requests(query)
    for (const openOnly of [0, 1] as const) {
      for (const request of orderRequests) {
        const rows = yield* all(Orders.open.name, (cursor) => orders({ ...request, openOnly, cursor }))
        const now = Option.getOrElse(yield* account.statedTime, () => localNow)
        for (const row of rows) {
          if (!Predicate.isRecord(row)) continue
          const at = Column.millis("millis", row.CreatedTime)
          const updated = Column.millis("millis", row.UpdatedTime) ?? now
          if (at === undefined || (openOnly === 1 && updated < now - lag)) continue
          // An order can be in both lists. One without an id is a record of its own.
          found.set(row.OrderId ?? row, { at, kind: openOnly === 0 ? "open" : "closed" })
        }
      }
    }
    return [...found.values()]
  })
