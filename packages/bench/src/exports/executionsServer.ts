/**
 * A server of generated executions in a separate process: `count` in a range, evenly spaced, newest first, in pages of the service's
 * format. It ignores signatures and answers as fast as possible, or enforces a limit in a rolling window, of each path or of its address
 * (`limit` 0: no limit). `/counts` answers with the numbers of calls and refusals.
 */
import { serve } from "../measure/serve.js"

const [from = 0, to = 0, count = 0, limit = 0, window = 0] = process.argv.slice(2).map(Number)
const isOfPath = process.argv.at(-1) === "path"
const step = (to - from) / count
const timeOf = (index: number): number => from + Math.floor(index * step)

const symbols = ["BTCUSDT", "ETHUSDT", "SOLUSDT", "XRPUSDT"]

const row = (index: number): string => {
  const price = (20_000 + (index % 9_973)) / 4
  const qty = ((index % 97) + 1) / 1000
  const side = index % 2 === 0 ? "Buy" : "Sell"
  const id = `${index.toString(16).padStart(8, "0")}-${((index * 2_654_435_761) >>> 0).toString(16).padStart(8, "0")}`
  return `{"symbol":"${symbols[index % 4] ?? ""}","orderId":"${id}-order","side":"${side}","orderPrice":"${price}","orderQty":"${qty}","leavesQty":"0","createType":"CreateByUser","orderType":"Limit","stopOrderType":"","execFee":"${(price * qty * 0.0002).toFixed(8)}","execId":"${id}-execution","execPrice":"${price}","execQty":"${qty}","execValue":"${(price * qty).toFixed(6)}","execType":"Trade","execTime":"${timeOf(index)}","isMaker":${index % 3 === 0},"feeRate":"0.0002","markPrice":"${price}","closedSize":"0","seq":${index}}`
}

/** The first index whose instant is not before this one. */
const indexAt = (at: number): number => {
  let index = Math.max(0, Math.min(count, Math.floor((at - from) / step)))
  while (index > 0 && timeOf(index - 1) >= at) index--
  while (index < count && timeOf(index) < at) index++
  return index
}

const arrivals = new Map<string, Array<number>>()
const counts = { calls: 0, refusals: 0 }

/** The service's rule, counted from the arrivals alone. Refused calls do not count. */
const isTooMany = (path: string): boolean => {
  const name = isOfPath ? path : ""
  const known = arrivals.get(name) ?? []
  arrivals.set(name, known)
  const now = performance.now()
  while (known[0] !== undefined && known[0] <= now - window) known.shift()
  if (limit > 0 && known.length >= limit) return true
  known.push(now)
  return false
}

serve((request, response) => {
  response.setHeader("content-type", "application/json")
  const [path = "", search = ""] = (request.url ?? "").split("?")
  if (path === "/counts") {
    response.end(JSON.stringify(counts))
    return
  }
  counts.calls++
  if (isTooMany(path)) {
    counts.refusals++
    response.end(`{"retCode":10006,"retMsg":"Too many visits!","result":{},"retExtInfo":{},"time":${Date.now()}}`)
    return
  }
  const query = new URLSearchParams(search)
  const first = indexAt(Number(query.get("startTime")))
  const end = query.has("cursor") ? Number(query.get("cursor")) : indexAt(Number(query.get("endTime")) + 1)
  const start = Math.max(first, end - Number(query.get("limit")))
  const rows: Array<string> = []
  for (let index = end - 1; index >= start; index--) rows.push(row(index))
  const next = start > first ? String(start) : ""
  response.end(
    `{"retCode":0,"retMsg":"OK","result":{"category":"linear","nextPageCursor":"${next}","list":[${rows.join(",")}]},"retExtInfo":{},"time":${Date.now()}}`
  )
})
