/**
 * Prepares a release and publishes nothing: checks versions and changelogs, runs the tests and the checks, packs the tarballs into
 * packages/tools/build/release, and prints the commands that publish them. `npm run release -- versions` turns changesets into versions first.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { readArguments } from "../readArguments.mjs"
import { build, pack } from "./build.js"
import { run, show } from "./repository/programs.js"
import { folderOf, manifestOf, names, topManifest } from "./repository/published.js"
import { root, tools } from "./repository/repository.js"

/** Returns the reasons why the repository cannot be released. */
const problems = (): ReadonlyArray<string> => {
  const { bugs, homepage, repository } = topManifest()
  const version = manifestOf("schemas").version
  const changelogOf = (name: string) => {
    const file = path.join(folderOf(name), "CHANGELOG.md")
    return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : ""
  }
  const changesets = fs.readdirSync(path.join(root, ".changeset")).filter((file) => /^(?!README).*\.md$/.test(file))
  return [
    ...(run("git", ["status", "--porcelain"], { cwd: root }).output.trim() === ""
      ? []
      : ["there are uncommitted changes"]),
    ...(changesets.length === 0 ? [] : [`${changesets.length} changesets: \`npm run release -- versions\``]),
    ...names.filter((name) => manifestOf(name).version !== version).map((name) => `${name} has another version`),
    ...names
      .filter((name) => !changelogOf(name).includes(`\n## ${version}\n`))
      .map((name) => `the changelog of ${name} does not mention ${version}`),
    ...[homepage, bugs.url, repository.url]
      .filter((url) => new URL(url.replace(/^git\+/, "")).hostname.endsWith(".example"))
      .map((url) => `package.json names ${url}: set it, then \`npm run fix -- codegen\``)
  ]
}

const bootstrap = path.join(tools, "bootstrap.mjs")
const changesets = path.join(tools, "node_modules", "@changesets", "cli", "bin.js")

const main = async (): Promise<boolean> => {
  const { names: steps } = readArguments(process.argv.slice(2), {
    command: "npm run release",
    options: {},
    names: [["versions", "turns changesets into versions and changelogs"]]
  })
  if (steps.includes("versions")) return show(changesets, "version") && show(bootstrap, "check", "--fix", "codegen")
  const found = problems()
  for (const problem of found) console.log(`not ready: ${problem}`)
  if (found.length > 0 || !show(bootstrap, "test") || !show(bootstrap, "check")) return false
  const folder = path.join(tools, "build", "release")
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  await build()
  console.log("Nothing was published. The commands that publish, in this order:")
  for (const file of Object.values(pack(folder)))
    console.log(`  npm publish ${path.relative(root, file)} --access public`)
  console.log(`  git tag v${manifestOf("schemas").version} && git push --tags`)
  return true
}

process.exitCode = (await main()) ? 0 : 1
