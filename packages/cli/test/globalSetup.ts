import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { bundle } from "../bundle.mjs"

declare module "vitest" {
  interface ProvidedContext {
    /** The file of the command. */
    readonly venue: string
    /** A folder for the files of the tests, removed after them. */
    readonly scratch: string
  }
}

const root = fileURLToPath(new URL("..", import.meta.url))

/**
 * Builds the command once for all tests: each test starts processes of it, and compiling it takes ten times as long as starting it.
 */
export default async (project: TestProject): Promise<() => void> => {
  const folder = path.join(root, "build", `venue-${process.pid}`)
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "venue-cli-"))
  project.provide("venue", (await bundle(folder)).file)
  project.provide("scratch", scratch)
  return () => [folder, scratch].forEach((name) => fs.rmSync(name, { recursive: true, force: true }))
}
