/**
 * What the manifests of the published packages have in common is written from one place: where the project lives from the
 * manifest at the top, and what is exported from `exports` and `imports`, with the built files instead of the sources.
 *
 *     node packages/tools/manifests.mjs            writes what changed
 *     node packages/tools/manifests.mjs --check    only says what would change, and fails if anything would
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { folderOf, manifestOf, names, readJson, root } from "./published.mjs"

/** Both forms of a built module, each with its types. */
const built = (source) => {
  const file = (folder, extension) => source.replace(/^\.\/src\//, `./dist/${folder}/`).replace(/\.ts$/, extension)
  return {
    import: { types: file("esm", ".d.ts"), default: file("esm", ".js") },
    require: { types: file("cjs", ".d.cts"), default: file("cjs", ".cjs") }
  }
}

/** The same map with built modules where it has sources. */
const published = (map) =>
  typeof map === "string"
    ? map.startsWith("./src/")
      ? built(map)
      : map
    : map === null
      ? null
      : Object.fromEntries(Object.entries(map).map(([key, value]) => [key, published(value)]))

const order = [
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

export const manifest = (present, top, name) => {
  const { bugs, engines, homepage, keywords, license, repository } = top
  const bin = Object.entries(present.publishConfig?.bin ?? {})
  const wanted = {
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
      ...(bin.length === 0 ? {} : { bin: Object.fromEntries(bin) }),
      exports: published(present.exports),
      ...(present.imports === undefined ? {} : { imports: published(present.imports) })
    }
  }
  const strangers = Object.keys(wanted).filter((key) => !order.includes(key))
  if (strangers.length > 0) throw new Error(`${name}: nothing says where ${strangers.join(", ")} belongs`)
  return Object.fromEntries(order.flatMap((key) => (wanted[key] === undefined ? [] : [[key, wanted[key]]])))
}

/** Brings the manifests up to date, or with `check` only says which are not. */
export const run = (check) => {
  const top = readJson(path.join(root, "package.json"))
  return names.flatMap((name) => {
    const file = path.join(folderOf(name), "package.json")
    const wanted = `${JSON.stringify(manifest(manifestOf(name), top, name), null, 2)}\n`
    if (wanted === fs.readFileSync(file, "utf8")) return []
    if (!check) fs.writeFileSync(file, wanted)
    return [path.relative(root, file)]
  })
}

/** The package of a module's name. */
const packageOf = (module) =>
  module
    .split("/")
    .slice(0, module.startsWith("@") ? 2 : 1)
    .join("/")

/** Packages that the sources of a published one import, and that its users do not get with it. What is bundled needs none. */
export const undeclared = (name) => {
  const { dependencies, peerDependencies, publishConfig } = manifestOf(name)
  if (publishConfig?.bin !== undefined) return []
  const declared = new Set(Object.keys({ ...dependencies, ...peerDependencies }))
  const source = path.join(folderOf(name), "src")
  return fs
    .readdirSync(source, { recursive: true })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const text = fs.readFileSync(path.join(source, file), "utf8")
      const modules = Array.from(text.matchAll(/^(?:import|export) [^"=(]*from "([^"]+)"/gm), ([, module]) => module)
      return modules
        .filter((module) => !/^[.#]|^node:/.test(module) && !declared.has(packageOf(module)))
        .map((module) => `packages/${name}/src/${file} imports ${module}, of which package.json has no dependency`)
    })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const check = process.argv.includes("--check")
  const stale = run(check)
  for (const file of stale) console.log(check ? `${file} is not what codegen writes` : `wrote ${file}`)
  const missing = names.flatMap(undeclared)
  for (const problem of missing) console.log(problem)
  if (missing.length > 0) process.exitCode = 1
  if (stale.length === 0 && missing.length === 0) console.log("manifests clean")
  if (check && stale.length > 0) {
    console.log("Run `pnpm codegen`.")
    process.exitCode = 1
  }
}
