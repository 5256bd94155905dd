import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

const mebibyte = 1024 * 1024

/** Node's garbage collector. A context that is made after the flag was set has it, so that it need not be passed to `node`. */
const collector = Effect.sync((): unknown => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc")
})

const isCollector = (value: unknown): value is () => void => typeof value === "function"

/** What is in use once the garbage is gone, in MiB. */
export const used = Effect.map(collector, (collect) => {
  if (isCollector(collect)) collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed / mebibyte, rss: rss / mebibyte }
})
