import * as History from "@effect-venue/history/History"
import * as Instruments from "@effect-venue/schemas/Instruments"
import * as Transport from "@effect-venue/transport/Transport"
import { describe, expect } from "@effect/vitest"
import { BigDecimal, Chunk, Effect, Option, Stream } from "effect"
import { settle } from "@effect-venue/testing/Settling"
import { day, onExchange, today } from "./utils/world.js"

const range = { from: today - 20 * day, to: today }

const list = (category: "spot" | "linear" | "inverse") =>
  Effect.flatMap(Transport.Transport, (transport) =>
    Effect.map(transport.call(Instruments.list, { category, limit: 1000 }), (page) => page.list)
  )

describe("the coin of a fee on the domain side", () => {
  for (const category of ["spot", "linear", "inverse"] as const) {
    onExchange(`follows from the instrument of an execution: ${category}`, function* () {
      const listed = yield* list(category)
      const dataset = History.withFeeCoin(History.executions, category, listed)
      const fills = Chunk.toReadonlyArray(
        yield* settle(Stream.runCollect(History.stream(dataset, { category, ...range })))
      )
      expect(fills.length).toBeGreaterThan(0)
      for (const { execFee, feeCoin, side, symbol } of fills) {
        const { baseCoin, quoteCoin, settleCoin } = listed.find((each) => each.symbol === symbol) ?? {}
        const spot = BigDecimal.isNegative(execFee) ? undefined : side === "Buy" ? baseCoin : quoteCoin
        expect([symbol, feeCoin]).toEqual([symbol, category === "spot" ? Option.fromNullable(spot) : settleCoin])
      }
    })
  }

  onExchange("is absent if the instruments are of another category, or none is listed", function* () {
    for (const listed of [yield* list("linear"), []]) {
      const dataset = History.withFeeCoin(History.executions, "spot", listed)
      const coins = yield* settle(
        Stream.runCollect(Stream.map(History.stream(dataset, { category: "spot", ...range }), ({ feeCoin }) => feeCoin))
      )
      expect(Chunk.size(coins)).toBeGreaterThan(0)
      expect(Chunk.every(coins, Option.isNone)).toBe(true)
    }
  })
})
