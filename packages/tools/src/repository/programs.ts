/** Runs other programs and waits for them. */
import { spawnSync } from "node:child_process"
import type { SpawnSyncOptions } from "node:child_process"
import { topManifest } from "./published.js"
import { root } from "./repository.js"

const windows = process.platform === "win32"

/** The exit status and the output of a program. */
export interface Ended {
  readonly ok: boolean
  readonly output: string
}

/** Runs a program to its end. A failure contains its output. */
export const run = (command: string, args: ReadonlyArray<string>, options: SpawnSyncOptions = {}): Ended => {
  const child = spawnSync(command, args, { maxBuffer: 64 * 1024 * 1024, ...options, encoding: "utf8" })
  if (child.status === 0) return { ok: true, output: child.stdout }
  const why = child.error?.message ?? child.signal ?? `exit code ${child.status}`
  return { ok: false, output: `${child.stdout}${child.stderr}\n${why}`.trim() }
}

/** Runs a Node script at the root of the repository, with immediate output. Returns whether it succeeded. */
export const show = (script: string, ...args: ReadonlyArray<string>): boolean =>
  spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: "inherit" }).status === 0

/** Runs the repository's version of pnpm through npx. */
export const pnpm = (args: ReadonlyArray<string>, options: SpawnSyncOptions): Ended => {
  const { packageManager } = topManifest()
  const [pinned = packageManager] = packageManager.split("+")
  return run("npx", ["--yes", "--prefer-offline", pinned, ...args], { shell: windows, ...options })
}
