import { byId, instant, node, rowButton } from "./dom.mjs"
import { rowActions } from "./rows.mjs"

// Tables: a column is a title, the text of a row in it, and its class.

const column = (title, text, className) => ({ title, text, className })
const number = (title, text) => column(title, text, () => "number")
const isValid = (entry) =>
  entry.signature === "valid" ? "good" : ["notNeeded", "notChecked"].includes(entry.signature) ? "" : "bad"

/** @type {Record<string, Array<any>>} */
const tables = {
  accounts: [
    column("UID", (row) => row.uid),
    column("Keys", (row) => row.keys.map(({ role }) => role || "opened").join(", ")),
    column("Kind", (row) =>
      [row.unified ? "unified" : "classic", row.institutional && "institutional", row.master && "of " + row.master]
        .filter(Boolean)
        .join(", ")
    ),
    column(
      "State",
      (row) => (row.banned ? "banned" : "active"),
      (row) => (row.banned ? "bad" : "good")
    )
  ],
  balances: [
    column("Wallet", (row) => row.wallet),
    column("Coin", (row) => row.coin),
    number("Balance", (row) => row.balance),
    number("Free", (row) => row.free)
  ],
  positions: [
    column("Symbol", (row) => row.category + " " + row.symbol),
    column("Side", (row) => (row.side === "Buy" ? "long" : "short")),
    number("Size", (row) => row.size),
    number("Entry", (row) => row.avgPrice),
    number("Mark", (row) => row.markPrice),
    number("Profit", (row) => row.unrealisedPnl),
    number("Liquidation", (row) => row.liqPrice),
    number("Leverage", (row) => row.leverage)
  ],
  orders: [
    column("Updated", (row) => instant(row.updatedTime)),
    column("Symbol", (row) => row.category + " " + row.symbol),
    column("Order", (row) => row.side + " " + row.orderType),
    number("Quantity", (row) => row.qty),
    number("Price", (row) => row.price),
    number("Executed", (row) => row.cumExecQty),
    column(
      "Status",
      (row) => row.orderStatus,
      (row) => (row.isOpen ? "good" : "")
    ),
    column("Id", (row) => row.orderId)
  ],
  executions: [
    column("Time", (row) => instant(row.execTime)),
    column("Symbol", (row) => row.category + " " + row.symbol),
    column("Side", (row) => row.side),
    number("Quantity", (row) => row.execQty),
    number("Price", (row) => row.execPrice),
    number("Fee", (row) => row.execFee),
    column("Type", (row) => row.execType)
  ],
  requests: [
    column("Time", (row) => instant(row.at)),
    column("Request", (row) => row.method + " " + row.path),
    column("Account", (row) => row.uid),
    column("Signature", (row) => row.signature, isValid),
    number("HTTP", (row) => row.status),
    number("Code", (row) => row.code),
    column("Executed", (row) => (row.executed ? "yes" : "no")),
    column("Fault", (row) => row.fault && row.fault.kind)
  ]
}

/** @type {Record<string, string>} */
const lastTexts = {}
const mostRows = 100
/** @type {Record<string, boolean>} */
const isAll = {}

/** Draws a table if its rows have changed: of very many the first, until all are asked for. */
export const draw = (id, all) => {
  const text = JSON.stringify([all, isAll[id]])
  if (lastTexts[id] === text) return
  const rows = isAll[id] ? all : all.slice(0, mostRows)
  lastTexts[id] = text
  const columns = tables[id]
  const head = node("thead")
  head.append(node("tr"))
  for (const { title, className } of columns) {
    const cell = node("th", title, className && className.length === 0 ? className() : "")
    cell.scope = "col"
    head.firstChild.append(cell)
  }
  if (rowActions[id]) head.firstChild.append(node("td"))
  const body = node("tbody")
  for (const row of rows) {
    const line = node("tr")
    for (const { text, className } of columns)
      line.append(node("td", String(text(row) ?? ""), className && className(row)))
    const buttons = rowActions[id] ? rowActions[id](row) : []
    if (rowActions[id]) line.append(node("td"))
    line.lastChild.append(...buttons)
    body.append(line)
  }
  if (rows.length === 0) {
    const cell = node("td", "none", "empty")
    cell.colSpan = columns.length
    body.append(node("tr"))
    body.firstChild.append(cell)
  }
  if (rows.length < all.length) {
    const cell = node("td", rows.length + " of " + all.length + " ", "empty")
    cell.colSpan = columns.length + 1
    cell.append(
      rowButton("Show all", id, async () => {
        isAll[id] = true
      })
    )
    body.append(node("tr"))
    body.lastChild.append(cell)
  }
  const table = byId(id)
  table.querySelectorAll("thead, tbody").forEach((part) => part.remove())
  table.append(head, body)
}
