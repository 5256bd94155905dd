import * as Effect from "effect/Effect"
import { used } from "./heap.js"
import * as Requests from "./sandboxRequests.js"
import * as Rounds from "./rounds.js"
import * as Row from "./row.js"

/** The memory of a sandbox before and after most of its requests. */
const memories = Effect.gen(function* () {
  const { requests, sandbox } = yield* Requests.prepare
  yield* Requests.send(sandbox, requests, 20_000)
  const baseline = yield* used
  yield* Requests.send(sandbox, requests, 180_000)
  return { ours: yield* used, baseline }
})

/** Memory after 200,000 requests, compared with that after the first 20,000: it must not grow. */
export const growth: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.map(
  // The minimum for an interval. The baseline is measured in the same sandbox, so it is always first.
  Effect.replicateEffect(memories, 6),
  (pairs) => {
    const description = { baselineName: "after 20,000 requests", unit: "MiB after 200,000 requests" }
    return [
      Row.ofPairs({ ...description, name: "sandbox.growth.heap" }, Rounds.figures(pairs, "heap")),
      Row.ofPairs({ ...description, name: "sandbox.growth.rss" }, Rounds.figures(pairs, "rss"))
    ]
  }
)
