/** What is mutated, and the tests that have to notice. Each group runs in the folder of its package. */
export const groups = [
  {
    name: "signing",
    package: "signing",
    mutate: ["src/Signer.ts", "src/wire.ts", "src/Credentials.ts", "src/Hmac.ts", "src/hmac.portable.ts"],
    tests: ["test/*.test.ts"]
  },
  { name: "envelope", package: "schemas", mutate: ["src/shared/Envelope.ts"], tests: ["test/Envelope.test.ts"] },
  {
    name: "rate limit store",
    package: "transport",
    // Not the laws, which are tests.
    mutate: ["src/RateLimitStore.ts", "src/internal/limits/rollingLimits.ts", "src/internal/limits/limitUsage.ts"],
    tests: ["test/RateLimitStore.test.ts", "test/StoreLaws.test.ts", "test/limitUsage.test.ts"]
  },
  {
    name: "rate limits",
    package: "transport",
    mutate: [
      "src/RateLimiter.ts",
      "src/shared/Priorities.ts",
      "src/internal/limits/dispatcher.ts",
      "src/internal/limits/guardedStore.ts",
      "src/internal/limits/waitlist.ts"
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
    mutate: ["src/BanGate.ts", "src/internal/limits/ban.ts", "src/internal/connections/address.ts"],
    tests: [
      "test/ban.test.ts",
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
    mutate: ["src/ServerClock.ts", "src/internal/time/hostClocks.ts"],
    tests: ["test/ServerClock.test.ts", "test/addresses.test.ts", "test/wallClock.test.ts"]
  },
  {
    name: "pages, limits",
    package: "transport",
    mutate: ["src/Limits.ts", "src/shared/Pages.ts"],
    tests: ["test/limits.test.ts", "test/Pages.test.ts"]
  },
  {
    name: "retry",
    package: "transport",
    mutate: ["src/RetryPolicy.ts", "src/internal/call/retry.ts"],
    tests: ["test/retry.test.ts", "test/CallOptions.test.ts"]
  },
  {
    name: "answers",
    package: "transport",
    mutate: [
      "src/internal/response/verdict.ts",
      "src/internal/response/answer.ts",
      "src/internal/response/banAnswer.ts",
      "src/internal/response/limitAnswer.ts",
      "src/internal/response/missingAnswer.ts",
      "src/internal/response/unknownOutcome.ts",
      "src/internal/response/returnCodeFailure.ts",
      "src/internal/response/statusFailure.ts",
      "src/internal/response/secretsInText.ts",
      "src/internal/connections/connection.ts"
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
    mutate: ["src/internal/call/sending.ts"],
    tests: ["test/phases.test.ts", "test/sending.test.ts"]
  },
  {
    name: "call",
    package: "transport",
    mutate: [
      "src/internal/call/call.ts",
      "src/internal/call/admission.ts",
      "src/internal/call/send.ts",
      "src/internal/call/outcome.ts",
      "src/internal/call/wrapped.ts",
      "src/internal/connections/exchange.ts",
      "src/internal/limits/charges.ts",
      "src/internal/response/unknownOutcome.ts"
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
