/**
 * Builds the published packages into their `dist/`, as they are packed:
 *
 *     dist/esm/    modules, their types and maps, from the compiler
 *     dist/cjs/    the same for `require`: each source written out as CommonJS, beside the same types
 *     dist/bin/    of the command alone: the program, with everything that it imports
 *
 * Types need no second run: what a declaration says does not depend on the form. Names do: `.cjs` and `.d.cts`, in the files
 * and where they name each other.
 *
 *     node --import tsx packages/tools/src/build.ts
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { publish } from "../../cli/bundle.mjs"
import { common, declaration, withMapFields } from "./common.js"
import { show } from "./programs.js"
import { folderOf, names } from "./published.js"
import { filesOf, tools } from "./repository.js"

const built = ["js", "js.map", "d.ts", "d.ts.map"]

const expected = (name: string): ReadonlyArray<string> =>
  filesOf(path.join(folderOf(name), "src")).flatMap((file) =>
    built.map((extension) => file.replace(/\.ts$/, `.${extension}`))
  )

/** What earlier builds left of sources that are gone, and a memory of files that are gone. */
const tidy = (name: string): void => {
  const dist = path.join(folderOf(name), "dist")
  const wanted = new Set(expected(name).map((file) => `esm/${file}`))
  for (const file of filesOf(dist)) {
    if (!wanted.has(file)) fs.rmSync(path.join(dist, file))
  }
  const folders = fs.existsSync(dist) ? fs.readdirSync(dist) : []
  for (const folder of folders) {
    if (folder !== "esm") fs.rmSync(path.join(dist, folder), { recursive: true, force: true })
  }
  const isWhole = [...wanted].every((file) => fs.existsSync(path.join(dist, file)))
  // The compiler believes its own notes, not the folder.
  if (!isWhole) fs.rmSync(path.join(folderOf(name), "build", "src.tsbuildinfo"), { force: true })
}

/** The modules, their types and maps; says whether it could. */
export const compile = (): boolean => {
  names.forEach(tidy)
  const tsc = path.join(tools, "node_modules", "typescript", "bin", "tsc")
  return show(tsc, "-b", ...names.map((name) => path.join(folderOf(name), "tsconfig.src.json")))
}

const writeCommon = (name: string): void => {
  const src = path.join(folderOf(name), "src")
  const esm = path.join(folderOf(name), "dist", "esm")
  const cjs = path.join(folderOf(name), "dist", "cjs")
  for (const file of filesOf(src)) {
    const to = path.join(cjs, file.replace(/\.ts$/, ""))
    fs.mkdirSync(path.dirname(to), { recursive: true })
    const { js, map } = common(fs.readFileSync(path.join(src, file), "utf8"), file)
    fs.writeFileSync(`${to}.cjs`, js)
    fs.writeFileSync(`${to}.cjs.map`, map)
    const types = path.join(esm, file.replace(/\.ts$/, ""))
    const declared = declaration(fs.readFileSync(`${types}.d.ts`, "utf8"))
    fs.writeFileSync(`${to}.d.cts`, declared.replace(/(sourceMappingURL=.*)\.d\.ts\.map/, "$1.d.cts.map"))
    const declaredMap = fs.readFileSync(`${types}.d.ts.map`, "utf8")
    fs.writeFileSync(`${to}.d.cts.map`, withMapFields(declaredMap, { file: `${path.basename(to)}.d.cts` }))
  }
}

/** Builds everything; says whether it could. */
export const build = async (): Promise<boolean> => {
  if (!compile()) return false
  names.forEach(writeCommon)
  await publish(path.join(folderOf("cli"), "dist", "bin"))
  return true
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (await build()) console.log(`built ${names.join(", ")}`)
  else process.exitCode = 1
}
