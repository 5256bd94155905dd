/** The packages that are published, in the order in which they import each other. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

export const tools = path.resolve(fileURLToPath(import.meta.url), "..")
export const root = path.resolve(tools, "../..")

export const readJson = (file) => JSON.parse(fs.readFileSync(file, "utf8"))

export const names = ["schemas", "signing", "transport", "services", "history", "fleet", "redis", "sandbox", "cli"]

export const folderOf = (name) => path.join(root, "packages", name)

export const manifestOf = (name) => readJson(path.join(folderOf(name), "package.json"))

/** Files under a folder, as paths from it with slashes, sorted. */
export const filesOf = (folder) =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name)))
        .map((file) => file.replaceAll("\\", "/"))
        .sort()
    : []

/** The modules of a package that `exports` opens, by name; `index` stands for the package itself. */
export const modulesOf = (name) =>
  filesOf(path.join(folderOf(name), "src"))
    .filter((file) => /^[^/.]+\.ts$/.test(file) && file !== "bin.ts")
    .map((file) => file.slice(0, -".ts".length))

/** The package's own name for one of its modules. */
export const specifierOf = (name, module) => `@effect-venue/${name}${module === "index" ? "" : `/${module}`}`
