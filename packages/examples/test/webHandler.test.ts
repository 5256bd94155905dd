import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Seed from "@effect-venue/sandbox/siblings/Seed"
import * as Venue from "@effect-venue/services/Venue"
import type * as Transport from "@effect-venue/transport/Transport"
import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Context, DateTime, Effect, Layer, Option } from "effect"
import { handler } from "../src/webHandler.js"

const exchange = (faults?: Sandbox.Options["faults"]) =>
  Venue.layer.pipe(Layer.provide(Sandbox.layer({ seed: 7, faults })))

const withHandler = <A>(
  venue: Layer.Layer<Transport.Transport>,
  use: (ask: (query: string) => Promise<Response>) => Promise<A>
) =>
  Effect.acquireUseRelease(
    Effect.sync(() => handler(venue)),
    ({ handler }) => Effect.promise(() => use((query) => handler(new Request(`http://localhost/fees${query}`)))),
    ({ dispose }) => Effect.promise(dispose)
  )

const period = Effect.map(DateTime.now, (now) => ({
  from: DateTime.subtract(now, { days: 8 }),
  to: DateTime.subtract(now, { days: 1 })
}))

describe("the web handler", () => {
  it.live("returns the fees of the orders of a period, without funding", () =>
    Effect.gen(function* () {
      const { from, to } = yield* period
      const query = `?from=${DateTime.formatIso(from)}&to=${DateTime.formatIso(to)}`
      const sandbox = Sandbox.layer({ seed: 7 })
      const context = yield* Layer.build(Layer.provideMerge(Venue.layer, sandbox))
      const venue = Layer.succeedContext(context)
      const { accounts } = yield* Context.get(context, Sandbox.Sandbox).snapshot
      const rows = (accounts.get(Seed.uids.main)?.executions.linear ?? []).filter(
        ({ execTime }) => DateTime.greaterThanOrEqualTo(execTime, from) && DateTime.lessThan(execTime, to)
      )
      const trades = rows.filter(({ execType }) => Option.contains(execType, "Trade"))
      expect(trades.length).toBeLessThan(rows.length)
      const sum = trades.reduce((all, { execFee }) => BigDecimal.sum(all, execFee), BigDecimal.fromBigInt(0n))
      const [status, body] = yield* withHandler(venue, async (ask) => {
        const response = await ask(query)
        return [response.status, await response.json()] as const
      })
      expect(status).toBe(200)
      expect(body).toMatchObject({ fees: BigDecimal.format(sum) })
      expect(sum.value).not.toBe(0n)
    }).pipe(Effect.scoped)
  )

  it.live("answers failures with a status, and says what is wrong with a question", () =>
    Effect.gen(function* () {
      const statuses = yield* withHandler(exchange(), async (ask) => {
        const reversed = await ask("?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z")
        return [(await ask("")).status, (await ask("?from=x&to=y")).status, reversed.status, await reversed.text()]
      })
      expect(statuses.slice(0, 3)).toEqual([400, 400, 400])
      const banned = yield* withHandler(exchange({ rules: [{ fault: { kind: "ban" } }] }), async (ask) => {
        const response = await ask("?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z")
        return [response.status, response.headers.get("retry-after")]
      })
      expect(banned[0]).toBe(503)
      expect(Date.parse(String(banned[1]))).toBeGreaterThan(0)
      expect(banned[1]).not.toContain("Invalid")
    })
  )
})
