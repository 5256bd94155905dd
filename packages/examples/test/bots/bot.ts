/** A bot with nothing but Node, and its test against the sandbox: it buys, is filled, meets a lost answer, and closes. */
import { createHmac, randomUUID } from "node:crypto"

const { VENUE_API_KEY: key = "", VENUE_API_SECRET: secret = "", VENUE_BASE_URL: base = "" } = process.env
const { VENUE_CONTROL_TOKEN: token = "" } = process.env
let skew = 0 // how far the clock of the service is ahead of ours, in milliseconds

const send = async (method: string, path: string, text: string, headers: Record<string, string>) => {
  const body = method === "POST" ? text : null
  const url = base + path + (method === "GET" && text !== "" ? `?${text}` : "")
  const json = { ...headers, "content-type": "application/json" }
  return (await fetch(url, { method, body, headers: json, signal: AbortSignal.timeout(10_000) })).json()
}

/** Signs with the header method: timestamp, key and window in front of the text that is sent. */
const call = async (method: "GET" | "POST", path: string, parameters: Record<string, string>) => {
  const text = method === "GET" ? String(new URLSearchParams(parameters)) : JSON.stringify(parameters)
  for (;;) {
    const at = String(Math.round(Date.now() + skew))
    const answer = await send(method, `/cloud/trade/v3/${path}`, text, {
      "x-bapi-api-key": key,
      "x-bapi-timestamp": at,
      "x-bapi-recv-window": "5000",
      "x-bapi-sign": createHmac("sha256", secret).update(`${at}${key}5000${text}`).digest("hex")
    })
    if (answer.retCode === 0) return answer.result
    if (answer.retCode !== 10002) throw new Error(answer.retMsg)
    skew = answer.time - Date.now() // refused for its timestamp, so not executed: learn the clock, and sign anew
  }
}

const control = (command: string, argument: object) =>
  send("POST", `/sandbox/control/${command}`, JSON.stringify(argument), { authorization: `Bearer ${token}` })

const market = { category: "linear", symbol: "XRPUSDT" }

/** Places an order under an id of ours: if the answer is lost, the id finds out whether it was executed. */
const buy = async (qty: string, price: string): Promise<string> => {
  const orderLinkId = randomUUID()
  const order = { ...market, side: "Buy", orderType: "Limit", qty, price, orderLinkId }
  try {
    await call("POST", "order/create", order)
  } catch (error) {
    const isLost = error instanceof Error && (error.message === "fetch failed" || error.name === "TimeoutError")
    if (!isLost) throw error
    const { list } = await call("GET", "order/realtime", { ...market, orderLinkId })
    console.log("the answer was lost, and the order is", list.length > 0 ? "there" : "not there")
  }
  return orderLinkId
}

await control("setPrice", { ...market, price: "0.6" })
const orderLinkId = await buy("500", "0.5")
await control("setPrice", { ...market, price: "0.5" }) // the market moves to the order
const { list } = await call("GET", "order/realtime", { ...market, orderLinkId })
console.log("the order is", list[0].OrderStatus)
await control("setFaults", { rules: [{ fault: { kind: "dropAfter" }, operations: ["orders.create"], count: 1 }] })
await buy("500", "0.4")
await control("setClock", { by: "8 hours" })
const funding = await call("GET", "execution/list", { ...market, execType: "Funding" })
console.log("funded:", funding.list.length > 0)
await call("POST", "order/cancel-all", market)
