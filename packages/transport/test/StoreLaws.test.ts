import * as Breadth from "@effect-venue/testing/Breadth"
import * as BanStore from "@effect-venue/transport/BanStore"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as StoreLaws from "@effect-venue/transport/StoreLaws"
import { describe, it } from "@effect/vitest"
import { Effect, TestClock } from "effect"

const limits: StoreLaws.RateLimits = {
  make: ({ rest }) =>
    Effect.map(RateLimitStore.makeMemory({ rest }), (store) => RateLimitStore.withEgress(store, "here")),
  pass: TestClock.adjust,
  rests: true,
  elsewhere: (store) => RateLimitStore.withEgress(store, "there"),
  programs: Breadth.repeats(100, 15)
}

const bans: StoreLaws.Bans = {
  make: BanStore.makeMemory,
  leases: true,
  pass: TestClock.adjust,
  programs: Breadth.repeats(100, 15)
}

describe("stores in memory keep the laws", () => {
  for (const { check, name } of StoreLaws.rateLimits(limits)) it.effect(`rate limits: ${name}`, () => check)
  for (const { check, name } of StoreLaws.bans(bans)) it.effect(`bans: ${name}`, () => check)
})
