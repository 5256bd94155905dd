import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import * as http from "node:http"
import type { AddressInfo } from "node:net"
import * as gateway from "../src/gateway.js"

interface Seen {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly sign: string
}

const secret = "secret"

/** A server that notes what arrives, and answers what it is given. */
const opened = async () => {
  const seen: Array<Seen> = []
  let answer: object = {}
  const server = http.createServer((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      const sign = String(request.headers["x-bapi-sign"])
      seen.push({ method: request.method ?? "", url: request.url ?? "", body, sign })
      response.end(JSON.stringify(answer))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const between = await gateway.open({ url, secretOf: () => secret })
  return {
    seen,
    between,
    answering: (value: object) => (answer = value),
    close: async () => {
      await between.close()
      server.close()
    }
  }
}

const hmac = (text: string) => createHmac("sha256", secret).update(text).digest("hex")

const headers = (sign: string) => ({
  "X-BAPI-API-KEY": "key",
  "X-BAPI-TIMESTAMP": "1",
  "X-BAPI-RECV-WINDOW": "5000",
  "X-BAPI-SIGN": sign
})

describe("the gateway", () => {
  let far: Awaited<ReturnType<typeof opened>>

  beforeAll(async () => {
    far = await opened()
  })

  afterAll(() => far.close())

  const send = async (path: string, init: RequestInit = {}): Promise<unknown> =>
    (await fetch(far.between.url + path, init)).json()

  it("sends query, body and signature on byte for byte, and changes the path alone", async () => {
    const query = "category=linear&cursor=page_token%253D1%2526&b=2&a=1,%202"
    far.answering({ retCode: 0, result: { list: [{ OrderId: "1" }] } })
    const answer = await send(`/v5/execution/list?${query}`, { headers: headers("whatever it is") })
    expect(far.seen.at(-1)).toEqual({
      method: "GET",
      url: `/cloud/trade/v3/execution/list?${query}`,
      body: "",
      sign: "whatever it is"
    })
    expect(answer).toEqual({ retCode: 0, result: { list: [{ OrderId: "1" }] } })
    const body = '{ "b" : 1.50,  "a" :"ü" }'
    await send("/v5/order/create", { method: "POST", body, headers: headers("as well") })
    expect(far.seen.at(-1)).toEqual({ method: "POST", url: "/cloud/trade/v3/order/create", body, sign: "as well" })
  })

  it("writes small initials of open orders alone", async () => {
    far.answering({ retCode: 0, result: { list: [{ OrderId: "1", ReduceOnly: false }], nextPageCursor: "" } })
    expect(await send("/v5/order/realtime?category=linear", { headers: headers("") })).toEqual({
      retCode: 0,
      result: { list: [{ orderId: "1", reduceOnly: false }], nextPageCursor: "" }
    })
  })

  it("signs by parameters where the document does, and gives the other envelope back", async () => {
    far.answering({ ret_code: 0, ret_msg: "OK", result: { rows: [] }, ext_info: null, time_now: 5 })
    const answer = await send("/v5/asset/coin/query-info?coin=US%20DT", {
      headers: headers(hmac("1key5000coin=US%20DT"))
    })
    const sign = hmac("api_key=key&coin=US DT&recv_window=5000&timestamp=1")
    expect(far.seen.at(-1)).toMatchObject({
      url: `/private/v1/asset/coin/query-info?coin=US%20DT&api_key=key&timestamp=1&recv_window=5000&sign=${sign}`,
      sign
    })
    expect(answer).toEqual({ retCode: 0, retMsg: "OK", result: { rows: [] }, retExtInfo: {}, time: 5 })
  })

  it("names the request id of a transfer as the document does", async () => {
    far.answering({ ret_code: 0, result: {} })
    const body = JSON.stringify({ transferId: "id", amount: "1" })
    const sign = hmac(`1key5000${body}`)
    await send("/v5/asset/transfer/inter-transfer", { method: "POST", body, headers: headers(sign) })
    expect(JSON.parse(far.seen.at(-1)?.body ?? "")).toEqual({
      requestId: "id",
      amount: "1",
      api_key: "key",
      timestamp: "1",
      recv_window: "5000",
      sign: hmac("amount=1&api_key=key&recv_window=5000&requestId=id&timestamp=1")
    })
  })

  it("signs nothing for a client whose own signature is wrong", async () => {
    await send("/v5/asset/coin/query-info?coin=USDT", { headers: headers("wrong") })
    expect(far.seen.at(-1)).toMatchObject({ url: "/private/v1/asset/coin/query-info?coin=USDT", sign: "wrong" })
  })

  it("has no way to a path that the document does not have", async () => {
    const before = far.seen.length
    expect((await fetch(`${far.between.url}/v5/account/info`)).status).toBe(404)
    expect(far.seen).toHaveLength(before)
  })

  it("notes the paths that were taken, once each", async () => {
    far.between.taken()
    await send("/v5/account/fee-rate?category=linear")
    await send("/v5/account/fee-rate?category=spot")
    expect(far.between.taken()).toEqual(["/cloud/trade/v3/account/fee-rate"])
    expect(far.between.taken()).toEqual([])
  })
})
