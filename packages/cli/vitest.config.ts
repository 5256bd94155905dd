import { defineProject } from "vitest/config"

export default defineProject({
  test: {
    name: "cli",
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/utils/bundle.ts"],
    testTimeout: 180_000
  }
})
