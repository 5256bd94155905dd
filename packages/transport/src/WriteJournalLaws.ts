/**
 * The laws of a journal of writes, as effects that fail where a law is broken: for the tests of a journal of the application's own. They
 * use no test runner; every law is one test.
 *
 * ```ts
 * for (const { check, name } of WriteJournalLaws.of({ storage: myStorage, open: myJournal })) {
 *   it.scoped(name, () => check)
 * }
 * ```
 *
 * @since 0.1.0
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Entry, Intent, Operations, Outcome, WriteJournalFailed } from "./WriteEntry.js"

/**
 * A journal under test.
 *
 * @since 0.1.0
 * @category models
 */
export interface Subject<Storage, R = never> {
  /** A new and empty storage. */
  readonly storage: Effect.Effect<Storage, unknown, R | Scope.Scope>
  /** Opens the journal of a storage as a new process does. The process before may have been killed, and has not closed its journal. */
  readonly open: (storage: Storage) => Effect.Effect<Operations, unknown, R | Scope.Scope>
  /** A journal that was opened and whose storage cannot be written any more. Without it that law is left out. */
  readonly unwritable?: Effect.Effect<Operations, unknown, R | Scope.Scope> | undefined
}

/**
 * A law and its test.
 *
 * @since 0.1.0
 * @category models
 */
export interface Law<R = never> {
  readonly name: string
  readonly check: Effect.Effect<void, LawBroken, R | Scope.Scope>
}

/**
 * A journal does not keep a law.
 *
 * @since 0.1.0
 * @category failures
 */
export class LawBroken extends Data.TaggedError("LawBroken")<{ readonly law: string; readonly detail: string }> {
  override get message(): string {
    return `${this.law}: ${this.detail}`
  }
}

/** Opens the journal of one storage, each time as another process. */
type Open<R> = Effect.Effect<Operations, string, R | Scope.Scope>

type Check = <R>(open: Open<R>) => Effect.Effect<void, string, R | Scope.Scope>

const holds = (condition: boolean, detail: string): Effect.Effect<void, string> =>
  condition ? Effect.void : Effect.fail(detail)

const text = (value: unknown): string => JSON.stringify(value)

const same = (found: unknown, expected: unknown, what: string): Effect.Effect<void, string> =>
  holds(text(found) === text(expected), `expected ${what} ${text(expected)}, found ${text(found)}`)

const described = <A>(effect: Effect.Effect<A, WriteJournalFailed>): Effect.Effect<A, string> =>
  Effect.mapError(effect, ({ message }) => message)

const intentOf = (id: string, more: Partial<Intent> = {}): Intent => ({
  id,
  operation: "orders.create",
  host: "localhost:8080",
  key: "0123456789abcdef0123456789abcdef",
  parameters: { category: "linear", symbol: "BTCUSDT", orderLinkId: `link-${id}` },
  at: 1_700_000_000_000,
  recvWindow: 5_000,
  ...more
})

const begin = (journal: Operations, more: Partial<Intent> = {}): Effect.Effect<Intent, string> =>
  Effect.flatMap(journal.nextId, (id) => {
    const intent = intentOf(id, more)
    return Effect.as(described(journal.begin(intent)), intent)
  })

const end = (journal: Operations, { id }: Intent, outcome: Outcome) => described(journal.end(id, outcome))

const opened = (journal: Operations): Effect.Effect<ReadonlyArray<Entry>, string> =>
  Effect.map(described(journal.open), (entries) =>
    [...entries].sort((one, other) => (one.intent.id < other.intent.id ? -1 : 1))
  )

const ids = (journal: Operations): Effect.Effect<ReadonlyArray<string>, string> =>
  Effect.map(opened(journal), (entries) => entries.map(({ intent }) => intent.id))

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

const checks: Readonly<Record<string, Check>> = {
  "keeps an intent for the next process, verbatim": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const plain = yield* begin(first)
      const strange = yield* begin(first, { parameters: odd, uid: "1001", at: 0, recvWindow: 60_000 })
      const found = yield* opened(yield* open)
      yield* holds(found.length === 2, `expected 2 entries, found ${found.length}`)
      for (const intent of [plain, strange]) {
        const entry = found.find((entry) => entry.intent.id === intent.id)
        const sorted = (value: object) => Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
        yield* same(sorted(entry?.intent ?? {}), sorted(intent), "intent")
        yield* holds(entry?.outcome === undefined, "expected no outcome")
      }
    }),

  "does not list an entry whose call is under way": (open) =>
    Effect.gen(function* () {
      const journal = yield* open
      yield* begin(journal)
      yield* same(yield* ids(journal), [], "open entries")
    }),

  "closes an entry whose outcome is known, whatever it is": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      for (const outcome of closing) yield* end(first, yield* begin(first), outcome)
      yield* same(yield* ids(first), [], "open entries")
      yield* same(yield* ids(yield* open), [], "open entries of the next process")
    }),

  "keeps an entry open whose outcome is unknown, with what is known of it": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const { id } = yield* Effect.tap(begin(first), (intent) => end(first, intent, unknown))
      for (const journal of [first, yield* open, yield* open]) {
        const found = yield* opened(journal)
        yield* same(
          found.map(({ intent }) => intent.id),
          [id],
          "open entries"
        )
        const outcome = found[0]?.outcome
        yield* same([outcome?.failure, outcome?.retCode], [unknown.failure, unknown.retCode], "outcome")
      }
    }),

  "has one entry for a call that is sent again, with the time of its latest sending": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const intent = yield* begin(first)
      const at = intent.at + 1_234
      yield* described(first.begin({ ...intent, at }))
      const found = yield* opened(yield* open)
      yield* same(
        found.map(({ intent }) => [intent.id, intent.at]),
        [[intent.id, at]],
        "open entries"
      )
    }),

  "closes entries of earlier processes for good": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const [one, other] = [yield* begin(first), yield* begin(first)]
      const second = yield* open
      yield* end(second, one, { _tag: "Reconciled", executed: "yes", reason: "its look-up found it" })
      yield* same(yield* ids(second), [other.id], "open entries")
      yield* same(yield* ids(yield* open), [other.id], "open entries of the next process")
    }),

  "ignores an outcome of an entry that is closed or was never begun": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const closed = yield* begin(first)
      yield* end(first, closed, { _tag: "Done" })
      yield* end(first, closed, unknown)
      yield* end(first, intentOf("never-begun"), unknown)
      yield* same(yield* ids(first), [], "open entries")
      yield* same(yield* ids(yield* open), [], "open entries of the next process")
    }),

  "refuses the writes of a process once a later one has opened the journal": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const intent = yield* begin(first)
      const second = yield* open
      for (const late of [intent, intentOf(yield* first.nextId)]) {
        const result = yield* Effect.either(first.begin({ ...late, at: late.at + 1 }))
        yield* holds(result._tag === "Left", "expected the earlier process to be refused")
        if (result._tag === "Left") yield* same(result.left.reason, "TakenOver", "reason")
      }
      yield* begin(second)
    }),

  "keeps intents that are recorded side by side, each with an id of its own": (open) =>
    Effect.gen(function* () {
      const first = yield* open
      const begun = yield* Effect.replicateEffect(begin(first), 60, { concurrency: "unbounded" })
      const closed = begun.filter((_, index) => index % 2 === 0)
      yield* Effect.forEach(closed, (intent) => end(first, intent, { _tag: "Done" }), { concurrency: "unbounded" })
      const left = begun.filter((_, index) => index % 2 === 1)
      yield* same(yield* ids(yield* open), left.map(({ id }) => id).sort(), "open entries of the next process")
    })
}

const refuses = <R>(open: Open<R>): Effect.Effect<void, string, R | Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* open
    const attempted = <A>(operation: string, effect: Effect.Effect<A, WriteJournalFailed>) =>
      Effect.catchAllDefect(Effect.either(effect), (defect) => Effect.fail(`${operation} dies: ${String(defect)}`))
    const intent = intentOf(yield* journal.nextId)
    const begun = yield* attempted("begin", journal.begin(intent))
    yield* holds(begun._tag === "Left", "expected an intent that cannot be recorded to be refused")
    yield* attempted("end", journal.end(intent.id, { _tag: "NotSent", failure: "ConnectionFailed (WriteJournal)" }))
  })

/**
 * The laws that every journal keeps, and those of the abilities that it is said to have.
 *
 * @since 0.1.0
 * @category constructors
 */
export const of = <Storage, R>(subject: Subject<Storage, R>): ReadonlyArray<Law<R>> => {
  const { open, storage, unwritable } = subject
  const stated = Effect.mapError((error: unknown) => String(error))
  const law = (name: string, check: Effect.Effect<void, string, R | Scope.Scope>): Law<R> => ({
    name,
    check: Effect.mapError(check, (detail) => new LawBroken({ law: name, detail }))
  })
  return [
    ...Object.entries(checks).map(([name, check]) =>
      law(
        name,
        Effect.flatMap(stated(storage), (made) => check(stated(open(made))))
      )
    ),
    ...(unwritable === undefined
      ? []
      : [law("refuses an intent that cannot be recorded, and does not die", refuses(stated(unwritable)))])
  ]
}
