/** A sandbox on a socket with the documented limits, and its content. */
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Server from "@effect-venue/sandbox/Server"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import type { Category, World } from "./Case.js"
import type { Account } from "./peers.js"

export interface Harness {
  /** The signing account at the sandbox. */
  readonly account: Account
  readonly world: World
}

/** A sandbox with frozen prices, so that orders keep resting. */
export const layer: Layer.Layer<Server.Server | Sandbox.Sandbox, Server.ServeFailed> = Server.layer({
  seed: 5,
  prices: "still"
})

export const make = Effect.gen(function* () {
  const { credentials, url } = yield* Server.Server
  const sandbox = yield* Sandbox.Sandbox
  const uid = sandbox.uids.main
  const state = () => Effect.runPromise(sandbox.snapshot)
  const executions = async (category: Category, from: number, to: number) =>
    ((await state()).accounts.get(uid)?.executions[category] ?? []).filter(
      ({ execTime }) => execTime.epochMillis >= from && execTime.epochMillis < to
    )
  const world: World = {
    uid,
    executionIds: async (category, from, to) => (await executions(category, from, to)).map(({ execId }) => execId),
    tradeIds: async (category, from, to) =>
      (await executions(category, from, to))
        .filter(({ execType }) => !Option.contains(execType, "Funding"))
        .map(({ execId }) => execId),
    preUpgrade: async () =>
      Array.from((await state()).accounts.get(uid)?.preUpgradeExecutions.linear ?? [], ({ execId, execTime }) => ({
        id: execId,
        at: execTime.epochMillis
      }))
  }
  const { apiKey, apiSecret } = credentials.main
  const account: Account = { url, key: Redacted.value(apiKey), secret: Redacted.value(apiSecret) }
  return { account, world } satisfies Harness
})
