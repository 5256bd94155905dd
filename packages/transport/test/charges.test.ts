import type * as Endpoint from "@effect-venue/schemas/Endpoint"
import * as Orders from "@effect-venue/schemas/Orders"
import * as Credentials from "@effect-venue/signing/Credentials"
import * as Samples from "@effect-venue/testing/Samples"
import * as Limits from "@effect-venue/transport/Limits"
import * as RateLimiter from "@effect-venue/transport/RateLimiter"
import * as RateLimitStore from "@effect-venue/transport/RateLimitStore"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import * as scripted from "./utils/scripted.js"

const host = "https://venue.test:8443"

/** The charges of a call of a UID, to which the service has granted limits by type of business. */
const chargesOf = (
  endpoint: Endpoint.Any,
  request: unknown,
  {
    granted = { SPOT: 30, DERIVATIVES: 50 },
    uid
  }: { readonly granted?: Readonly<Record<string, number>>; readonly uid?: string } = {}
) =>
  Effect.gen(function* () {
    const noted: Array<RateLimitStore.Charge> = []
    const limiter: RateLimiter.RateLimiter.Shape = {
      ...(yield* RateLimiter.RateLimiter),
      granted: (base, grantee, bizType) => (base === host && grantee === uid ? granted[bizType] : undefined),
      acquire: (_, { charges }) => {
        noted.push(...charges)
        return Effect.fail(new RateLimitStore.StoreUnreachable({ waited: Duration.zero }))
      }
    }
    const transport = yield* Transport.make.pipe(
      Effect.provideService(RateLimiter.RateLimiter, limiter),
      Effect.provideService(Credentials.Credentials, { ...scripted.credentials, baseUrl: host, uid })
    )
    yield* Effect.exit(transport.call(endpoint as typeof Orders.cancel, request as Orders.CancelRequest))
    return noted
  }).pipe(
    Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none),
    Effect.provide(scripted.make(() => "hang").layer)
  )

const cancel = (category: "spot" | "linear" | "inverse") => ({ category, symbol: "BTCUSDT", orderId: "o-1" })
const documented = Option.getOrThrow(Limits.documented.perUid(Orders.cancel, "linear")).count

describe("the charges of a call", () => {
  it.effect("are one of the address and one of the UID", () =>
    Effect.gen(function* () {
      const window = Duration.seconds(1)
      expect(yield* chargesOf(Orders.cancel, cancel("linear"), { uid: "7" })).toEqual([
        { key: "venue.test:8443", scope: "ip", limit: 600, window: Duration.seconds(5), cost: 1 },
        { key: `venue.test:8443 uid:7 ${Orders.cancel.path} linear`, scope: "uid", limit: 50, window, cost: 1 }
      ])
      const unlimited = chargesOf(Orders.cancel, cancel("linear"), { uid: "7" })
      expect(yield* Effect.provideService(unlimited, Limits.Limits, Limits.none)).toEqual([])
    })
  )

  it.effect("have the limit that was granted to their UID, otherwise the documented one", () =>
    Effect.gen(function* () {
      for (const [category, limit] of [
        ["spot", 30],
        ["linear", 50],
        ["inverse", 50]
      ] as const) {
        const limits = yield* Effect.all([
          chargesOf(Orders.cancel, cancel(category), { uid: "7" }),
          chargesOf(Orders.cancel, cancel(category)),
          chargesOf(Orders.cancel, cancel(category), { uid: "7", granted: {} })
        ])
        expect(limits.map(([, ofUid]) => ofUid?.limit)).toEqual([limit, documented, documented])
      }
    })
  )

  it.effect("are upgraded for upgradable operations only, and counted by category if the service does", () =>
    Effect.gen(function* () {
      for (const { endpoint, request } of Samples.all) {
        const category = "category" in request ? String(request.category) : undefined
        const [, ofUid] = yield* chargesOf(endpoint, request, { uid: "7" })
        const limit = Option.getOrUndefined(Limits.documented.perUid(endpoint, category))
        const isUpgradable = Option.exists(endpoint.rateLimit, ({ upgradable }) => upgradable === true)
        const part = limit?.scope === "uid x category" ? ` ${category ?? ""}` : ""
        expect([endpoint.name, ofUid?.limit, ofUid?.key]).toEqual([
          endpoint.name,
          isUpgradable ? (category === "spot" ? 30 : 50) : limit?.count,
          limit === undefined ? undefined : `venue.test:8443 uid:7 ${endpoint.path}${part}`
        ])
      }
    })
  )
})
