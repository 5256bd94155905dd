/** A client in a separate process, which runs the requested number of calls and reports their cost. */
import { Session } from "node:inspector/promises"
import { quantile } from "../measure/rounds.js"
import * as foreign from "./clients/foreign.js"
import type { Client } from "./clients/client.js"
import * as ours from "./clients/ours.js"

export interface Order {
  readonly calls: number
  readonly lines: number
  /** Whether to measure allocations, which takes time. */
  readonly isSampled: boolean
}

/** In microseconds: the wall-clock and processor time of all calls, and the median and 99th percentile of a call. */
export interface Took {
  readonly wall: number
  readonly cpu: number
  readonly p50: number
  readonly p99: number
  /** The bytes that all calls allocated on the engine's heap; NaN if they were not sampled. */
  readonly allocated: number
}

const clients = {
  undici: foreign.openUndici,
  ours: ours.wire,
  "ours.domain": ours.domain,
  "ours.traced": ours.traced,
  "ours.wrapped": ours.wrapped,
  "bybit-api": foreign.openBybit,
  ccxt: foreign.openCcxt,
  "ccxt.unified": foreign.openUnifiedCcxt
} satisfies Readonly<Record<string, (url: string) => Promise<Client>>>

export type Name = keyof typeof clients

const isName = (name: string): name is Name => Object.hasOwn(clients, name)

const [name = "", url = ""] = process.argv.slice(2)
if (!isName(name)) throw new Error(`no client ${name}`)
const client = await clients[name](url)

const run = async ({ calls, lines }: Order): Promise<Took> => {
  const [wall, cpu] = [process.hrtime.bigint(), process.cpuUsage()]
  const latencies = await client(calls, lines)
  const { system, user } = process.cpuUsage(cpu)
  const clock = Number(process.hrtime.bigint() - wall) / 1_000
  const [p50, p99] = [quantile(latencies, 0.5), quantile(latencies, 0.99)]
  return { wall: clock, cpu: user + system, p50, p99, allocated: Number.NaN }
}

/** Runs calls and samples the heap. */
const sampleHeap = async (order: Order): Promise<Took> => {
  const session = new Session()
  session.connect()
  await session.post("HeapProfiler.startSampling", {
    samplingInterval: 8_192,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true
  })
  const took = await run(order)
  const { profile } = await session.post("HeapProfiler.stopSampling")
  session.disconnect()
  return { ...took, allocated: sizeOf(profile.head) }
}

interface Node {
  readonly selfSize: number
  readonly children: ReadonlyArray<Node>
}

const sizeOf = ({ children, selfSize }: Node): number => children.reduce((sum, child) => sum + sizeOf(child), selfSize)

process.on("message", (order: Order) => {
  ;(order.isSampled ? sampleHeap : run)(order).then(
    (took) => process.send?.(took),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    }
  )
})
process.send?.("ready")
