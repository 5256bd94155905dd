/**
 * Writes docs/reference/rules.md: every rule of packages/sandbox/test/rules/rules.json with the tests that verify it. The title of such a test names
 * its rules: `[limits/ip] …`. Fails for a rule without a test, and for a title with an unknown rule.
 *
 *     node --import tsx packages/tools/src/reference/rules.ts [--check]
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { bring, filesOf, formatFile, readJson, root } from "../repository/repository.js"
import { notice, table } from "./markdown.js"

interface Rules {
  /** Rules that the library cannot keep, with the reason. They have no test. */
  readonly outside: { readonly [id: string]: string }
  readonly sections: ReadonlyArray<{ readonly title: string; readonly rules: { readonly [id: string]: string } }>
}

const id = String.raw`[A-Za-z][\w.-]*/[\w./-]+`
const titles = new RegExp(String.raw`(["'\`])\[(${id}(?:, ${id})*)\]\s*((?:\\.|(?!\1)[^\\\n])*)\1`, "g")

/** Links to the tests, by the rules that their titles name. */
const tests = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  const packages = path.join(root, "packages")
  const files = fs
    .readdirSync(packages)
    .flatMap((name) => filesOf(path.join(packages, name, "test")).map((file) => `${name}/test/${file}`))
  for (const file of files.filter((candidate) => candidate.endsWith(".test.ts"))) {
    const text = fs.readFileSync(path.join(packages, file), "utf8")
    for (const [, , ids = "", title = ""] of text.matchAll(titles)) {
      const name = file.replace(/^([^/]+)\/test\/(?:rules\/)?(.*)\.test\.ts$/, "$1/$2")
      const shown = title
        .replace(/\$\{.*$/, "…")
        .replaceAll(/\\(.)/g, "$1")
        .replaceAll("*", "\\*")
      for (const rule of ids.split(", ")) {
        found.set(rule, [...(found.get(rule) ?? []), `[${name}](../../packages/${file}): ${shown}`])
      }
    }
  }
  return found
}

// The file has this form.
const { outside, sections } = readJson(path.join(root, "packages/sandbox/test/rules/rules.json")) as Rules
const shown = tests()
const rules = sections.flatMap((section) => Object.keys(section.rules))
const problems = [
  ...rules.filter((rule, index) => rules.indexOf(rule) !== index).map((rule) => `${rule} is listed twice`),
  ...rules
    .filter((rule) => shown.has(rule) === Object.hasOwn(outside, rule))
    .map((rule) => `${rule} has no test, or is outside and has one`),
  ...[...shown.keys(), ...Object.keys(outside)]
    .filter((rule) => !rules.includes(rule))
    .map((rule) => `there is no rule ${rule}`)
]
for (const problem of problems) console.log(problem)
if (problems.length > 0) process.exitCode = 1

const file = path.join(root, "docs/reference/rules.md")
const text = [
  notice,
  "# The rules of the interface, and the tests that show them",
  `${rules.length} rules, ${Object.keys(outside).length} of them outside this library. A test sends requests to the sandbox over the wire, and checks the`,
  "responses. Its title names the rules that it shows, and the checks fail for a rule without a test. Code cites a rule by its id.",
  ...sections.flatMap(({ rules, title }) => [
    `\n## ${title}\n`,
    ...table(
      ["Id", "Rule", "Shown by"],
      Object.entries(rules).map(([rule, text]) => [
        `\`${rule}\``,
        text,
        outside[rule] === undefined ? (shown.get(rule) ?? []).join("<br>") : `_outside this library:_ ${outside[rule]}`
      ])
    )
  ])
]
bring(new Map([[file, await formatFile(file, text.join("\n"))]]))
