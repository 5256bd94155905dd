/**
 * Programs that use the packages as they are packed: a folder outside of the repository gets the tarballs and, from the
 * registry, what they want as peers. The ten lines of README.md run there as modules, as CommonJS, from two bundlers, and from
 * a bundle in a place that has nothing of Node.
 */
import { build as esbuild } from "esbuild"
import * as fs from "node:fs"
import { builtinModules } from "node:module"
import * as os from "node:os"
import * as path from "node:path"
import ts from "typescript"
import { build as vite } from "vite"
import { blocksOf } from "./src/docs.ts"
import { manifestOf, modulesOf, names, readJson, root, specifierOf, tools } from "./published.mjs"
import { pnpm, run } from "./tarballs.mjs"

/** What README.md runs first. */
const tenLines = () => {
  const [first] = blocksOf(fs.readFileSync(path.join(root, "README.md"), "utf8")).filter(({ runnable }) => runnable)
  if (first === undefined) throw new Error("README.md has no runnable block")
  return first.code
}

const javascript = (code, fileName) =>
  ts.transpileModule(code, {
    fileName,
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.Node16, esModuleInterop: true }
  }).outputText

/** CommonJS knows no `await` outside of functions. */
const withoutAwait = (code) => code.replace(/^await /gm, "void ")

/** The version of a package that this repository is checked with. */
const versionOf = (name) => {
  const owner = names.find((one) => fs.existsSync(path.join(root, "packages", one, "node_modules", name)))
  const folder = owner === undefined ? tools : path.join(root, "packages", owner)
  return readJson(path.join(folder, "node_modules", name, "package.json")).version
}

/** What the packages leave to those who install them. */
const peers = () =>
  Object.fromEntries(
    [...new Set(names.flatMap((name) => Object.keys(manifestOf(name).peerDependencies)))]
      .sort()
      .map((name) => [name, versionOf(name)])
  )

const install = (folder, tarballs) => {
  const own = Object.fromEntries(names.map((name) => [specifierOf(name, "index"), `file:${tarballs[name]}`]))
  fs.writeFileSync(
    path.join(folder, "package.json"),
    JSON.stringify({
      name: "consumer",
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

const node = (folder, ...args) => run(process.execPath, args, { cwd: folder, timeout: 300_000 })

const fees = /^[1-9]\d*(\.\d+)? USDT$/

/** Runs the ten lines from a file, and looks at what they print. */
const prints = (folder, ...args) => {
  const ran = node(folder, ...args)
  if (!ran.ok) return ran
  const output = ran.output.trim()
  return fees.test(output) ? { ok: true, output } : { ok: false, output: `printed ${JSON.stringify(output)}` }
}

const write = (folder, file, text) => {
  fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  fs.writeFileSync(path.join(folder, file), text)
  return file
}

const tsconfig = (module, moduleResolution, include, more = {}) =>
  JSON.stringify({
    compilerOptions: {
      target: "ES2022",
      module,
      moduleResolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      // What the packages say about themselves is checked too.
      skipLibCheck: false,
      noEmit: true,
      types: ["node"],
      ...more
    },
    include
  })

const tsc = (folder, config) =>
  node(folder, path.join(tools, "node_modules", "typescript", "bin", "tsc"), "-p", config, "--pretty", "false")

const specifiers = names.flatMap((name) => modulesOf(name).map((module) => specifierOf(name, module)))

const closed = names.flatMap((name) => [
  specifierOf(name, "internal/anything"),
  ...Object.entries(manifestOf(name).exports)
    .filter(([key, target]) => target === null && !key.endsWith("*"))
    .map(([key]) => specifierOf(name, key.slice(2)))
])

/** Loads every module that is open, and sees that those which are not stay closed. */
const loads = (load) => `
const problems = []
for (const name of ${JSON.stringify(specifiers)}) {
  try {
    ${load}(name)
  } catch (error) {
    problems.push(name + ": " + error.message.split("\\n")[0])
  }
}
for (const name of ${JSON.stringify(closed)}) {
  try {
    ${load}(name)
    problems.push(name + " is open")
  } catch (error) {
    if (error.code !== "ERR_PACKAGE_PATH_NOT_EXPORTED") problems.push(name + ": " + error.message)
  }
}
if (problems.length > 0) {
  console.log(problems.join("\\n"))
  process.exit(1)
}
console.log("${specifiers.length} modules")
`

/** Nothing of Node: only what browsers have as well. */
const browserLike = `
import * as fs from "node:fs"
import * as vm from "node:vm"
const web = ["AbortController", "AbortSignal", "atob", "btoa", "clearInterval", "clearTimeout", "crypto", "Event", "EventTarget",
  "fetch", "FormData", "Headers", "performance", "queueMicrotask", "ReadableStream", "Request", "Response", "setInterval",
  "setTimeout", "structuredClone", "TextDecoder", "TextEncoder", "TransformStream", "URL", "URLSearchParams", "WritableStream"]
const context = vm.createContext({ console, ...Object.fromEntries(web.map((name) => [name, globalThis[name]])) })
await vm.runInContext("(async () => {" + fs.readFileSync(process.argv[2], "utf8") + "})()", context)
`

/** The module systems and tools that the packages are used from, each with a program. */
const uses = {
  "esm: the ten lines of README.md": (folder) =>
    prints(folder, write(folder, "esm/main.mjs", javascript(tenLines(), "main.mts"))),

  "esm: every module": (folder) => node(folder, write(folder, "esm/all.mjs", loads("await import"))),

  "cjs: the ten lines of README.md": (folder) =>
    prints(folder, write(folder, "cjs/main.cjs", javascript(withoutAwait(tenLines()), "main.cts"))),

  "cjs: every module": (folder) => node(folder, write(folder, "cjs/all.cjs", loads("require"))),

  "types: node16, from a module and from CommonJS": (folder) => {
    write(folder, "node16/esm.mts", tenLines())
    write(folder, "node16/cjs.cts", withoutAwait(tenLines()))
    const all = specifiers.map((name, index) => `export * as m${index} from "${name}"\n`).join("")
    write(folder, "node16/all-esm.mts", all)
    write(folder, "node16/all-cjs.cts", all)
    return tsc(folder, write(folder, "node16/tsconfig.json", tsconfig("node16", "node16", ["*.mts", "*.cts"])))
  },

  "types: bundler": (folder) => {
    write(folder, "bundler/main.ts", tenLines())
    write(folder, "bundler/all.ts", specifiers.map((name, i) => `export * as m${i} from "${name}"\n`).join(""))
    return tsc(folder, write(folder, "bundler/tsconfig.json", tsconfig("esnext", "bundler", ["*.ts"])))
  },

  "esbuild, for Node": async (folder) => {
    write(folder, "esbuild/main.ts", tenLines())
    await esbuild({
      absWorkingDir: folder,
      entryPoints: ["esbuild/main.ts"],
      outfile: path.join(folder, "esbuild/out.mjs"),
      bundle: true,
      platform: "node",
      format: "esm",
      logLevel: "silent"
    })
    return prints(folder, "esbuild/out.mjs")
  },

  "vite, for Node": async (folder) => {
    write(folder, "vite/main.ts", tenLines())
    await vite({
      root: path.join(folder, "vite"),
      configFile: false,
      logLevel: "silent",
      build: {
        ssr: "main.ts",
        outDir: "out",
        target: "node20",
        rollupOptions: { output: { entryFileNames: "main.mjs" } }
      },
      ssr: { noExternal: true }
    })
    return prints(folder, "vite/out/main.mjs")
  },

  "a browser's bundle, where nothing of Node is": async (folder) => {
    write(folder, "browser/main.ts", tenLines())
    const { metafile } = await esbuild({
      absWorkingDir: folder,
      entryPoints: ["browser/main.ts"],
      outfile: path.join(folder, "browser/out.js"),
      bundle: true,
      platform: "browser",
      format: "esm",
      metafile: true,
      logLevel: "silent"
    })
    const imports = [
      ...Object.values(metafile.inputs).flatMap((input) => input.imports),
      ...Object.values(metafile.outputs).flatMap((output) => output.imports)
    ].map(({ original, path: to }) => original ?? to)
    const ofNode = imports.filter((name) => name.startsWith("node:") || builtinModules.includes(name))
    if (ofNode.length > 0) return { ok: false, output: `imports ${[...new Set(ofNode)].join(", ")}` }
    return prints(folder, write(folder, "browser/run.mjs", browserLike), "browser/out.js")
  },

  "the command": (folder) => {
    const bin = path.join(folder, "node_modules", ".bin", "venue")
    const venue = (...args) => run(bin, args, { cwd: folder, timeout: 60_000, shell: process.platform === "win32" })
    const version = venue("--version")
    if (!version.ok) return version
    const wanted = manifestOf("cli").version
    if (version.output.trim() !== wanted) return { ok: false, output: `says ${version.output.trim()}, not ${wanted}` }
    const listed = venue("operations", "--json")
    if (!listed.ok) return listed
    const operations = JSON.parse(listed.output)
    return Array.isArray(operations) && operations.length > 0
      ? { ok: true, output: `${wanted}, ${operations.length} operations` }
      : { ok: false, output: listed.output }
  }
}

/** Installs the tarballs and runs every use; reports each result. */
export const consume = async (tarballs, tell) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-consumer-"))
  try {
    const installed = install(folder, tarballs)
    tell("install, with peers as they are wanted", installed.ok ? { ok: true, output: "" } : installed)
    if (!installed.ok) return
    const printed = new Set()
    for (const [title, use] of Object.entries(uses)) {
      const result = await Promise.resolve()
        .then(() => use(folder))
        .catch((error) => ({ ok: false, output: String(error) }))
      if (result.ok && fees.test(result.output)) printed.add(result.output)
      tell(title, result)
    }
    tell("all of them print the same", {
      ok: printed.size === 1,
      output: [...printed].join(", ")
    })
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
