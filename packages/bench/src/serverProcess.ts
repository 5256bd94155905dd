/** A server in a separate process that answers every request with the same page and the current time. */
import { createServer } from "node:http"
import * as Page from "./page.js"

const body = Buffer.from(Page.text)
const timeAt = body.lastIndexOf("1700000000000")
const headers = {
  "content-type": "application/json; charset=utf-8",
  "content-length": body.length,
  "x-bapi-limit": "1000000",
  "x-bapi-limit-status": "999999",
  "x-bapi-limit-reset-timestamp": "1700000000000"
}

const server = createServer((request, response) => {
  request.resume()
  // A response that is older than its request would be refused.
  body.write(String(Date.now()), timeAt)
  response.writeHead(200, headers)
  response.end(body)
})
server.keepAliveTimeout = 0
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (typeof address === "object" && address !== null) process.send?.(`http://127.0.0.1:${address.port}`)
})
process.on("disconnect", () => {
  server.close()
  server.closeAllConnections()
})
