/** Packs the published packages, as `pnpm publish` would. */
import * as fs from "node:fs"
import * as path from "node:path"
import { pnpm } from "./programs.js"
import type { Ended } from "./programs.js"
import { folderOf, manifestOf, names } from "./published.js"
import { root } from "./repository.js"

/** The tarballs by the names of the packages. */
export type Tarballs = Readonly<Record<string, string>>

/** The tarballs, or why there are none. */
export type Packing = { readonly ok: true; readonly files: Tarballs } | (Ended & { readonly ok: false })

/** Packs every package into a folder. */
export const pack = (folder: string): Packing => {
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
