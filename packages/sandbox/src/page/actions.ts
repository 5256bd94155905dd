/**
 * The part of the page's script that acts on an account: its variables, signed calls of orders, commands on rows, every command by its schema, and
 * the detail of a request. It follows the part in `script.ts`.
 */
export const actions = String.raw`
// The account: what a program needs to use it.

let holders = []
const holder = () => holders.find(({ uid }) => uid === choice.account.value)
const keyOf = () => holder()?.keys.find(({ apiKey }) => apiKey === byId("key").value)

const copy = async (text, button) => {
  await navigator.clipboard.writeText(text)
  const label = button.textContent
  button.textContent = "Copied"
  setTimeout(() => (button.textContent = label), 1500)
}

const drawHolder = (accounts) => {
  holders = accounts
  const keys = holder()?.keys ?? []
  offer(byId("key"), keys.map(({ apiKey, readOnly, role }) => [apiKey, (role || "opened") + (readOnly ? ", reads only" : "")]))
  const key = keyOf()
  const text = key === undefined ? "This account has no key." : "export VENUE_BASE_URL=" + location.origin + "\nexport VENUE_API_KEY=" + key.apiKey + "\nexport VENUE_API_SECRET=" + key.apiSecret
  if (byId("variables").textContent !== text) byId("variables").textContent = text
}
byId("copy").addEventListener("click", (event) => attempt(() => copy(byId("variables").textContent, event.target)))
on(byId("key"), "change", async () => {})

// Orders: signed calls, as a program sends them, so that they are among the requests below.

const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

const sign = async (secret, text) => {
  if (!crypto.subtle) throw new Error("The browser signs only on pages of this machine: open the page at http://127.0.0.1.")
  const utf8 = new TextEncoder()
  const key = await crypto.subtle.importKey("raw", utf8.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"])
  return hex(await crypto.subtle.sign("HMAC", key, utf8.encode(text)))
}

/** Calls an operation of the service with the chosen key. Fails with the refusal. */
const call = async (path, parameters) => {
  const key = keyOf()
  if (key === undefined) throw new Error("The account has no key: open one with the command openKey.")
  const body = JSON.stringify(parameters)
  const timestamp = String((await control("clock")).now)
  const headers = {
    "Content-Type": "application/json",
    "X-BAPI-API-KEY": key.apiKey,
    "X-BAPI-TIMESTAMP": timestamp,
    "X-BAPI-RECV-WINDOW": "5000",
    "X-BAPI-SIGN": await sign(key.apiSecret, timestamp + key.apiKey + "5000" + body)
  }
  const answer = await (await fetch("/cloud/trade/v3/" + path, { method: "POST", headers, body })).json()
  if (answer.retCode !== 0) throw new Error(answer.retCode + " " + answer.retMsg)
  return answer.result
}

const order = byId("order").elements
const given = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""))
const sold = (row) => ({ category: row.category, symbol: row.symbol, orderId: row.orderId })
let amended

const drawAmended = (row) => {
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
  await call("order/create", { category, symbol, side: side.value, orderType: orderType.value, qty: qty.value, ...given(limit), orderLinkId: crypto.randomUUID() })
})
on(byId("instead"), "click", async () => drawAmended(undefined))
on(byId("cancelAll"), "click", async () => {
  const [category, symbol] = order.market.value.split(" ")
  await call("order/cancel-all", { category, symbol })
})

/** A button in a row of a table, named after what it acts on. */
const rowButton = (label, subject, action) => {
  const button = node("button", label, "small")
  button.type = "button"
  button.setAttribute("aria-label", label + " " + subject)
  on(button, "click", action)
  return button
}

const rowActions = {
  orders: (row) =>
    row.isOpen
      ? [
          rowButton("Cancel", row.orderId, () => call("order/cancel", sold(row))),
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
            control("liquidate", { uid: choice.account.value, category: row.category, symbol: row.symbol, positionIdx: Number(row.positionIdx) })
          )
        ],
  requests: (row) => [rowButton("Show", row.method + " " + row.path, async () => drawRequest(row))]
}

// The detail of a request.

const parsed = (text) => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const drawRequest = (row) => {
  const answer = parsed(row.response ?? "")
  const message = answer && (answer.retMsg ?? answer.ret_msg)
  const signed = /origin_string\[([^]*)\]$/.exec(message ?? "")?.[1]
  const refused = row.fault ? "The fault " + row.fault.kind + " was applied." : row.code ? row.code + " " + message : row.status === 401 ? "A header of the signature is missing." : ""
  const parts = [
    ["Request", row.method + " " + row.path + " at " + instant(row.at)],
    ["Parameters", JSON.stringify(row.parameters, null, 2)],
    ["Signature", row.signature],
    ["Text that should have been signed", signed],
    ["Why refused", signed ? "The signature does not fit this text, in which {key} stands for the key." : refused],
    ["Answer", row.response === null ? "no response" : "HTTP " + row.status + "\n" + (answer ? JSON.stringify(answer, null, 2) : row.response)]
  ]
  const list = parts.filter(([, text]) => text).flatMap(([title, text]) => [node("dt", title), node("dd")])
  parts.filter(([, text]) => text).forEach(([, text], index) => list[2 * index + 1].append(node("pre", text)))
  byId("detail").replaceChildren(...list)
  byId("detail").parentElement.hidden = false
  byId("detail").parentElement.focus()
}

// Every command, with a form from its schema.

let commandSchemas = {}
const command = byId("command").elements

const drawCommand = () => {
  const { schema, summary } = commandSchemas[command.name.value]
  byId("summary").textContent = summary + "."
  const required = schema.required ?? []
  byId("arguments").replaceChildren(...Object.entries(schema.properties ?? {}).map(([name, field]) => inputOf(name, field, required.includes(name))))
  const uid = byId("arguments").querySelector("[name=uid]")
  if (uid) uid.value = choice.account.value
}

/** A field of a command: JSON for lists, records and numbers, text for everything else. */
const argumentOf = (input, { properties }) => {
  if (input.type === "checkbox" || input.type === "number") return valueOf(input)
  const { anyOf, enum: values, type } = properties[input.name]
  const isText = type === "string" || (values ?? []).some((value) => String(value) === input.value && typeof value === "string")
  const json = isText ? undefined : parsed(input.value)
  return json === undefined || (anyOf && type === undefined && typeof json === "number") ? input.value : json
}

command.name.addEventListener("change", drawCommand)
on(byId("command"), "submit", async () => {
  const { schema } = commandSchemas[command.name.value]
  const inputs = [...byId("arguments").querySelectorAll("input, select")].filter((input) => (input.type === "checkbox" ? input.checked : input.value !== ""))
  const result = await control(command.name.value, Object.fromEntries(inputs.map((input) => [input.name, argumentOf(input, schema)])))
  byId("result").textContent = JSON.stringify(result, null, 2)
})

// The whole state.

on(byId("snapshot"), "click", async () => {
  const link = node("a")
  link.href = URL.createObjectURL(new Blob([JSON.stringify(await control("snapshot"))], { type: "application/json" }))
  link.download = "sandbox.json"
  link.click()
  URL.revokeObjectURL(link.href)
})
on(byId("restore"), "change", async () => {
  const [file] = byId("restore").files
  if (file) await control("restore", JSON.parse(await file.text()))
})
on(byId("reset"), "click", async () => {
  if (confirm("Go back to the state that the sandbox started from?")) await control("reset", {})
})

attempt(start).then(live)
`
