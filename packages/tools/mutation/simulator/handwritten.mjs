/** Mistakes of one line that a tired developer might make in the transport: `npm run mutation -- simulator --handwritten` tries them in all workloads. */
const call = "transport/src/call"
const limits = "transport/src/limits"
const journal = "transport/src/journal"

export const handwritten = [
  {
    name: "the policy is asked about the last failure instead of the doubt of the whole call",
    file: `${call}/retry.ts`,
    from: "mayRepeat(decisive(failed.failure), call.endpoint.safety)",
    to: "mayRepeat(failed.failure, call.endpoint.safety)"
  },
  {
    name: "a write is not compared with its other sendings before it departs",
    file: `${call}/send.ts`,
    from: `      if (isSentAgain(attempt)) return Effect.fail(exchange.requestError(unsigned(), sentAgain))
      if (isOver(attempt))`,
    to: "      if (isOver(attempt))"
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
    name: "a direct call is settled as if its request had arrived",
    file: `${call}/admission.ts`,
    from: "directLimiter.settle(reservation, outcome(), now() + arrives())",
    to: "directLimiter.settle(reservation, outcome(), now())"
  },
  {
    name: "each signature gets a new request id",
    file: `${call}/send.ts`,
    from: "sign({ endpoint, parameters, timestamp }, around.references)",
    to: "sign({ endpoint, parameters: parameters.requestId === undefined ? parameters : { ...parameters, requestId: `00000000-0000-4000-8000-${String(timestamp).slice(-12).padStart(12, '0')}` }, timestamp }, around.references)"
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
    from: `        leave(host, probe, "unknown")
      )`,
    to: `        Effect.void
      )`
  },
  {
    name: "a call that leaves with its reservation does not give it back",
    file: `${limits}/dispatcher.ts`,
    from: `if (call.reservation !== undefined) return store.settle(call.reservation, "unsent", Duration.zero, owner.wake)`,
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
    file: `${call}/send.ts`,
    from: `attempt.call.endpoint.safety === "read" || journal`,
    to: `attempt.call.endpoint.safety !== "write" || journal`
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
  }
]
