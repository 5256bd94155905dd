import type { Claim, Done, Entry, Export, Ledger, Ownership } from "@effect-venue/fleet/Ledger"
import { Effect, Option } from "effect"

type Check = (ledger: Ledger.Shape) => Effect.Effect<void, { readonly message: string } | string>

const text = (value: unknown): string => JSON.stringify(value)

const same = (found: unknown, expected: unknown, what: string): Effect.Effect<void, string> =>
  text(found) === text(expected)
    ? Effect.void
    : Effect.fail(`expected ${what} to be ${text(expected)}, found ${text(found)}`)

/** Fails where an effect does not fail with this tag. */
const refused = <A>(effect: Effect.Effect<A, { readonly _tag: string }>, tag: string, what: string) =>
  Effect.matchEffect(effect, {
    onFailure: (failure) => same(failure._tag, tag, `the failure of ${what}`),
    onSuccess: () => Effect.fail(`expected ${what} to be refused with ${tag}`)
  })

const now = 1_700_000_000_000

const entryOf = (account: string, part = "executions-linear", more: Partial<Entry> = {}): Entry => ({
  account,
  part,
  masterUid: account,
  egress: "a",
  isPaused: false,
  isOnce: false,
  from: 1,
  to: Option.none(),
  every: 1000,
  dueAt: now,
  pages: 10,
  millisPerPage: 100,
  ...more
})

/** A run that began at an instant: with `every` as of `entryOf` it is due again a second later. */
const begunAt = (startedAt: number, to = now): Done => ({
  now,
  startedAt,
  coverage: { from: 1, to, rows: 7, verdict: "complete", because: Option.none() },
  pages: 3
})

const registrar = { now, by: "a machine" }

const register = (ledger: Ledger.Shape, entries: ReadonlyArray<Entry>) => ledger.register(entries, registrar)

const claimOf = (ledger: Ledger.Shape, ownership: Ownership, busy: ReadonlyArray<string> = [], at = now) =>
  Effect.flatMap(
    ledger.claim(ownership, { now: at, busy }),
    Option.match({ onNone: () => Effect.fail("expected an export to be due"), onSome: Effect.succeed<Claim> })
  )

const namesOf = (exports: ReadonlyArray<Export>) => exports.map(({ account, part }) => `${account} ${part}`)

/** Claims everything that is due, one account after the other. */
const claimAll = (ledger: Ledger.Shape, ownership: Ownership, at = now) =>
  Effect.gen(function* () {
    const claims: Array<Claim> = []
    for (;;) {
      const claim = yield* ledger.claim(ownership, { now: at, busy: claims.map(({ account }) => account) })
      if (Option.isNone(claim)) return claims
      claims.push(claim.value)
    }
  })

/** What every ledger keeps to, by title: checks of a new and empty ledger. */
export const laws: Readonly<Record<string, Check>> = {
  "has the exports that were registered last, and no others": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("b"), entryOf("a", "transfers"), entryOf("a")])
      yield* same(namesOf(yield* ledger.exports), ["a executions-linear", "a transfers", "b executions-linear"], "all")
      yield* register(ledger, [entryOf("a"), entryOf("c", undefined, { egress: "z" })])
      yield* same(namesOf(yield* ledger.exports), ["a executions-linear", "c executions-linear"], "all")
      yield* same(
        [...(yield* ledger.assignments)].sort(),
        [
          ["a", "a"],
          ["c", "z"]
        ],
        "the assignments"
      )
    }),

  "returns what a registration removes, and lists it until it is registered again": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a", "x"), entryOf("a", "y"), entryOf("b"), entryOf("c")])
      const removed = yield* ledger.register([entryOf("a", "x"), entryOf("d")], { now: now + 1, by: "one" })
      yield* same(
        removed.map(({ account, part }) => `${account} ${part}`).sort(),
        ["a y", "b executions-linear", "c executions-linear"],
        "what was removed"
      )
      yield* same(
        yield* ledger.register([entryOf("a", "x"), entryOf("c")], { now: now + 2, by: "two" }),
        [{ account: "d", part: "executions-linear" }],
        "what was removed then"
      )
      const listed = (limit: number) =>
        Effect.map(ledger.removals(limit), (found) =>
          found.map(({ account, at, by, exports }) => [account, exports, at - now, by])
        )
      yield* same(
        yield* listed(10),
        [
          ["d", 1, 2, "two"],
          ["a", 1, 1, "one"],
          ["b", 1, 1, "one"]
        ],
        "the removals"
      )
      yield* same(yield* listed(1), [["d", 1, 2, "two"]], "the last removal")
    }),

  "keeps the results of an export that is registered again": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a")])
      const ownership = yield* ledger.own("a", "first")
      yield* ledger.done(yield* claimOf(ledger, ownership), begunAt(now + 4))
      yield* register(ledger, [entryOf("a", undefined, { dueAt: now + 99, pages: 99 })])
      const [row] = yield* ledger.exports
      yield* same([row?.dueAt, Option.getOrUndefined(row?.coverage ?? Option.none())?.rows], [now + 1004, 7], "the row")
    }),

  "registers more exports than one statement takes": (ledger) =>
    Effect.gen(function* () {
      yield* register(
        ledger,
        Array.from({ length: 500 }, (_, index) => entryOf(`account-${index}`))
      )
      yield* same((yield* ledger.exports).length, 500, "the number of exports")
    }),

  "gives every ownership of an address a higher epoch, and each address its own": (ledger) =>
    Effect.gen(function* () {
      const epochs = [
        yield* ledger.own("a", "first"),
        yield* ledger.own("a", "second"),
        yield* ledger.own("a", "first")
      ]
      for (const [index, { epoch }] of epochs.entries()) {
        const before = epochs[index - 1]
        if (before !== undefined && epoch <= before.epoch)
          return yield* Effect.fail(`epoch ${epoch} follows ${before.epoch}`)
      }
      yield* ledger.own("b", "third")
      const last = epochs[2]
      if (last !== undefined) yield* ledger.check(last)
    }),

  "gives owners that begin at once different epochs": (ledger) =>
    Effect.gen(function* () {
      const owners = Array.from({ length: 8 }, (_, index) => ledger.own("a", `owner-${index}`))
      const epochs = yield* Effect.all(owners, { concurrency: "unbounded" })
      yield* same(new Set(epochs.map(({ epoch }) => epoch)).size, 8, "the number of epochs")
    }),

  "tells an owner what the one before had used of the limits at its end, and no other": (ledger) =>
    Effect.gen(function* () {
      const usageOf = (ownership: Ownership) =>
        Effect.map(ledger.leftUsage(ownership), (usage) => [
          ...Option.getOrElse(usage, () => new Map([["unknown", 0]]))
        ])
      const first = yield* ledger.own("a", "first")
      yield* same(yield* usageOf(first), [["unknown", 0]], "the usage before the first owner")
      yield* ledger.leave(first, new Map([["a limit", 7]]))
      yield* same(yield* usageOf(yield* ledger.own("b", "other")), [["unknown", 0]], "the usage of another address")
      const second = yield* ledger.own("a", "second")
      yield* same(yield* usageOf(second), [["a limit", 7]], "the usage after a clean end")
      yield* ledger.leave(first, new Map())
      yield* same(yield* usageOf(second), [["a limit", 7]], "the usage after a note of an earlier owner")
      const third = yield* ledger.own("a", "third")
      yield* same(yield* usageOf(third), [["unknown", 0]], "the usage after an owner without a clean end")
      yield* same(yield* usageOf(second), [["unknown", 0]], "the usage for an owner that is over")
    }),

  "refuses every write of an earlier owner": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a"), entryOf("b")])
      const before = yield* ledger.own("a", "first")
      const claim = yield* claimOf(ledger, before)
      const after = yield* ledger.own("a", "second")
      yield* refused(ledger.check(before), "NotOwner", "a check")
      yield* refused(ledger.claim(before, { now, busy: [] }), "NotOwner", "a claim")
      yield* refused(ledger.report(before, { now, callsPerSecond: 1 }), "NotOwner", "a report")
      yield* refused(ledger.holds(claim), "NotOwner", "a claim that is looked at")
      yield* refused(ledger.done(claim, begunAt(now)), "NotOwner", "a result")
      yield* refused(ledger.failed(claim, { retryAt: now, failure: "x" }), "NotOwner", "a failure")
      yield* refused(ledger.stop(claim, { failure: "x", scope: "account" }), "NotOwner", "a stop")
      yield* refused(ledger.release(claim), "NotOwner", "a release")
      yield* ledger.check(after)
      const found = yield* ledger.exports
      yield* same(
        found.map(({ attempts, state }) => [state, attempts]),
        [
          ["waiting", 0],
          ["waiting", 0]
        ],
        "the rows"
      )
    }),

  "refuses the result of an earlier owner also when a later one runs the same export": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a")])
      const claim = yield* claimOf(ledger, yield* ledger.own("a", "first"))
      const second = yield* claimOf(ledger, yield* ledger.own("a", "second"))
      yield* refused(ledger.done(claim, begunAt(now)), "NotOwner", "a result")
      yield* ledger.holds(second)
      yield* ledger.done(second, begunAt(now + 1))
      yield* same((yield* ledger.exports)[0]?.dueAt, now + 1001, "the due date")
    }),

  "gives what an earlier owner was running to the next one": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a"), entryOf("b")])
      const claims = yield* claimAll(ledger, yield* ledger.own("a", "first"))
      const again = yield* claimAll(ledger, yield* ledger.own("a", "second"))
      yield* same(
        again.map(({ account }) => account),
        claims.map(({ account }) => account),
        "the claims"
      )
    }),

  "claims an export once": (ledger) =>
    Effect.gen(function* () {
      yield* register(
        ledger,
        Array.from({ length: 6 }, (_, index) => entryOf(`account-${index}`))
      )
      const ownership = yield* ledger.own("a", "first")
      const claims = yield* Effect.all(
        Array.from({ length: 8 }, () => ledger.claim(ownership, { now, busy: [] })),
        { concurrency: "unbounded" }
      )
      const accounts = claims.flatMap((claim) => Option.toArray(claim)).map(({ account }) => account)
      yield* same([accounts.length, new Set(accounts).size], [6, 6], "the claims")
    }),

  "gives back what an owner has claimed and does not run, and nothing else": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a"), entryOf("b"), entryOf("c", undefined, { egress: "b" })])
      const ownership = yield* ledger.own("a", "first")
      const lost = yield* claimOf(ledger, ownership)
      const kept = yield* claimOf(ledger, ownership)
      const elsewhere = yield* claimOf(ledger, yield* ledger.own("b", "first"))
      yield* same(yield* ledger.reclaim(ownership, { busy: ["b"] }), 1, "the number of exports")
      yield* refused(ledger.holds(lost), "ClaimLost", "a claim that was given back")
      yield* ledger.holds(kept)
      yield* ledger.holds(elsewhere)
      const again = yield* claimOf(ledger, ownership, ["b"])
      yield* same([lost.account, again.account, again.attempts], ["a", "a", 0], "the claim")
      yield* ledger.own("a", "second")
      yield* same(yield* ledger.reclaim(ownership, { busy: [] }), 0, "the number of exports of an earlier owner")
    }),

  "claims what is due, has its address, is not paused and not busy, the longest first": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [
        entryOf("short", undefined, { pages: 1 }),
        entryOf("long", undefined, { pages: 100 }),
        entryOf("busy", undefined, { pages: 1000 }),
        entryOf("later", undefined, { dueAt: now + 1 }),
        entryOf("paused", undefined, { isPaused: true }),
        entryOf("elsewhere", undefined, { egress: "b" })
      ])
      const ownership = yield* ledger.own("a", "first")
      const first = yield* claimOf(ledger, ownership, ["busy"])
      const second = yield* claimOf(ledger, ownership, ["busy"])
      yield* same([first.account, second.account], ["long", "short"], "the claims")
      yield* same(Option.isNone(yield* ledger.claim(ownership, { now, busy: ["busy"] })), true, "no third one")
      yield* same(Option.getOrUndefined(yield* ledger.nextDue(ownership, { busy: ["busy"] })), now + 1, "the next")
      yield* same((yield* claimOf(ledger, ownership)).account, "busy", "the claim without it")
    }),

  "counts consecutive failures, and shows the last one until the export is done": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a")])
      const ownership = yield* ledger.own("a", "first")
      yield* ledger.failed(yield* claimOf(ledger, ownership), { retryAt: now + 10, failure: "no answer" })
      yield* same(Option.isNone(yield* ledger.claim(ownership, { now, busy: [] })), true, "no claim before the retry")
      const [row] = yield* ledger.troubled(10)
      yield* same(
        [row?.attempts, Option.getOrUndefined(row?.lastFailure ?? Option.none())],
        [1, "no answer"],
        "the row"
      )
      yield* same(
        [
          Option.getOrUndefined(yield* ledger.nextDue(ownership, { busy: [], retriesBelow: 2 })),
          Option.isNone(yield* ledger.nextDue(ownership, { busy: [], retriesBelow: 1 }))
        ],
        [now + 10, true],
        "the next retry"
      )
      const claim = yield* claimOf(ledger, ownership, [], now + 10)
      yield* same(claim.attempts, 1, "the attempts of the claim")
      yield* ledger.done(claim, begunAt(now + 19))
      yield* same((yield* ledger.troubled(10)).length, 0, "the number of exports in trouble")
    }),

  "stops one export, or all of an account and of no other": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [
        entryOf("a", "x"),
        entryOf("a", "y"),
        entryOf("b", "x"),
        entryOf("c", "x"),
        entryOf("c", "y")
      ])
      const ownership = yield* ledger.own("a", "first")
      yield* ledger.stop(yield* claimOf(ledger, ownership), { failure: "bad key", scope: "account" })
      yield* ledger.stop(yield* claimOf(ledger, ownership, ["b"]), { failure: "no right", scope: "export" })
      const found = yield* ledger.exports
      yield* same(
        found.map(({ state }) => state),
        ["stopped", "stopped", "waiting", "stopped", "waiting"],
        "the states"
      )
      yield* register(ledger, [entryOf("a", "x"), entryOf("a", "y"), entryOf("b", "x")])
      yield* same((yield* claimAll(ledger, ownership)).length, 2, "the claims after it was registered again")
    }),

  "finishes an export that is to run once": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a", undefined, { isOnce: true })])
      const ownership = yield* ledger.own("a", "first")
      yield* ledger.done(yield* claimOf(ledger, ownership), begunAt(now))
      yield* register(ledger, [entryOf("a", undefined, { isOnce: true })])
      yield* same(Option.isNone(yield* ledger.nextDue(ownership, { busy: [] })), true, "nothing due")
      yield* same((yield* ledger.exports)[0]?.state, "finished", "the state")
      yield* register(ledger, [entryOf("a")])
      yield* same((yield* claimOf(ledger, ownership, [], now + 1000)).account, "a", "what is not to run once any more")
    }),

  "finishes only what covers its range": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a", undefined, { isOnce: true, to: Option.some(now + 1) })])
      const ownership = yield* ledger.own("a", "first")
      yield* ledger.done(yield* claimOf(ledger, ownership), begunAt(now))
      yield* same((yield* ledger.exports)[0]?.state, "waiting", "the state of one that ends too early")
      yield* ledger.done(yield* claimOf(ledger, ownership, [], now + 1000), begunAt(now, now + 1))
      yield* same((yield* ledger.exports)[0]?.state, "finished", "the state of one that covers it")
    }),

  "runs an export at once whose range has changed, also one that was finished": (ledger) =>
    Effect.gen(function* () {
      const closed = (to: number) => entryOf("closed", undefined, { isOnce: true, to: Option.some(to) })
      yield* register(ledger, [closed(now), entryOf("open"), entryOf("same")])
      const ownership = yield* ledger.own("a", "first")
      for (const claim of yield* claimAll(ledger, ownership)) yield* ledger.done(claim, begunAt(now))
      const later = { dueAt: now + 10 }
      yield* register(ledger, [
        { ...closed(now + 5), ...later },
        entryOf("open", undefined, { from: 0, ...later }),
        entryOf("same", undefined, later)
      ])
      const claims = yield* claimAll(ledger, ownership, now + 10)
      yield* same(claims.map(({ account }) => account).sort(), ["closed", "open"], "the claims")
    }),

  "is due by the period that was declared last": (ledger) =>
    Effect.gen(function* () {
      const every = (every: number) => entryOf("a", undefined, { every })
      yield* register(ledger, [every(1000)])
      const ownership = yield* ledger.own("a", "first")
      const claim = yield* claimOf(ledger, ownership)
      yield* register(ledger, [every(500)])
      yield* ledger.done(claim, begunAt(now))
      yield* same((yield* ledger.exports)[0]?.dueAt, now + 500, "the due date of one that ran meanwhile")
      yield* register(ledger, [every(200)])
      yield* same((yield* ledger.exports)[0]?.dueAt, now + 200, "the due date of one that waits")
      yield* ledger.failed(yield* claimOf(ledger, ownership, [], now + 200), { retryAt: now + 900, failure: "x" })
      yield* register(ledger, [every(100)])
      yield* same((yield* ledger.exports)[0]?.dueAt, now + 900, "the due date of one that is to be repeated")
    }),

  "takes an export that is moved, paused, removed or given another range from its run": (ledger) =>
    Effect.gen(function* () {
      const names = ["longer", "moved", "paused", "removed", "resumed", "stays"]
      const all = names.map((name) => entryOf(name))
      yield* register(ledger, all)
      const claims = yield* claimAll(ledger, yield* ledger.own("a", "first"))
      yield* register(ledger, [
        entryOf("longer", undefined, { from: 0 }),
        entryOf("moved", undefined, { egress: "b" }),
        entryOf("paused", undefined, { isPaused: true }),
        entryOf("resumed"),
        entryOf("stays")
      ])
      yield* ledger.setPaused("resumed", true)
      yield* ledger.setPaused("resumed", false)
      for (const claim of claims) {
        if (claim.account === "stays") yield* ledger.done(claim, begunAt(now))
        else yield* refused(ledger.done(claim, begunAt(now)), "ClaimLost", `the result of ${claim.account}`)
      }
    }),

  "resumes what was paused where it was": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a")])
      const ownership = yield* ledger.own("a", "first")
      yield* same(yield* ledger.setPaused("unknown", true), false, "whether there is an unknown account")
      yield* same(yield* ledger.setPaused("a", true), true, "whether there is the account")
      yield* same(Option.isNone(yield* ledger.claim(ownership, { now, busy: [] })), true, "no claim")
      yield* ledger.setPaused("a", false)
      yield* same((yield* claimOf(ledger, ownership)).account, "a", "the claim")
    }),

  "releases a claim as it was": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [entryOf("a")])
      const ownership = yield* ledger.own("a", "first")
      const claim = yield* claimOf(ledger, ownership)
      yield* ledger.release(claim)
      const again = yield* claimOf(ledger, ownership)
      yield* same([again.dueAt, again.attempts], [claim.dueAt, claim.attempts], "the claim")
      yield* refused(ledger.done(claim, begunAt(now)), "ClaimLost", "the result of the released run")
    }),

  "sums up each address": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [
        entryOf("a", "x"),
        entryOf("a", "y", { pages: 20 }),
        entryOf("b", "x", { dueAt: now + 1 }),
        entryOf("c", "x", { egress: "b", isPaused: true })
      ])
      const ownership = yield* ledger.own("a", "first")
      yield* claimOf(ledger, ownership)
      yield* ledger.report(ownership, { now: now + 3, callsPerSecond: 2.5 })
      const [a, b] = yield* ledger.summary(now)
      yield* same(
        [a?.egress, a?.accounts, a?.exports, a?.running, a?.due, a?.done, a?.pages, a?.callsPerSecond],
        ["a", 2, 3, 1, 1, 1, 30, 2.5],
        "the numbers of a"
      )
      yield* same(Option.getOrUndefined(a?.seenAt ?? Option.none()), now + 3, "when its owner was seen")
      yield* same(Option.getOrUndefined(a?.owner ?? Option.none()), "first", "its owner")
      yield* same([b?.egress, b?.paused, b?.due, b?.epoch], ["b", 1, 0, 0], "the numbers of b")
    }),

  "has the exports that are longest without a complete run first, and neither paused nor finished ones": (ledger) =>
    Effect.gen(function* () {
      yield* register(ledger, [
        entryOf("complete"),
        entryOf("incomplete"),
        entryOf("often", undefined, { every: 10 }),
        entryOf("once", undefined, { isOnce: true }),
        entryOf("paused", undefined, { isPaused: true }),
        entryOf("stopped-a"),
        entryOf("stopped-a", "transfers"),
        entryOf("stopped-b")
      ])
      const claims = yield* claimAll(ledger, yield* ledger.own("a", "me"), now + 50)
      for (const claim of claims) {
        const done = begunAt(now + 20)
        const coverage = { ...done.coverage, verdict: "incomplete" as const }
        if (claim.account.startsWith("stopped")) yield* ledger.stop(claim, { failure: "no right", scope: "account" })
        else if (claim.account === "incomplete") yield* ledger.done(claim, { ...done, coverage })
        else if (claim.account !== "often") yield* ledger.done(claim, done)
      }
      const ages = yield* ledger.ages(5)
      yield* same(
        ages.map(({ account, completeAt, every, part }) => [account, part, completeAt - now, every]),
        [
          ["often", "executions-linear", 0, 10],
          ["incomplete", "executions-linear", 0, 1000],
          ["stopped-a", "executions-linear", 0, 1000],
          ["stopped-a", "transfers", 0, 1000],
          ["stopped-b", "executions-linear", 0, 1000]
        ],
        "the ages"
      )
      yield* same(
        (yield* ledger.ages(10)).map(({ account, completeAt }) => [account, completeAt - now]).at(-1),
        ["complete", 20],
        "the last"
      )
      const [summary] = yield* ledger.summary(now)
      yield* same([summary?.stopped, summary?.stoppedAccounts], [3, 2], "what is stopped")
    })
}
