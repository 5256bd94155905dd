/**
 * Checks the packages as published: builds and packs them, examines them with publint and attw, and installs them with the program of README.md,
 * which runs as a module and as CommonJS.
 *
 *     node --import tsx packages/tools/src/checks/packages.ts
 */
import * as attw from "@arethetypeswrong/core"
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { build, pack } from "../build.js"
import { codeBlocks } from "../repository/markdown.js"
import { pnpm, run } from "../repository/programs.js"
import { manifestOf, modulesOf, names, siblingsOf, specifierOf } from "../repository/published.js"
import { readJson, root, tools } from "../repository/repository.js"

/** The files of every package, besides the built ones. */
const wanted = [
  ...["LICENSE", "README.md", "CHANGELOG.md", "package.json"],
  ...["dist/esm/index.js", "dist/cjs/index.cjs", "src/index.ts"]
]

const problemsOfContents = (packed: attw.Package): ReadonlyArray<string> => {
  const folder = `/node_modules/${packed.packageName}/`
  const files = packed.listFiles().map((file) => file.slice(folder.length))
  const missing = wanted.filter((name) => !files.includes(name)).map((name) => `lacks ${name}`)
  const unexpected = files.filter((name) => !/^(dist|src)\//.test(name) && !wanted.includes(name))
  const isOurs = /"(workspace|catalog|file|link):/.test(packed.readFile(`${folder}package.json`))
  return [...missing, ...unexpected.map((name) => `has ${name}`), ...(isOurs ? ["has a range of this repository"] : [])]
}

/**
 * Returns the declarations of public modules that use a type of a closed module: nobody could import it. A type that they export again has the
 * name of the public module.
 */
const findClosedTypes = (packed: attw.Package, name: string): ReadonlyArray<string> => {
  const declaration = (file: string) => `/node_modules/${packed.packageName}/dist/esm/${file.replace(/\.ts$/, ".d.ts")}`
  const open = [...modulesOf(name), ...siblingsOf(name)].map(({ file }) => declaration(file))
  return modulesOf(name).flatMap(({ file }) => {
    const text = packed.readFile(declaration(file))
    return Array.from(text.matchAll(/(?:^import .*? from |\bimport\()"(\.[^"]*)\.js"/gm), ([, named = ""]) =>
      path.posix.join(path.posix.dirname(declaration(file)), `${named}.d.ts`)
    )
      .filter((named) => !open.includes(named))
      .map((named) => `${declaration(file)} names ${named}`)
  })
}

/** Resolution by Node and by bundlers. The older resolution does not read `exports`. */
const resolutions = ["node16-cjs", "node16-esm", "bundler"]

/** Returns the problems of a tarball: its files, the messages of publint, and missing types. */
const examine = async (name: string, file: string): Promise<ReadonlyArray<string>> => {
  const bytes = new Uint8Array(fs.readFileSync(file))
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, level: "suggestion", strict: true })
  const packed = attw.createPackageFromTarballData(bytes)
  const entrypoints = [
    ...modulesOf(name).map((module) => (module.name === "index" ? "." : `./${module.name}`)),
    ...siblingsOf(name).map((module) => `./siblings/${module.name}`)
  ]
  const { types, ...checked } = await attw.checkPackage(packed, { entrypoints })
  const mistyped = "problems" in checked ? checked.problems : []
  return [
    ...problemsOfContents(packed),
    ...findClosedTypes(packed, name),
    ...messages.map((message) => formatMessage(message, pkg) ?? message.code),
    ...(types === false ? ["has no types"] : []),
    ...mistyped
      .filter((problem) => !("resolutionKind" in problem) || resolutions.includes(problem.resolutionKind))
      .map((problem) => JSON.stringify(problem))
  ]
}

/** Returns the version of a package installed in this repository. */
const versionOf = (name: string): string => {
  const folders = [tools, ...names.map((candidate) => path.join(root, "packages", candidate))]
  const file = folders
    .map((folder) => path.join(folder, "node_modules", name, "package.json"))
    .find((manifest) => fs.existsSync(manifest))
  assert.ok(file !== undefined, `${name} is not installed`)
  // A manifest has a version.
  return (readJson(file) as { readonly version: string }).version
}

/** Installs the tarballs with their peers, as strict package managers do. */
const install = (folder: string, tarballs: Readonly<Record<string, string>>): void => {
  const own = Object.fromEntries(names.map((name) => [specifierOf(name, "index"), `file:${tarballs[name] ?? ""}`]))
  // `@effect/opentelemetry` takes any first version of the API, and its SDK none from 1.10 on.
  const others = ["@types/node", "@opentelemetry/api"]
  const peers = [...names.flatMap((name) => Object.keys(manifestOf(name).peerDependencies ?? {})), ...others]
  const dependencies = { ...own, ...Object.fromEntries(peers.map((name) => [name, versionOf(name)])) }
  // The packages depend on versions of each other that no registry has yet.
  const manifest = { name: "consumer", private: true, type: "module", dependencies, pnpm: { overrides: own } }
  fs.writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest))
  const args = [
    "install",
    "--prefer-offline",
    "--ignore-scripts",
    "--strict-peer-dependencies",
    "--reporter=append-only"
  ]
  const { ok, output } = pnpm(args, { cwd: folder, env: { ...process.env, CI: "true" } })
  assert.ok(ok, output)
}

/** Native modules that are optional dependencies of Effect's packages. Their scripts compile them. */
const ofEffect = ["@parcel/watcher", "msgpackr-extract"]

/** Returns the packages in a folder, including `@scope/name`. pnpm stores each package once and links to it. */
const packagesIn = (modules: string): ReadonlyArray<string> =>
  fs.readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    const folder = path.join(modules, entry.name)
    return !entry.isDirectory() ? [] : entry.name.startsWith("@") ? packagesIn(folder) : [folder]
  })

/** Returns the installed packages with an install script, or with a `binding.gyp`, for which npm runs node-gyp. */
const withInstallScripts = (folder: string): ReadonlyArray<string> => {
  const store = path.join(folder, "node_modules", ".pnpm")
  const modules = fs.readdirSync(store).map((name) => path.join(store, name, "node_modules"))
  const found = modules
    .filter((module) => fs.existsSync(module))
    .flatMap(packagesIn)
    .flatMap((location) => {
      // A manifest is an object.
      const { name = location, scripts = {} } = readJson(path.join(location, "package.json")) as {
        name?: string
        scripts?: object
      }
      const runs = ["preinstall", "install", "postinstall"].some((script) => script in scripts)
      return runs || fs.existsSync(path.join(location, "binding.gyp")) ? [name] : []
    })
  return [...new Set(found)].filter((name) => !ofEffect.includes(name)).sort()
}

const node = (folder: string, ...args: ReadonlyArray<string>): string => {
  const { ok, output } = run(process.execPath, args, { cwd: folder })
  assert.ok(ok, output)
  return output.trim()
}

/** Returns the first program of README.md as JavaScript, and its CommonJS form, which has no top-level `await`. */
const programs = (): readonly [module: string, common: string] => {
  const [first] = codeBlocks(fs.readFileSync(path.join(root, "README.md"), "utf8")).filter(({ runnable }) => runnable)
  assert.ok(first !== undefined, "README.md has no runnable block")
  const module = first.code.replace(/ as const$/gm, "")
  const common = module
    .replace(/^await /gm, "void ")
    .replace(/^import (?:\* as )?(.+) from ("[^"]+")$/gm, "const $1 = require($2)")
  return [module, common]
}

/** Runs the program of README.md in both module systems, loads every module, and compiles their types. */
const consume = (folder: string): void => {
  fs.cpSync(path.join(tools, "consumers"), folder, { recursive: true })
  const open = names.flatMap((name) => modulesOf(name).map((module) => specifierOf(name, module.name)))
  const closed = names.flatMap((name) => ["internal/anything", "bin"].map((file) => specifierOf(name, file)))
  fs.writeFileSync(path.join(folder, "modules.json"), JSON.stringify({ closed, open }))
  const types = open.map((name, index) => `export * as m${index} from "${name}"\n`).join("")
  for (const file of ["types.mts", "types.cts"]) fs.writeFileSync(path.join(folder, file), types)
  const [module, common] = programs()
  fs.writeFileSync(path.join(folder, "main.mjs"), module)
  fs.writeFileSync(path.join(folder, "main.cjs"), common)
  for (const system of ["mjs", "cjs"]) {
    assert.equal(node(folder, `main.${system}`), "Buy XRPUSDT: New")
    node(folder, `all.${system}`)
  }
  node(folder, path.join(tools, "node_modules", "typescript", "bin", "tsc"))
}

const command = (folder: string): void => {
  const venue = path.join(folder, "node_modules", "@effect-venue", "cli", "dist", "bin", "venue.mjs")
  assert.equal(node(folder, venue, "--version"), manifestOf("cli").version)
  assert.match(node(folder, venue, "operations", "--json"), /"orders\.create"/)
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-packages-"))
try {
  await build()
  const tarballs = pack(folder)
  for (const [name, file] of Object.entries(tarballs)) {
    assert.deepEqual(await examine(name, file), [], name)
    console.log(`${name}: ${Math.round(fs.statSync(file).size / 1000)} kB`)
  }
  install(folder, tarballs)
  assert.deepEqual(withInstallScripts(folder), [], "packages with an install script")
  consume(folder)
  command(folder)
} finally {
  fs.rmSync(folder, { recursive: true, force: true })
}
