/**
 * The `venue` command as a program of a few files. The first is what the command line is parsed with; what only some commands run is
 * in chunks that are loaded when they do.
 *
 *     current()         the command of these sources, built when there is no build of them yet; `npm run venue` runs it
 *     bundle(folder)    the same into a folder of the caller, for tests that must not change under way
 *     publish(folder)   the program of the published package
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const here = fileURLToPath(import.meta.url)
const repository = path.resolve(here, "../../..")

const entry = "venue.mjs"

const readJson = (file) => JSON.parse(fs.readFileSync(file, "utf8"))

/** Loaded only when something is built: it takes longer than the command does to start. */
const esbuild = () => import("esbuild")

/** The command and the packages of the workspace that it is made of, as folders. */
const packagesOf = (root) => {
  const byName = new Map()
  for (const name of fs.readdirSync(path.join(root, "packages"))) {
    const folder = path.join(root, "packages", name)
    const file = path.join(folder, "package.json")
    if (fs.existsSync(file)) byName.set(readJson(file).name, folder)
  }
  const found = new Set()
  const visit = (folder) => {
    if (folder === undefined || found.has(folder)) return
    found.add(folder)
    Object.keys(readJson(path.join(folder, "package.json")).dependencies ?? {}).forEach((name) =>
      visit(byName.get(name))
    )
  }
  visit(path.join(root, "packages", "cli"))
  return [...found].sort()
}

const filesUnder = (folder) =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => path.join(file.parentPath ?? file.path, file.name))
    .sort()

/**
 * What a build follows from: the sources, what is installed, and where, since native libraries are imported from there. Contents
 * and not times, which a checkout and a copy set as they like.
 */
const fingerprint = (root) => {
  const hash = createHash("sha256").update(root)
  const sources = packagesOf(root).flatMap((folder) => [
    path.join(folder, "package.json"),
    ...filesUnder(path.join(folder, "src"))
  ])
  for (const file of [here, path.join(root, "pnpm-lock.yaml"), ...sources]) {
    const content = fs.readFileSync(file)
    hash.update(`\0${path.relative(root, file)}\0${content.length}\0`).update(content)
  }
  return hash.digest("hex").slice(0, 32)
}

/** The database is a native library: it stays where it is installed, and is imported from there. */
const native = /^@libsql\/client$/

const nativeInPlace = {
  name: "native-in-place",
  setup: (build) => {
    build.onResolve({ filter: native }, async ({ importer, kind, path, pluginData, resolveDir }) => {
      if (pluginData === "found") return undefined
      const { path: found } = await build.resolve(path, { importer, kind, resolveDir, pluginData: "found" })
      return { path: pathToFileURL(found).href, external: true }
    })
  }
}

/** In a published package it is looked up when it is needed, through the optional peer that depends on it. */
const nativeOfPeer = {
  name: "native-of-peer",
  setup: (build) => {
    build.onResolve({ filter: native }, ({ path }) => ({ path, namespace: "native-of-peer" }))
    build.onLoad({ filter: /.*/, namespace: "native-of-peer" }, ({ path }) => ({
      contents: `
        import { createRequire } from "node:module"
        import { pathToFileURL } from "node:url"
        const peer = createRequire(import.meta.url).resolve("@effect/sql-libsql")
        const client = await import(pathToFileURL(createRequire(peer).resolve(${JSON.stringify(path)})).href)
        export const createClient = client.createClient ?? client.default.createClient`,
      resolveDir: repository
    }))
  }
}

const options = (root, folder) => ({
  absWorkingDir: root,
  entryPoints: { [path.basename(entry, ".mjs")]: path.join(root, "packages", "cli", "src", "bin.ts") },
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20",
  tsconfigRaw: {},
  metafile: true,
  // Some of what it is made of was written for CommonJS.
  banner: {
    js: 'import { createRequire as bundledRequire } from "node:module"; const require = bundledRequire(import.meta.url);'
  },
  logLevel: "silent"
})

/** Builds the command into a folder. Returns the file to run, and what its files are made of. */
export const bundle = async (folder, root = repository) => {
  const { build } = await esbuild()
  const { metafile } = await build({
    ...options(root, folder),
    // Beside the sources a map need not repeat them.
    sourcemap: true,
    sourcesContent: false,
    plugins: [nativeInPlace]
  })
  return { file: path.join(folder, entry), metafile }
}

const packageOf = (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]

/** The licences of what is copied into the program, which ask to be copied with it. */
const licences = (root, { outputs }) => {
  const inputs = Object.values(outputs).flatMap((output) => Object.keys(output.inputs))
  const folders = [...new Set(inputs.map(packageOf))].filter((folder) => folder !== undefined)
  return folders
    .map((folder) => {
      const { license, name, version } = readJson(path.join(root, folder, "package.json"))
      const file = fs.readdirSync(path.join(root, folder)).find((file) => /^licen[cs]e/i.test(file))
      const text = file === undefined ? "" : `\n\n${fs.readFileSync(path.join(root, folder, file), "utf8").trim()}`
      return `${name} ${version} (${license})${text}\n`
    })
    .sort()
    .join(`\n${"-".repeat(80)}\n\n`)
}

/**
 * Builds the program of the published package: with what it imports inside, because finding and opening several hundred modules takes
 * longer than running them. The dependencies that the package declares for itself stay imports.
 */
export const publish = async (folder) => {
  const { build } = await esbuild()
  const { dependencies } = readJson(path.join(repository, "packages", "cli", "package.json"))
  fs.rmSync(folder, { recursive: true, force: true })
  const { metafile } = await build({
    ...options(repository, folder),
    external: Object.entries(dependencies).flatMap(([name, range]) => (range.startsWith("workspace:") ? [] : [name])),
    plugins: [nativeOfPeer]
  })
  fs.writeFileSync(path.join(folder, "THIRD-PARTY.txt"), licences(repository, metafile))
  return { file: path.join(folder, entry), metafile }
}

const hour = 3_600_000

const isAlive = (pid) => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // A process of another user.
    return error.code === "EPERM"
  }
}

/** Processes load chunks as they need them: a build stays while one runs from it, and for an hour after the last start. */
const isInUse = (folder) =>
  Date.now() - fs.statSync(folder).mtimeMs < hour ||
  fs
    .readdirSync(folder)
    .flatMap((name) => /^pid-(\d+)$/.exec(name)?.[1] ?? [])
    .some((pid) => isAlive(Number(pid)))

const removeUnused = (builds) => {
  for (const name of fs.readdirSync(builds)) {
    const folder = path.join(builds, name)
    try {
      if (!isInUse(folder)) fs.rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      // Another process removed it first.
      if (error.code !== "ENOENT") throw error
    }
  }
}

/** Makes a whole build appear at once, unless another process was faster: its build is of the same sources. */
const install = (draft, folder) => {
  try {
    fs.renameSync(draft, folder)
  } catch (error) {
    if (!fs.existsSync(path.join(folder, entry))) throw error
  }
}

/** Says that this process runs from a build. Returns whether the build exists. */
const hold = (folder) => {
  const mark = path.join(folder, `pid-${process.pid}`)
  try {
    fs.writeFileSync(mark, "")
  } catch (error) {
    if (error.code === "ENOENT") return false
    throw error
  }
  process.once("exit", () => fs.rmSync(mark, { force: true }))
  return true
}

/** Builds what a fingerprint stands for; nothing where a source changed under way. */
const make = async (root, builds, key) => {
  fs.mkdirSync(builds, { recursive: true })
  removeUnused(builds)
  const draft = fs.mkdtempSync(path.join(builds, "draft-"))
  try {
    await bundle(draft, root)
    if (fingerprint(root) === key) install(draft, path.join(builds, key))
  } finally {
    fs.rmSync(draft, { recursive: true, force: true })
    // Its compiler would stay for as long as this process does.
    await (await esbuild()).stop()
  }
}

/** The file to run of the command as its sources are now. Built once; it stays until this process ends. */
export const current = async (root = repository) => {
  const builds = path.join(root, "packages", "cli", "build", "command")
  for (;;) {
    const key = fingerprint(root)
    const folder = path.join(builds, key)
    if (hold(folder)) return path.join(folder, entry)
    await make(root, builds, key)
  }
}
