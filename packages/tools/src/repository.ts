/** The repository: its folders, and its files listed, read and written. */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { format, resolveConfig } from "prettier"

/** The folder `packages/tools`. */
export const tools = path.resolve(fileURLToPath(import.meta.url), "../..")

/** The top of the repository. */
export const root = path.resolve(tools, "../..")

/** With `--import`, Node runs TypeScript. */
export const tsx = pathToFileURL(path.join(tools, "node_modules", "tsx", "dist", "loader.mjs")).href

/**
 * How long a program may take that a check starts, in milliseconds: it ends what hangs, and is no measure of what is slow. A machine that
 * is shared, or that runs the tests beside, is several times slower than an idle one.
 */
export const longestRun = 10 * 60_000

export const readJson = (file: string): unknown => JSON.parse(fs.readFileSync(file, "utf8"))

/** Files under a folder, as paths from it with slashes, sorted. None if there is no such folder. */
export const filesOf = (folder: string): ReadonlyArray<string> =>
  fs.existsSync(folder)
    ? fs
        .readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => fs.lstatSync(path.join(folder, file)).isFile())
        .map((file) => file.replaceAll("\\", "/"))
        .sort()
    : []

/** Formats a text as prettier formats the file. */
export const formatted = async (file: string, text: string): Promise<string> =>
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
