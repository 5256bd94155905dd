/** A copy of the repository in which a test may change files, compile and run tests. */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { filesOf, longestRun } from "../../src/repository/repository.js"

/** How a command ended. */
export interface Ended {
  readonly code: number | null
  readonly output: string
}

export interface Copy {
  readonly root: string
  readonly read: (file: string) => string
  readonly write: (file: string, text: string) => void
  /** Runs Node in the copy. */
  readonly node: (...args: ReadonlyArray<string>) => Ended
  /** Files that differ from the copied ones. */
  readonly changed: () => ReadonlyArray<string>
}

const git = (cwd: string, ...args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = spawnSync("git", args, { cwd, encoding: "utf8", maxBuffer: 2 ** 26 })
  if (status !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`)
  return stdout
}

const lines = (text: string): ReadonlyArray<string> => text.split("\n").filter((line) => line !== "")

/** A second name for a file would let the compiler write to the original. Its times are what the compiler goes by. */
const copyFile = (source: string, target: string): void => {
  fs.mkdirSync(path.dirname(target), { recursive: true })
  fs.copyFileSync(source, target)
  const { atime, mtime } = fs.statSync(source)
  fs.utimesSync(target, atime, mtime)
}

/** Copies a folder with its symbolic links. A file is a second name of the same one where `isLinked`. */
const copyFolder = (from: string, to: string, isLinked: boolean): void => {
  fs.mkdirSync(to, { recursive: true })
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) copyFolder(source, target, isLinked)
    else if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), target)
    else if (isLinked) fs.linkSync(source, target)
    else copyFile(source, target)
  }
}

/** Other checks build meanwhile: a file may go while it is copied. The compiler writes anew what is missing. */
const unlessGone = (copy: () => void): void => {
  try {
    copy()
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
  }
}

/** What is installed in a package, and what the compiler wrote there: it goes on from that. */
const copyPackage = (from: string, to: string): void => {
  if (!fs.statSync(from).isDirectory()) return
  const installed = path.join(from, "node_modules")
  if (fs.existsSync(installed)) copyFolder(installed, path.join(to, "node_modules"), true)
  for (const name of ["dist", "build/test", "build/types"]) {
    for (const file of filesOf(path.join(from, name))) {
      // Written when the packages are built, not by the compiler.
      if (/^(cjs|bin)\//.test(file)) continue
      unlessGone(() => {
        copyFile(path.join(from, name, file), path.join(to, name, file))
      })
    }
  }
  for (const name of ["src.tsbuildinfo", "test.tsbuildinfo", "types.tsbuildinfo"]) {
    unlessGone(() => {
      copyFile(path.join(from, "build", name), path.join(to, "build", name))
    })
  }
}

/** Copies the repository to a folder on the same file system: the installed packages have a second name there. */
export const make = (from: string, root: string): Copy => {
  fs.rmSync(root, { recursive: true, force: true })
  fs.mkdirSync(root, { recursive: true })
  for (const file of lines(git(from, "ls-files", "--cached", "--others", "--exclude-standard"))) {
    const [source, target] = [path.join(from, file), path.join(root, file)]
    if (fs.existsSync(source)) copyFile(source, target)
  }
  copyFolder(path.join(from, "node_modules"), path.join(root, "node_modules"), true)
  for (const name of fs.readdirSync(path.join(root, "packages"))) {
    copyPackage(path.join(from, "packages", name), path.join(root, "packages", name))
  }
  // Tools ask git which files there are.
  git(root, "init", "--quiet")
  git(root, "add", "--all")
  return {
    root,
    read: (file) => fs.readFileSync(path.join(root, file), "utf8"),
    write: (file, text) => {
      fs.writeFileSync(path.join(root, file), text)
    },
    node: (...args) => {
      const { status, stderr, stdout } = spawnSync(process.execPath, args, {
        cwd: root,
        encoding: "utf8",
        maxBuffer: 2 ** 26,
        timeout: longestRun,
        env: { ...process.env, NO_COLOR: "1" }
      })
      return { code: status, output: `${stdout}${stderr}` }
    },
    changed: () => [
      ...lines(git(root, "diff", "--name-only")),
      ...lines(git(root, "ls-files", "--others", "--exclude-standard"))
    ]
  }
}
