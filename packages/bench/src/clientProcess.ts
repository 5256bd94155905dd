/** A client in a process of its own, which runs as many calls as its parent asks for and tells what they took. */
import * as bybit from "./clients/bybit.js"
import * as ccxt from "./clients/ccxt.js"
import type { Client } from "./clients/client.js"
import * as ours from "./clients/ours.js"
import * as undici from "./clients/undici.js"

export interface Order {
  readonly calls: number
  readonly lines: number
}

/** Both in microseconds: by the clock, and of this process's processor time. */
export interface Took {
  readonly wall: number
  readonly cpu: number
}

const clients = {
  undici: undici.open,
  ours: ours.wire,
  "ours.domain": ours.domain,
  "bybit-api": bybit.open,
  ccxt: ccxt.raw,
  "ccxt.unified": ccxt.unified
} satisfies Readonly<Record<string, (url: string) => Promise<Client>>>

export type Name = keyof typeof clients

const isName = (name: string): name is Name => Object.hasOwn(clients, name)

const [name = "", url = ""] = process.argv.slice(2)
if (!isName(name)) throw new Error(`no client ${name}`)
const client = await clients[name](url)

const run = async ({ calls, lines }: Order): Promise<Took> => {
  const [wall, cpu] = [process.hrtime.bigint(), process.cpuUsage()]
  await client.run(calls, lines)
  const { system, user } = process.cpuUsage(cpu)
  return { wall: Number(process.hrtime.bigint() - wall) / 1_000, cpu: user + system }
}

process.on("message", (order: Order | "end") => {
  if (order === "end") {
    process.disconnect()
    void client.close?.()
    return
  }
  run(order).then(
    (took) => process.send?.(took),
    (error: unknown) => process.send?.({ error: String(error) })
  )
})
process.send?.("ready")
