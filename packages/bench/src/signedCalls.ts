/** A client in a separate process: wallet-balance requests, signed in advance, over a number of connections. */
import { createHmac } from "node:crypto"
import { Agent, request } from "undici"
import { now } from "./clients/client.js"
import { quantile } from "./rounds.js"
import type { Order, Took } from "./clientProcess.js"

/** Long enough for a run, so that requests can be signed in advance. */
const recvWindow = "3600000"

const query = "accountType=UNIFIED"
const path = `/cloud/trade/v3/account/wallet-balance?${query}`

const [url = "", apiKey = "", secret = ""] = process.argv.slice(2)

const signed = Array.from({ length: 64 }, (_, index) => {
  const timestamp = String(Date.now() - index)
  return {
    "X-BAPI-API-KEY": apiKey,
    "X-BAPI-TIMESTAMP": timestamp,
    "X-BAPI-RECV-WINDOW": recvWindow,
    "X-BAPI-SIGN": createHmac("sha256", secret)
      .update(timestamp + apiKey + recvWindow + query)
      .digest("hex")
  }
})

const agents = new Map<number, Agent>()

const agentOf = (connections: number): Agent => {
  const known = agents.get(connections) ?? new Agent({ connections, pipelining: 1 })
  agents.set(connections, known)
  return known
}

const call = async (dispatcher: Agent, index: number): Promise<string> => {
  const { body } = await request(`${url}${path}`, { dispatcher, headers: signed[index % signed.length] ?? {} })
  const text = await body.text()
  if (!text.startsWith('{"retCode":0')) throw new Error(text.slice(0, 200))
  return text
}

const run = async ({ calls, lines }: Order): Promise<Took> => {
  const dispatcher = agentOf(lines)
  const latencies: Array<number> = []
  const [wall, cpu] = [now(), process.cpuUsage()]
  const line = async (first: number) => {
    for (let index = first; index < calls; index += lines) {
      const begun = now()
      await call(dispatcher, index)
      latencies.push(now() - begun)
    }
  }
  await Promise.all(Array.from({ length: lines }, (_, first) => line(first)))
  const { system, user } = process.cpuUsage(cpu)
  return { wall: now() - wall, cpu: user + system, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99) }
}

process.on("message", (order: Order | "body" | "end") => {
  if (order === "end") {
    process.disconnect()
    for (const agent of agents.values()) void agent.close()
    return
  }
  const answer = order === "body" ? call(agentOf(1), 0) : run(order)
  answer.then(
    (done) => process.send?.(done),
    (error: unknown) => process.send?.({ error: String(error) })
  )
})
process.send?.("ready")
