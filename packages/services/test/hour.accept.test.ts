import { SandboxControl } from "@effect-venue/sandbox/Control"
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Samples from "@effect-venue/testing/Samples"
import * as Endpoints from "@effect-venue/schemas/Endpoints"
import * as Executions from "@effect-venue/services/Executions"
import * as Venue from "@effect-venue/services/Venue"
import * as RetryPolicy from "@effect-venue/transport/RetryPolicy"
import { HttpClient } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { type Call, call } from "./utils/call.js"
import * as virtualTime from "./utils/virtualTime.js"

/** Orders in a batch: 13 of a new one are sent in two parts, since a second allows fewer. */
const batches: Readonly<Record<string, number>> = { "orders.createBatch": 13, "orders.cancelBatch": 4 }

/** Every operation of the service, reads and writes. */
const calls: ReadonlyArray<Call> = Samples.all.map(({ name, request }) => {
  const length = batches[name]
  if (length === undefined || !("request" in request)) return call(name, request)
  const [single] = request.request as ReadonlyArray<object>
  return call(name, {
    ...request,
    request: Array.from({ length }, (_, index) => ({ ...single, orderLinkId: `part-${index}` }))
  })
})

/** Refusals that a program could have foreseen. */
const foreseeable = new Set(["RateLimited", "Banned"])

/** What the sandbox answered, counted below everything that could hide a refusal. */
const counted = () => {
  const seen = { calls: 0, rateRefusals: 0, bans: 0, paths: new Set<string>() }
  const counting = HttpClient.transformResponse(
    Effect.tap((response) =>
      Effect.map(response.text, (text) => {
        seen.calls += 1
        seen.paths.add(new URL(response.request.url).pathname)
        if (response.status === 403) seen.bans += 1
        // Also that of a single order of a batch.
        if (/"(?:ret_?)?[cC]ode":10006\b/.test(text)) seen.rateRefusals += 1
      })
    )
  )
  const layer = Layer.scopedContext(
    Effect.map(Layer.build(Sandbox.layer({ seed: 7 })), (context) =>
      Context.add(context, HttpClient.HttpClient, counting(Context.get(context, HttpClient.HttpClient)))
    )
  )
  return { layer, seen }
}

/** Sixty-four fibers over twenty accounts, for so long: all operations in turn, and one endpoint asked without a pause. */
const program = (length: Duration.Duration) =>
  Effect.gen(function* () {
    const control = yield* SandboxControl
    const opened = yield* Effect.forEach(Array.from({ length: 20 }), (_, index) =>
      // Every fifth belongs to the one before it; every seventh is not unified.
      control.openAccount({
        uid: String(91_000_001 + index),
        funds: { USDT: "20000", BTC: "1" },
        unified: index % 7 !== 6,
        ...(index % 5 === 4 ? { master: String(91_000_000 + index) } : {})
      })
    )
    expect(new Set(opened.map(({ uid }) => uid)).size).toBe(20)
    const accounts = yield* Effect.forEach(opened, Venue.account)
    const end = (yield* Clock.currentTimeMillis) + Duration.toMillis(length)
    const failures = new Map<string, number>()
    let saturated = 0

    const worker = (index: number) =>
      Effect.gen(function* () {
        const account = accounts[index % accounts.length]
        if (account === undefined) return
        for (let step = index; (yield* Clock.currentTimeMillis) < end; step++) {
          const call = calls[step % calls.length]
          if (call === undefined) return
          const result = yield* Effect.either(Effect.provide(call, account))
          if (result._tag === "Left" && foreseeable.has(result.left._tag)) {
            failures.set(result.left._tag, (failures.get(result.left._tag) ?? 0) + 1)
          }
          yield* Effect.sleep(Duration.millis(4000 + ((index * 997 + step * 131) % 9000)))
        }
      })

    const hungry = Effect.gen(function* () {
      const executions = yield* Executions.Executions
      while ((yield* Clock.currentTimeMillis) < end) {
        yield* executions.list({ category: "inverse", limit: 1 })
        saturated += 1
      }
    })
    const main = accounts[0]
    if (main === undefined) return yield* Effect.dieMessage("no account")

    yield* Effect.all(
      [
        ...Array.from({ length: 52 }, (_, index) => worker(index)),
        ...Array.from({ length: 12 }, () => Effect.orDie(Effect.provide(hungry, main)))
      ],
      { concurrency: "unbounded", discard: true }
    )
    return { failures: Object.fromEntries(failures), saturated }
  }).pipe(Effect.scoped)

describe("a program that calls all day", () => {
  it.live("never exceeds a foreseeable limit, and uses a saturated one fully", () =>
    Effect.gen(function* () {
      // An hour takes a minute; VENUE_HOUR=1 runs it whole, ten minutes of it are enough to see a window go wrong.
      const length = process.env.VENUE_HOUR === "1" ? Duration.hours(1) : Duration.minutes(10)
      const { layer, seen } = counted()
      const { failures, saturated } = yield* virtualTime.run(
        Date.parse("2026-06-15T12:00:00Z"),
        program(length).pipe(
          Effect.provide(Layer.merge(layer, Venue.layerShared)),
          // A retry would hide a refusal.
          Effect.provideService(RetryPolicy.RetryPolicy, RetryPolicy.none)
        )
      )
      expect(failures).toEqual({})
      expect(seen).toMatchObject({ rateRefusals: 0, bans: 0 })
      expect(Array.from(seen.paths).toSorted()).toEqual(Endpoints.all.map(({ path }) => path).toSorted())
      expect(seen.calls).toBeGreaterThan(10 * Duration.toSeconds(length))
      expect(saturated / Duration.toSeconds(length)).toBeGreaterThanOrEqual(0.99 * 10)
      yield* Effect.logInfo({ ...seen, paths: seen.paths.size, saturated, seconds: Duration.toSeconds(length) })
    })
  )
})
