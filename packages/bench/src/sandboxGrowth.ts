import * as Effect from "effect/Effect"
import { used } from "./heap.js"
import * as Requests from "./sandboxRequests.js"
import * as Rounds from "./rounds.js"
import * as Row from "./row.js"

/** Memory in use before and after most of the requests that one sandbox answers. */
const memories = Effect.gen(function* () {
  const { requests, sandbox } = yield* Requests.prepare
  yield* Requests.send(sandbox, requests, 20_000)
  const baseline = yield* used
  yield* Requests.send(sandbox, requests, 180_000)
  return { ours: yield* used, baseline }
})

/** Memory after 200,000 requests, beside that after the first 20,000: it must not grow with them. */
export const growth: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.map(
  // The fewest that give an interval; the baseline is measured in the same sandbox, so that it is always first.
  Effect.replicateEffect(memories, 6),
  (pairs) => {
    const description = { baselineName: "after 20,000 requests", unit: "MiB after 200,000 requests" }
    return [
      Row.ofPairs({ ...description, name: "sandbox.growth.heap" }, Rounds.figures(pairs, "heap")),
      Row.ofPairs({ ...description, name: "sandbox.growth.rss" }, Rounds.figures(pairs, "rss"))
    ]
  }
)
