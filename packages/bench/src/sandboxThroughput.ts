import type * as Edge from "@effect-venue/sandbox/shared/Edge"
import * as Effect from "effect/Effect"
import { createHmac, timingSafeEqual } from "node:crypto"
import * as Processor from "./processor.js"
import * as Rounds from "./rounds.js"
import * as Requests from "./sandboxRequests.js"
import * as Row from "./row.js"

const warmUp = 2_000
const options = { count: 17, warmUp: 1 }
const perMeasurement = 3_000

/** The minimal work of a server: check the signature, read the query, and write the response. */
const plain = (secret: string, answer: unknown) => {
  const parts = ["x-bapi-timestamp", "x-bapi-api-key", "x-bapi-recv-window"]
  return ({ headers, target }: Edge.Request): string => {
    const query = target.slice(target.indexOf("?") + 1)
    const mac = createHmac("sha256", secret).update(parts.map((name) => headers[name] ?? "").join("") + query)
    if (!timingSafeEqual(mac.digest(), Buffer.from(headers["x-bapi-sign"] ?? "", "hex"))) return "no"
    return new URLSearchParams(query).get("accountType") === "UNIFIED" ? JSON.stringify(answer) : "no"
  }
}

/**
 * Signed wallet-balance requests, in process, on one core, without limits. In `changing` the account changes before each request, so that
 * no result can be cached.
 */
export const throughput: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  const { requests, sandbox, secret } = yield* Requests.prepare
  const { body } = yield* Requests.send(sandbox, requests, warmUp)
  const answer = plain(secret, JSON.parse(body))
  const beside = Effect.sync(() => {
    let length = 0
    for (let index = 0; index < perMeasurement; index++) {
      const request = requests[index % requests.length]
      if (request !== undefined) length += answer(request).length
    }
    return length
  })
  const { control, uids } = sandbox
  const change = Effect.orDie(control.banAccount({ uid: uids.main, banned: false }))
  const row = (name: string, before?: Effect.Effect<unknown>) =>
    Effect.map(
      Rounds.pairs(
        options,
        Processor.rate(perMeasurement, Requests.send(sandbox, requests, perMeasurement, before)),
        Processor.rate(perMeasurement, beside)
      ),
      (pairs) =>
        Row.ofPairs(
          {
            name,
            baselineName: "HMAC check and JSON.stringify of the same answer",
            unit: "requests/s of one core"
          },
          pairs
        )
    )
  return [yield* row("sandbox.throughput"), yield* row("sandbox.throughput.changing", change)]
})
