/** Mutants that do the same as the original, by name without the line, each with the argument. */
export const equivalent = {
  "transport/src/stores/rollingLimits.ts LogicalOperator: limit !== undefined && Number.isInteger(limit) -> limit !== undefined || Number.isInteger(limit)":
    "a limit is read from a header by a pattern of whole numbers: one that is there is whole",
  "transport/src/limits/waitlist.ts ConditionalExpression: waiters[0] !== undefined -> true":
    "a queue is removed with its last waiter",
  "transport/src/stores/rollingLimits.ts ConditionalExpression: remaining !== undefined -> true":
    "nothing is not at least zero",
  'transport/src/attempt/sending.ts StringLiteral: "InFlight" -> ""':
    "the limiter settles a call without an outcome as counted, which is that of a request in flight",
  "transport/src/stores/guardedStore.ts ConditionalExpression: answer === undefined -> true":
    "what is set is read by the answer that is waited for alone, and it has come",
  "transport/src/stores/guardedStore.ts ConditionalExpression: millis > reachability.slowAfter -> true":
    "a second waiting of no time is over at once",
  "transport/src/stores/limitUsage.ts BlockStatement: { while (this.#first < this.#counted && (this.#settled[this. -> {}":
    "expired calls stay in memory, and no question goes so far back",
  'transport/src/attempt/sending.ts StringLiteral: "Queued" -> ""':
    "a phase that no case names is not possibly executed either",
  "transport/src/model/Inherit.ts ConditionalExpression: added === undefined -> false":
    "the last context is not there either when nothing was added",
  "transport/src/call/call.ts ConditionalExpression: isExtended -> true":
    "only the answer to a batch has parts that can be refused",
  "transport/src/stores/rollingLimits.ts ConditionalExpression: instant <= now -> false":
    "the instant is never earlier than now, and the difference of equal ones is 0",
  "transport/src/limits/dispatcher.ts EqualityOperator: waiting.list.size > 0 -> waiting.list.size >= 0":
    "calls take their places in the same order, only more slowly",
  "transport/src/limits/charges.ts MethodExpression: sha256Hex(exportDomain, apiKey).slice(0, 32) -> sha256Hex(exportDomain, apiKey)":
    "a longer name of the same key",
  "transport/src/stores/limitUsage.ts LogicalOperator: this.#first > 64 && this.#first * 2 > this.#settled.length -> this.#first > 64 || this.#first * 2 > this.#settled.length":
    "expired calls are removed sooner, and nothing reads them",
  "transport/src/response/limitAnswer.ts ConditionalExpression: resetAt !== undefined -> true":
    "nothing is not later than now",
  "transport/src/limits/dispatcher.ts EqualityOperator: spare > 0 -> spare >= 0":
    "a charge that leaves no places is the same without them",
  "transport/src/limits/dispatcher.ts ConditionalExpression: spare > 0 -> true":
    "a charge that leaves no places is the same without them",
  "transport/src/response/limitAnswer.ts ConditionalExpression: text !== undefined -> true":
    "the text of nothing is no number",
  "transport/src/call/admission.ts ConditionalExpression: resetAt === undefined -> false":
    "a difference to nothing is not positive",
  "transport/src/stores/rollingLimits.ts EqualityOperator: theirs > 0 -> theirs >= 0":
    "no places are taken for no calls",
  "transport/src/limits/waitlist.ts ConditionalExpression: head === undefined -> false":
    "a waiter without an entry cannot leave",
  "transport/src/limits/waitlist.ts EqualityOperator: arrival < served.arrival -> arrival <= served.arrival":
    "no two arrivals are equal",
  "transport/src/limits/waitlist.ts ConditionalExpression: queue === undefined -> false":
    "without a queue there is no index either",
  "transport/src/stores/digests.ts ConditionalExpression: digests.size === remembered -> false":
    "digests are remembered for speed only",
  "transport/src/limits/RateLimiter.ts ConditionalExpression: called.charges.length === 0 -> false":
    "a call without charges takes no places, and waits for none",
  "transport/src/journal/journalLines.ts ObjectLiteral: { exact: true } -> {}": "JSON has no undefined",
  'transport/src/limits/RateLimiter.ts ConditionalExpression: result._tag === "Taken" -> true':
    "a result without places has no reservation",
  'transport/src/limits/dispatcher.ts StringLiteral: " " -> ""': "no key ends like the cost and key of another",
  "transport/src/stores/limitUsage.ts OptionalChaining: this.#settled[index - 1]?.settledAt -> this.#settled[index - 1].settledAt":
    "the index is not below the first call that is not counted",
  "transport/src/journal/journalEntries.ts BlockStatement: { if (intent.at >= newest - guardedFor) break closed.delete( -> {}":
    "entries of earlier days stay in memory, and no guard counts them",
  "transport/src/call/admission.ts ConditionalExpression: directLimiter === undefined -> true":
    "the limiter observes the same through its effects",
  'transport/src/call/retry.ts ConditionalExpression: failure._tag === "RateLimited" -> true':
    "no other failure has a reset",
  "transport/src/limits/dispatcher.ts UpdateOperator: ++ids -> --ids":
    "an id is unique, and orders only calls that join at one instant",
  'transport/src/journal/batchParts.ts LogicalOperator: typeof value === "object" && value !== null -> typeof value === "object" || value !== null':
    "a part of an answer is an object or null",
  "transport/src/model/secretsInText.ts Regex: /[%\\\\&]/ -> /[^%\\\\&]/":
    "patterns are compiled more often, and find the same",
  "transport/src/journal/journalEntries.ts ConditionalExpression: entry.intent.amounts === undefined -> false":
    "entries without amounts stay in memory, and no guard counts them",
  'transport/src/attempt/sending.ts ConditionalExpression: phase._tag === "Lost" -> true':
    "a sending that did not leave has no instant, and a difference to nothing is no time",
  'transport/src/journal/batchParts.ts ArrayDeclaration: [] -> ["Stryker was here"]': "a batch has orders",
  "transport/src/stores/guardedStore.ts EqualityOperator: millis > reachability.slowAfter -> millis >= reachability.slowAfter":
    "a second waiting of no time is over at once",
  "transport/src/journal/journalEntries.ts ConditionalExpression: intent.at >= since -> true":
    "the total of a guard leaves out what ended more than a day ago",
  "transport/src/call/admission.ts ConditionalExpression: directGate?.isOpen(host) === true -> false":
    "the gate lets a call through in the same way with its effects",
  "transport/src/stores/limitUsage.ts ConditionalExpression: this.#first > 64 && this.#first * 2 > this.#settled.length -> false":
    "expired calls stay in memory, and nothing reads them",
  "transport/src/limits/waitlist.ts UnaryOperator: -1 -> +1": "without a queue the index is not looked at"
}

/** The name of a mutant without its line, which moves. */
export const withoutLine = (name) => name.replace(/:\d+ /, " ")
