import * as Broker from "@effect-venue/services/Broker"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Venue from "@effect-venue/services/Venue"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, DateTime, Effect } from "effect"
import { report } from "../src/brokerVolume.js"

describe("the broker's report", () => {
  it.effect("adds up to what each customer is reported to have traded", () =>
    Effect.gen(function* () {
      const now = yield* DateTime.now
      const from = DateTime.subtract(now, { days: 30 })
      const sums = yield* report(from, now)
      const { list } = yield* (yield* Broker.Broker).tradeVolume({ from, to: now, limit: 50 })
      expect(list.length).toBeGreaterThan(0)
      const expected = new Map<string, bigint>()
      const scale = 18
      for (const { coin, fee } of list.flatMap(({ coins }) => coins)) {
        expected.set(coin, (expected.get(coin) ?? 0n) + BigDecimal.scale(fee, scale).value)
      }
      expect([...sums].map(([coin, { fee }]) => [coin, BigDecimal.scale(fee, scale).value])).toEqual([...expected])
    }).pipe(Effect.provide(Venue.layer), Effect.provide(Sandbox.layer({ seed: 7 })))
  )
})
