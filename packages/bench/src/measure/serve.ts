import { createServer } from "node:http"
import type { RequestListener } from "node:http"

/** Serves requests in a process of a measurement, and sends the address to the process that started it. */
export const serve = (listener: RequestListener): void => {
  const server = createServer(listener)
  server.keepAliveTimeout = 0
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    if (typeof address === "object" && address !== null) process.send?.(`http://127.0.0.1:${address.port}`)
  })
  process.on("disconnect", () => process.exit(0))
}
