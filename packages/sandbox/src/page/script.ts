import { actions } from "./actions.js"

/**
 * The script of the page, in the JavaScript of every present browser: nothing is built. It sends one request a second, and the same commands as every other program. Values become text nodes, never HTML.
 */
const reading = String.raw`"use strict"
const byId = (id) => document.getElementById(id)
const choice = byId("choice").elements
const price = byId("price").elements
const fault = byId("fault").elements
const problem = byId("problem")

const node = (tag, text, className) => {
  const made = document.createElement(tag)
  if (text !== undefined) made.textContent = text
  if (className) made.className = className
  return made
}

/** A request to the control path. Fails with the message of its refusal. */
const control = async (name, argument) => {
  const response = await fetch("/sandbox/control/" + name, argument === undefined ? {} : { method: "POST", body: JSON.stringify(argument) })
  const json = await response.json()
  if (!response.ok) throw new Error(json.error === "InvalidArgument" ? json.field + " " + json.message : json.message)
  return json
}

const query = (parameters) => new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ""))

// Tables: a column is a title, the text of a row in it, and its class.

const instant = (millis) => new Date(Number(millis)).toISOString().replace("T", " ").slice(0, 19)
const column = (title, text, className) => ({ title, text, className })
const number = (title, text) => column(title, text, () => "number")
const isValid = (entry) => (entry.signature === "valid" ? "good" : ["notNeeded", "notChecked"].includes(entry.signature) ? "" : "bad")

const tables = {
  accounts: [
    column("UID", (row) => row.uid),
    column("Keys", (row) => row.keys.map(({ role }) => role || "opened").join(", ")),
    column("Kind", (row) => [row.unified ? "unified" : "classic", row.institutional && "institutional", row.master && "of " + row.master].filter(Boolean).join(", ")),
    column("State", (row) => (row.banned ? "banned" : "active"), (row) => (row.banned ? "bad" : "good"))
  ],
  balances: [column("Wallet", (row) => row.wallet), column("Coin", (row) => row.coin), number("Balance", (row) => row.balance), number("Free", (row) => row.free)],
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
    column("Status", (row) => row.orderStatus, (row) => (row.isOpen ? "good" : "")),
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

const shown = {}
const mostRows = 100
const isAll = {}

/** Draws a table if its rows have changed: of very many the first, until all are asked for. */
const draw = (id, all) => {
  const text = JSON.stringify([all, isAll[id]])
  if (shown[id] === text) return
  const rows = isAll[id] ? all : all.slice(0, mostRows)
  shown[id] = text
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
    for (const { text, className } of columns) line.append(node("td", String(text(row) ?? ""), className && className(row)))
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
    cell.append(rowButton("Show all", id, async () => { isAll[id] = true }))
    body.append(node("tr"))
    body.lastChild.append(cell)
  }
  const table = byId(id)
  table.querySelectorAll("thead, tbody").forEach((part) => part.remove())
  table.append(head, body)
}

/** Replaces the options of a select if they have changed, and keeps the choice. */
const offer = (select, options, first = []) => {
  const text = JSON.stringify(options)
  if (select.dataset.shown === text) return
  select.dataset.shown = text
  const { value } = select
  select.replaceChildren(...[...first, ...options].map(([value, text]) => new Option(text, value)))
  if ([...select.options].some((option) => option.value === value)) select.value = value
}

const isShown = (row) => choice.symbol.value === "" || row.symbol === choice.symbol.value

let clock = { now: 0, stopped: false }
let markets = []

const market = () => markets.find(({ category, symbol }) => category + " " + symbol === price.market.value)

const drawMarket = () => {
  const chosen = market()
  if (chosen === undefined) return
  byId("quote").textContent = "mark price " + chosen.markPrice + (chosen.isHeld ? ", held" : ", moving")
  if (price.price.dataset.of !== price.market.value) {
    price.price.dataset.of = price.market.value
    price.price.value = chosen.lastPrice
  }
}

const drawView = ({ accounts: [account], rules }) => {
  const open = account.openOrders.map((order) => ({ ...order, isOpen: true }))
  draw("balances", account.balances)
  draw("positions", account.positions.filter(isShown))
  draw("orders", [...open, ...account.closedOrders].filter(isShown))
  draw("executions", account.executions.filter(isShown))
  byId("counts").textContent = open.length + " open orders, " + account.positions.length + " positions"
  const texts = rules.map(({ fault, operations, ...rest }) => JSON.stringify(fault) + " on " + (operations || ["all operations"]).join(", ") + (rest.count === undefined ? "" : ", " + rest.count + " times"))
  if (shown.rules === texts.join()) return
  shown.rules = texts.join()
  byId("rules").replaceChildren(...texts.map((text) => node("li", text)))
}

/** Several readings by one request. */
const readings = async (...commands) => (await control("", { commands })).results

const refresh = async () => {
  const account = choice.account.value
  const [now, { accounts }, { requests }, view] = await readings(
    { name: "clock" },
    { name: "accounts" },
    { name: "requests", argument: { last: 50 } },
    ...(account === "" ? [] : [{ name: "state", argument: { account, last: 50 } }])
  )
  clock = now
  byId("clock").textContent = instant(clock.now) + " UTC" + (clock.stopped ? ", stopped" : "")
  byId("stop").textContent = clock.stopped ? "Start" : "Stop"
  draw("accounts", accounts)
  offer(choice.account, accounts.map(({ keys, uid }) => [uid, uid + " " + (keys[0] ? keys[0].role || "opened" : "")]))
  drawHolder(accounts)
  draw("requests", requests.reverse())
  // The first reading learns which accounts there are.
  if (view === undefined) return refresh()
  markets = view.markets
  const names = markets.map(({ category, symbol }) => [category + " " + symbol, category + " " + symbol])
  offer(price.market, names)
  offer(order.market, names)
  offer(choice.symbol, [...new Set(markets.map(({ symbol }) => symbol))].sort().map((symbol) => [symbol, symbol]), [["", "all symbols"]])
  drawMarket()
  drawView(view)
}

const unreachable = "The sandbox does not answer."

/** Reports a failure until the next success of its kind. */
const reporting = async (action, isOver) => {
  try {
    await action()
    if (isOver()) problem.textContent = ""
  } catch (error) {
    problem.textContent = error instanceof TypeError ? unreachable : error.message
  }
}

/** Runs an action and shows its result. A failure stays until the next action. */
const attempt = (action) => reporting(() => action().then(refresh), () => true)

const on = (target, event, action) =>
  target.addEventListener(event, (event) => {
    event.preventDefault()
    attempt(action)
  })

document.querySelectorAll("[data-advance]").forEach((button) => on(button, "click", () => control("setClock", { by: button.dataset.advance })))
on(byId("stop"), "click", () => control("setClock", { stopped: !clock.stopped }))

const symbolOf = () => ({ category: market().category, symbol: market().symbol })
const hold = () => control("setPrice", { ...symbolOf(), price: price.price.value })
on(byId("price"), "submit", hold)
on(byId("release"), "click", () => control("releasePrice", symbolOf()))
on(price.market, "change", async () => {})

// In whole units of the last digit, as a price on the ticks has to be.
const changed = (text, percent) => {
  const decimals = (text.split(".")[1] || "").length
  const units = BigInt(text.replace(".", ""))
  const moved = String((units * BigInt(100 + percent)) / 100n).padStart(decimals + 1, "0")
  return decimals === 0 ? moved : moved.slice(0, -decimals) + "." + moved.slice(-decimals)
}
document.querySelectorAll("[data-change]").forEach((button) =>
  on(button, "click", () => {
    price.price.value = changed(market().lastPrice, Number(button.dataset.change))
    return hold()
  })
)

for (const name of ["account", "symbol"]) on(choice[name], "change", async () => {})

// The kinds of faults with their fields, the operations and the scenarios are those of the OpenAPI document.

let kinds = []
const schemaOf = (paths, name) => paths["/sandbox/control/" + name].post.requestBody.content["application/json"].schema
const kindOf = (schema) => schema.properties.kind.enum[0]

const inputOf = (name, schema, isRequired) => {
  const label = node("label", name + " ")
  const { type } = schema
  const input = node(schema.enum ? "select" : "input")
  if (schema.enum) input.append(...schema.enum.map((value) => new Option(value)))
  if (type === "boolean") [input.type, label.className] = ["checkbox", "check"]
  if (type === "number" || type === "integer" || schema.$ref) [input.type, input.step, input.className] = ["number", "any", "short"]
  input.name = name
  input.required = isRequired && type !== "boolean"
  label.title = schema.description || ""
  label.append(input)
  return label
}

const valueOf = (input) => (input.type === "checkbox" ? input.checked : input.type === "number" ? Number(input.value) : input.value)

const drawKind = () => {
  const schema = kinds.find((one) => kindOf(one) === fault.kind.value)
  byId("meaning").textContent = "The caller receives: " + schema.description + "."
  const fields = Object.entries(schema.properties).filter(([name]) => name !== "kind")
  byId("fields").replaceChildren(...fields.map(([name, field]) => inputOf(name, field, schema.required.includes(name))))
}

fault.kind.addEventListener("change", drawKind)
on(byId("fault"), "submit", () => {
  const inputs = [...byId("fields").querySelectorAll("input, select")].filter((input) => input.type === "checkbox" || input.value !== "")
  const { count, kind, operation } = fault
  return control("addFaults", {
    rules: [
      {
        fault: { kind: kind.value, ...Object.fromEntries(inputs.map((input) => [input.name, valueOf(input)])) },
        ...(operation.value === "" ? {} : { operations: [operation.value] }),
        ...(count.value === "" ? {} : { count: Number(count.value) })
      }
    ]
  })
})
on(byId("clear"), "click", () => control("setFaults", { rules: [] }))

on(byId("scenario"), "submit", async () => {
  const { apiKey, apiSecret, uid } = await control("openScenario", { name: byId("scenario").elements.name.value })
  byId("opened").textContent = "account " + uid + ", key " + apiKey + ", secret " + apiSecret
  await refresh()
  choice.account.value = uid
})

const start = async () => {
  const { components, paths } = await (await fetch("/openapi.json")).json()
  const { oneOf } = schemaOf(paths, "addFaults").properties.rules.items.properties.fault
  kinds = oneOf.map(({ $ref }) => components.schemas[$ref.replace("#/components/schemas/", "")])
  offer(fault.kind, kinds.map((schema) => [kindOf(schema), kindOf(schema)]))
  drawKind()
  const names = Object.values(paths).flatMap((path) => Object.values(path)).map(({ operationId }) => operationId)
  offer(fault.operation, names.filter((name) => !name.startsWith("control.")).map((name) => [name, name]), [["", "all operations"]])
  commandSchemas = Object.fromEntries(
    Object.values(paths).flatMap(({ post }) =>
      post && post.operationId.startsWith("control.") && post.operationId !== "control.restore" ? [[post.operationId.slice(8), { schema: post.requestBody.content["application/json"].schema, summary: post.summary }]] : []
    )
  )
  offer(command.name, Object.keys(commandSchemas).map((name) => [name, name]))
  drawCommand()
  offer(byId("scenario").elements.name, schemaOf(paths, "openScenario").properties.name.enum.map((name) => [name, name.replaceAll("-", " ")]))
}

const live = async () => {
  if (choice.live.checked && !document.hidden) await reporting(refresh, () => problem.textContent === unreachable)
  // A browser has no other timer. The next reading begins after this one, so that a slow server is not flooded.
  setTimeout(live, 1000)
}
`

/** The whole script. */
export const script = `${reading}${actions}`
