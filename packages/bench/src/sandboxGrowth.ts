import * as Effect from "effect/Effect"
import { used } from "./heap.js"
import * as Requests from "./sandboxRequests.js"
import * as Row from "./row.js"

/** Memory after a million requests, beside that after the first hundred thousand: it must not grow with them. */
export const growth: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  const { requests, sandbox } = yield* Requests.prepare
  yield* Requests.send(sandbox, requests, 100_000)
  const early = yield* used
  yield* Requests.send(sandbox, requests, 900_000)
  const late = yield* used
  const common = { baselineName: "after 100,000 requests", unit: "MiB after 1,000,000 requests" }
  return [
    Row.make({ name: "sandbox.growth.heap", ours: late.heap, baseline: early.heap, ...common }),
    Row.make({ name: "sandbox.growth.rss", ours: late.rss, baseline: early.rss, ...common })
  ]
})
