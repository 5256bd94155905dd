import type { Entry, Intent, Outcome } from "../WriteEntry.js"

/** The open entries of a journal, and which of them belong to calls of this process that are not over. */
export interface JournalEntries {
  /** Adds entries of earlier processes. */
  readonly restore: (earlier: Iterable<Entry>) => void
  readonly begin: (intent: Intent) => void
  readonly end: (id: string, outcome: Outcome) => void
  /** The call of an entry is over, whether its outcome could be recorded or not. */
  readonly leave: (id: string) => void
  readonly has: (id: string) => boolean
  readonly all: () => ReadonlyArray<Entry>
  readonly open: () => ReadonlyArray<Entry>
}

export const make = (): JournalEntries => {
  const entries = new Map<string, Entry>()
  const inFlight = new Set<string>()
  return {
    restore: (earlier) => {
      for (const entry of earlier) entries.set(entry.intent.id, entry)
    },
    begin: (intent) => {
      inFlight.add(intent.id)
      entries.set(intent.id, { intent, outcome: undefined })
    },
    end: (id, outcome) => {
      const entry = entries.get(id)
      if (entry === undefined) return
      if (outcome._tag === "Unknown") entries.set(id, { ...entry, outcome })
      else entries.delete(id)
    },
    leave: (id) => void inFlight.delete(id),
    has: (id) => entries.has(id),
    all: () => [...entries.values()],
    open: () => [...entries.values()].filter(({ intent }) => !inFlight.has(intent.id))
  }
}
