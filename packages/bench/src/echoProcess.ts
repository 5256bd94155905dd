/** A bare server in a separate process that answers every request with the first body it received. */
import { createServer } from "node:http"

process.once("message", (text: string) => {
  const body = Buffer.from(text)
  const headers = { "content-type": "application/json; charset=utf-8", "content-length": body.length }
  const server = createServer((request, response) => {
    request.resume()
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
})
