/** The folders and files of the repository. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { format, resolveConfig } from "prettier"

/** The folder `packages/tools`. */
export const tools = path.resolve(fileURLToPath(import.meta.url), "../../..")

/** The root of the repository. */
export const root = path.resolve(tools, "../..")

/** The loader with which Node runs TypeScript. */
export const tsx = pathToFileURL(path.join(tools, "node_modules", "tsx", "dist", "loader.mjs")).href

/**
 * The time limit of a program that a check starts, in milliseconds. It only ends hanging programs: a shared machine, or one that runs the
 * tests at the same time, is several times slower than an idle one.
 */
export const longestRun = 10 * 60_000

export const readJson = (file: string): unknown => JSON.parse(fs.readFileSync(file, "utf8"))

/** Lists the files under a folder, as sorted relative paths with slashes. Empty if the folder does not exist. */
export const filesOf = (folder: string): ReadonlyArray<string> =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => fs.lstatSync(path.join(folder, file)).isFile())
        .map((file) => file.replaceAll("\\", "/"))
        .sort()
    : []

/** Formats a text as prettier would format the file. */
export const formatFile = async (file: string, text: string): Promise<string> =>
  format(text, { ...(await resolveConfig(file)), filepath: file })

/** Writes the files that differ, or with `--check` lists them and fails. */
export const bring = (files: ReadonlyMap<string, string>): void => {
  const check = process.argv.includes("--check")
  const stale = [...files].filter(([file, text]) => !fs.existsSync(file) || fs.readFileSync(file, "utf8") !== text)
  for (const [file, text] of stale) {
    console.log(`${path.relative(root, file)} ${check ? "is out of date" : "written"}`)
    if (!check) fs.writeFileSync(file, text)
  }
  if (check && stale.length > 0) process.exitCode = 1
}
