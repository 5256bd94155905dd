import { call } from "./account.mjs"
import { byId, control, rowButton } from "./dom.mjs"
import { drawAmended, order, pickOrderKey } from "./orders.mjs"
import { drawRequest } from "./requests.mjs"

const choice = byId("choice").elements

/** What can be done with a row, by the table. */
export const rowActions = {
  orders: (row) =>
    row.isOpen
      ? [
          rowButton("Cancel", row.orderId, () => call("order/cancel", pickOrderKey(row))),
          rowButton("Amend", row.orderId, async () => {
            order.market.value = row.category + " " + row.symbol
            order.side.value = row.side
            order.orderType.value = row.orderType
            order.qty.value = row.qty
            order.price.value = row.price
            drawAmended(row)
            order.price.focus()
          }),
          rowButton("Fill", row.orderId, () => control("fill", { orderId: row.orderId }))
        ]
      : [],
  positions: (row) =>
    row.category === "spot"
      ? []
      : [
          rowButton("Liquidate", row.category + " " + row.symbol, () =>
            control("liquidate", {
              uid: choice.account.value,
              category: row.category,
              symbol: row.symbol,
              positionIdx: Number(row.positionIdx)
            })
          )
        ],
  requests: (row) => [rowButton("Show", row.method + " " + row.path, async () => drawRequest(row))]
}
