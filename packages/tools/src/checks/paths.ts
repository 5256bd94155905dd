/**
 * Checks the paths that texts of the repository cite, as links are checked on pages: a file under `docs/` or `packages/` anywhere, and in comments any
 * source or page, relative to the folder of the file, to the package or its `src`, to `packages/` or to the root. A heading (`docs/contributing.md#tests`)
 * must be on the page, a rule (`rule limits/ip`) in packages/sandbox/test/rules/rules.json, and a command (`npm run check`) a script of the root
 * manifest, which is called with npm: pnpm need not be installed.
 *
 *     node --import tsx packages/tools/src/checks/paths.ts
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { readJson, root } from "../repository/repository.js"

const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "-z"], {
  ...{ cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }
})
const files = stdout.split("\0").filter((file) => file !== "" && fs.existsSync(path.join(root, file)))
const known = new Set(files)
const read = (file: string): string => fs.readFileSync(path.join(root, file), "utf8")

// The file has this form.
const { sections } = readJson(path.join(root, "packages/sandbox/test/rules/rules.json")) as {
  readonly sections: ReadonlyArray<{ readonly rules: object }>
}
const rules = new Set(sections.flatMap((section) => Object.keys(section.rules)))

// The root manifest has scripts.
const { scripts } = readJson(path.join(root, "package.json")) as { readonly scripts: object }

/** The anchors of a page, as GitHub names them. */
const anchors = (page: string): ReadonlySet<string> => {
  const titles = Array.from(read(page).matchAll(/^#{1,6} +(.*)$/gm), ([, title = ""]) =>
    title
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-")
  )
  return new Set(titles)
}

/** Where a path in the comment of a file can start. */
const folders = (file: string): ReadonlyArray<string> => {
  const [top = "", name = ""] = file.split("/")
  return [
    ".",
    path.posix.dirname(file),
    "packages",
    ...(top === "packages" ? [`packages/${name}`, `packages/${name}/src`] : [])
  ]
}

/** The files that a path or a name in the text of a file can mean. */
const resolveCited = (cited: string, file: string): ReadonlyArray<string> =>
  cited.includes("/")
    ? folders(file)
        .map((folder) => path.posix.join(folder, cited))
        .filter((candidate) => known.has(candidate))
    : files.filter((candidate) => path.posix.basename(candidate) === cited)

const comment = /(?:^\s*(?:\/?\*+|\/\/)| \/\/ )(.*)$/
const anywhere = /(?<![\w/.*-])(?:docs|packages)\/[\w./-]+\.\w+(?:#[\w-]+)?/g
const inComments = /(?<![\w@/.*}$-])(?:[\w.-]+\/)*[\w.-]+\.(?:ts|mjs|cjs|md)(?![\w/])(?:#[\w-]+)?/g

const problemsOf = (file: string): ReadonlyArray<string> =>
  read(file)
    .split("\n")
    .flatMap((line, index) => {
      const [, said = ""] = /\.([cm]?js|ts)$/.test(file) ? (comment.exec(line) ?? []) : []
      const cited = new Set([...line.matchAll(anywhere), ...said.matchAll(inComments)].map(([text]) => text))
      const dead = [...cited].filter((text) => {
        const [target = "", anchor] = text.split("#")
        return !resolveCited(target, file).some((page) => anchor === undefined || anchors(page).has(anchor))
      })
      const unknown = Array.from(said.matchAll(/\brule ([a-z-]+\/[\w./-]*\w)/g), ([, rule = ""]) => rule)
      const commands = [...line.matchAll(/\b(npm run|pnpm) ([a-z][\w:-]*)/g)]
        .filter(([, program, name = ""]) => (program === "pnpm") === Object.hasOwn(scripts, name))
        .map(([command]) => command)
      return [...dead, ...unknown.filter((rule) => !rules.has(rule)), ...commands].map(
        (text) => `${file}:${index + 1}: ${text}`
      )
    })

const texts = /\.([cm]?js|ts|md|json|jsonc|ya?ml|sh)$/
const generated = /(^|\/)CHANGELOG\.md$|^pnpm-lock\.yaml$|^packages\/tools\/test\/|^docs\/decisions\//
const problems = files.filter((file) => texts.test(file) && !generated.test(file)).flatMap(problemsOf)
for (const problem of problems) console.log(`${problem} does not exist`)
process.exitCode = problems.length === 0 ? 0 : 1
