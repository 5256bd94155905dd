import type { Entry, RecordedEntry, Intent, Outcome } from "./WriteJournal.js"

/** How long closed entries with amounts are kept: a day plus the maximum difference between clocks. */
const guardedFor = 25 * 3_600_000

/** The entries of a journal in memory: the open entries, and for a day those that a guard counts. */
export interface JournalEntries {
  /** Adds entries of earlier processes. */
  readonly restore: (earlier: Iterable<RecordedEntry>) => void
  readonly begin: (intent: Intent) => void
  readonly end: (id: string, outcome: Outcome) => void
  readonly has: (id: string) => boolean
  readonly open: () => ReadonlyArray<Entry>
  readonly guarded: (since: number) => ReadonlyArray<RecordedEntry>
  /** The entries that a later process needs. */
  readonly all: () => ReadonlyArray<RecordedEntry>
}

export const make = (): JournalEntries => {
  const entries = new Map<string, Entry>()
  const closed = new Map<string, RecordedEntry>()
  let newest = Number.NEGATIVE_INFINITY

  const close = (entry: RecordedEntry) => {
    if (entry.intent.amounts === undefined) return
    closed.set(entry.intent.id, entry)
    newest = Math.max(newest, entry.intent.at)
    for (const [id, { intent }] of closed) {
      if (intent.at >= newest - guardedFor) break
      closed.delete(id)
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
  const all = (): ReadonlyArray<RecordedEntry> => [...closed.values(), ...open()]

  return {
    restore: (earlier) => {
      for (const { intent, outcome } of earlier) {
        if (outcome === undefined || outcome._tag === "Unknown") entries.set(intent.id, { intent, outcome })
        else close({ intent, outcome })
      }
    },
    begin: (intent) => {
      entries.set(intent.id, { intent, outcome: undefined })
    },
    end,
    has: (id) => entries.has(id),
    open,
    guarded: (since) => all().filter(({ intent }) => intent.amounts !== undefined && intent.at >= since),
    all
  }
}
