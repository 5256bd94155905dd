import * as Datasets from "@effect-venue/history/siblings/Datasets"
import { describe, expect } from "@effect/vitest"
import { followed } from "./utils/following.js"
import { onExchange } from "./utils/world.js"

describe("following a part for an hour, with a restart in the middle,", () => {
  onExchange("has every execution once", function* () {
    expect((yield* followed(Datasets.executions, 30)).rows).toBeGreaterThan(10)
  })

  onExchange("has every order once, even if it was closed long after it was created", function* () {
    expect((yield* followed(Datasets.orderHistory, 30)).rows).toBeGreaterThan(10)
  })

  onExchange("has every closed profit once", function* () {
    expect((yield* followed(Datasets.closedPnl, 30)).rows).toBeGreaterThan(5)
  })
})
