/**
 * A server for a fleet of quiet accounts, in a separate process started by `fleet.ts`: every window has one page with one execution. It
 * ignores signatures, enforces the limit of an address in a rolling window, and counts calls and refusals.
 *
 * @since 0.1.0
 */
import { createServer } from "node:http"
import * as RollingCount from "./rollingCount.js"

const [count = 0, window = 0] = process.argv.slice(2).map(Number)

const isTooMany = RollingCount.make(count, window)

let calls = 0
let refusals = 0

const row = (id: string, at: number): string =>
  `{"symbol":"BTCUSDT","orderId":"${id}-order","side":"Buy","orderPrice":"20000","orderQty":"1","leavesQty":"0","createType":"CreateByUser","orderType":"Limit","stopOrderType":"","execFee":"4","execId":"${id}","execPrice":"20000","execQty":"1","execValue":"20000","execType":"Trade","execTime":"${at}","isMaker":true,"feeRate":"0.0002","markPrice":"20000","closedSize":"0","seq":1}`

const server = createServer((request, response) => {
  response.setHeader("content-type", "application/json")
  const url = new URL(request.url ?? "", "http://localhost")
  if (url.pathname === "/counts") {
    response.end(JSON.stringify({ calls, refusals }))
    return
  }
  calls++
  if (isTooMany()) {
    refusals++
    response.end(`{"retCode":10006,"retMsg":"Too many visits!","result":{},"retExtInfo":{},"time":${Date.now()}}`)
    return
  }
  const from = Number(url.searchParams.get("startTime"))
  const id = `${String(request.headers["x-bapi-api-key"])}-${from}`
  response.end(
    `{"retCode":0,"retMsg":"OK","result":{"category":"linear","nextPageCursor":"","list":[${row(id, from)}]},"retExtInfo":{},"time":${Date.now()}}`
  )
})

server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.send?.(typeof address === "object" && address !== null ? address.port : 0)
})
process.on("disconnect", () => process.exit(0))
