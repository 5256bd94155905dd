/** The published packages and their manifests. */
import * as path from "node:path"
import { publicModules } from "../../publicModules.mjs"
import { readJson, root } from "./repository.js"

/** An `exports` field: a file, null, or one of these for each path and condition. */
export type Exported = string | null | { readonly [key: string]: Exported }

/** The fields of a published manifest that the tools read. */
export interface Manifest {
  readonly version: string
  readonly exports: { readonly [path: string]: Exported }
  readonly imports?: { readonly [path: string]: Exported }
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly publishConfig?: {
    readonly bin?: Readonly<Record<string, string>>
    readonly exports?: { readonly [path: string]: Exported }
  }
}

/** The fields of the root manifest that the tools read. */
export interface TopManifest {
  readonly keywords: ReadonlyArray<string>
  readonly license: string
  readonly homepage: string
  readonly bugs: { readonly url: string }
  readonly repository: { readonly type: string; readonly url: string }
  readonly engines: Readonly<Record<string, string>>
  readonly packageManager: string
}

/** The published packages, in import order. */
export const names: ReadonlyArray<string> = [
  "schemas",
  "signing",
  "transport",
  "services",
  "history",
  "books",
  "fleet",
  "redis",
  "sandbox",
  "cli"
]

export const folderOf = (name: string): string => path.join(root, "packages", name)

// Every published package has these fields; `check manifests` writes them.
export const manifestOf = (name: string): Manifest => readJson(path.join(folderOf(name), "package.json")) as Manifest

// The root manifest has these fields.
export const topManifest = (): TopManifest => readJson(path.join(root, "package.json")) as TopManifest

/** A module that a package exports. */
export interface PublicModule {
  readonly name: string
  /** Its file in `src`, with its room. */
  readonly file: string
}

/** Returns the modules that a package exports, by name; `index` is the package itself. */
export const modulesOf = (name: string): ReadonlyArray<PublicModule> => [
  { name: "index", file: "index.ts" },
  ...publicModules(folderOf(name)).filter(({ sibling }) => !sibling)
]

/** Returns the modules that a package exports for the other packages of this repository. */
export const siblingsOf = (name: string): ReadonlyArray<PublicModule> =>
  publicModules(folderOf(name)).filter(({ sibling }) => sibling)

/** Returns the file of a module that users or the other packages import. */
export const sourceOf = (name: string, module: string): string => {
  const found = [...modulesOf(name), ...siblingsOf(name)].find((candidate) => candidate.name === module)
  if (found === undefined) throw new Error(`${name} has no module ${module}`)
  return path.join(folderOf(name), "src", found.file)
}

/** Returns the import specifier of a module. */
export const specifierOf = (name: string, module: string): string =>
  `@effect-venue/${name}${module === "index" ? "" : `/${module}`}`
