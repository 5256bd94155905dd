/**
 * Streams all positions of a category. The service lists those of one settle coin at a time: all of linear settle in USDT, those of an inverse
 * contract in its base coin.
 */
import * as Instruments from "@effect-venue/services/Instruments"
import * as Positions from "@effect-venue/services/Positions"
import * as Effect from "effect/Effect"
import * as HashSet from "effect/HashSet"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"

/**
 * All positions with a size. Fails as `instruments.list` and `positions.list` do; a failure of one coin ends the stream, so no position is
 * missing without one.
 */
export const allPositions = (category: "linear" | "inverse") =>
  Stream.unwrap(
    Effect.gen(function* () {
      const instruments = yield* Instruments.Instruments
      const positions = yield* Positions.Positions
      const settleCoins = yield* instruments
        .listStream({ category, limit: 1000 })
        .pipe(
          Stream.runFold(HashSet.empty<string>(), (coins, { settleCoin }) =>
            Option.match(settleCoin, { onNone: () => coins, onSome: (coin) => HashSet.add(coins, coin) })
          )
        )
      return Stream.flatMap(Stream.fromIterable(settleCoins), (settleCoin) =>
        positions.listStream({ category, settleCoin, limit: 200 })
      )
    })
  )
