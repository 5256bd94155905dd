import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as ApiLimits from "@effect-venue/services/ApiLimits"
import * as Assets from "@effect-venue/services/Assets"
import * as Orders from "@effect-venue/services/Orders"
import * as Venue from "@effect-venue/services/Venue"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer, TestClock } from "effect"

const exchange = Venue.layerAccount.pipe(
  Layer.provideMerge(Venue.layerShared),
  Layer.provideMerge(Sandbox.layer({ seed: 11 }))
)

const onADay = <A, E>(effect: Effect.Effect<A, E, Venue.Venue | RateLimiter.RateLimiter | Sandbox.Sandbox>) =>
  Effect.zipRight(TestClock.setTime(Date.parse("2026-06-15T12:00:00Z")), Effect.provide(effect, exchange))

const transfer = { coin: "USDT", amount: "1", fromAccountType: "UNIFIED", toAccountType: "FUND" } as const

describe("new ids", () => {
  it.effect("of transfers are UUIDs, each another one", () =>
    onADay(
      Effect.gen(function* () {
        const assets = yield* Assets.Assets
        const first = yield* assets.transfer({ ...transfer, requestId: yield* Assets.newTransferId })
        yield* TestClock.adjust("2 seconds")
        const second = yield* assets.transfer({ ...transfer, requestId: yield* Assets.newTransferId })
        expect(first.transferId).not.toBe(second.transferId)
        expect(first.transferId).toMatch(/^[0-9a-f-]{36}$/)
      })
    )
  )

  it.effect("of withdrawals consist of letters and digits", () =>
    onADay(
      Effect.gen(function* () {
        const assets = yield* Assets.Assets
        const requestId = yield* Assets.newWithdrawalId
        const failure = yield* Effect.flip(
          assets.withdrawInternal({ coin: "USDT", addressType: 3, address: "77777777", amount: "1", requestId })
        )
        // Refused for its address, not for its id.
        expect(failure).toMatchObject({ _tag: "Unauthorized", retCode: 131093 })
      })
    )
  )

  it.effect("come from the source that the application provides", () =>
    Effect.gen(function* () {
      const id = "3f0e9d1a-52f7-4c0e-9a53-0e8f43f5a0ff"
      expect(yield* Effect.provideService(Assets.newTransferId, Assets.RequestIds, () => id)).toBe(id)
      expect(yield* Effect.provideService(Assets.newWithdrawalId, Assets.RequestIds, () => id)).toBe(
        id.replaceAll("-", "")
      )
      expect(yield* Effect.provideService(Orders.newOrderLinkId, Orders.OrderLinkIds, () => "mine")).toBe("mine")
      expect(yield* Orders.newOrderLinkId).not.toBe(yield* Orders.newOrderLinkId)
    })
  )
})

describe("limits granted by the service", () => {
  it.effect("apply to this process as soon as the response reports them", () =>
    onADay(
      Effect.gen(function* () {
        const limits = yield* ApiLimits.ApiLimits
        const limiter = yield* RateLimiter.RateLimiter
        const sandbox = yield* Sandbox.Sandbox
        const uid = sandbox.uids.sub
        const host = sandbox.credentials.main.baseUrl
        expect(limiter.granted(host, uid, "DERIVATIVES")).toBeUndefined()
        yield* limits.set({ list: [{ uids: [uid], bizType: "DERIVATIVES", rate: 25 }] })
        expect(limiter.granted(host, uid, "DERIVATIVES")).toBe(25)
        yield* limits.query({ uids: [uid] })
        expect(limiter.granted(host, uid, "DERIVATIVES")).toBe(25)
      })
    )
  )
})
