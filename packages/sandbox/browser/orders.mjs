import { call } from "./account.mjs"
import { byId, on } from "./dom.mjs"

export const order = byId("order").elements
const given = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""))
export const sold = (row) => ({ category: row.category, symbol: row.symbol, orderId: row.orderId })
/** @type {any} */
let amended

export const drawAmended = (row) => {
  amended = row
  byId("order").querySelector("[type=submit]").textContent = row ? "Amend the order" : "Place the order"
  byId("amending").textContent = row ? "amends " + row.side + " " + row.symbol + " " + row.orderId : ""
  byId("instead").hidden = row === undefined
  for (const name of ["market", "side", "orderType"]) order[name].disabled = row !== undefined
}

on(byId("order"), "submit", async () => {
  const { orderType, price, qty, side } = order
  if (amended) {
    await call("order/amend", { ...sold(amended), ...given({ qty: qty.value, price: price.value }) })
    return drawAmended(undefined)
  }
  const [category, symbol] = order.market.value.split(" ")
  const limit = orderType.value === "Limit" ? { price: price.value } : {}
  await call("order/create", {
    category,
    symbol,
    side: side.value,
    orderType: orderType.value,
    qty: qty.value,
    ...given(limit),
    orderLinkId: crypto.randomUUID()
  })
})
on(byId("instead"), "click", async () => drawAmended(undefined))
on(byId("cancelAll"), "click", async () => {
  const [category, symbol] = order.market.value.split(" ")
  await call("order/cancel-all", { category, symbol })
})
