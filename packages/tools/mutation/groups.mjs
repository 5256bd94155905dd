/** What is mutated, and the tests that have to notice. Each group runs in the folder of its package. */
export const groups = [
  {
    name: "signing",
    package: "signing",
    mutate: ["src/Signer.ts", "src/wire.ts", "src/Credentials.ts", "src/Hmac.ts", "src/hmac.portable.ts"],
    tests: ["test/*.test.ts"]
  },
  { name: "envelope", package: "schemas", mutate: ["src/endpoint/Envelope.ts"], tests: ["test/Envelope.test.ts"] },
  {
    name: "rate limit store",
    package: "transport",
    // Not the laws, which are tests.
    mutate: ["src/stores/RateLimitStore.ts", "src/stores/rollingLimits.ts", "src/stores/limitUsage.ts"],
    tests: ["test/RateLimitStore.test.ts", "test/StoreLaws.test.ts"]
  },
  {
    name: "rate limits",
    package: "transport",
    mutate: [
      "src/limits/RateLimiter.ts",
      "src/model/Priorities.ts",
      "src/limits/dispatcher.ts",
      "src/stores/guardedStore.ts",
      "src/limits/waitlist.ts"
    ],
    tests: ["test/RateLimiter.test.ts", "test/limits.test.ts", "test/storeFailures.test.ts"]
  },
  {
    name: "ban gate",
    package: "transport",
    mutate: ["src/bans/BanGate.ts", "src/stores/ban.ts", "src/model/address.ts"],
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
    mutate: ["src/time/ServerClock.ts", "src/time/hostClocks.ts"],
    tests: ["test/ServerClock.test.ts", "test/addresses.test.ts", "test/wallClock.test.ts"]
  },
  {
    name: "pages, limits",
    package: "transport",
    mutate: ["src/limits/Limits.ts", "src/pages/Pages.ts"],
    tests: ["test/limits.test.ts", "test/Pages.test.ts"]
  },
  {
    name: "retry",
    package: "transport",
    mutate: ["src/model/RetryPolicy.ts", "src/call/retry.ts"],
    tests: ["test/retry.test.ts", "test/CallOptions.test.ts"]
  },
  {
    name: "answers",
    package: "transport",
    mutate: [
      "src/response/verdict.ts",
      "src/response/answer.ts",
      "src/response/banAnswer.ts",
      "src/response/limitAnswer.ts",
      "src/response/missingAnswer.ts",
      "src/response/unknownOutcome.ts",
      "src/response/returnCodeFailure.ts",
      "src/model/secretsInText.ts",
      "src/response/connection.ts"
    ],
    tests: [
      "test/answers.test.ts",
      "test/Transport.test.ts",
      "test/secretsInText.test.ts",
      "test/notSent.test.ts",
      "test/verdict.test.ts",
      "test/interruptedAnswers.test.ts"
    ]
  },
  {
    name: "call",
    package: "transport",
    mutate: [
      "src/attempt/sending.ts",
      "src/call/call.ts",
      "src/call/attempt.ts",
      "src/call/reading.ts",
      "src/call/steps.ts",
      "src/attempt/outcome.ts",
      "src/call/wrapped.ts",
      "src/connections/exchange.ts",
      "src/limits/charges.ts",
      "src/response/unknownOutcome.ts"
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
      "test/unanswered.test.ts",
      "test/verdict.test.ts"
    ]
  }
]
