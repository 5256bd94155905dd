import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import Unread from "./unread.mjs"

const setup = fileURLToPath(new URL("setup.mjs", import.meta.url))

/** The tests of the package in which this is run, in one worker that keeps what is installed and reads our sources anew. */
export default defineConfig({
  test: {
    include: (process.env.MUTATION_TESTS ?? "test/**/*.test.ts").split(","),
    // A mutant that hangs is ended by Stryker.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    isolate: false,
    setupFiles: [setup],
    // Otherwise it would be imported by Node itself, once and for all, instead of before every test file.
    server: { deps: { inline: [setup] } },
    reporters: [new Unread()]
  }
})
