import { expect, it } from "@effect/vitest"
import * as Servers from "@effect-venue/testing/Servers"
import { Effect } from "effect"
import * as KillExports from "../src/KillExports.js"
import * as KillWrites from "../src/KillWrites.js"
import * as SharedLimits from "../src/SharedLimits.js"

// Each workload at a small size. `npm run accept` runs all of them at full size, and shows that their judges find a fault.

const redis = await Servers.redis()

it.scopedLive("exports in every format that are killed at random instants end as if they had not been", () =>
  Effect.gen(function* () {
    const { figures, problems } = yield* KillExports.killExports({ runs: 5, seed: 5 })
    expect(problems).toEqual([])
    expect(figures.kills).toBeGreaterThanOrEqual(5)
    expect(figures.killsPerPhase.reading).toBeGreaterThan(0)
  })
)

it.scopedLive("every write of three processes that are killed is accounted for, and none is doubled", () =>
  Effect.gen(function* () {
    const { figures, problems } = yield* KillWrites.killWrites({ runs: 3, seed: 5 })
    expect(problems).toEqual([])
    expect(figures).toMatchObject({ kills: 3, calls: 21 })
    expect(figures.inFlight).toBeGreaterThan(0)
    expect(figures.foundExecuted).toBeGreaterThan(0)
  })
)

it.scopedLive.skipIf(redis.isSkipped)(`two processes stay within the limit of one address, ${redis.label}`, () =>
  Effect.gen(function* () {
    const store = { url: redis.url, prefix: `venue-limits-${globalThis.crypto.randomUUID()}` }
    const load = { processes: 2, fibers: 8, seconds: 11 }
    expect(yield* SharedLimits.onAddress({ ...load, redis: store })).toMatchObject({ refused: 0, failed: {} })
  })
)
