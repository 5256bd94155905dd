import * as Gauges from "@effect-venue/transport/siblings/GaugeReadings"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Age, Ledger, Summary } from "../ledger/Ledger.js"
import * as Metrics from "./Metrics.js"

/** How many exports have gauges with their account. A fleet can have a hundred thousand exports. */
const mostAges = 1000

const secondsSince = (at: number, now: number): number => Math.max(now - at, 0) / 1000

/** The gauges of an address and of exports, by the ledger. */
export const readings = (
  summaries: ReadonlyArray<Summary>,
  ages: ReadonlyArray<Age>,
  now: number
): ReadonlyArray<Gauges.Reading> => [
  ...summaries.flatMap(({ due, egress, failing, incomplete, lost, seenAt, stoppedAccounts }) => {
    const silence = Option.match(seenAt, { onNone: () => Infinity, onSome: (at) => secondsSince(at, now) })
    return [
      { gauge: Metrics.due, value: due },
      { gauge: Metrics.failing, value: failing },
      { gauge: Metrics.incomplete, value: incomplete },
      { gauge: Metrics.lost, value: lost },
      { gauge: Metrics.stoppedAccounts, value: stoppedAccounts },
      { gauge: Metrics.ownerSilence, value: silence }
    ].map((reading) => ({ ...reading, labels: { egress } }))
  }),
  ...ages.flatMap(({ account, completeAt, every, part }) => [
    { gauge: Metrics.exportAge, labels: { account, part }, value: secondsSince(completeAt, now) },
    { gauge: Metrics.exportPeriod, labels: { account, part }, value: every / 1000 }
  ])
]

/** Registers the gauges of a ledger until the scope ends. */
export const register = (ledger: Ledger.Shape): Effect.Effect<void, never, Scope.Scope> =>
  Gauges.register(
    "the ledger",
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      return readings(yield* ledger.summary(now), yield* ledger.ages(mostAges), now)
    })
  )
