import * as BigDecimal from "effect/BigDecimal"
import type { GuardedWrites, RecordedEntry } from "../journal/WriteJournal.js"
import { isReleased, latestExecution } from "../journal/guardedTotals.js"
import type { EarlierAmount, Execution, Ledger } from "./ledger.js"

const executionOf = ({ outcome }: RecordedEntry): Exclude<Execution, "none"> =>
  outcome === undefined || outcome._tag === "Unknown" ? "doubt" : "executed"

const amountsOf = (entry: RecordedEntry): ReadonlyArray<EarlierAmount> => {
  const { amounts = [], host } = entry.intent
  return amounts
    .filter(({ index }) => !isReleased(entry, index))
    .map(({ id, index, kind, unit, value }) => ({
      ...{ kind, unit, index, id, host },
      value: BigDecimal.unsafeFromString(value),
      at: latestExecution(entry.intent),
      execution: executionOf(entry)
    }))
}

/** Counts the writes of earlier processes, one step for each. */
export function* restore(ledger: Ledger, { entries, totals }: GuardedWrites): Generator<void> {
  for (const entry of entries) {
    ledger.restore(amountsOf(entry), entry.intent.id)
    yield
  }
  yield* ledger.restoreTotals(totals)
}
