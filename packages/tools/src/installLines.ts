/**
 * The install lines of the documentation: every `npm install` with packages, in README.md, docs/ and the READMEs of the packages.
 * The ranges in them are those of the catalog in pnpm-workspace.yaml, because the registry's `latest` of effect is another major.
 *
 *     tsx packages/tools/src/installLines.ts [--check]
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { blocks, imports, pages } from "./markdown.js"
import { root } from "./repository.js"

/** The scope of the packages of this repository. They are published together, so that their `latest` always fits. */
const ownScope = "@effect-venue/"

/** One package that a line installs. `range` is `undefined` if the line names none. */
interface Requirement {
  readonly name: string
  readonly range: string | undefined
}

/** One install line. `line` is its number on the page, from 1. */
export interface InstallLine {
  readonly line: number
  readonly command: string
  readonly isGlobal: boolean
  readonly requirements: ReadonlyArray<Requirement>
}

const shells = ["sh", "bash", "shell", "console"]

const installer =
  /^\s*(?:\$ )?(?<command>(?:npm (?:install|i|add)|pnpm (?:add|install|i)|yarn add|bun add)\s.*?)\s*(?:#.*)?$/

const requirementOf = (word: string): Requirement => {
  const [, name = word, range] = /^(@?[^@]+)(?:@(.+))?$/.exec(word) ?? []
  return { name, range }
}

const wordsOf = (command: string): ReadonlyArray<string> => command.split(/\s+/).slice(2)

/** The packages that a command installs. */
export const requirementsOf = (command: string): ReadonlyArray<Requirement> =>
  wordsOf(command)
    .filter((word) => !word.startsWith("-"))
    .map(requirementOf)

/** The install lines in the shell blocks of a page. */
export const installLines = (markdown: string): ReadonlyArray<InstallLine> =>
  blocks(markdown)
    .filter(({ language }) => shells.includes(language))
    .flatMap(({ code, line }) =>
      code.split("\n").flatMap((text, index) => {
        const command = installer.exec(text)?.groups?.command
        if (command === undefined) return []
        return [
          {
            line: line + index,
            command,
            isGlobal: wordsOf(command).some((word) => word === "--global" || word === "-g"),
            requirements: requirementsOf(command)
          }
        ]
      })
    )
    .filter(({ requirements }) => requirements.length > 0)

/** The ranges of the catalog, by package. */
export const catalog = (workspace: string): ReadonlyMap<string, string> => {
  const section = /^catalog:\n(?<entries>(?:(?:[ \t]+.*|#.*)?\n)*)/m.exec(workspace)?.groups?.entries ?? ""
  const entries = Array.from(section.matchAll(/^ {2}(?:"(?<quoted>[^"]+)"|(?<plain>[\w./-]+)): (?<range>\S+)$/gm))
  return new Map(entries.map(({ groups }) => [groups?.quoted ?? groups?.plain ?? "", groups?.range ?? ""] as const))
}

const isOwn = ({ name }: Requirement): boolean => name.startsWith(ownScope)

/** Why a line does not install what it should. */
const problemsOf = (
  { command, requirements }: InstallLine,
  ranges: ReadonlyMap<string, string>,
  published: ReadonlySet<string>
): ReadonlyArray<string> => [
  ...(command.startsWith("npm install ") ? [] : ["install lines are written with `npm install`"]),
  ...(/[{}]/.test(command) ? ["not every shell expands braces"] : []),
  ...requirements
    .filter(isOwn)
    .flatMap(({ name, range }) => [
      ...(published.has(name) ? [] : [`there is no package ${name}`]),
      ...(range === undefined ? [] : [`${name} needs no range`])
    ]),
  ...requirements
    .filter((requirement) => !isOwn(requirement))
    .flatMap(({ name, range }) => {
      const expected = ranges.get(name)
      if (expected === undefined) return [`the catalog has no ${name}`]
      return range === expected ? [] : [`${name}@${range ?? "latest"} differs from the catalog's ${name}@${expected}`]
    })
]

/** The package of a module's specifier. */
const packageOf = (specifier: string): string => specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")

/** Why the install lines of a page do not install what its code needs, each with its line number. */
export const problems = (
  markdown: string,
  ranges: ReadonlyMap<string, string>,
  published: ReadonlySet<string>
): ReadonlyArray<string> => {
  const lines = installLines(markdown)
  const [first] = lines
  if (first === undefined) return []
  const named = new Set(lines.flatMap(({ requirements }) => requirements.map(({ name }) => name)))
  // A package manager with a strict layout lets a program import only what it names.
  const unnamed = lines.every(({ isGlobal }) => isGlobal)
    ? []
    : [...new Set(imports(markdown).map(packageOf))].filter((name) => !named.has(name))
  return [
    ...lines.flatMap((line) => problemsOf(line, ranges, published).map((problem) => `${line.line}: ${problem}`)),
    ...unnamed.map((name) => `${first.line}: the page imports ${name}, which no line installs`)
  ]
}

/** The page with the ranges of the catalog in its install lines. */
export const withCatalogRanges = (markdown: string, ranges: ReadonlyMap<string, string>): string => {
  const lines = markdown.split("\n")
  for (const { command, line, requirements } of installLines(markdown)) {
    const corrected = requirements.reduce((text, { name, range }) => {
      const expected = ranges.get(name)
      const before = range === undefined ? name : `${name}@${range}`
      return expected === undefined ? text : text.replace(` ${before}`, ` ${name}@${expected}`)
    }, command)
    lines[line - 1] = (lines[line - 1] ?? "").replace(command, corrected)
  }
  return lines.join("\n")
}

interface Manifest {
  readonly name: string
  readonly private?: boolean
}

/** The names of the packages under `packages/` that are published. */
const publishedNames = (root: string): ReadonlySet<string> => {
  const manifests = fs
    .readdirSync(path.join(root, "packages"))
    .map((folder) => path.join(root, "packages", folder, "package.json"))
    .filter((file) => fs.existsSync(file))
    // The compiler cannot see what is in the file: these are fields of npm's manifest.
    .map((file) => JSON.parse(fs.readFileSync(file, "utf8")) as Manifest)
  return new Set(manifests.filter((manifest) => manifest.private !== true).map(({ name }) => name))
}

const main = (root: string, check: boolean): boolean => {
  const ranges = catalog(fs.readFileSync(path.join(root, "pnpm-workspace.yaml"), "utf8"))
  const published = publishedNames(root)
  const found = pages(root).flatMap((page) => {
    const file = path.join(root, page)
    const before = fs.readFileSync(file, "utf8")
    const after = check ? before : withCatalogRanges(before, ranges)
    if (after !== before) {
      fs.writeFileSync(file, after)
      console.log(`wrote ${page}`)
    }
    return problems(after, ranges, published).map((problem) => `${page}:${problem}`)
  })
  console.log(found.length === 0 ? "install lines agree with the catalog" : found.join("\n"))
  return found.length === 0
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = main(root, process.argv.includes("--check")) ? 0 : 1
}
