import * as Faults from "@effect-venue/sandbox/Faults"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import { describe, expect, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import * as Raw from "./utils/raw.js"

/** The rules that a call adds. */
const added = (call: Effect.Effect<void, never, Faults.Faults>) => {
  const rules: Array<Faults.Rule> = []
  const control = {
    set: () => Effect.void,
    add: (more: ReadonlyArray<Faults.Rule>) => Effect.sync(() => void rules.push(...more)),
    clear: Effect.void,
    rules: Effect.succeed([]),
    log: Effect.succeed([])
  }
  return Effect.as(Effect.provideService(call, Faults.Faults, control), rules)
}

describe("faults that are injected", () => {
  it.effect("hit the configured number of requests of their operations", () =>
    Effect.gen(function* () {
      const hits = { times: 2, skip: 1, probability: 0.5, during: "1 minute" } as const
      const rules = yield* added(Faults.inject({ kind: "ban" }, "orders.amend", hits))
      expect(rules).toEqual([
        { fault: { kind: "ban" }, operations: ["orders.amend"], count: 2, skip: 1, probability: 0.5, forMillis: 60_000 }
      ])
    })
  )

  it.effect("are added to existing faults, which keep their counts", () =>
    Effect.gen(function* () {
      const status = Raw.call("/cloud/trade/v3/account/wallet-balance", { accountType: "UNIFIED" }).pipe(
        Effect.map(({ status }) => status),
        Effect.catchTag("ConnectionReset", ({ _tag }) => Effect.succeed(_tag))
      )
      yield* Faults.inject({ kind: "status", status: 502, executed: true }, "all", { times: 1 })
      expect(yield* status).toBe(502)
      yield* Faults.inject({ kind: "dropAfter" }, "account.walletBalance", { times: 1 })
      expect(yield* status).toBe("ConnectionReset")
      expect(yield* status).toBe(200)
      expect((yield* Faults.log).map(({ executed }) => executed)).toEqual([true, true, true])
      yield* Faults.inject({ kind: "ban" }, ["account.walletBalance"])
      expect(yield* status).toBe(403)
      yield* Faults.clear
      expect(yield* status).toBe(200)
    }).pipe(Effect.provide(Sandbox.layer({ seed: 7, world: "empty" })))
  )

  it.effect("die if the operation does not exist", () =>
    Effect.gen(function* () {
      const cause = yield* Effect.flip(Effect.sandbox(Faults.inject({ kind: "dropAfter" }, "orders.ammend")))
      expect(Cause.pretty(cause)).toContain("there is no operation orders.ammend")
    }).pipe(Effect.provide(Sandbox.layer({ seed: 7, world: "empty" })))
  )
})
