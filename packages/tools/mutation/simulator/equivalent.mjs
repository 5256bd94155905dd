/** Mutants that do the same as the original, by name, each with the argument. */
export const equivalent = {
  "transport/src/internal/limits/rollingLimits.ts:115 LogicalOperator: limit !== undefined && Number.isInteger(limit) -> limit !== undefined || Number.isInteger(limit)":
    "a limit is read from a header by a pattern of whole numbers: one that is there is whole",
  "transport/src/internal/limits/waitlist.ts:103 ConditionalExpression: waiters[0] !== undefined -> true":
    "a queue is removed with its last waiter",
  "transport/src/internal/limits/rollingLimits.ts:167 ConditionalExpression: remaining !== undefined -> true":
    "nothing is not at least zero",
  'transport/src/internal/call/sending.ts:72 StringLiteral: "InFlight" -> ""':
    "the limiter settles a call without an outcome as counted, which is that of a request in flight",
  "transport/src/internal/limits/guardedStore.ts:74 ConditionalExpression: answer === undefined -> true":
    "what is set is read by the answer that is waited for alone, and it has come"
}
