/**
 * Programs that use the packages as they are packed: the folders of packages/tools/consumers, each with a manifest and a `start`. They are copied
 * out of the repository, beside the tarballs and what these want as peers. The ten lines of README.md run there as modules, as CommonJS, from two
 * bundlers, and from a bundle in a place that has nothing of Node.
 */
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { blocksOf } from "./docs.js"
import { withInstallScripts } from "./installScripts.js"
import { pnpm, run } from "./programs.js"
import type { Ended } from "./programs.js"
import { manifestOf, modulesOf, names, specifierOf } from "./published.js"
import { longestRun, readJson, root, tools } from "./repository.js"
import type { Tarballs } from "./tarballs.js"

export const consumers = path.join(tools, "consumers")

type Tell = (title: string, result: Ended) => void

const read = (file: string): string => fs.readFileSync(file, "utf8")

/** What README.md runs first. */
const tenLines = (): string => {
  const [first] = blocksOf(read(path.join(root, "README.md"))).filter(({ runnable }) => runnable)
  if (first === undefined) throw new Error("README.md has no runnable block")
  return first.code
}

/** CommonJS knows no `await` outside of functions. */
const withoutAwait = (code: string): string => code.replace(/^await /gm, "void ")

const withRequire = (code: string): string =>
  code.replace(/^import (?:\* as )?(.+) from ("[^"]+")$/gm, "const $1 = require($2)")

/** The program of a folder, as README.md has it. */
const programOf = (file: string): string => {
  const extension = path.extname(file)
  if (extension === ".cjs") return withRequire(withoutAwait(tenLines()))
  return extension === ".cts" ? withoutAwait(tenLines()) : tenLines()
}

/** Programs in a folder that are not what README.md says. */
export const differing = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /(^|[\\/])main\.[cm]?[jt]s$/.test(file))
    .filter((file) => read(path.join(folder, file)).trim() !== programOf(file).trim())

/** The version of a package that this repository is checked with. */
const versionOf = (name: string): string => {
  const owner = names.find((one) => fs.existsSync(path.join(root, "packages", one, "node_modules", name)))
  const folder = owner === undefined ? tools : path.join(root, "packages", owner)
  // A manifest has a version.
  return (readJson(path.join(folder, "node_modules", name, "package.json")) as { readonly version: string }).version
}

/** What the packages leave to those who install them. */
const peers = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...new Set(names.flatMap((name) => Object.keys(manifestOf(name).peerDependencies ?? {})))]
      .sort()
      .map((name) => [name, versionOf(name)])
  )

const install = (folder: string, tarballs: Tarballs): Ended => {
  const own = Object.fromEntries(names.map((name) => [specifierOf(name, "index"), `file:${tarballs[name] ?? ""}`]))
  fs.writeFileSync(
    path.join(folder, "package.json"),
    JSON.stringify({
      name: "consumers",
      private: true,
      type: "module",
      dependencies: { ...own, ...peers(), "@types/node": versionOf("@types/node") },
      // They name each other by version, which no registry has before they are published.
      pnpm: { overrides: own }
    })
  )
  return pnpm(
    ["install", "--prefer-offline", "--ignore-scripts", "--strict-peer-dependencies", "--reporter=append-only"],
    {
      cwd: folder,
      env: { ...process.env, CI: "true" }
    }
  )
}

const open = names.flatMap((name) => modulesOf(name).map((module) => specifierOf(name, module)))

const closed = names.flatMap((name) => [
  specifierOf(name, "internal/anything"),
  ...Object.entries(manifestOf(name).exports)
    .filter(([key, target]) => target === null && !key.endsWith("*"))
    .map(([key]) => specifierOf(name, key.slice(2)))
])

/** Copies the folders, and writes what follows from the manifests: the modules that are open, as names and as a module with the types of all. */
const copy = (folder: string): void => {
  fs.cpSync(consumers, folder, { recursive: true })
  fs.writeFileSync(path.join(folder, "modules.json"), JSON.stringify({ closed, open }))
  const all = open.map((name, index) => `export * as m${index} from "${name}"\n`).join("")
  for (const file of ["types-node16/all-esm.mts", "types-node16/all-cjs.cts", "types-bundler/all.ts"]) {
    fs.writeFileSync(path.join(folder, file), all)
  }
}

const fees = /^[1-9]\d*(\.\d+)? USDT$/

/** Starts a folder's program with the compilers and bundlers of this repository, and looks at what it prints. */
const start = (folder: string, name: string): Ended => {
  const bin = path.join(tools, "node_modules", ".bin")
  const ended = run("npm", ["start", "--silent"], {
    cwd: path.join(folder, name),
    timeout: longestRun,
    shell: process.platform === "win32",
    env: { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH ?? ""}` }
  })
  const output = ended.output.trim()
  if (!ended.ok) return ended
  const isPrinted = name.startsWith("types-") ? output === "" : fees.test(output)
  return isPrinted ? { ok: true, output } : { ok: false, output: `printed ${JSON.stringify(output)}` }
}

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const command = (folder: string): Ended => {
  const bin = path.join(folder, "node_modules", ".bin", "venue")
  const venue = (...args: ReadonlyArray<string>) =>
    run(bin, args, { cwd: folder, timeout: longestRun, shell: process.platform === "win32" })
  const version = venue("--version")
  if (!version.ok) return version
  const wanted = manifestOf("cli").version
  if (version.output.trim() !== wanted) return { ok: false, output: `says ${version.output.trim()}, not ${wanted}` }
  const listed = venue("operations", "--json")
  if (!listed.ok) return listed
  const operations: unknown = JSON.parse(listed.output)
  return isList(operations) && operations.length > 0
    ? { ok: true, output: `${wanted}, ${operations.length} operations` }
    : { ok: false, output: listed.output }
}

/** Installs the tarballs and starts every consumer; reports each result. */
export const consume = (tarballs: Tarballs, tell: Tell): void => {
  const unlike = differing(consumers)
  tell("consumers: their programs are that of README.md", { ok: unlike.length === 0, output: unlike.join(", ") })
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-consumers-"))
  try {
    copy(folder)
    const installed = install(folder, tarballs)
    tell("install, with peers as they are wanted", installed.ok ? { ok: true, output: "" } : installed)
    if (!installed.ok) return
    const scripts = withInstallScripts(folder)
    tell("no package that is installed has an install script", { ok: scripts.length === 0, output: scripts.join(", ") })
    const printed = new Set<string>()
    for (const name of fs.readdirSync(consumers).sort()) {
      const result = start(folder, name)
      if (result.ok && result.output !== "") printed.add(result.output)
      const { description } = readJson(path.join(folder, name, "package.json")) as { readonly description: string } // each has one
      tell(`${name}: ${description}`, result)
    }
    tell("the command", command(folder))
    tell("all of them print the same", { ok: printed.size === 1, output: [...printed].join(", ") })
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
