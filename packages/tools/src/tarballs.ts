/** Packs the published packages, as `pnpm publish` would. */
import { spawnSync } from "node:child_process"
import type { SpawnSyncOptions } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { folderOf, manifestOf, names, readJson, root } from "../published.mjs"

const windows = process.platform === "win32"

/** How a program ended, and what it printed. */
export interface Ended {
  readonly ok: boolean
  readonly output: string
}

/** Runs a program to its end; says what it printed if it fails. */
export const run = (command: string, args: ReadonlyArray<string>, options: SpawnSyncOptions = {}): Ended => {
  const child = spawnSync(command, args, { maxBuffer: 64 * 1024 * 1024, ...options, encoding: "utf8" })
  if (child.status === 0) return { ok: true, output: child.stdout }
  const why = child.error?.message ?? child.signal ?? `exit code ${child.status}`
  return { ok: false, output: `${child.stdout}${child.stderr}\n${why}`.trim() }
}

/** The pnpm that the repository names, through npx. */
export const pnpm = (args: ReadonlyArray<string>, options: SpawnSyncOptions): Ended => {
  // The manifest at the top names it.
  const { packageManager } = readJson(path.join(root, "package.json")) as { readonly packageManager: string }
  const [pinned = packageManager] = packageManager.split("+")
  return run("npx", ["--yes", "--prefer-offline", pinned, ...args], { shell: windows, ...options })
}

/** The tarballs by the names of the packages. */
export type Tarballs = Readonly<Record<string, string>>

/** Packs every package into a folder; gives the files by name, or says why it could not. */
export const pack = (
  folder: string
): { readonly ok: true; readonly files: Tarballs } | (Ended & { readonly ok: false }) => {
  const filters = names.flatMap((name) => ["--filter", `@effect-venue/${name}`])
  const { ok, output } = pnpm([...filters, "--recursive", "pack", "--pack-destination", folder], { cwd: root })
  if (!ok) return { ok, output }
  const files = names.map((name) => {
    const { version } = manifestOf(name)
    return [name, path.join(folder, `effect-venue-${name}-${version}.tgz`)] as const
  })
  const missing = files.filter(([, file]) => !fs.existsSync(file))
  return missing.length === 0
    ? { ok: true, files: Object.fromEntries(files) }
    : { ok: false, output: `not packed: ${missing.map(([name]) => folderOf(name)).join(", ")}` }
}
