/** The packages of an installation that run a program when they are installed. */
import * as fs from "node:fs"
import * as path from "node:path"
import { readJson } from "./repository.js"

/** Native modules that Effect's own packages bring as optional dependencies: they compile, and report to nobody. */
const ofEffect = ["@parcel/watcher", "msgpackr-extract"]

interface Manifest {
  readonly name?: string
  readonly scripts?: Readonly<Record<string, string>>
}

/** Folders in a folder, `@scope/name` included. Symbolic links are left out: pnpm has each package in one place. */
const packagesIn = (modules: string): ReadonlyArray<string> =>
  fs.readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    const folder = path.join(modules, entry.name)
    return !entry.isDirectory() ? [] : entry.name.startsWith("@") ? packagesIn(folder) : [folder]
  })

/** The names of packages that pnpm installed with an install script, or a `binding.gyp`, for which npm runs node-gyp. */
export const withInstallScripts = (root: string): ReadonlyArray<string> => {
  const store = path.join(root, "node_modules", ".pnpm")
  const modules = fs
    .readdirSync(store)
    .map((name) => path.join(store, name, "node_modules"))
    .filter((folder) => fs.existsSync(folder))
  const found = modules.flatMap(packagesIn).flatMap((folder) => {
    // A manifest is an object.
    const { name = folder, scripts = {} } = readJson(path.join(folder, "package.json")) as Manifest
    const runs = ["preinstall", "install", "postinstall"].some((script) => script in scripts)
    return runs || fs.existsSync(path.join(folder, "binding.gyp")) ? [name] : []
  })
  return [...new Set(found)].filter((name) => !ofEffect.includes(name)).sort()
}
