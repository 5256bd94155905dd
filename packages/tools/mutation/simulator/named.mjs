/**
 * Plausible mistakes, each as a replacement in the text of one module. `from` has to occur there exactly once: a mutant whose
 * text has changed is an error, not a success.
 */
export const named = [
  {
    name: "error codes without a system call count as not sent",
    workloads: ["calls"],
    file: "transport/src/response/connection.ts",
    from: `  if (typeof syscall === "string") return connecting.has(syscall) ? "before sending" : "unknown"`,
    to: `  if (code === "ECONNREFUSED" || code === "EHOSTUNREACH" || connecting.has(String(syscall))) return "before sending"`
  },
  {
    name: "only the last sending decides whether a write may have been executed",
    workloads: ["calls"],
    file: "transport/src/attempt/outcome.ts",
    from: `        call.sendings,
        head(call),`,
    to: `        call.sendings.slice(-1),
        head(call),`
  },
  {
    name: "slots of a batch are not compared with the orders in their places",
    workloads: ["calls"],
    file: "services/src/calls/batchSlots.ts",
    from: `if (slot === undefined || places.has(index)) return unclear`,
    to: `if (slot === undefined) return unclear`
  },
  {
    name: "windows by the wall clock",
    workloads: ["calls"],
    file: "transport/src/time/monotonic.ts",
    from: `number => unsafeMicros(clock) / 1000`,
    to: `number => clock.unsafeCurrentTimeMillis()`
  },
  {
    name: "the gate is not looked at again before bytes leave",
    workloads: ["calls"],
    file: "transport/src/call/attempt.ts",
    from: `  if (closedUntil > 0) return yield* stopByBan(sending, closedUntil)
  if (signed`,
    to: `  if (signed`
  },
  {
    name: "the place of the probe is free again at once",
    workloads: ["calls"],
    file: "transport/src/stores/ban.ts",
    from: "leaseEnd: now + this.lease }",
    to: "leaseEnd: now }"
  },
  {
    name: "the service's clock is not learnt from a refused timestamp",
    workloads: ["calls"],
    file: "transport/src/call/reading.ts",
    from: `isRefusedWith(reading, "ClockSkew") ? clock.reset : clock.learn`,
    to: `isRefusedWith(reading, "ClockSkew") ? () => Effect.void : clock.learn`
  },
  {
    name: "the place of an interrupted call is free at once",
    workloads: ["calls"],
    file: "transport/src/attempt/sending.ts",
    from: `    ? Math.max(phase.sentAt + journey - now, 0)`,
    to: `    ? 0`
  },
  {
    name: "writes are sent again after a lost connection",
    workloads: ["calls"],
    file: "transport/src/model/RetryPolicy.ts",
    from: `      return safety !== "write" || !failure.sent`,
    to: `      return safety !== "read" || !failure.sent`
  },
  {
    name: "a ban whose answer breaks off is not taken for one",
    workloads: ["calls"],
    file: "transport/src/response/verdict.ts",
    from: `  return status === 403 && isBanBody(answer.body, codes, false)`,
    to: `  return false`
  },
  {
    name: "an interrupted write in flight is not reported",
    workloads: ["calls"],
    file: "transport/src/attempt/sending.ts",
    from: `    case "InFlight":
    case "Lost":
      return true`,
    to: `    case "InFlight":
      return false
    case "Lost":
      return true`
  },
  {
    name: "a settlement is tried once",
    workloads: ["limits"],
    file: "transport/src/stores/settlements.ts",
    from: "Effect.ignore(Effect.onError(attempt({ ended, endedAt }), () => join({ ended, endedAt })))",
    to: "Effect.ignore(attempt({ ended, endedAt }))"
  },
  {
    name: "a settlement that is tried again counts from then on",
    workloads: ["limits"],
    file: "transport/src/stores/settlements.ts",
    from: "const ago = Math.max(now - endedAt, 0)",
    to: "const ago = Math.max(endedAt - now, 0)"
  },
  {
    name: "a lock whose process is not known is taken over at once",
    workloads: ["exports"],
    file: "history/src/files/lock.ts",
    from: `    if (known !== undefined) return known
    yield* Effect.sleep(staleAfter)`,
    to: `    if (known !== true) return false`
  },
  {
    name: "a lock that was compared once is not compared again",
    workloads: ["exports"],
    file: "history/src/files/lock.ts",
    from: `if (state !== undefined && state === compared) return Effect.void`,
    to: `if (compared !== undefined) return Effect.void`
  },
  {
    name: "rows are not brought to disk before the checkpoint that covers them",
    workloads: ["exports"],
    file: "history/src/files/journal.ts",
    from: `      yield* (yield* opened.of(part, file)).sync`,
    to: `      yield* opened.of(part, file)`
  },
  {
    name: "rows that no checkpoint covers are kept",
    workloads: ["exports"],
    file: "history/src/files/journal.ts",
    from: `fs.stream(work(file), { offset, bytesToRead: length })`,
    to: `fs.stream(work(file), { offset })`
  },
  {
    name: "a resumed export begins one window late",
    workloads: ["exports"],
    file: "history/src/commit/execute.ts",
    from: `windows: windows.slice(done),`,
    to: `windows: windows.slice(done === 0 ? 0 : done + 1),`
  },
  {
    name: "an owner does not look at the deadline of its lease",
    workloads: ["owners"],
    file: "fleet/src/ledger/lease.ts",
    from: `now <= until ?`,
    to: `now <= until + 3_600_000 ?`
  },
  {
    name: "a lease is prolonged when the ledger is asked, before it answers",
    workloads: ["owners"],
    file: "fleet/src/ledger/lease.ts",
    from: `      yield* ledger.check(ownership)
      until = askedAt + length`,
    to: `      until = askedAt + length
      yield* ledger.check(ownership)`
  },
  {
    name: "a call does not look at the lease",
    workloads: ["owners"],
    file: "fleet/src/ledger/fence.ts",
    from: `    Effect.matchEffect(lease, {`,
    to: `    Effect.matchEffect(Effect.zipLeft(Effect.void, lease).pipe(Effect.ignore), {`
  },
  {
    name: "a new owner does not rest",
    workloads: ["owners"],
    file: "transport/src/call/Egress.ts",
    from: `{ rest = true }`,
    to: `{ rest = false }`
  },
  {
    name: "an owner that is stopped does not release what it runs",
    workloads: ["owners"],
    file: "fleet/src/owner/Owner.ts",
    from: `Effect.onInterrupt(() => Effect.ignore(Effect.timeout(Effect.interruptible(ledger.release(claim)), "2 seconds"))),`,
    to: ``
  },
  {
    name: "an owner waits for as long as the ledger does not answer to a release",
    workloads: ["owners"],
    file: "fleet/src/owner/Owner.ts",
    from: `Effect.timeout(Effect.interruptible(ledger.release(claim)), "2 seconds")`,
    to: `Effect.timeout(ledger.release(claim), "2 seconds")`
  },
  {
    name: "a claim that was not answered is not given back",
    workloads: ["owners"],
    file: "fleet/src/owner/Owner.ts",
    from: `          if (isUnanswered) yield* reclaim
          return claimed
        }
        // Also releases a late claim that arrived after the response to the next one.
        if (yield* reclaim) continue
`,
    to: `          return claimed
        }
`
  },
  {
    name: "an export that begins after its declared range is complete",
    workloads: ["owners"],
    file: "fleet/src/accounts/declaredRange.ts",
    from: `if (manifest.from > from) {`,
    to: `if (manifest.from > from + 86_400_000 * 365) {`
  },
  {
    name: "an export that was begun for another range stays as it is",
    workloads: ["owners"],
    file: "fleet/src/accounts/declaredRange.ts",
    from: `      if (Option.isSome(begun)) yield* run({ from: begun.value.from, to: begun.value.to }, begun.value.since !== null)
`,
    to: ``
  },
  {
    name: "a store does not compare the claim in the step of the commit",
    workloads: ["owners"],
    file: "simulation/src/workloads/owners/Stores.ts",
    from: `if (!tables.holds(claim)) {`,
    to: `if (claim.run < 0) {`
  }
]

/** Faults that cannot be shown yet, each with what is missing. */
export const pending = [
  {
    name: "an outcome does not wait for the recording of its intent",
    reason:
      "the journal on files writes in the order of its queue; the tests of WriteJournal have a journal without one"
  },
  {
    name: "a look-up decides about a cancellation while it can still arrive",
    reason:
      "the orders of the world are never filled, and a cancelled order stays cancelled: an early result is the last one"
  },
  {
    name: "the clock is learnt from the longest round trip",
    reason: "the offset of a long round trip is a careful one, and a refused timestamp resets it: no call fails for it"
  },
  {
    name: "a ledger does not compare epochs",
    reason:
      "the deadline of the lease and the number of a run refuse what an earlier owner does before its epoch is looked at; the laws of a ledger look at it"
  },
  {
    name: "an empty lock of an export is taken over",
    reason:
      "a lock is written whole under a private name and then linked: no seed makes an empty one on a file system with links"
  },
  {
    name: "an export is resumed without comparing the account",
    reason: "not written yet: the account is compared in several places"
  },
  {
    name: "retention is judged at the first start of an export only",
    reason: "no plan lets the service forget between two starts"
  }
]
