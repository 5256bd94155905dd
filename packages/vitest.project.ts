import { defineProject, type UserWorkspaceConfig } from "vitest/config"

const isLong = process.env.VENUE_TESTS === "long"

const longTests = "test/**/*.long.test.ts"

/**
 * The tests of a package, in two tiers. `npm test` runs those that fit into three minutes; `npm run test:long` runs the files named
 * `*.long.test.ts`: kills of processes, soaks, years of history.
 */
export const project = (name: string, test: UserWorkspaceConfig["test"] = {}) =>
  defineProject({
    test: {
      name,
      include: isLong ? [longTests] : ["test/**/*.test.ts"],
      exclude: isLong ? [] : [longTests],
      testTimeout: 180_000,
      ...test
    }
  })
