/** A server in a separate process that answers every request with the page, or with the text of its argument, and the current time. */
import { serve } from "../measure/serve.js"
import * as Page from "./clients/page.js"

const body = Buffer.from(process.argv[2] ?? Page.text)
const timeAt = body.lastIndexOf(String(Page.time))
const headers = {
  "content-type": "application/json; charset=utf-8",
  "content-length": body.length,
  "x-bapi-limit": "1000000",
  "x-bapi-limit-status": "999999",
  "x-bapi-limit-reset-timestamp": "1700000000000"
}

serve((request, response) => {
  request.resume()
  // A response that is older than its request would be refused.
  body.write(String(Date.now()), timeAt)
  response.writeHead(200, headers)
  response.end(body)
})
