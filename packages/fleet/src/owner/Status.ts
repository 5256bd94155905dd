/**
 * The state of a fleet in numbers.
 *
 * @sibling
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Ledger, LedgerFailed, Summary } from "../ledger/Ledger.js"

/** An address and its numbers. */
export interface Address extends Summary {
  /** Its owner was seen in the last 30 seconds. */
  readonly isOwned: boolean
  /** How long its due exports take at its present rate, in seconds; `none` if exports are due and it makes no calls. */
  readonly secondsLeft: Option.Option<number>
}

/** The numbers of a fleet, and those of each address. */
export interface Status extends Pick<
  Summary,
  "accounts" | "exports" | "done" | "due" | "running" | "failing" | "stopped" | "incomplete" | "lost" | "paused"
> {
  readonly at: number
  readonly callsPerSecond: number
  /** The time of the address that takes longest. */
  readonly secondsLeft: Option.Option<number>
  readonly addresses: ReadonlyArray<Address>
}

const seenWithin = 30_000

const addressOf = (summary: Summary, now: number): Address => {
  const isOwned = Option.exists(summary.seenAt, (at) => now - at <= seenWithin)
  const rate = isOwned ? summary.callsPerSecond : 0
  return {
    ...summary,
    callsPerSecond: rate,
    isOwned,
    secondsLeft: summary.pages === 0 ? Option.some(0) : rate > 0 ? Option.some(summary.pages / rate) : Option.none()
  }
}

/** Computes the status from the numbers of each address (see `Ledger.summary`). */
export const make = (summaries: ReadonlyArray<Summary>, now: number): Status => {
  const addresses = summaries.map((summary) => addressOf(summary, now))
  const sum = (number: (address: Address) => number) => addresses.reduce((total, address) => total + number(address), 0)
  return {
    at: now,
    accounts: sum(({ accounts }) => accounts),
    exports: sum(({ exports }) => exports),
    done: sum(({ done }) => done),
    due: sum(({ due }) => due),
    running: sum(({ running }) => running),
    failing: sum(({ failing }) => failing),
    stopped: sum(({ stopped }) => stopped),
    incomplete: sum(({ incomplete }) => incomplete),
    lost: sum(({ lost }) => lost),
    paused: sum(({ paused }) => paused),
    callsPerSecond: sum(({ callsPerSecond }) => callsPerSecond),
    secondsLeft: Option.map(Option.all(addresses.map(({ secondsLeft }) => secondsLeft)), (all) => Math.max(0, ...all)),
    addresses
  }
}

/** The status of the fleet of a ledger, now. */
export const current = (ledger: Ledger.Shape): Effect.Effect<Status, LedgerFailed> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.map(ledger.summary(now), (summaries) => make(summaries, now)))
