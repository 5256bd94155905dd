/**
 * The packages as those who install them get them: built, packed, and looked at from outside.
 *
 *     node --import tsx packages/tools/src/packages.ts
 */
import * as attw from "@arethetypeswrong/core"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { build } from "./build.js"
import { consume } from "./consumers.js"
import { runInstallLines } from "./installs.js"
import type { Ended } from "./programs.js"
import { modulesOf } from "./published.js"
import type { Packed } from "./registry.js"
import { root } from "./repository.js"
import { pack } from "./tarballs.js"

const bytesOf = (file: string): Uint8Array<ArrayBuffer> => new Uint8Array(fs.readFileSync(file))

const linted = async (file: string): Promise<ReadonlyArray<string>> => {
  const { messages, pkg } = await publint({
    pack: { tarball: bytesOf(file).buffer },
    level: "suggestion",
    strict: true
  })
  return messages.flatMap((message) => formatMessage(message, pkg) ?? message.code)
}

/** Node's own resolution and that of bundlers. The one from before `exports` cannot see modules of a package. */
const resolutions: ReadonlyArray<string> = ["node16-cjs", "node16-esm", "bundler"]

const mistyped = async (name: string, file: string): Promise<ReadonlyArray<string>> => {
  const entrypoints = modulesOf(name).map((module) => (module === "index" ? "." : `./${module}`))
  const result = await attw.checkPackage(attw.createPackageFromTarballData(bytesOf(file)), { entrypoints })
  if (result.types === false) return ["has no types"]
  return result.problems
    .filter((problem) => !("resolutionKind" in problem) || resolutions.includes(problem.resolutionKind))
    .map((problem) => JSON.stringify(problem))
}

/** What must lie in every package besides what is built. */
const wanted = [
  "LICENSE",
  "README.md",
  "CHANGELOG.md",
  "package.json",
  "dist/esm/index.js",
  "dist/cjs/index.cjs",
  "src/index.ts"
]

/** The files of a tarball, and its manifest. */
const unpacked = (bytes: Uint8Array): { readonly files: ReadonlyArray<string>; readonly manifest: string } => {
  const packed = attw.createPackageFromTarballData(bytes)
  const folder = `/node_modules/${packed.packageName}/`
  return {
    files: packed.listFiles().map((file) => file.slice(folder.length)),
    manifest: packed.readFile(`${folder}package.json`)
  }
}

const contents = (file: string): ReadonlyArray<string> => {
  const { files, manifest } = unpacked(bytesOf(file))
  const missing = wanted.filter((name) => !files.includes(name)).map((name) => `lacks ${name}`)
  const unexpected = files
    .filter((name) => !/^(dist|src)\//.test(name) && !wanted.includes(name))
    .map((name) => `has ${name}, which is not expected`)
  return [
    ...missing,
    ...unexpected,
    ...(/"(workspace|catalog|file|link):/.test(manifest) ? ["names what only we have"] : [])
  ]
}

/** What a registry serves of a package. */
const servedOf = (file: string): Packed => {
  const bytes = bytesOf(file)
  // A manifest has a name and a version.
  return { bytes, manifest: JSON.parse(unpacked(bytes).manifest) as Packed["manifest"] }
}

const longest = 3000

let failed = 0
let since = performance.now()
const tell = (title: string, { ok, output }: Ended): void => {
  if (!ok) failed += 1
  const seconds = `${((performance.now() - since) / 1000).toFixed(1)} s`
  since = performance.now()
  console.log(`${ok ? "ok    " : "FAILED"} ${title}, ${seconds}${output === "" ? "" : `: ${output.slice(0, longest)}`}`)
}

const examine = async (name: string, file: string): Promise<void> => {
  const problems = [...contents(file), ...(await linted(file)), ...(await mistyped(name, file))]
  const size = `${Math.round(fs.statSync(file).size / 1000)} kB`
  tell(`@effect-venue/${name}`, { ok: problems.length === 0, output: problems.join("\n    ") || size })
}

const main = async (): Promise<void> => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-packages-"))
  try {
    const isBuilt = await build()
    tell("build", { ok: isBuilt, output: "" })
    if (!isBuilt) return
    const packed = pack(folder)
    tell("pack", packed.ok ? { ok: true, output: "" } : packed)
    if (!packed.ok) return
    for (const [name, file] of Object.entries(packed.files)) await examine(name, file)
    consume(packed.files, tell)
    await runInstallLines(root, Object.values(packed.files).map(servedOf), tell)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main()
  process.exitCode = failed === 0 ? 0 : 1
}
