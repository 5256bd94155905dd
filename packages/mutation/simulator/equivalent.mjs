/** Mutants that do the same as the original, by name, each with the argument. */
export const equivalent = {
  "transport/src/RateLimitStore.ts:185 LogicalOperator: limit !== undefined && Number.isInteger(limit) -> limit !== undefined || Number.isInteger(limit)":
    "a limit is read from a header by a pattern of whole numbers: one that is there is whole",
  "transport/src/internal/limits/waitlist.ts:99 ConditionalExpression: waiters[0] !== undefined -> true":
    "a queue is removed with its last waiter",
  "transport/src/RateLimitStore.ts:236 ConditionalExpression: remaining === undefined -> false":
    "the difference to nothing is no number, and no number is above zero",
  'transport/src/internal/call/sending.ts:70 StringLiteral: "InFlight" -> ""':
    "the limiter settles a call without an outcome as counted, which is that of a request in flight",
  "transport/src/internal/limits/guardedStore.ts:68 ConditionalExpression: answer === undefined -> true":
    "what is set is read by the answer that is waited for alone, and it has come"
}
