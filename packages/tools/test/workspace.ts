/** A small workspace of invented modules, over which the configurations of the repository are run. */
import * as fs from "node:fs"
import * as path from "node:path"
import { readJson, root, tools } from "../src/repository/repository.js"

/** The packages of the workspace. */
const names = ["schemas", "signing", "transport", "services", "history", "sandbox", "cli", "simulation", "tools"]

/** The modules that each package exports. */
const opened = ["./Leaf", "./siblings/Docblocks"]

/** Writes the workspace under `build/`, with further files by their path under `packages/`. Returns its folder. */
export const workspace = (title: string, files: Readonly<Record<string, string>>): string => {
  const folder = path.join(tools, "build", `rules-${title}-${process.pid}`)
  const write = (file: string, text: string): void => {
    fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
    fs.writeFileSync(path.join(folder, file), text)
  }
  for (const name of names) {
    // A manifest is an object.
    const manifest = readJson(path.join(root, "packages", name, "package.json")) as object
    const exports = Object.fromEntries(opened.map((module) => [module, module.replace(/^\./, "./src") + ".ts"]))
    write(
      `packages/${name}/package.json`,
      JSON.stringify({ ...manifest, exports: { ".": "./src/index.ts", ...exports } })
    )
    write(
      `packages/${name}/tsconfig.json`,
      JSON.stringify({
        extends: path.join(root, "tsconfig.base.json"),
        include: ["src", "test"],
        compilerOptions: { composite: false, incremental: false, noEmit: true, types: ["node"] }
      })
    )
    write(`packages/${name}/src/room/hidden.ts`, "export const hidden = 1\n")
    write(`packages/${name}/src/siblings/Docblocks.ts`, "export const docblocks = 1\n")
    write(`packages/${name}/src/Leaf.ts`, "export const leaf = 1\n")
    write(`packages/${name}/src/index.ts`, 'export * as Leaf from "./Leaf.js"\n')
    write(`packages/${name}/test/helper.ts`, "export const helper = 1\n")
    fs.mkdirSync(path.join(folder, "node_modules/@effect-venue"), { recursive: true })
    fs.symlinkSync(path.join(folder, "packages", name), path.join(folder, "node_modules/@effect-venue", name), "dir")
  }
  for (const [file, text] of Object.entries(files)) write(`packages/${file}`, text)
  return folder
}

export const remove = (folder: string): void => {
  fs.rmSync(folder, { recursive: true, force: true })
}

/** A file: its path under `packages/`, its text, and the rules that must speak on it. */
export type Case<Rule = string> = readonly [file: string, text: string, rules: ReadonlyArray<Rule>]

/** The texts of cases, by file. */
export const byFile = (cases: ReadonlyArray<Case<unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(cases.map(([file, text]) => [file, text]))
