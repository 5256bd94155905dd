/**
 * A report for a broker: the monthly volume of each customer by coin, and the total.
 *
 *     node --import tsx packages/examples/src/brokerVolume.ts
 */
import * as Sandbox from "@effect-venue/sandbox/Sandbox"
import * as Broker from "@effect-venue/services/Broker"
import * as Venue from "@effect-venue/services/Venue"
import * as BigDecimal from "effect/BigDecimal"
import * as Console from "effect/Console"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { isMain } from "./main.js"

interface Sum {
  readonly customers: number
  readonly volume: BigDecimal.BigDecimal
  readonly fee: BigDecimal.BigDecimal
}

const nothing: Sum = { customers: 0, volume: BigDecimal.fromBigInt(0n), fee: BigDecimal.fromBigInt(0n) }

/** Sums volume and fees by coin while the pages arrive, so that only the sums are in memory. */
export const report = (from: DateTime.Utc, to: DateTime.Utc) =>
  Effect.flatMap(Broker.Broker, (broker) =>
    broker.tradeVolumeStream({ from, to, limit: 50 }).pipe(
      Stream.mapConcat(({ coins }) => coins),
      Stream.runFold(new Map<string, Sum>(), (sums, { coin, fee, tradeVolume }) => {
        const before = sums.get(coin) ?? nothing
        return sums.set(coin, {
          customers: before.customers + 1,
          volume: BigDecimal.sum(before.volume, tradeVolume),
          fee: BigDecimal.sum(before.fee, fee)
        })
      })
    )
  )

const main = Effect.gen(function* () {
  const now = yield* DateTime.now
  const sums = yield* report(DateTime.subtract(now, { days: 30 }), now)
  for (const [coin, { customers, fee, volume }] of sums) {
    yield* Console.log(
      `${coin}: ${BigDecimal.format(volume)} traded by ${customers} customers, ${BigDecimal.format(fee)} in fees`
    )
  }
})

if (isMain(import.meta.url)) {
  await Effect.runPromise(main.pipe(Effect.provide(Venue.layer), Effect.provide(Sandbox.layer({ seed: 7 }))))
}
