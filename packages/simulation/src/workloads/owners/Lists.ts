/** An exchange that has executions of many accounts, in small pages, and counts the calls of each address as the service does. It checks no signature. */
import * as Sim from "../../kernel/Sim.js"
import type * as Network from "../../world/Network.js"
import type * as Plan from "./Plan.js"

/** How often an account has a new row while the run lasts, in milliseconds. */
const rowEvery = 40_000

const pageSize = 3

const day = 86_400_000

/** The window of the limit of an address, in milliseconds. */
export const limitWindow = 5_000

/** Of a quiet account as of a busy one: the fields that the library looks at. */
const rowText = (id: string, at: number) =>
  `{"symbol":"BTCUSDT","orderId":"${id}-order","side":"Buy","orderPrice":"20000","orderQty":"1","leavesQty":"0",` +
  `"createType":"CreateByUser","orderType":"Limit","stopOrderType":"","execFee":"4","execId":"${id}",` +
  `"execPrice":"20000","execQty":"1","execValue":"20000","execType":"Trade","execTime":"${at}","isMaker":true,` +
  `"feeRate":"0.0002","markPrice":"20000","closedSize":"0","seq":1}`

interface ListRow {
  readonly id: string
  readonly at: number
}

/** The key of an account. */
export const keyOf = (account: string): string => `key-of-${account}`

/** The first instant of the history of an account. */
const startOf = ({ days }: Plan.Account): number => Sim.epoch - days * day

/** The range that is declared for the exports of an account; without `to` they go on. */
export const rangeOf = ({ days, every, firstDay = days, lastDay = 0 }: Plan.Account) => ({
  from: Sim.epoch - firstDay * day,
  to: every === undefined ? Sim.epoch - lastDay * day : undefined
})

/** The rows of an account up to an instant, the oldest first. */
export const rowsOf = (account: Plan.Account, from: number, before: number): ReadonlyArray<ListRow> => {
  const step = (account.days * day) / (account.rows + 1)
  const past = Array.from({ length: account.rows }, (_, index) => Math.floor(startOf(account) + (index + 1) * step))
  const count = Math.max(0, Math.ceil((before - Sim.epoch) / rowEvery))
  const present = Array.from({ length: count }, (_, index) => Sim.epoch + index * rowEvery)
  return [...past, ...present]
    .map((at, index) => ({ id: `${account.name}-${index}`, at }))
    .filter(({ at }) => at >= from && at < before)
}

export interface Lists {
  readonly handle: (egress: string, request: Network.Request) => Network.Answer
}

/** `counted` has the calls of an address in the window that ends now, this one included. */
export const make = (
  plan: Plan.OwnersPlan,
  now: () => number,
  counted: (egress: string, count: number) => void
): Lists => {
  const accounts = new Map(plan.accounts.map((account) => [keyOf(account.name), account]))
  const arrivals = new Map<string, ReadonlyArray<number>>()

  const count = (egress: string) => {
    const recent = [...(arrivals.get(egress) ?? []).filter((at) => at > now() - limitWindow), now()]
    arrivals.set(egress, recent)
    counted(egress, recent.length)
  }

  const answer = (result: string): Network.Answer => ({
    status: 200,
    headers: { "content-type": "application/json", timenow: String(now()) },
    body: `{"retCode":0,"retMsg":"OK","result":{${result}},"retExtInfo":{},"time":${now()}}`,
    isBan: false
  })

  return {
    handle: (egress, { raw }) => {
      count(egress)
      const { pathname, searchParams: query } = new URL(raw.target, "http://exchange.invalid")
      if (pathname.endsWith("/market/instruments-info"))
        return answer(`"category":"linear","nextPageCursor":"","list":[]`)
      const account = accounts.get(raw.headers["x-bapi-api-key"] ?? "")
      if (account === undefined) throw new Error(`a call of no account: ${raw.target}`)
      const to = Math.min(Number(query.get("endTime")) + 1, now())
      const rows = [...rowsOf(account, Number(query.get("startTime")), to)].reverse()
      const cursor = query.get("cursor")
      const start = cursor === null ? 0 : rows.findIndex(({ id }) => id === cursor)
      const page = start === -1 ? [] : rows.slice(start, start + pageSize)
      const next = rows[start + pageSize]?.id ?? ""
      const list = page.map(({ at, id }) => rowText(id, at)).join(",")
      return answer(`"category":"linear","nextPageCursor":"${next}","list":[${list}]`)
    }
  }
}
