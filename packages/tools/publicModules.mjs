// @ts-check
// The modules of a published package that others import: files with a capital initial in the rooms of `src`.
import * as fs from "node:fs"
import * as path from "node:path"

/** @typedef {{ readonly name: string, readonly file: string, readonly sibling: boolean }} PublicModule */

/** A module for the packages of this repository alone has `@sibling` in its first docblock. */
const isSibling = (/** @type {string} */ text) => /^\/\*\*(?:(?!\*\/)[^])*@sibling\b/.test(text)

/**
 * Lists the public modules of a package by name, and those for the other packages of this repository. Fails if two have one name.
 *
 * @param {string} folder The folder of the package.
 * @returns {ReadonlyArray<PublicModule>}
 */
export const publicModules = (folder) => {
  const src = path.join(folder, "src")
  const modules = fs
    .readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => /(^|\/)[A-Z]\w*\.ts$/.test(file))
    .map((file) => ({
      name: path.basename(file, ".ts"),
      file,
      sibling: isSibling(fs.readFileSync(path.join(src, file), "utf8"))
    }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const twice = modules.find(({ name }, index) => modules[index + 1]?.name === name)
  if (twice !== undefined) throw new Error(`${folder}: two modules are called ${twice.name}`)
  return modules
}
