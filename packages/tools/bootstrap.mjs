/**
 * Runs a command of this repository from a fresh clone with nothing but Node and npm: installs what the command needs with the pinned pnpm, through
 * npx, and then becomes the command. A stamp under `node_modules/` lets a later run skip the installation.
 *
 *     node packages/tools/bootstrap.mjs start | venue | test | test:long | check | build | docs | bench | simulate | accept | mutation | release
 *     node packages/tools/bootstrap.mjs workload [a workload of packages/soak, and its options]
 *     node packages/tools/bootstrap.mjs install [start | bench | test | long | check]
 */
// @ts-check
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = path.resolve(fileURLToPath(import.meta.url), "../../..")

/**
 * @typedef {Readonly<Record<string, string>>} Ranges
 * @typedef {{ readonly name: string, readonly dependencies?: Ranges, readonly devDependencies?: Ranges }} Manifest
 * @typedef {{ readonly folder: string, readonly manifest: Manifest, readonly requires: ReadonlyArray<string> }} Package
 * @typedef {{ readonly filters: ReadonlyArray<string>, readonly wider: ReadonlyArray<string> }} Scope
 */

/** Large packages that only the bench and the long tests of `packages/clients` need. */
const peers = "@effect-venue/bench-peers"

/**
 * pnpm's filters for the packages that a command needs, and the scopes whose installation serves it too.
 *
 * @type {Readonly<Record<string, Scope>>}
 */
const scopes = {
  start: { filters: ["@effect-venue/cli..."], wider: ["test", "long", "check"] },
  bench: { filters: ["@effect-venue/bench...", peers], wider: ["long", "check"] },
  test: {
    filters: [`!${peers}`, "!@effect-venue/clients", "!@effect-venue/tools"],
    wider: ["long", "check"]
  },
  long: { filters: ["!@effect-venue/tools"], wider: ["check"] },
  check: { filters: [], wider: [] }
}

/** @type {(message: string) => never} */
const fail = (message) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/** @type {(file: string) => unknown} */
const readJson = (file) => JSON.parse(fs.readFileSync(path.join(root, file), "utf8"))

/** @returns {ReadonlyArray<Package>} */
const packages = () =>
  ["", ...fs.readdirSync(path.join(root, "packages")).map((name) => `packages/${name}`), "packages/bench/peers"]
    .filter((folder) => fs.existsSync(path.join(root, folder, "package.json")))
    .map((folder) => {
      const manifest = /** @type {Manifest} */ (readJson(path.join(folder, "package.json")))
      return { folder, manifest, requires: Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }) }
    })

/**
 * The packages that pnpm's filters select.
 *
 * @param {ReadonlyArray<string>} filters
 * @param {ReadonlyArray<Package>} all
 */
const selected = (filters, all) => {
  const wanted = filters.filter((filter) => !filter.startsWith("!")).map((filter) => filter.replace("...", ""))
  if (wanted.length === 0) return all.filter(({ manifest }) => !filters.includes(`!${manifest.name}`))
  for (const name of wanted) {
    const { requires = [] } = all.find(({ manifest }) => manifest.name === name) ?? {}
    wanted.push(...requires.filter((one) => !wanted.includes(one)))
  }
  return all.filter(({ manifest }) => wanted.includes(manifest.name))
}

/**
 * A digest of everything that an installation follows from.
 *
 * @param {ReadonlyArray<Package>} all
 */
const fingerprint = (all) => {
  const hash = createHash("sha256").update(`${process.version} ${process.platform} ${process.arch}`)
  const files = ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...all.map(({ folder }) => path.join(folder, "package.json"))]
  for (const file of files) hash.update(`\0${file}\0`).update(fs.readFileSync(path.join(root, file)))
  return hash.digest("hex")
}

/** How to call the pinned pnpm: through the npx beside the npm that runs this script, or the npx in PATH. */
const pnpmCommand = () => {
  const { packageManager } = /** @type {{ readonly packageManager: string }} */ (readJson("package.json"))
  const args = ["--yes", "--prefer-offline", packageManager.split("+")[0] ?? packageManager]
  const npx = path.join(path.dirname(process.env.npm_execpath ?? ""), "npx-cli.js")
  return path.isAbsolute(npx) && fs.existsSync(npx)
    ? { command: process.execPath, args: [npx, ...args], shell: false }
    : { command: "npx", args, shell: process.platform === "win32" }
}

/** @param {string} name */
const install = (name) => {
  const { filters, wider } = scopes[name] ?? fail(`There is no scope ${name}: ${Object.keys(scopes).join(", ")}.`)
  const all = packages()
  const print = fingerprint(all)
  const stampOf = (/** @type {string} */ scope) => path.join(root, "node_modules", ".effect-venue", scope)
  const isStamped = [name, ...wider].some(
    (scope) => fs.existsSync(stampOf(scope)) && fs.readFileSync(stampOf(scope), "utf8") === print
  )
  const isWhole = selected(filters, all).every(({ folder, requires }) =>
    requires.every((one) => fs.existsSync(path.join(root, folder, "node_modules", one)))
  )
  if (isStamped && isWhole) return

  process.stderr.write(`Installing what \`${name}\` needs (first run only) ...\n`)
  const { args, command, shell } = pnpmCommand()
  const options = ["--frozen-lockfile", "--prefer-offline", "--ignore-scripts", "--reporter=append-only"]
  const { error, signal, status, stderr, stdout } = spawnSync(
    command,
    [
      ...args,
      ...filters.flatMap((filter) => ["--filter", filter]),
      ...["install", ...options, "--config.confirm-modules-purge=false"]
    ],
    // With CI set, pnpm asks no question.
    { cwd: root, shell, encoding: "utf8", maxBuffer: 2 ** 26, env: { ...process.env, CI: "true" } }
  )
  if (error !== undefined) fail(`Could not run npx, which comes with npm: ${error.message}`)
  if (status !== 0) fail(`${stdout}${stderr}\nCould not install: ${signal ?? `exit code ${status}`} of pnpm.`)
  fs.mkdirSync(path.dirname(stampOf(name)), { recursive: true })
  fs.writeFileSync(stampOf(name), print)
}

/**
 * Runs a program in this process, so that it has its signals, terminal and exit code.
 *
 * @param {string} file
 * @param {ReadonlyArray<string>} args
 * @param {ReadonlyArray<string>} preloads
 */
const become = async (file, args, preloads = []) => {
  const absolute = path.join(root, file)
  process.argv = [process.execPath, absolute, ...args]
  for (const one of [...preloads.map((preload) => path.join(root, preload)), absolute]) {
    await import(pathToFileURL(one).href)
  }
}

/**
 * The same with a program in TypeScript.
 *
 * @param {string} name
 * @param {string} module
 * @param {ReadonlyArray<string>} args
 */
const becomeTypeScript = (name, module, args) =>
  become(`packages/${name}/src/${module}.ts`, args, [`packages/${name}/node_modules/tsx/dist/loader.mjs`])

const [command = "", ...rest] = process.argv.slice(2)
// npm removes the `--` before the arguments, and pnpm leaves it.
const args = rest[0] === "--" ? rest.slice(1) : rest
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 6)) fail(`Node 20.6 or newer is needed; this is ${process.versions.node}.`)

switch (command) {
  case "install":
    install(args[0] ?? "check")
    break
  case "start":
  case "venue": {
    install("start")
    const { current } = await import(pathToFileURL(path.join(root, "packages", "cli", "bundle.mjs")).href)
    const bin = await current().catch((/** @type {Error} */ error) =>
      fail(`Could not build the command: ${error.message}`)
    )
    // Stack traces name the sources.
    process.setSourceMapsEnabled(true)
    await become(path.relative(root, bin), command === "start" ? ["start", ...args] : args)
    break
  }
  case "test":
  case "test:long": {
    install(command === "test" ? "test" : "long")
    process.chdir(root)
    // packages/vitest.project.ts reads how much the tests repeat, and the names of their files.
    if (command === "test:long") {
      process.env.VENUE_TESTS = "long"
      process.env.VENUE_TEST_FILES ??= "long"
    }
    // vitest.workspace.ts has the projects of single packages.
    const config = args.some((arg) => arg.startsWith("--project")) ? [] : ["--config", "packages/vitest.run.ts"]
    await become("node_modules/vitest/vitest.mjs", ["run", ...config, ...args])
    break
  }
  case "bench":
    install("bench")
    await become("packages/bench/src/main.ts", args, ["packages/bench/loader.mjs"])
    break
  case "simulate":
    install("test")
    await becomeTypeScript("simulation", "main", args)
    break
  case "workload":
    install("test")
    await becomeTypeScript("soak", "main", args)
    break
  case "accept":
  case "build":
  case "check":
  case "release":
    install("check")
    await becomeTypeScript("tools", command, args)
    break
  case "docs":
    install("check")
    await becomeTypeScript("tools", "site/main", ["serve", ...args])
    break
  case "mutation":
    install("check")
    await become("packages/tools/mutation/main.mjs", args)
    break
  default: {
    fail("Usage: see the top of packages/tools/bootstrap.mjs")
  }
}
