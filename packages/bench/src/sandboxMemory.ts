import * as Effect from "effect/Effect"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import * as Requests from "./sandboxRequests.js"
import * as Row from "./row.js"

const mebibyte = 1024 * 1024

/** Node's garbage collector. A context that is made after the flag was set has it, so that nobody has to pass the flag. */
const collector = Effect.sync((): unknown => {
  setFlagsFromString("--expose-gc")
  return runInNewContext("gc")
})

const isCollector = (value: unknown): value is () => void => typeof value === "function"

/** What is in use once the garbage is gone. */
const used = Effect.map(collector, (collect) => {
  if (isCollector(collect)) collect()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed / mebibyte, rss: rss / mebibyte }
})

/** Memory after a million requests, beside that after the first hundred thousand: it must not grow with them. */
export const memory: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  const { requests, sandbox } = yield* Requests.prepare
  yield* Requests.send(sandbox, requests, 100_000)
  const early = yield* used
  yield* Requests.send(sandbox, requests, 900_000)
  const late = yield* used
  const common = { baselineName: "after 100,000 requests", unit: "MiB after 1,000,000 requests" }
  return [
    Row.make({ name: "sandbox.memory.heap", ours: late.heap, baseline: early.heap, ...common }),
    Row.make({ name: "sandbox.memory.rss", ours: late.rss, baseline: early.rss, ...common })
  ]
})
