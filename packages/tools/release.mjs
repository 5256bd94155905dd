/**
 * Everything up to publishing, and stops before it: the versions agree and have their changelogs, no change waits for a version,
 * the tests and the checks hold, the tarballs lie in a folder. What would have to be typed next is printed, never run.
 *
 *     node packages/tools/release.mjs [--without-checks]
 */
import { spawnSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "./src/build.ts"
import { folderOf, manifestOf, names, readJson, root, tools } from "./published.mjs"
import { run } from "./src/programs.ts"
import { pack } from "./src/tarballs.ts"

const changes = (folder) =>
  fs.existsSync(folder) ? fs.readdirSync(folder).filter((file) => file.endsWith(".md") && file !== "README.md") : []

/** What is not as it must be, to be seen without running anything. */
export const unready = ({ changelogs, pending, status, versions }) => {
  const [version, ...others] = new Set(Object.values(versions))
  return [
    ...(status.trim() === "" ? [] : ["there are changes that are not committed"]),
    ...(pending.length === 0 ? [] : [`${pending.length} changes wait for a version: \`pnpm versions\``]),
    ...(others.length === 0 ? [] : [`the versions differ: ${JSON.stringify(versions)}`]),
    ...(version === undefined || version === "0.0.0"
      ? ["there is no version yet: `pnpm changeset`, `pnpm versions`"]
      : []),
    ...Object.entries(changelogs)
      .filter(([, text]) => !text.includes(`\n## ${version}\n`))
      .map(([name]) => `the changelog of ${name} says nothing of ${version}`)
  ]
}

/** What only those who publish can know. */
export const unknown = (top) => {
  const places = { homepage: top.homepage, bugs: top.bugs.url, repository: top.repository.url }
  return Object.entries(places)
    .filter(([, place]) => new URL(place.replace(/^git\+/, "")).hostname.endsWith(".example"))
    .map(([field, place]) => `\`${field}\` in package.json still is ${place}`)
}

const step = (title, command, ...args) => {
  console.log(`\n== ${title}`)
  return spawnSync(command, args, { cwd: root, stdio: "inherit" }).status === 0
}

const main = async () => {
  const each = (of) => Object.fromEntries(names.map((name) => [name, of(name)]))
  const top = readJson(path.join(root, "package.json"))
  const versions = each((name) => manifestOf(name).version)
  const problems = unready({
    status: run("git", ["status", "--porcelain"], { cwd: root }).output,
    pending: changes(path.join(root, ".changeset")),
    versions,
    changelogs: each((name) => {
      const file = path.join(folderOf(name), "CHANGELOG.md")
      return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : ""
    })
  })
  if (problems.length > 0) {
    for (const problem of problems) console.log(`not ready: ${problem}`)
    return false
  }
  const bootstrap = path.join(tools, "bootstrap.mjs")
  if (!process.argv.includes("--without-checks")) {
    if (!step("tests", process.execPath, bootstrap, "test")) return false
    if (!step("checks", process.execPath, bootstrap, "check")) return false
  }
  const folder = path.join(tools, "build", "release")
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const packed = (await build()) ? pack(folder) : { ok: false, output: "could not build" }
  if (!packed.ok) {
    console.log(packed.output)
    return false
  }
  const { version } = manifestOf(names[0])
  const tarballs = names.map((name) => packed.files[name])
  console.log(`\nVersion ${version}, ready in ${path.relative(root, folder)}:`)
  for (const file of tarballs) {
    const digest = createHash("sha256").update(fs.readFileSync(file)).digest("hex")
    console.log(`  ${digest}  ${path.basename(file)}`)
  }
  const left = unknown(top)
  if (left.length > 0) {
    console.log("\nBefore it can be published:")
    for (const one of left) console.log(`  ${one}: set it, then \`pnpm codegen\``)
  }
  console.log("\nNothing was published. The next commands are yours to type, in this order:")
  for (const file of tarballs) console.log(`  npm publish ${path.relative(root, file)} --access public`)
  console.log(`  git tag v${version} && git push --tags`)
  return left.length === 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exitCode = (await main()) ? 0 : 1
