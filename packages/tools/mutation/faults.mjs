/**
 * Mistakes that a tired developer might make, each as a replacement in the text of one module, with what finds it: the worlds, of all workloads or of some,
 * a file of tests, or the compiler. `from` must occur exactly once: a mistake whose text has changed is an error, not a success.
 */
const call = "transport/src/call"
const limits = "transport/src/limits"
const journal = "transport/src/journal"
const guard = "transport/src/guard"

export const faults = [
  {
    name: "the policy is asked about the last failure instead of the doubt of the whole call",
    file: `${call}/retry.ts`,
    from: "shouldRetry(decisive(failed.failure), call.endpoint.safety)",
    to: "shouldRetry(failed.failure, call.endpoint.safety)"
  },
  {
    name: "a write is not compared with its other sendings before it departs",
    file: `${call}/attempt.ts`,
    from: `  if (isSentAgain(attempt)) return yield* Effect.fail(exchange.requestError(unsigned(), sentAgain))
`,
    to: ""
  },
  {
    name: "the request of a timeout keeps its place no longer",
    file: "transport/src/attempt/sending.ts",
    from: `phase.reason === "Timeout")`,
    to: `phase.reason === "Connection")`
  },
  {
    name: "a lost connection proves that a write was not executed",
    file: "transport/src/attempt/sending.ts",
    from: `    case "Lost":
      return true
    case "Answered":`,
    to: `    case "Lost":
      return phase.reason === "Timeout"
    case "Answered":`
  },
  {
    name: "a call is settled as if its request had arrived",
    file: `${call}/attempt.ts`,
    from: "Duration.millis(sendings.arrivesWithin(phase, attempt.now(), venue.journey))",
    to: "Duration.zero"
  },
  {
    name: "each signature gets a new request id",
    file: `${call}/attempt.ts`,
    from: "sign({ endpoint, parameters, timestamp, hmac })",
    to: "sign({ endpoint, parameters: parameters.requestId === undefined ? parameters : { ...parameters, requestId: `00000000-0000-4000-8000-${String(timestamp).slice(-12).padStart(12, '0')}` }, timestamp, hmac })"
  },
  {
    name: "the answer of a wrapped client itself is replaced by the last response",
    file: `${call}/wrapped.ts`,
    from: "if (reading?.answer.response === response) return reading",
    to: "if (reading !== undefined) return reading"
  },
  {
    name: "an unavailable service is sent a write again",
    file: "transport/src/model/RetryPolicy.ts",
    from: `return safety !== "write" || failure.executed === "no"`,
    to: "return true"
  },
  {
    name: "a call waits for a reset that is an hour away",
    foundBy: "transport/test/retry.test.ts",
    file: "transport/src/response/limitAnswer.ts",
    from: "const longestWindow = 61_000",
    to: "const longestWindow = 7_200_000"
  },
  {
    name: "a store closes a limit for an hour",
    file: "transport/src/stores/rollingLimits.ts",
    from: "(reset > 0 && reset <= span ? reset : span)",
    to: "(reset > 0 ? reset : span)"
  },
  {
    name: "calls of higher priorities overtake without end",
    file: `${limits}/waitlist.ts`,
    from: "export const maxOvertakes = 10",
    to: "export const maxOvertakes = 1_000_000"
  },
  {
    name: "a later answer shortens a ban",
    file: "transport/src/stores/ban.ts",
    from: "this.#until = Math.max(this.#until ?? until, until)",
    to: "this.#until = until - 60_000"
  },
  {
    name: "a probe that is interrupted keeps its place",
    file: "transport/src/bans/BanGate.ts",
    from: `  host.ban.leave(probe, outcome)`,
    to: `  if (outcome !== "unknown") host.ban.leave(probe, outcome)`
  },
  {
    name: "a call that leaves with its reservation does not give it back",
    file: `${limits}/dispatcher.ts`,
    from: `    call.ticket.reservation = reservation
`,
    to: ""
  },
  {
    name: "a batch costs one place",
    file: `${limits}/charges.ts`,
    from: "const cost = endpoint.cost?.(parameters) ?? 1",
    to: "const cost = 1"
  },
  {
    name: "an interrupted write is recorded as not sent",
    file: `${journal}/journalWrites.ts`,
    from: `if (sendings.mayBeExecuted(call.sendings)) return { _tag: "Unknown", ...interrupted }`,
    to: ""
  },
  {
    name: "an unknown outcome closes its entry",
    file: `${journal}/journalEntries.ts`,
    from: `    if (outcome._tag === "Unknown") {
      entries.set(id, { ...entry, outcome })
      return
    }`,
    to: ""
  },
  {
    name: "a transfer is not recorded",
    file: `${call}/attempt.ts`,
    from: `attempt.call.endpoint.safety === "read" || venue`,
    to: `attempt.call.endpoint.safety !== "write" || venue`
  },
  {
    name: "each attempt has an entry of its own",
    file: `${journal}/journalWrites.ts`,
    from: "call.entry ??= entryOf",
    to: "call.entry = entryOf"
  },
  {
    name: "an entry is judged while its request can still arrive",
    file: "transport/src/call/OpenWrites.ts",
    from: "Math.min(at, now + tolerance) + recvWindow",
    to: "Math.min(at, now + tolerance) - recvWindow"
  },
  {
    name: "the entries of another account are closed",
    file: "transport/src/call/OpenWrites.ts",
    from: "intent.host === host && (intent.key === key || (uid !== undefined && intent.uid === uid))",
    to: "intent.host === host"
  },
  {
    name: "the page of a proxy proves that a transfer was not executed",
    foundBy: "transport/test/verdict.test.ts",
    file: "transport/src/response/verdict.ts",
    from: `safety !== "read" && isRefusal(failure)`,
    to: `safety === "write" && isRefusal(failure)`
  },
  {
    name: "a code that is not listed proves that a transfer was not executed",
    foundBy: "transport/test/verdict.test.ts",
    file: "transport/src/response/returnCodeFailure.ts",
    from: "ReturnCode.isRefusingFamily(retCode) && !movesFunds",
    to: "ReturnCode.isRefusingFamily(retCode)"
  },
  {
    name: "a ban is recognised by the spelling of the document only",
    foundBy: "transport/test/verdict.test.ts",
    file: "transport/src/response/banAnswer.ts",
    from: "const text = body.trim().toLowerCase()",
    to: "const text = body.trim()"
  },
  {
    name: "a cursor that comes again is only noticed at the page after it",
    foundBy: "transport/test/Pages.test.ts",
    file: "transport/src/pages/pageJudge.ts",
    from: `if (next !== "" && cursors.has(sumOf(next))) return problem("repeatedCursor", next)`,
    to: `if (next === page.rows[0]) return problem("repeatedCursor", next)`
  },
  {
    name: "text is cut before its secrets are removed",
    foundBy: "transport/test/secretsInText.test.ts",
    file: "schemas/src/rules/ShownText.ts",
    from: "const whole = shown(scrub, text)",
    to: "const whole = shown(scrub, text.slice(0, excerptLength + 1))"
  },
  {
    name: "the calls of other programs are counted from when they are reported, not from when they were seen",
    foundBy: "transport/test/RateLimitStore.test.ts",
    file: "transport/src/stores/rollingLimits.ts",
    from: "limit - remaining - entry.usage.since(sentAt - span)",
    to: "limit - remaining - entry.usage.used"
  },
  {
    name: "the limit of time of a call waits for what cannot be interrupted",
    foundBy: "services/test/timeLimits.test.ts",
    file: "transport/src/time/TimeLimit.ts",
    from: "      const error = onTimeout()\n      yield* abandon",
    to: "      const error = onTimeout()\n      yield* Fiber.interrupt(fiber)"
  },
  {
    name: "a wait that the service states is compared with the half minute alone, not with what is left of it",
    foundBy: "transport/test/retry.test.ts",
    file: "transport/src/call/retry.ts",
    from: "failedAt + statedWait <= latest)",
    to: "statedWait <= latest - first.failedAt)"
  },
  {
    name: "a batch with too many slots in its answer is read by the first ones",
    foundBy: "services/test/batchAnswers.test.ts",
    file: "services/src/calls/batchSlots.ts",
    from: "if (slots.length !== orders.length) return",
    to: "if (slots.length < orders.length) return"
  },
  {
    name: "an accepted slot needs no orderLinkId of its order",
    foundBy: "services/test/batchAnswers.test.ts",
    file: "services/src/calls/batchSlots.ts",
    from: "order.orderLinkId === undefined || Option.exists(slot.orderLinkId, (id) => id === order.orderLinkId)",
    to: "true"
  },
  {
    name: "the orders of an interrupted call are those of the first call",
    foundBy: "services/test/batchAnswers.test.ts",
    file: "services/src/calls/batches.ts",
    from: "[place + Number(index)]",
    to: "[Number(index)]"
  },
  {
    name: "a method calls the operation beside it",
    foundBy: "type",
    file: "services/src/Positions.ts",
    from: "setTpslMode: (request) => transport.call(Endpoints.setTpslMode, request)",
    to: "setTpslMode: (request) => transport.call(Endpoints.setLeverage, request)"
  },
  {
    name: "the apostrophe is signed as it is, and escaped by whoever sends",
    foundBy: "signing/test/Signer.test.ts",
    file: "signing/src/wire.ts",
    from: "/[!'()*]/g",
    to: "/[!()*]/g"
  },
  {
    name: "parameters are signed in the order in which they were written",
    foundBy: "signing/test/Signer.test.ts",
    file: "signing/src/Signer.ts",
    from: "Object.keys(parameters).sort()",
    to: "Object.keys(parameters)"
  },
  {
    name: "null is sent in a body",
    foundBy: "signing/test/Signer.test.ts",
    file: "signing/src/wire.ts",
    from: "([, value]) => value !== undefined && value !== null)",
    to: "([, value]) => value !== undefined)"
  },
  {
    name: "a gap is never closed",
    workloads: ["exports"],
    file: "history/src/model/gaps.ts",
    from: "normalize([...subtract(gaps, window), ...window.missing])",
    to: "normalize([...gaps, ...window.missing])"
  },
  {
    name: "a gap is closed by a reading that fails again",
    workloads: ["exports"],
    file: "history/src/model/gaps.ts",
    from: "normalize([...subtract(gaps, window), ...window.missing])",
    to: "normalize(subtract(gaps, window))"
  },
  {
    name: "an export that is continued has no overlap",
    foundBy: "history/test/reissued.test.ts",
    file: "history/src/commit/plan.ts",
    from: "() => manifest.to - overlap",
    to: "() => manifest.to"
  },
  {
    name: "a window is asked for from its first instant",
    foundBy: "history/test/windows.test.ts",
    file: "history/src/model/datasetWindows.ts",
    from: "(Math.floor(from / unit) - 1) * unit",
    to: "Math.floor(from / unit) * unit"
  },
  {
    name: "a row at the border of two windows is in both",
    workloads: ["exports"],
    file: "history/src/reconcile/filters.ts",
    from: "at >= window.from && at < window.to",
    to: "at >= window.from && at <= window.to"
  },
  {
    name: "each run of a write has a new id",
    foundBy: "services/test/oneIntent.test.ts",
    file: `${call}/call.ts`,
    from: "      parameters: encoded.right,\n",
    to: `      parameters: "orderLinkId" in encoded.right ? { ...encoded.right, orderLinkId: globalThis.crypto.randomUUID() } : encoded.right,
`
  },
  {
    name: "a refusal as Duplicate is not looked up",
    foundBy: "services/test/oneIntent.test.ts",
    file: `${call}/SentWrites.ts`,
    from: "    if (lookUp === undefined) return unknown",
    to: "    return unknown"
  },
  {
    name: "a look-up without a result is a refusal",
    foundBy: "services/test/oneIntent.test.ts",
    file: `${call}/SentWrites.ts`,
    from: `{ _tag: "Executed" as const, result } : unknown`,
    to: `{ _tag: "Executed" as const, result } : refused`
  },
  {
    name: "a refused repetition releases what the first call can have executed",
    foundBy: "transport/test/guardPromise.test.ts",
    file: `${guard}/ledger.ts`,
    from: `if (call.execution === "none") claim.calls.delete(call)`,
    to: `if (call.execution === "none") claim.calls.clear()`
  },
  {
    name: "an amount in doubt is released",
    foundBy: "transport/test/guardPromise.test.ts",
    file: `${guard}/guarding.ts`,
    from: `return isExecuted && !refused.has(index) ? "executed" : "doubt"`,
    to: `return isExecuted && !refused.has(index) ? "executed" : "none"`
  },
  {
    name: "an amount counts from the beginning of its minute",
    foundBy: "services/test/guard.test.ts",
    file: `${guard}/windows.ts`,
    from: "const end = Math.ceil(from / minute)",
    to: "const end = Math.floor(from / minute)"
  },
  {
    name: "the local clock dates the amounts of earlier processes",
    foundBy: "transport/test/guardPromise.test.ts",
    file: `${guard}/guarding.ts`,
    from: "if (hostTime !== undefined) ledger.date(writer.host, hostTime, ",
    to: "ledger.date(writer.host, hostTime ?? call.around.time.unsafeCurrentTimeMillis(), "
  },
  {
    name: "the id of an earlier process is counted beside its sum",
    foundBy: "services/test/guard.test.ts",
    file: `${guard}/ledger.ts`,
    from: "    this.#change(sum, BigDecimal.negate(value))\n",
    to: ""
  },
  {
    name: "a repetition does not share the amount of an earlier process",
    foundBy: "services/test/guard.test.ts",
    file: `${guard}/ledger.ts`,
    from: "    if (id !== undefined) this.#separate(kind, unit, id, claim)\n",
    to: ""
  },
  {
    name: "the id of a transfer is forgotten once it is executed",
    foundBy: "services/test/guard.test.ts",
    file: `${guard}/ledger.ts`,
    from: `      kind === "orders" &&\n      [...calls].every(`,
    to: "      [...calls].every("
  },
  {
    name: "a look-up that decides nothing releases the amount",
    foundBy: "services/test/lookUps.test.ts",
    file: `${journal}/guardedTotals.ts`,
    from: `return outcome.executed === "no"`,
    to: `return outcome.executed !== "yes"`
  },
  {
    name: "a signature that was refused tells the time of its host",
    foundBy: "transport/test/WriteJournal.test.ts",
    file: `${journal}/journalEntries.ts`,
    from: `if (entry.outcome?._tag === "Done") totals.reach(host, at)`,
    to: "totals.reach(host, at)"
  },
  {
    name: "an intent is recorded by a process that has lost the journal",
    foundBy: "transport/test/WriteJournal.test.ts",
    file: `${journal}/journalStore.ts`,
    from: "        // Checked after the sync: a process that takes the file over later reads these intents.\n        yield* checkOwned(store)\n",
    to: ""
  },
  {
    name: "a compacted file lacks the lines that were written while it was prepared",
    workloads: ["writes"],
    file: `${journal}/journalStore.ts`,
    from: "      store.successor?.missing.push(text)\n",
    to: ""
  },
  {
    name: "closed writes of a database count in their sums and beside them",
    foundBy: "transport/test/SqlWriteJournal.test.ts",
    file: `${journal}/SqlWriteJournal.ts`,
    from: "        yield* forPieces(counted, statements.setCounted)\n",
    to: ""
  },
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
