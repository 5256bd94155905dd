/** The repository as its tools see it: where it is, and how its files are listed and read. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

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

/** The files of a repository that are committed or would be, as paths from its top, sorted. */
export const committable = (top: string): ReadonlyArray<string> => {
  const { status, stderr, stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    cwd: top,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024
  })
  if (status !== 0) throw new Error(`git ls-files: ${stderr}`)
  return [...new Set(stdout.split("\n"))].filter((file) => file !== "" && fs.existsSync(path.join(top, file))).sort()
}
