import * as Schema from "effect/Schema"

/** A write of the program that is killed: one order, several, or a transfer. `ids` are order link ids, or the request id. */
export const Write = Schema.Struct({
  kind: Schema.Literal("order", "batch", "transfer"),
  ids: Schema.Array(Schema.String)
})

export type Write = typeof Write.Type

export const category = "linear"

/** An order far under the market, so that it stays open. */
export const order = (orderLinkId: string) =>
  ({ symbol: "LTCUSDT", side: "Buy", orderType: "Limit", qty: "1", price: "20", orderLinkId }) as const

export const transfer = { coin: "USDT", amount: "0.01", fromAccountType: "UNIFIED", toAccountType: "FUND" } as const

/** The beginning of every id. */
export const prefix = "00000000-0000-4000-8000-"

/** The id of a wish in one of its tries. Transfers keep theirs, since the service honours it once. */
export const idOf = (wish: number, attempt: number): string =>
  `${prefix}${String(wish).padStart(6, "0")}${String(attempt).padStart(6, "0")}`

export const wishOf = (id: string): number => Number(id.slice(-12, -6))
