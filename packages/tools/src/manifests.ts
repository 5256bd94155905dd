/**
 * What the manifests of the published packages have in common is written from one place: where the project lives from the
 * manifest at the top, and what is exported from `exports` and `imports`, with the built files instead of the sources.
 *
 *     node --import tsx packages/tools/src/manifests.ts            writes what changed
 *     node --import tsx packages/tools/src/manifests.ts --check    only says what would change, and fails if anything would
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import * as Generated from "./generated.js"
import { folderOf, manifestOf, names, topManifest } from "./published.js"
import type { Exported, Manifest, TopManifest } from "./published.js"
import { filesOf, root } from "./repository.js"

/** Both forms of a built module, each with its types. */
const built = (source: string): Exported => {
  const file = (folder: string, extension: string) =>
    source.replace(/^\.\/src\//, `./dist/${folder}/`).replace(/\.ts$/, extension)
  return {
    import: { types: file("esm", ".d.ts"), default: file("esm", ".js") },
    require: { types: file("cjs", ".d.cts"), default: file("cjs", ".cjs") }
  }
}

/** The same map with built modules where it has sources. */
const published = (map: Exported): Exported => {
  if (map === null) return null
  if (typeof map === "string") return map.startsWith("./src/") ? built(map) : map
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [key, published(value)]))
}

const order: ReadonlyArray<string> = [
  "name",
  "version",
  "private",
  "description",
  "keywords",
  "license",
  "homepage",
  "bugs",
  "repository",
  "type",
  "sideEffects",
  "engines",
  "exports",
  "imports",
  "files",
  "publishConfig",
  "dependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "devDependencies"
]

/** A manifest as it should be, from the present one. */
const manifest = (present: Manifest, top: TopManifest, name: string): Readonly<Record<string, unknown>> => {
  const { bugs, engines, homepage, keywords, license, repository } = top
  const bin = present.publishConfig?.bin
  const wanted: Readonly<Record<string, unknown>> = {
    ...present,
    keywords,
    license,
    homepage,
    bugs,
    repository: { ...repository, directory: `packages/${name}` },
    type: "module",
    sideEffects: false,
    engines,
    files: ["dist", "src", "CHANGELOG.md"],
    publishConfig: {
      access: "public",
      ...(bin === undefined ? {} : { bin }),
      exports: published(present.exports),
      ...(present.imports === undefined ? {} : { imports: published(present.imports) })
    }
  }
  const strangers = Object.keys(wanted).filter((key) => !order.includes(key))
  if (strangers.length > 0) throw new Error(`${name}: nothing says where ${strangers.join(", ")} belongs`)
  return Object.fromEntries(order.flatMap((key) => (wanted[key] === undefined ? [] : [[key, wanted[key]]])))
}

/** Brings the manifests up to date, or with `check` only says which are not. */
const run = (check: boolean): ReadonlyArray<string> => {
  const top = topManifest()
  return names.flatMap((name) => {
    const file = path.join(folderOf(name), "package.json")
    const wanted = `${JSON.stringify(manifest(manifestOf(name), top, name), null, 2)}\n`
    if (wanted === fs.readFileSync(file, "utf8")) return []
    if (!check) fs.writeFileSync(file, wanted)
    return [path.relative(root, file)]
  })
}

/** The package of a module's name. */
const packageOf = (module: string): string =>
  module
    .split("/")
    .slice(0, module.startsWith("@") ? 2 : 1)
    .join("/")

/** The modules that a source imports by name. */
const importsOf = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/^(?:import|export) [^"=(]*from "([^"]+)"/gm), ([, module = ""]) => module).filter(
    (module) => !/^[.#]|^node:/.test(module)
  )

/** Packages that the sources of a published one import, and that its users do not get with it. What is bundled needs none. */
const undeclared = (name: string): ReadonlyArray<string> => {
  const { dependencies, peerDependencies, publishConfig } = manifestOf(name)
  if (publishConfig?.bin !== undefined) return []
  const declared = new Set(Object.keys({ ...dependencies, ...peerDependencies }))
  const source = path.join(folderOf(name), "src")
  return filesOf(source)
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) =>
      importsOf(fs.readFileSync(path.join(source, file), "utf8"))
        .filter((module) => !declared.has(packageOf(module)))
        .map((module) => `packages/${name}/src/${file} imports ${module}, of which package.json has no dependency`)
    )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes("--check")
  const stale = run(check)
  const missing = names.flatMap(undeclared)
  for (const problem of missing) console.log(problem)
  if (missing.length > 0) process.exitCode = 1
  Generated.report(stale, check, Generated.codegen)
  if (stale.length === 0 && missing.length === 0) console.log("manifests clean")
}
