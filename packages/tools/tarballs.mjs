/** Packs the published packages, as `pnpm publish` would. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { folderOf, manifestOf, names, readJson, root } from "./published.mjs"

const windows = process.platform === "win32"

/** Runs a program to its end; says what it printed if it fails. */
export const run = (command, args, options = {}) => {
  const child = spawnSync(command, args, { encoding: "utf8", maxBuffer: 64 * 1024 * 1024, ...options })
  if (child.status === 0) return { ok: true, output: child.stdout }
  const why = child.error?.message ?? child.signal ?? `exit code ${child.status}`
  return { ok: false, output: `${child.stdout ?? ""}${child.stderr ?? ""}\n${why}`.trim() }
}

/** The pnpm that the repository names, through npx. */
export const pnpm = (args, options) => {
  const pinned = readJson(path.join(root, "package.json")).packageManager.split("+")[0]
  return run("npx", ["--yes", "--prefer-offline", pinned, ...args], { shell: windows, ...options })
}

/** Packs every package into a folder; gives the files by name, or says why it could not. */
export const pack = (folder) => {
  const filters = names.flatMap((name) => ["--filter", `@effect-venue/${name}`])
  const packed = pnpm([...filters, "--recursive", "pack", "--pack-destination", folder], { cwd: root })
  if (!packed.ok) return packed
  const files = names.map((name) => {
    const { version } = manifestOf(name)
    return [name, path.join(folder, `effect-venue-${name}-${version}.tgz`)]
  })
  const missing = files.filter(([, file]) => !fs.existsSync(file))
  return missing.length === 0
    ? { ok: true, files: Object.fromEntries(files) }
    : { ok: false, output: `not packed: ${missing.map(([name]) => folderOf(name)).join(", ")}` }
}
