import * as journalEntries from "../../src/journal/journalEntries.js"
import type {
  GuardedAmount,
  GuardedWrites,
  Intent,
  Operations,
  Outcome,
  WriteJournalFailed
} from "../../src/journal/WriteJournal.js"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect, Either, type Scope } from "effect"

type Needed = NodeContext.NodeContext | Scope.Scope

export interface Subject<Storage> {
  /** A new and empty storage. */
  readonly storage: Effect.Effect<Storage, unknown, Needed>
  /** Opens the journal of a storage as a new process does. The process before was killed perhaps, and has not closed its journal. */
  readonly open: (storage: Storage) => Effect.Effect<Operations, unknown, Needed>
  /** A journal that was opened and whose storage cannot be written any more. */
  readonly unwritable: Effect.Effect<Operations, unknown, Needed>
  /** Opens the journal of a storage that can be read, and not written while `isFull`. */
  readonly full?: (storage: Storage, isFull: () => boolean) => Effect.Effect<Operations, unknown, Needed>
}

export const intent = (id: string, more: Partial<Intent> = {}): Intent => ({
  id,
  operation: "orders.create",
  host: "localhost:8080",
  key: "0123456789abcdef0123456789abcdef",
  parameters: { category: "linear", symbol: "BTCUSDT", orderLinkId: `link-${id}` },
  at: 1_700_000_000_000,
  recvWindow: 5_000,
  ...more
})

const begin = (journal: Operations, more: Partial<Intent> = {}): Effect.Effect<Intent, WriteJournalFailed> =>
  Effect.flatMap(journal.nextId, (id) => Effect.as(journal.begin(intent(id, more)), intent(id, more)))

export const idsOf = ({ open }: Operations): Effect.Effect<ReadonlyArray<string>, WriteJournalFailed> =>
  Effect.map(open, (entries) => entries.map(({ intent }) => intent.id).sort())

/** What a guard counts, with the closed entries in the sums. */
const sumGuarded = ({ entries, totals }: GuardedWrites): GuardedWrites => {
  const sums = journalEntries.make()
  Array.from(sums.restore(entries, totals))
  return sums.guarded()
}

const unknown: Outcome = { _tag: "Unknown", failure: "ConnectionFailed (Timeout)", retCode: 10016 }

const closing: ReadonlyArray<Outcome> = [
  { _tag: "Done" },
  { _tag: "Done", codes: [0, 110007] },
  { _tag: "Refused", failure: "Rejected (InsufficientBalance)", retCode: 110007 },
  { _tag: "NotSent", failure: "ConnectionFailed (Connection)" },
  { _tag: "Reconciled", executed: "unknowable", reason: "it has no id" }
]

const odd = {
  symbol: 'ünïcode "quoted" \u2028 back\\slash\nnew line \u0000',
  request: [{ qty: "0.10" }],
  positionIdx: 0
}

type Test = (open: Effect.Effect<Operations, unknown, Needed>) => Effect.Effect<void, unknown, Needed>

/** `open` opens the journal of one storage, each time as another process. */
const tests: Readonly<Record<string, Test>> = {
  "keeps an intent for the next process, verbatim": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const plain = yield* begin(first)
      const strange = yield* begin(first, { parameters: odd, uid: "1001", at: 0, recvWindow: 60_000 })
      const found = yield* (yield* open).open
      const byTime = [...found].sort((a, b) => b.intent.at - a.intent.at)
      expect(byTime).toEqual([plain, strange].map((intent) => ({ intent, outcome: undefined })))
    }),

  "does not list an entry whose call is under way": (open) =>
    Effect.gen(function* () {
      const journal = yield* open
      yield* begin(journal)
      expect(yield* idsOf(journal)).toEqual([])
    }),

  "closes an entry whose outcome is known, whatever it is": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      for (const outcome of closing) yield* first.end((yield* begin(first)).id, outcome)
      expect(yield* idsOf(first)).toEqual([])
      expect(yield* idsOf(yield* open)).toEqual([])
    }),

  "keeps an entry open whose outcome is unknown, with what is known of it": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const { id } = yield* begin(first)
      yield* first.end(id, unknown)
      for (const journal of [first, yield* open]) {
        expect(yield* journal.open).toMatchObject([{ intent: { id }, outcome: unknown }])
      }
    }),

  "has one entry for a call that is sent again, with the time of its latest sending": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      // A clock that was ahead has signed the first attempt of an entry later than the second.
      const sentAgain = yield* Effect.forEach([1_234, -86_400_000], (later) =>
        Effect.gen(function* () {
          const begun = yield* begin(first)
          const again = { ...begun, at: begun.at + later }
          yield* first.begin(again)
          return again
        })
      )
      const found = yield* (yield* open).open
      const byTime = found.map(({ intent }) => intent).toSorted((left, right) => right.at - left.at)
      expect(byTime).toEqual(sentAgain)
    }),

  "closes entries of earlier processes for good": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const [closed, left] = [yield* begin(first), yield* begin(first)]
      const second = yield* open
      yield* second.end(closed.id, { _tag: "Reconciled", executed: "yes", reason: "its look-up found it" })
      expect(yield* idsOf(second)).toEqual([left.id])
      expect(yield* idsOf(yield* open)).toEqual([left.id])
    }),

  "ignores an outcome of an entry that is closed or was never begun": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const { id } = yield* begin(first)
      yield* first.end(id, { _tag: "Done" })
      yield* first.end(id, unknown)
      yield* first.end("never-begun", unknown)
      expect(yield* idsOf(first)).toEqual([])
      expect(yield* idsOf(yield* open)).toEqual([])
    }),

  "keeps the amounts that a guard counts for the next process: of open entries, and sums of closed ones by minute": (
    open
  ) =>
    Effect.gen(function* () {
      const first = yield* open
      const at = 60_000 * Math.ceil(intent("w").at / 60_000)
      const guarded = (later: number, amount: Partial<GuardedAmount> = {}) =>
        begin(first, {
          at: at + later,
          recvWindow: 5_000,
          amounts: [{ kind: "orders", unit: "USDT", value: "12.50", index: 0, ...amount }]
        })
      const opened = yield* guarded(0)
      yield* begin(first)
      yield* first.end((yield* begin(first)).id, { _tag: "Done" })
      for (const later of [1, 2, 60_000]) yield* first.end((yield* guarded(later)).id, { _tag: "Done" })
      yield* first.end((yield* guarded(3)).id, { _tag: "Done", codes: [110007] })
      yield* first.end((yield* guarded(4)).id, { _tag: "NotSent", failure: "ConnectionFailed (Connection)" })
      const transfer = { kind: "transfers", unit: "BTC", id: "t-1" } as const
      yield* first.end((yield* guarded(5, { ...transfer, value: "2" })).id, { _tag: "Done" })
      yield* first.end((yield* guarded(6, { ...transfer, value: "1" })).id, { _tag: "Done" })
      yield* first.end((yield* guarded(7, { ...transfer, value: "9" })).id, { _tag: "Refused", failure: "Rejected" })
      const host = opened.host
      for (const journal of [first, yield* open, yield* open]) {
        const { entries, totals } = sumGuarded(yield* journal.guarded)
        expect(entries).toEqual([{ intent: opened, outcome: undefined }])
        expect(totals.toSorted((left, right) => left.at - right.at)).toEqual([
          { host, kind: "transfers", unit: "BTC", value: "2", at: at + 6_006, id: "t-1" },
          { host, kind: "orders", unit: "USDT", value: "25", at: at + 60_000 },
          { host, kind: "orders", unit: "USDT", value: "12.50", at: at + 120_000 }
        ])
      }
    }),

  "counts two calls of an order as one, at the larger amount, as long as one of them is open": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const order = (value: string) =>
        begin(first, { amounts: [{ kind: "orders", unit: "USDT", value, index: 0, id: "o-1" }] })
      const [lost, done] = [yield* order("10"), yield* order("30")]
      yield* first.end(done.id, { _tag: "Done" })
      const second = yield* open
      const before = sumGuarded(yield* second.guarded)
      expect(before.totals.map(({ id, value }) => [id, value])).toEqual([["o-1", "30"]])
      yield* second.end(lost.id, { _tag: "Reconciled", executed: "yes", reason: "listed" })
      for (const journal of [second, yield* open]) {
        const { entries, totals } = sumGuarded(yield* journal.guarded)
        expect([entries, totals.map(({ id, value }) => [id, value])]).toEqual([[], [[undefined, "30"]]])
      }
    }),

  "forgets the amounts of a host a day after its clock has passed them, and by no other clock": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const { at } = intent("w")
      const write = (later: number, outcome: Outcome, host: string) =>
        Effect.flatMap(
          begin(first, { at: at + later, host, amounts: [{ kind: "orders", unit: "USDT", value: "1", index: 0 }] }),
          ({ id }) => first.end(id, outcome)
        )
      const week = 7 * 86_400_000
      yield* write(0, { _tag: "Done" }, "a.test")
      yield* write(week, { _tag: "NotSent", failure: "ClockSkew" }, "a.test")
      yield* write(week, { _tag: "Done" }, "b.test")
      const hosts = (journal: Operations) =>
        Effect.map(journal.guarded, (guarded) =>
          sumGuarded(guarded)
            .totals.map(({ host }) => host)
            .toSorted()
        )
      expect(yield* hosts(yield* open)).toEqual(["a.test", "b.test"])
      const last = yield* open
      const { id } = yield* begin(last, { at: at + week, host: "a.test", amounts: [] })
      yield* last.end(id, { _tag: "Done" })
      expect(yield* hosts(last)).toEqual(["b.test"])
    }),

  "refuses the writes of a process once a later one has opened the journal": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const begun = yield* begin(first)
      const second = yield* open
      for (const id of [begun.id, yield* first.nextId]) {
        const refused = yield* Effect.flip(first.begin(intent(id, { at: begun.at + 1 })))
        expect(refused.reason).toBe("TakenOver")
      }
      yield* begin(second)
    }),

  "keeps intents that are recorded side by side, each with an id of its own": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const begun = yield* Effect.replicateEffect(begin(first), 60, { concurrency: "unbounded" })
      const closed = begun.filter((_, index) => index % 2 === 0)
      yield* Effect.forEach(closed, ({ id }) => first.end(id, { _tag: "Done" }), { concurrency: "unbounded" })
      const left = begun.filter((intent) => !closed.includes(intent))
      expect(new Set(begun.map(({ id }) => id)).size).toBe(60)
      expect(yield* idsOf(yield* open)).toEqual(left.map(({ id }) => id).sort())
    })
}

/** `full` opens the journal of one storage as another process, which can write it only while the result of `isFull` is `false`. */
const testsOnFullDisk: Readonly<
  Record<
    string,
    (
      open: Effect.Effect<Operations, unknown, Needed>,
      full: (isFull: () => boolean) => Effect.Effect<Operations, unknown, Needed>
    ) => Effect.Effect<void, unknown, Needed>
  >
> = {
  "is opened on a full disk to read it, and records again when there is space": (open, full) =>
    Effect.gen(function* () {
      const first = yield* open
      const [left, closed] = [yield* begin(first), yield* begin(first)]
      let isFull = true
      // Processes that start again and again, as under a supervisor.
      yield* full(() => true)
      const second = yield* full(() => isFull)
      const ids = [left.id, closed.id].sort()
      expect(yield* idsOf(second)).toEqual(ids)
      const id = yield* second.nextId
      expect(yield* Effect.flip(second.begin(intent(id)))).toMatchObject({ reason: "Storage" })
      yield* Effect.ignore(second.end(id, { _tag: "NotSent", failure: "ConnectionFailed (WriteJournal)" }))
      expect(yield* Effect.flip(second.end(closed.id, { _tag: "Done" }))).toMatchObject({ reason: "Storage" })
      expect(yield* idsOf(second)).toEqual(ids)
      isFull = false
      yield* second.end(closed.id, { _tag: "Done" })
      const later = yield* begin(second)
      expect(yield* Effect.flip(first.begin(intent(left.id)))).toMatchObject({ reason: "TakenOver" })
      expect(yield* idsOf(yield* open)).toEqual([left.id, later.id].sort())
    }),

  "records nothing after a full disk if a later process has opened the journal": (open, full) =>
    Effect.gen(function* () {
      const left = yield* begin(yield* open)
      let isFull = true
      const second = yield* full(() => isFull)
      const third = yield* open
      isFull = false
      for (const attempt of [second.begin(intent("late")), second.end(left.id, { _tag: "Done" })]) {
        expect(yield* Effect.flip(attempt)).toMatchObject({ reason: "TakenOver" })
      }
      yield* begin(third)
      expect(yield* idsOf(third)).toEqual([left.id])
    })
}

/** Registers the tests that every journal passes. */
export const testsOf = <Storage>({ full, open, storage, unwritable }: Subject<Storage>): void => {
  for (const [name, test] of Object.entries(tests)) {
    it.scopedLive(name, () =>
      Effect.provide(
        Effect.flatMap(storage, (made) => test(open(made))),
        NodeContext.layer
      )
    )
  }

  for (const [name, test] of full === undefined ? [] : Object.entries(testsOnFullDisk)) {
    it.scopedLive(name, () =>
      Effect.provide(
        Effect.flatMap(storage, (made) => test(open(made), (isFull) => full?.(made, isFull) ?? open(made))),
        NodeContext.layer
      )
    )
  }

  it.scopedLive("refuses an intent that cannot be recorded, and does not die", () =>
    Effect.gen(function* () {
      const journal = yield* unwritable
      const id = yield* journal.nextId
      expect(Either.isLeft(yield* Effect.either(journal.begin(intent(id))))).toBe(true)
      yield* Effect.either(journal.end(id, { _tag: "NotSent", failure: "ConnectionFailed (WriteJournal)" }))
    }).pipe(Effect.provide(NodeContext.layer))
  )
}
