import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const mebibyte = 1024 * 1024

/** Node's garbage collector. A context created after the flag was set has it, so `node` needs no argument. */
const collector = Effect.sync((): unknown => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc")
})

const isCollector = (value: unknown): value is () => void => typeof value === "function"

/** The heap in use after garbage collection, in MiB. */
export const used = Effect.map(collector, (collect) => {
  if (isCollector(collect)) collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed / mebibyte, rss: rss / mebibyte }
})
