/**
 * Mistakes of one line that a tired developer might make, and what finds each: the worlds, a file of tests or the compiler. `npm run mutation -- simulator
 * --handwritten` tries each where the table has that it is found.
 */
const call = "transport/src/call"
const limits = "transport/src/limits"
const journal = "transport/src/journal"
const guard = "transport/src/guard"

export const handwritten = [
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
    workloads: ["exports"],
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
  }
]
