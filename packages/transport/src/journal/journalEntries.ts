import { GuardedTotals, larger, sharedKey, totalsOf } from "./guardedTotals.js"
import type { Entry, GuardedTotal, GuardedWrites, Intent, Outcome, RecordedEntry } from "./WriteJournal.js"

/** The entries of a journal in memory: the open entries, and the sums of those that only a guard counts. */
export interface JournalEntries {
  /** Adds what earlier processes have recorded, one step for each. */
  readonly restore: (earlier: Iterable<RecordedEntry>, totals: Iterable<GuardedTotal>) => Iterable<void>
  readonly begin: (intent: Intent) => void
  readonly end: (id: string, outcome: Outcome) => void
  readonly has: (id: string) => boolean
  readonly open: () => ReadonlyArray<Entry>
  /** The sums of closed entries. */
  readonly totals: () => ReadonlyArray<GuardedTotal>
  readonly guarded: () => GuardedWrites
}

const keysOf = ({ amounts = [] }: Intent): ReadonlyArray<string> =>
  amounts.flatMap((amount) => {
    const key = amount.kind === "orders" ? sharedKey(amount) : undefined
    return key === undefined ? [] : [key]
  })

/**
 * `onChange` learns each amount of closed entries that is changed, and that counts no more if `isRemoved`. One function, because an entry, its sum and the
 * entries with the same id change together.
 */
export const make = (onChange: (total: GuardedTotal, isRemoved: boolean) => void = () => undefined): JournalEntries => {
  const entries = new Map<string, Entry>()
  const totals = new GuardedTotals(onChange)
  /** The open entries by the id of their order. */
  const openByKey = new Map<string, Set<string>>()
  /** Closed orders whose id an open entry has too. */
  const shared = new Map<string, GuardedTotal>()

  const add = (total: GuardedTotal) => {
    const key = total.kind === "orders" ? sharedKey(total) : undefined
    if (key === undefined || !(openByKey.has(key) || shared.has(key))) {
      totals.add(total)
      return
    }
    const largest = larger(shared.get(key), total)
    shared.set(key, largest)
    onChange(largest, false)
  }

  const setOpen = (entry: Entry) => {
    const { id } = entry.intent
    entries.set(id, entry)
    for (const key of keysOf(entry.intent)) {
      const ids = openByKey.get(key) ?? new Set()
      openByKey.set(key, ids.add(id))
    }
  }

  const close = (entry: RecordedEntry) => {
    const { at, host, id } = entry.intent
    if (entry.outcome?._tag === "Done") totals.reach(host, at)
    totalsOf(entry).forEach(add)
    for (const key of keysOf(entry.intent)) {
      const ids = openByKey.get(key)
      ids?.delete(id)
      if (ids !== undefined && ids.size > 0) continue
      openByKey.delete(key)
      const total = shared.get(key)
      shared.delete(key)
      if (total === undefined) continue
      onChange(total, true)
      totals.add(total)
    }
  }

  const end = (id: string, outcome: Outcome) => {
    const entry = entries.get(id)
    if (entry === undefined) return
    if (outcome._tag === "Unknown") {
      entries.set(id, { ...entry, outcome })
      return
    }
    entries.delete(id)
    close({ ...entry, outcome })
  }

  const open = () => [...entries.values()]
  const all = () => [...totals.all(), ...shared.values()]

  return {
    *restore(earlier, totals) {
      // All are open at first, so that closed entries with one id are one amount.
      for (const { intent, outcome } of earlier) {
        setOpen({ intent, outcome: outcome?._tag === "Unknown" ? outcome : undefined })
        yield
      }
      for (const total of totals) {
        add(total)
        yield
      }
      for (const { intent, outcome } of earlier) {
        if (outcome !== undefined) end(intent.id, outcome)
        yield
      }
    },
    begin: (intent) => {
      setOpen({ intent, outcome: undefined })
    },
    end,
    has: (id) => entries.has(id),
    open,
    totals: all,
    guarded: () => ({ entries: open().filter(({ intent }) => intent.amounts !== undefined), totals: all() })
  }
}
