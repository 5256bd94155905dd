import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"
import { bundle } from "../../bundle.mjs"

declare module "vitest" {
  interface ProvidedContext {
    readonly venue: string
  }
}

const root = fileURLToPath(new URL("../..", import.meta.url))

/**
 * Builds the command once for all tests: each test starts processes of it, and compiling it takes ten times as long as starting it.
 */
export default async (project: TestProject): Promise<() => void> => {
  const folder = path.join(root, "build", `venue-${process.pid}`)
  project.provide("venue", (await bundle(folder)).file)
  return () => fs.rmSync(folder, { recursive: true, force: true })
}
