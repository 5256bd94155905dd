import type { Entry, Intent, Outcome } from "../../WriteEntry.js"

/** The open entries of a journal. */
export interface JournalEntries {
  /** Adds entries of earlier processes. */
  readonly restore: (earlier: Iterable<Entry>) => void
  readonly begin: (intent: Intent) => void
  readonly end: (id: string, outcome: Outcome) => void
  readonly has: (id: string) => boolean
  readonly all: () => ReadonlyArray<Entry>
}

export const make = (): JournalEntries => {
  const entries = new Map<string, Entry>()
  return {
    restore: (earlier) => {
      for (const entry of earlier) entries.set(entry.intent.id, entry)
    },
    begin: (intent) => {
      entries.set(intent.id, { intent, outcome: undefined })
    },
    end: (id, outcome) => {
      const entry = entries.get(id)
      if (entry === undefined) return
      if (outcome._tag === "Unknown") entries.set(id, { ...entry, outcome })
      else entries.delete(id)
    },
    has: (id) => entries.has(id),
    all: () => [...entries.values()]
  }
}
