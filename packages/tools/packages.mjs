/**
 * The packages as those who install them get them: built, packed, and looked at from outside.
 *
 *     node packages/tools/check.mjs packages
 */
import * as attw from "@arethetypeswrong/core"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { build } from "./src/build.ts"
import { consume } from "./src/consumers.ts"
import { modulesOf, names, root } from "./published.mjs"
import { runInstallLines } from "./src/installs.ts"
import { pack } from "./src/tarballs.ts"

const bytesOf = (file) => new Uint8Array(fs.readFileSync(file))

const linted = async (file) => {
  const { messages, pkg } = await publint({
    pack: { tarball: bytesOf(file).buffer },
    level: "suggestion",
    strict: true
  })
  return messages.map((message) => formatMessage(message, pkg))
}

/** Node's own resolution and that of bundlers. The one from before `exports` cannot see modules of a package. */
const resolutions = ["node16-cjs", "node16-esm", "bundler"]

const mistyped = async (name, file) => {
  const entrypoints = modulesOf(name).map((module) => (module === "index" ? "." : `./${module}`))
  const result = await attw.checkPackage(attw.createPackageFromTarballData(bytesOf(file)), { entrypoints })
  if (result.types === false) return ["has no types"]
  return result.problems
    .filter(({ resolutionKind }) => resolutionKind === undefined || resolutions.includes(resolutionKind))
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

const contents = (file) => {
  const packed = attw.createPackageFromTarballData(bytesOf(file))
  const folder = `/node_modules/${packed.packageName}/`
  const files = packed.listFiles().map((one) => one.slice(folder.length))
  const missing = wanted.filter((one) => !files.includes(one)).map((one) => `lacks ${one}`)
  const unexpected = files
    .filter((one) => !/^(dist|src)\//.test(one) && !wanted.includes(one))
    .map((one) => `has ${one}, which is not expected`)
  const manifest = packed.readFile(`${folder}package.json`)
  return [
    ...missing,
    ...unexpected,
    ...(/"(workspace|catalog|file|link):/.test(manifest) ? ["names what only we have"] : [])
  ]
}

/** What a registry serves of a package. */
const servedOf = (file) => {
  const bytes = bytesOf(file)
  const packed = attw.createPackageFromTarballData(bytes)
  return { bytes, manifest: JSON.parse(packed.readFile(`/node_modules/${packed.packageName}/package.json`)) }
}

const longest = 3000

let failed = 0
let since = performance.now()
const tell = (title, { ok, output }) => {
  if (!ok) failed += 1
  const seconds = `${((performance.now() - since) / 1000).toFixed(1)} s`
  since = performance.now()
  console.log(`${ok ? "ok    " : "FAILED"} ${title}, ${seconds}${output === "" ? "" : `: ${output.slice(0, longest)}`}`)
}

const main = async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-packages-"))
  try {
    tell("build", { ok: await build(), output: "" })
    if (failed > 0) return
    const packed = pack(folder)
    tell("pack", packed.ok ? { ok: true, output: "" } : packed)
    if (!packed.ok) return
    for (const name of names) {
      const file = packed.files[name]
      const problems = [...contents(file), ...(await linted(file)), ...(await mistyped(name, file))]
      const size = `${Math.round(fs.statSync(file).size / 1000)} kB`
      tell(`@effect-venue/${name}`, { ok: problems.length === 0, output: problems.join("\n    ") || size })
    }
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
