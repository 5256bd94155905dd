/**
 * Everything up to publishing, and stops before it: the versions agree and have their changelogs, no change waits for a version,
 * the tests and the checks hold, the tarballs lie in a folder. What would have to be typed next is printed, never run.
 *
 *     node packages/tools/bootstrap.mjs release [--without-checks]
 */
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "./build.js"
import { run, show } from "./programs.js"
import { folderOf, manifestOf, names, topManifest } from "./published.js"
import type { TopManifest } from "./published.js"
import { root, tools } from "./repository.js"
import { pack } from "./tarballs.js"
import type { Packing } from "./tarballs.js"

const changes = (folder: string): ReadonlyArray<string> =>
  fs.existsSync(folder) ? fs.readdirSync(folder).filter((file) => file.endsWith(".md") && file !== "README.md") : []

/** What decides whether a release can be made. */
export interface State {
  /** What `git status --porcelain` prints. */
  readonly status: string
  /** Changes without a version. */
  readonly pending: ReadonlyArray<string>
  /** By package. */
  readonly versions: Readonly<Record<string, string>>
  /** By package. */
  readonly changelogs: Readonly<Record<string, string>>
}

/** What is not as it must be, to be seen without running anything. */
export const unready = ({ changelogs, pending, status, versions }: State): ReadonlyArray<string> => {
  const [version = "0.0.0", ...others] = new Set(Object.values(versions))
  return [
    ...(status.trim() === "" ? [] : ["there are changes that are not committed"]),
    ...(pending.length === 0 ? [] : [`${pending.length} changes wait for a version: \`pnpm versions\``]),
    ...(others.length === 0 ? [] : [`the versions differ: ${JSON.stringify(versions)}`]),
    ...(version === "0.0.0" ? ["there is no version yet: `pnpm changeset`, `pnpm versions`"] : []),
    ...Object.entries(changelogs)
      .filter(([, text]) => !text.includes(`\n## ${version}\n`))
      .map(([name]) => `the changelog of ${name} says nothing of ${version}`)
  ]
}

/** What only those who publish can know. */
export const unknown = (top: Pick<TopManifest, "bugs" | "homepage" | "repository">): ReadonlyArray<string> => {
  const places = { homepage: top.homepage, bugs: top.bugs.url, repository: top.repository.url }
  return Object.entries(places)
    .filter(([, place]) => new URL(place.replace(/^git\+/, "")).hostname.endsWith(".example"))
    .map(([field, place]) => `\`${field}\` in package.json still is ${place}`)
}

const stateOf = (): State => {
  const each = (of: (name: string) => string) => Object.fromEntries(names.map((name) => [name, of(name)]))
  return {
    status: run("git", ["status", "--porcelain"], { cwd: root }).output,
    pending: changes(path.join(root, ".changeset")),
    versions: each((name) => manifestOf(name).version),
    changelogs: each((name) => {
      const file = path.join(folderOf(name), "CHANGELOG.md")
      return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : ""
    })
  }
}

const step = (title: string, command: string): boolean => {
  console.log(`\n== ${title}`)
  return show(path.join(tools, "bootstrap.mjs"), command)
}

/** Builds and packs into an empty folder; gives the tarballs, or says why it could not. */
const packInto = async (folder: string): Promise<Packing> => {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  return (await build()) ? pack(folder) : { ok: false, output: "could not build" }
}

const printTarballs = (folder: string, version: string, tarballs: ReadonlyArray<string>): void => {
  console.log(`\nVersion ${version}, ready in ${path.relative(root, folder)}:`)
  for (const file of tarballs) {
    const digest = createHash("sha256").update(fs.readFileSync(file)).digest("hex")
    console.log(`  ${digest}  ${path.basename(file)}`)
  }
}

const printNext = (version: string, tarballs: ReadonlyArray<string>, missing: ReadonlyArray<string>): void => {
  if (missing.length > 0) {
    console.log("\nBefore it can be published:")
    for (const field of missing) console.log(`  ${field}: set it, then \`pnpm codegen\``)
  }
  console.log("\nNothing was published. The next commands are yours to type, in this order:")
  for (const file of tarballs) console.log(`  npm publish ${path.relative(root, file)} --access public`)
  console.log(`  git tag v${version} && git push --tags`)
}

const main = async (): Promise<boolean> => {
  const problems = unready(stateOf())
  for (const problem of problems) console.log(`not ready: ${problem}`)
  if (problems.length > 0) return false
  if (!process.argv.includes("--without-checks") && !(step("tests", "test") && step("checks", "check"))) return false
  const folder = path.join(tools, "build", "release")
  const packed = await packInto(folder)
  if (!packed.ok) {
    console.log(packed.output)
    return false
  }
  const { version } = manifestOf("schemas")
  const tarballs = Object.values(packed.files)
  const missing = unknown(topManifest())
  printTarballs(folder, version, tarballs)
  printNext(version, tarballs, missing)
  return missing.length === 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await main()) ? 0 : 1
