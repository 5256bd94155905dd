import { call } from "./account.mjs"
import { byId, on } from "./dom.mjs"

export const order = byId("order").elements
const omitEmpty = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""))
/** The fields by which a call names an order. */
export const pickOrderKey = (row) => ({ category: row.category, symbol: row.symbol, orderId: row.orderId })
/** The order that the form amends, if it does. @type {any} */
let amendTarget

export const drawAmended = (row) => {
  amendTarget = row
  byId("order").querySelector("[type=submit]").textContent = row ? "Amend the order" : "Place the order"
  byId("amending").textContent = row ? "amends " + row.side + " " + row.symbol + " " + row.orderId : ""
  byId("instead").hidden = row === undefined
  for (const name of ["market", "side", "orderType"]) order[name].disabled = row !== undefined
}

on(byId("order"), "submit", async () => {
  const { orderType, price, qty, side } = order
  if (amendTarget) {
    await call("order/amend", { ...pickOrderKey(amendTarget), ...omitEmpty({ qty: qty.value, price: price.value }) })
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
    ...omitEmpty(limit),
    orderLinkId: crypto.randomUUID()
  })
})
on(byId("instead"), "click", async () => drawAmended(undefined))
on(byId("cancelAll"), "click", async () => {
  const [category, symbol] = order.market.value.split(" ")
  await call("order/cancel-all", { category, symbol })
})
