import { Agent, request } from "undici"
import * as Page from "./page.js"
import { ofPromise } from "./client.js"
import type { Client } from "./client.js"

/** The lower bound: a request and `JSON.parse`, without a signature or a check. */
export const open = (url: string): Promise<Client> => {
  const dispatcher = new Agent()
  const { category, limit, symbol } = Page.request
  const target = `${url}${Page.endpoint.path}?category=${category}&symbol=${symbol}&limit=${limit}`
  const client = ofPromise(async () => {
    const { body } = await request(target, { dispatcher })
    const answer = JSON.parse(await body.text()) as { readonly result: { readonly list: ReadonlyArray<unknown> } } // the page
    return answer.result.list
  })
  return Promise.resolve(client)
}
