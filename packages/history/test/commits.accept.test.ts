import * as Datasets from "@effect-venue/history/shared/Datasets"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { followed } from "./utils/following.js"
import { exchange, onThatDay } from "./utils/world.js"

describe("following a part for an hour, with a restart in the middle,", () => {
  it.effect("has every execution once", () =>
    Effect.gen(function* () {
      expect((yield* followed(Datasets.executions, 30)).rows).toBeGreaterThan(10)
    }).pipe(Effect.provide(exchange()), onThatDay)
  )

  it.effect("has every order once, even if it was closed long after it was created", () =>
    Effect.gen(function* () {
      expect((yield* followed(Datasets.orderHistory, 30)).rows).toBeGreaterThan(10)
    }).pipe(Effect.provide(exchange()), onThatDay)
  )

  it.effect("has every closed profit once", () =>
    Effect.gen(function* () {
      expect((yield* followed(Datasets.closedPnl, 30)).rows).toBeGreaterThan(5)
    }).pipe(Effect.provide(exchange()), onThatDay)
  )
})
