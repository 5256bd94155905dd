import * as History from "@effect-venue/history/History"
import type * as Singer from "@effect-venue/history/Singer"
import type * as Instruments from "@effect-venue/schemas/Instruments"
import * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import { expect, test } from "tstyche"

declare const commit: History.Commit
declare const complete: History.CompleteCommit
declare const incomplete: History.IncompleteCommit

test("a consumer of commits that ignores missing ranges does not compile", () => {
  expect(commit).type.not.toHaveProperty("rows")
  expect(commit).type.not.toHaveProperty("partialRows")
  expect(complete).type.toHaveProperty("rows")
  expect(incomplete).type.toHaveProperty("missing")
})

test("a tap is told of windows that can lack rows", () => {
  expect<Singer.TapOptions>().type.not.toBeAssignableFrom({ from: 0 })
  expect<Singer.TapOptions>().type.toBeAssignableFrom({ from: 0, onIncomplete: () => Effect.void })
})

type WithFeeCoin = Stream.Stream<{ readonly feeCoin: Option.Option<string> }, unknown, unknown>

test("executions have the coin of their fee where the instruments of their category are known", () => {
  const spot = History.withFeeCoin(History.executions, "spot", [] as Array<Instruments.Instrument>)
  const fills = History.stream(spot, { category: "spot", from: 0 })
  expect(fills).type.toBeAssignableTo<WithFeeCoin>()
  expect(History.stream(spot, { category: "linear", from: 0 })).type.toRaiseError()
  const plain = History.stream(History.executions, { category: "spot", from: 0 })
  expect(plain).type.not.toBeAssignableTo<WithFeeCoin>()
})
