import * as esbuild from "esbuild"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const packages = fileURLToPath(new URL("../..", import.meta.url))

const scope = "@effect-venue"

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly publishConfig?: object
}

const manifestOf = (name: string): Manifest =>
  // Written by this repository.
  JSON.parse(fs.readFileSync(path.join(packages, name, "package.json"), "utf8")) as Manifest

/** A package of this repository with its dependencies. */
const closure = (name: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(name)) return found
  found.add(name)
  for (const dependency of Object.keys(manifestOf(name).dependencies ?? {})) {
    if (dependency.startsWith(`${scope}/`)) closure(dependency.slice(scope.length + 1), found)
  }
  return found
}

/** Links to the installed packages that are not part of this repository. */
const linkDependencies = (from: string, to: string): void => {
  fs.mkdirSync(to, { recursive: true })
  for (const name of fs.readdirSync(from)) {
    if (name.startsWith(".") || name === scope) continue
    if (name.startsWith("@")) linkDependencies(path.join(from, name), path.join(to, name))
    else fs.symlinkSync(fs.realpathSync(path.join(from, name)), path.join(to, name), "junction")
  }
}

/**
 * Installs a package with its dependencies in `folder`, as from a registry: compiled module by module, with the exports of their published
 * manifests. Returns the folder of the package.
 */
export const install = async (name: string, folder: string): Promise<string> => {
  const folderOf = (dependency: string): string => path.join(folder, "node_modules", scope, dependency)
  for (const dependency of closure(name)) {
    const source = path.join(packages, dependency)
    const target = folderOf(dependency)
    const manifest = manifestOf(dependency)
    await esbuild.build({
      entryPoints: [path.join(source, "src", "**", "*.ts")],
      outbase: path.join(source, "src"),
      outdir: path.join(target, "dist", "esm"),
      format: "esm",
      platform: "node",
      target: "es2022",
      logLevel: "warning"
    })
    fs.writeFileSync(path.join(target, "package.json"), JSON.stringify({ ...manifest, ...manifest.publishConfig }))
    linkDependencies(path.join(source, "node_modules"), path.join(target, "node_modules"))
  }
  return folderOf(name)
}
