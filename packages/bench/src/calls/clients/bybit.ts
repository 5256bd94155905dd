import * as Page from "./page.js"
import { bybit } from "./peers.js"
import { credentials, ofPromise } from "./client.js"
import type { Client } from "./client.js"

/** Signed, not checked, nothing decoded. */
export const open = async (url: string): Promise<Client> => {
  const client = await bybit({ key: credentials.apiKey, secret: credentials.secret, baseUrl: url, keepAlive: true }, {})
  return ofPromise(async () => (await client.getExecutionList(Page.request)).result.list)
}
