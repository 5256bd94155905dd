import type * as Edge from "@effect-venue/sandbox/Edge"
import * as Effect from "effect/Effect"
import { createHmac, timingSafeEqual } from "node:crypto"
import * as Requests from "./sandboxRequests.js"
import * as Row from "./row.js"

const warmUp = 2_000
const rounds = 5
const perRound = 3_000

/** Requests a second of processor time: other programs on the machine, which the clock would count, are no part of it. */
const perSecond = (count: number, run: Effect.Effect<unknown>): Effect.Effect<number> =>
  Effect.gen(function* () {
    const start = process.cpuUsage()
    yield* run
    const { system, user } = process.cpuUsage(start)
    return (count * 1e6) / (user + system)
  })

/** The least that a server has to do: check the signature, look at the query, and write the answer. */
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
 * Signed wallet-balance requests, in process, on one core, without limits. The best of some rounds, of either. `changing`: the
 * account is another one for each request, so that nothing of it is known from the request before.
 */
export const throughput: Effect.Effect<ReadonlyArray<Row.Row>> = Effect.gen(function* () {
  const { requests, sandbox, secret } = yield* Requests.prepare
  const { body } = yield* Requests.send(sandbox, requests, warmUp)
  const answer = plain(secret, JSON.parse(body))
  const beside = Effect.sync(() => {
    let length = 0
    for (let index = 0; index < perRound; index++) {
      const request = requests[index % requests.length]
      if (request !== undefined) length += answer(request).length
    }
    return length
  })
  yield* beside
  const { control, uids } = sandbox
  const change = Effect.orDie(control.banAccount({ uid: uids.main, banned: false }))
  const best = { ours: 0, changing: 0, baseline: 0 }
  for (let round = 0; round < rounds; round++) {
    const [ours, changing, baseline] = yield* Effect.all([
      perSecond(perRound, Requests.send(sandbox, requests, perRound)),
      perSecond(perRound, Requests.send(sandbox, requests, perRound, change)),
      perSecond(perRound, beside)
    ])
    best.ours = Math.max(best.ours, ours)
    best.changing = Math.max(best.changing, changing)
    best.baseline = Math.max(best.baseline, baseline)
  }
  const { baseline } = best
  const common = {
    baseline,
    baselineName: "HMAC check and JSON.stringify of the same answer",
    unit: "requests/s of one core"
  }
  return [
    Row.make({ name: "sandbox.throughput", ours: best.ours, ...common }),
    Row.make({ name: "sandbox.throughput.changing", ours: best.changing, ...common })
  ]
})
