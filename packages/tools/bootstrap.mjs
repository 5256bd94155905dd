/**
 * From a fresh clone to a running command, with Node and npm alone: installs what the command needs with the pinned
 * pnpm, through npx, then becomes the command. A stamp under `node_modules/` lets a later run skip the installation.
 *
 *     node packages/tools/bootstrap.mjs start [arguments of `venue start`]
 *     node packages/tools/bootstrap.mjs venue [arguments of `venue`]
 *     node packages/tools/bootstrap.mjs test [--beside=N] [arguments of vitest]
 *     node packages/tools/bootstrap.mjs test:long [--beside=N] [arguments of vitest]
 *     node packages/tools/bootstrap.mjs soak [--calls N] [--seed S]
 *     node packages/tools/bootstrap.mjs kill-test [--runs N] [--seed S]
 *     node packages/tools/bootstrap.mjs kill-writes [--runs N] [--seed S]
 *     node packages/tools/bootstrap.mjs kill-fleet [--accounts N] [--kills K] [--seed S]
 *     node packages/tools/bootstrap.mjs bench [rows]
 *     node packages/tools/bootstrap.mjs check [steps]
 *     node packages/tools/bootstrap.mjs build
 *     node packages/tools/bootstrap.mjs release [--without-checks]
 *     node packages/tools/bootstrap.mjs site [serve]
 *     node packages/tools/bootstrap.mjs mutation [groups]
 *     node packages/tools/bootstrap.mjs install [start | bench | test | long | check | mutation]
 */
// @ts-check
import { spawn, spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const root = path.resolve(fileURLToPath(import.meta.url), "../../..")

/**
 * @typedef {Readonly<Record<string, string>>} Ranges
 * @typedef {{ readonly name: string, readonly dependencies?: Ranges, readonly devDependencies?: Ranges }} Manifest
 * @typedef {{ readonly folder: string, readonly file: string, readonly manifest: Manifest }} Package
 * @typedef {{ readonly name: string, readonly filters: ReadonlyArray<string>, readonly wider: ReadonlyArray<string> }} Scope
 */

/** Large, and of use to `bench` and to the long tests of `packages/clients`. */
const peers = "@effect-venue/bench-peers"

/**
 * What each command needs installed; an installation of a wider scope serves the command too.
 *
 * @type {ReadonlyArray<Scope>}
 */
const scopes = [
  { name: "start", filters: ["@effect-venue/cli..."], wider: ["test", "long", "check", "mutation"] },
  { name: "bench", filters: ["@effect-venue/bench...", peers], wider: ["long", "check", "mutation"] },
  {
    name: "test",
    filters: [`!${peers}`, "!@effect-venue/clients", "!@effect-venue/tools", "!@effect-venue/mutation"],
    wider: ["long", "check", "mutation"]
  },
  {
    name: "long",
    filters: ["!@effect-venue/tools", "!@effect-venue/mutation"],
    wider: ["check", "mutation"]
  },
  // With the peers: the long tests run beside the checks, and an installation of their own would move packages under them.
  { name: "check", filters: ["!@effect-venue/mutation"], wider: ["mutation"] },
  { name: "mutation", filters: [], wider: [] }
]

/** @type {(message: string) => never} */
const fail = (message) => {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}

/**
 * @param {string} file
 * @returns {unknown}
 */
const readJson = (file) => JSON.parse(fs.readFileSync(file, "utf8"))

/** @returns {ReadonlyArray<Package>} */
const manifests = () => {
  const folders = fs.readdirSync(path.join(root, "packages"), { withFileTypes: true })
  return [
    root,
    ...folders.filter((entry) => entry.isDirectory()).map((entry) => path.join(root, "packages", entry.name)),
    path.join(root, "packages", "bench", "peers")
  ]
    .map((folder) => ({ folder, file: path.join(folder, "package.json") }))
    .filter(({ file }) => fs.existsSync(file))
    .map(({ file, folder }) => ({ folder, file, manifest: /** @type {Manifest} */ (readJson(file)) }))
}

/**
 * @param {Manifest} manifest
 * @returns {Ranges}
 */
const dependencies = (manifest) => ({ ...manifest.dependencies, ...manifest.devDependencies })

/**
 * The packages that a scope installs.
 *
 * @param {Scope} scope
 * @param {ReadonlyArray<Package>} all
 * @returns {ReadonlyArray<Package>}
 */
const selected = (scope, all) => {
  const byName = new Map(all.map((one) => [one.manifest.name, one]))
  const only = scope.filters.filter((filter) => !filter.startsWith("!"))
  if (only.length > 0) {
    /** @type {Set<Package>} */
    const found = new Set()
    /** @param {string} name */
    const visit = (name) => {
      const one = byName.get(name)
      if (one === undefined || found.has(one)) return
      found.add(one)
      Object.keys(dependencies(one.manifest)).forEach(visit)
    }
    // One without dots depends on nothing here.
    only.forEach((filter) => visit(filter.replace(/\.\.\.$/, "")))
    return [...found]
  }
  return all.filter(({ manifest }) => !scope.filters.includes(`!${manifest.name}`))
}

/**
 * What an installation follows from: any change of it makes the installation stale.
 *
 * @param {ReadonlyArray<Package>} all
 */
const fingerprint = (all) => {
  const hash = createHash("sha256").update(`${process.version} ${process.platform} ${process.arch}`)
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...all.map((one) => path.relative(root, one.file))]) {
    hash.update(`\0${file}\0`).update(fs.readFileSync(path.join(root, file)))
  }
  return hash.digest("hex")
}

/** @param {string} name */
const stampOf = (name) => path.join(root, "node_modules", ".effect-venue", name)

/**
 * @param {Scope} scope
 * @param {ReadonlyArray<Package>} all
 * @param {string} print
 */
const isInstalled = (scope, all, print) => {
  const stamped = [scope.name, ...scope.wider].some((name) => {
    const stamp = stampOf(name)
    return fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === print
  })
  // A stamp says what was done, not what was removed since.
  return (
    stamped &&
    selected(scope, all).every(({ folder, manifest }) =>
      Object.keys(dependencies(manifest)).every((name) => fs.existsSync(path.join(folder, "node_modules", name)))
    )
  )
}

/** How to call the pinned pnpm: the one that runs this script if it is the pinned one, else through npx. */
const pnpmCommand = () => {
  const { packageManager } = /** @type {{ readonly packageManager: string }} */ (
    readJson(path.join(root, "package.json"))
  )
  const [pinned = packageManager] = packageManager.split("+")
  const runner = process.env.npm_execpath ?? ""
  if (
    (process.env.npm_config_user_agent ?? "").startsWith(pinned.replace("@", "/") + " ") &&
    /pnpm\.c?js$/.test(runner)
  ) {
    return { command: process.execPath, args: [runner], shell: false }
  }
  // npm says where it is, and npx lies beside it.
  const npx = path.join(path.dirname(runner), "npx-cli.js")
  const args = ["--yes", "--prefer-offline", pinned]
  return runner !== "" && fs.existsSync(npx)
    ? { command: process.execPath, args: [npx, ...args], shell: false }
    : { command: "npx", args, shell: process.platform === "win32" }
}

/** @param {string} name */
const install = (name) => {
  const scope = scopes.find((one) => one.name === name)
  if (scope === undefined)
    return fail(`There is no ${name} to install for: ${scopes.map((one) => one.name).join(", ")}.`)
  const all = manifests()
  const print = fingerprint(all)
  if (isInstalled(scope, all, print)) return

  process.stderr.write(`Installing what \`${name}\` needs (first run only) ...\n`)
  const { args, command, shell } = pnpmCommand()
  const child = spawnSync(
    command,
    [
      ...args,
      ...scope.filters.flatMap((filter) => ["--filter", filter]),
      "install",
      "--frozen-lockfile",
      "--prefer-offline",
      "--ignore-scripts",
      "--reporter=append-only",
      "--config.confirm-modules-purge=false"
    ],
    {
      cwd: root,
      shell,
      stdio: ["ignore", "pipe", "pipe"],
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024,
      // With CI set, pnpm asks nothing.
      env: { ...process.env, CI: "true" }
    }
  )
  if (child.error !== undefined) {
    fail(`Could not run npx, which comes with npm and is needed to install: ${child.error.message}`)
  }
  if (child.status !== 0) {
    process.stderr.write(child.stdout + child.stderr)
    fail(`Could not install (${child.signal ?? `exit code ${child.status}`}): what pnpm said is above.`)
  }
  // Whatever the scope: those that it is wider than are looked up through it.
  fs.mkdirSync(path.dirname(stampOf(name)), { recursive: true })
  fs.writeFileSync(stampOf(name), print)
}

/**
 * Runs a program in this very process, so that signals, terminal and exit code are its own.
 *
 * @param {string} file
 * @param {ReadonlyArray<string>} args
 * @param {ReadonlyArray<string>} preloads
 */
const become = async (file, args, preloads = []) => {
  process.argv = [process.execPath, file, ...args]
  for (const preload of preloads) await import(pathToFileURL(preload).href)
  await import(pathToFileURL(file).href)
}

/**
 * The same with a program in TypeScript: a module in `src/` of a package, read with the tsx that the package has.
 *
 * @param {string} name
 * @param {string} module
 * @param {ReadonlyArray<string>} args
 */
const becomeTypeScript = async (name, module, args) => {
  const folder = path.join(root, "packages", name)
  const loader = path.join(folder, "node_modules", "tsx", "dist", "loader.mjs")
  await become(path.join(folder, "src", module), args, [loader])
}

/** Computes until the process that started it is gone. */
const busy = "const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e8; i++);"

/**
 * Keeps a number of processes busy for as long as this one lives, as on a machine that has other work.
 *
 * @param {number} count
 */
const burden = (count) => {
  for (let i = 0; i < count; i++) {
    const child = spawn(process.execPath, ["--eval", busy], { stdio: "ignore" })
    child.unref()
    process.on("exit", () => child.kill())
  }
}

const [command, ...rest] = process.argv.slice(2)
// `npm start -- --x` takes the `--` away, `pnpm start -- --x` leaves it.
const args = rest[0] === "--" ? rest.slice(1) : rest
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 6)) fail(`Node 20.6 or newer is needed; this is ${process.versions.node}.`)

switch (command) {
  case "install": {
    install(args[0] ?? "check")
    break
  }
  case "start":
  case "venue": {
    install("start")
    const { current } = await import(pathToFileURL(path.join(root, "packages", "cli", "bundle.mjs")).href)
    const bin = await current().catch((/** @type {Error} */ error) =>
      fail(`Could not build the command: ${error.message}`)
    )
    // Stack traces name the sources.
    process.setSourceMapsEnabled(true)
    await become(bin, command === "start" ? ["start", ...args] : args)
    break
  }
  case "soak":
  case "shared-limits":
  case "fleet-cluster":
  case "kill-test":
  case "kill-writes":
  case "kill-fleet": {
    install("test")
    const main = {
      soak: "main.ts",
      "shared-limits": "sharedLimitsMain.ts",
      "fleet-cluster": "fleetClusterMain.ts",
      "kill-test": "killTestMain.ts",
      "kill-writes": "killWritesMain.ts",
      "kill-fleet": "killFleetMain.ts"
    }
    await becomeTypeScript("soak", main[command], args)
    break
  }
  case "simulate": {
    install("test")
    await becomeTypeScript("simulation", "main.ts", args)
    break
  }
  case "bench": {
    install("bench")
    const bench = path.join(root, "packages", "bench")
    await become(path.join(bench, "src", "main.ts"), args, [path.join(bench, "loader.mjs")])
    break
  }
  case "test":
  case "test:long": {
    install(command === "test:long" ? "long" : "test")
    process.chdir(root)
    // Read by packages/vitest.project.ts.
    if (command === "test:long") process.env.VENUE_TESTS = "long"
    const config = path.join("packages", "vitest.run.ts")
    const beside = "--beside="
    const vitestArgs = args.filter((arg) => !arg.startsWith(beside))
    burden(Number(args.find((arg) => arg.startsWith(beside))?.slice(beside.length) ?? 0))
    // The projects of single packages are those of vitest.workspace.ts.
    const isOfProjects = vitestArgs.some((arg) => arg.startsWith("--project"))
    await become(path.join(root, "node_modules", "vitest", "vitest.mjs"), [
      "run",
      ...(isOfProjects ? [] : ["--config", config]),
      // The configuration has as many workers at least as at most.
      ...vitestArgs.flatMap((arg) => (arg.startsWith("--maxWorkers=") ? [arg, arg.replace("max", "min")] : [arg]))
    ])
    break
  }
  case "accept":
  case "build":
  case "check":
  case "release":
  case "site": {
    install("check")
    await becomeTypeScript("tools", `${command}.ts`, args)
    break
  }
  case "mutation": {
    install("mutation")
    await become(path.join(root, "packages", "mutation", "main.mjs"), args)
    break
  }
  default: {
    fail(
      "Usage: node packages/tools/bootstrap.mjs start | venue | test | test:long | soak | kill-test | kill-writes | kill-fleet | shared-limits | fleet-cluster | simulate | bench | check | build | release | site | mutation | accept | install [scope]"
    )
  }
}
