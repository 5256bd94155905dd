/** What is mutated, and the tests that have to notice. Each group runs in the folder of its package. */
export const groups = [
  {
    name: "signing",
    package: "signing",
    mutate: ["src/Signer.ts", "src/Wire.ts", "src/Credentials.ts", "src/Hmac.ts", "src/internal/hmac.portable.ts"],
    tests: ["test/*.test.ts"]
  },
  { name: "envelope", package: "schemas", mutate: ["src/Envelope.ts"], tests: ["test/Envelope.test.ts"] },
  {
    name: "rate limit store",
    package: "transport",
    // Not the laws: they are tests, and their own test breaks a store in the way that each of them forbids.
    mutate: ["src/RateLimitStore.ts", "src/internal/limitUsage.ts"],
    tests: ["test/RateLimitStore.test.ts", "test/RateLimitStoreLaws.test.ts", "test/limitUsage.test.ts"]
  },
  {
    name: "rate limits",
    package: "transport",
    mutate: [
      "src/RateLimiter.ts",
      "src/Priority.ts",
      "src/internal/dispatcher.ts",
      "src/internal/guardedStore.ts",
      "src/internal/waitlist.ts"
    ],
    tests: [
      "test/RateLimiter.test.ts",
      "test/limits.test.ts",
      "test/storeFailures.test.ts",
      "test/waiting.test.ts",
      "test/waitlist.test.ts"
    ]
  },
  {
    name: "ban gate",
    package: "transport",
    mutate: ["src/BanGate.ts", "src/internal/address.ts"],
    tests: [
      "test/BanGate.test.ts",
      "test/addresses.test.ts",
      "test/halfOpen.test.ts",
      "test/sharedBan.test.ts",
      "test/wallClock.test.ts"
    ]
  },
  {
    name: "clock",
    package: "transport",
    mutate: ["src/ServerClock.ts"],
    tests: ["test/ServerClock.test.ts", "test/addresses.test.ts", "test/wallClock.test.ts"]
  },
  {
    name: "pages, windows, limits",
    package: "transport",
    mutate: ["src/Limits.ts", "src/Lists.ts", "src/Pages.ts", "src/Windows.ts", "src/internal/pageJudge.ts"],
    tests: ["test/limits.test.ts", "test/Lists.test.ts", "test/Pages.test.ts", "test/Windows.test.ts"]
  },
  {
    name: "retry",
    package: "transport",
    mutate: ["src/RetryPolicy.ts", "src/internal/retry.ts"],
    tests: ["test/retry.test.ts", "test/CallOptions.test.ts"]
  },
  {
    name: "answers",
    package: "transport",
    mutate: [
      "src/internal/verdict.ts",
      "src/internal/answer.ts",
      "src/internal/banAnswer.ts",
      "src/internal/limitAnswer.ts",
      "src/internal/missingAnswer.ts",
      "src/internal/ambiguous.ts",
      "src/internal/returnCodeFailure.ts",
      "src/internal/statusFailure.ts",
      "src/internal/secretsInText.ts",
      "src/internal/connection.ts"
    ],
    tests: [
      "test/answers.test.ts",
      "test/Transport.test.ts",
      "test/secretsInText.test.ts",
      "test/notSent.test.ts",
      "test/refusals.test.ts",
      "test/interruptedAnswers.test.ts"
    ]
  },
  {
    name: "phases",
    package: "transport",
    mutate: ["src/internal/sending.ts"],
    tests: ["test/phases.test.ts", "test/sending.test.ts"]
  },
  {
    name: "call",
    package: "transport",
    mutate: [
      "src/internal/call.ts",
      "src/internal/execute.ts",
      "src/internal/transmit.ts",
      "src/internal/exchange.ts",
      "src/internal/charges.ts",
      "src/internal/unknownOutcome.ts"
    ],
    tests: [
      "test/answers.test.ts",
      "test/BanGate.test.ts",
      "test/CallOptions.test.ts",
      "test/charges.test.ts",
      "test/Connections.test.ts",
      "test/interruptedAnswers.test.ts",
      "test/own.test.ts",
      "test/storeFailures.test.ts",
      "test/Transport.test.ts",
      "test/limits.test.ts",
      "test/sending.test.ts",
      "test/sequences.test.ts",
      "test/slowSigner.test.ts",
      "test/unanswered.test.ts"
    ]
  }
]
