/**
 * Builds the published packages as they are packed:
 *
 *     dist/esm/    modules with their types, from the compiler
 *     dist/cjs/    the same as CommonJS: `.cjs` and `.d.cts`
 *     dist/bin/    of the command: a program with everything that it imports
 *
 *     npm run build
 *     npm run build -- --pack ../tarballs    also packs them into a folder
 */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { publish } from "../../cli/bundle.mjs"
import { readArguments } from "../readArguments.mjs"
import { pnpm, run } from "./repository/programs.js"
import { folderOf, manifestOf, names } from "./repository/published.js"
import { filesOf, root, tools } from "./repository/repository.js"

/** Removes output of deleted sources, so that it is not packed. */
const tidy = (name: string): void => {
  const [sources, dist] = [filesOf(path.join(folderOf(name), "src")), path.join(folderOf(name), "dist")]
  const wanted = new Set(
    sources.flatMap((file) => ["js", "js.map", "d.ts", "d.ts.map"].map((end) => `esm/${file.replace(/ts$/, end)}`))
  )
  for (const file of filesOf(dist)) if (!wanted.has(file)) fs.rmSync(path.join(dist, file))
  const isWhole = [...wanted].every((file) => fs.existsSync(path.join(dist, file)))
  // The compiler only writes files that its build info marks as changed.
  if (!isWhole) fs.rmSync(path.join(folderOf(name), "build", "src.tsbuildinfo"), { force: true })
}

/** Replaces the names of modules of the same package with their CommonJS names. */
const renameImports = (text: string): string =>
  text.replaceAll(/((?:\bfrom |\bimport\()"\.{1,2}\/[^"]*)\.js"/g, '$1.cjs"')

/** Replaces fields of a source map. */
const replaceMapFields = (map: string, fields: object): string =>
  // A source map is an object.
  JSON.stringify({ ...(JSON.parse(map) as object), ...fields })

const common = (text: string, name: string, source: string): { readonly js: string; readonly map: string } => {
  // Without helpers, a default import has a different value in CommonJS.
  assert.doesNotMatch(text, /^import (type )?\w+( from|,)|import\.meta/m, source)
  const { outputText, sourceMapText = "{}" } = ts.transpileModule(renameImports(text), {
    fileName: `${name}.cts`,
    compilerOptions: {
      ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.Node16, isolatedModules: true },
      ...{ esModuleInterop: false, sourceMap: true }
    }
  })
  return {
    js: outputText.replace(/\/\/# sourceMappingURL=.*\s*$/, `//# sourceMappingURL=${name}.cjs.map\n`),
    map: replaceMapFields(sourceMapText, { file: `${name}.cjs`, sources: [source] })
  }
}

const writeCommon = (name: string): void => {
  const [src, esm, cjs] = ["src", "dist/esm", "dist/cjs"].map((folder) => path.join(folderOf(name), folder))
  for (const file of filesOf(src ?? "").map((candidate) => candidate.replace(/\.ts$/, ""))) {
    const [from, to] = [path.join(esm ?? "", file), path.join(cjs ?? "", file)]
    fs.mkdirSync(path.dirname(to), { recursive: true })
    const source = path.join(src ?? "", `${file}.ts`)
    const { js, map } = common(
      fs.readFileSync(source, "utf8"),
      path.basename(file),
      path.relative(path.dirname(to), source)
    )
    fs.writeFileSync(`${to}.cjs`, js)
    fs.writeFileSync(`${to}.cjs.map`, map)
    const types = renameImports(fs.readFileSync(`${from}.d.ts`, "utf8"))
    fs.writeFileSync(`${to}.d.cts`, types.replace(/(sourceMappingURL=.*)\.d\.ts\.map/, "$1.d.cts.map"))
    const typesMap = fs.readFileSync(`${from}.d.ts.map`, "utf8")
    fs.writeFileSync(`${to}.d.cts.map`, replaceMapFields(typesMap, { file: `${path.basename(to)}.d.cts` }))
  }
}

/** Builds everything. */
export const build = async (): Promise<void> => {
  names.forEach(tidy)
  const tsc = path.join(tools, "node_modules", "typescript", "bin", "tsc")
  const { ok, output } = run(process.execPath, [
    tsc,
    "-b",
    ...names.map((name) => path.join(folderOf(name), "tsconfig.src.json"))
  ])
  assert.ok(ok, output)
  for (const name of names) {
    // The types of CommonJS are those of the modules under other names.
    fs.rmSync(path.join(folderOf(name), "dist", "cjs"), { recursive: true, force: true })
    writeCommon(name)
  }
  await publish(path.join(folderOf("cli"), "dist", "bin"))
}

/** Returns the files that a field of a manifest names. */
const filesIn = (field: unknown): ReadonlyArray<string> =>
  typeof field === "string" ? [field] : Object.values(field ?? {}).flatMap(filesIn)

/** Returns the files that the packed manifests name, such as the program of the command, and that were not built. */
export const unbuilt = (): ReadonlyArray<string> =>
  names.flatMap((name) =>
    filesIn([manifestOf(name).publishConfig?.bin, manifestOf(name).publishConfig?.exports])
      .map((file) => path.join(folderOf(name), file))
      .filter((file) => !fs.existsSync(file))
  )

/** Packs the packages into a folder, as `pnpm publish` does. Returns the tarballs by package. */
export const pack = (folder: string): Readonly<Record<string, string>> => {
  const [missing] = unbuilt()
  assert.ok(missing === undefined, `${missing} does not exist: run \`npm run build\` before packing`)
  const filters = names.flatMap((name) => ["--filter", `@effect-venue/${name}`])
  const { ok, output } = pnpm([...filters, "--recursive", "pack", "--pack-destination", folder], { cwd: root })
  assert.ok(ok, output)
  return Object.fromEntries(
    names.map((name) => [name, path.join(folder, `effect-venue-${name}-${manifestOf(name).version}.tgz`)])
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = readArguments(process.argv.slice(2), { command: "npm run build", options: { pack: "FOLDER" } })
  await build()
  if (values.pack !== undefined) for (const file of Object.values(pack(path.resolve(values.pack)))) console.log(file)
}
