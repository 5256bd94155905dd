/**
 * Every rule of the interface and the tests that show it: writes docs/reference/rules.md from the list of rules
 * (packages/sandbox/test/rules/rules.json) and the titles of the tests, which name the rules they show: `[limits/ip] …`.
 *
 *     node --import tsx packages/tools/src/reference/rules.ts            writes the page
 *     node --import tsx packages/tools/src/reference/rules.ts --check    only says what is wrong, and fails if anything is
 *
 * Wrong is a rule without a test, a test of a rule that does not exist, and a page that differs from what would be written. Rules that
 * this library cannot keep are listed as `outside`, with the reason: such a rule has no test. A rule that waits for its test is a rule
 * without one.
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { root } from "../repository.js"
import { bring } from "./markdown.js"

const list = "packages/sandbox/test/rules/rules.json"
const page = "docs/reference/rules.md"

const id = String.raw`[A-Za-z][\w.-]*/[\w./-]+`
const named = new RegExp(`^\\[(?<ids>${id}(?:, ${id})*)\\]\\s*(?<title>.*)$`, "s")

interface Section {
  readonly title: string
  readonly source: string
  readonly rules: { readonly [id: string]: string }
}

interface Rules {
  readonly outside: { readonly [id: string]: string }
  readonly pending?: { readonly [id: string]: string }
  readonly sections: ReadonlyArray<Section>
}

/** A title of a test, the rules that it names, and its file. */
interface Shown {
  readonly file: string
  readonly title: string
}

const literal = (node: ts.Node): string | undefined =>
  ts.isStringLiteralLike(node) ? node.text : ts.isTemplateExpression(node) ? `${node.head.text}…` : undefined

// `it`, `it.effect`, `it.effect.prop`; not what `it` returns.
const calleeOf = (node: ts.Node | undefined): string | undefined =>
  node !== undefined && ts.isCallExpression(node)
    ? /^(it|test|describe)\b[\w.]*/.exec(node.expression.getText())?.[0]
    : undefined

const skips = /\.(skip|todo|skipIf|runIf|fails|failing)\b/

const isSkipped = (node: ts.Node): boolean => {
  for (let ancestor: ts.Node | undefined = node; ancestor !== undefined; ancestor = parentOf(ancestor)) {
    if (skips.test(calleeOf(ancestor) ?? "")) return true
  }
  return false
}

// A source file has none, which the compiler's types do not say.
const parentOf = (node: ts.Node): ts.Node | undefined => node.parent

const isTitleOf = (node: ts.Node): boolean => {
  const parent = parentOf(node)
  return parent !== undefined && ts.isCallExpression(parent) && calleeOf(parent) !== undefined
    ? parent.arguments[0] === node
    : false
}

/**
 * The titles in a test file that name rules, each with the ids and the rest. A title is the first argument of a test, or of a
 * `describe` around one; or stands in a table, if the file has a test that takes its title from one. Tests that are skipped
 * do not count.
 */
export const titlesOf = (
  text: string,
  file = "a.test.ts"
): ReadonlyArray<{ readonly ids: ReadonlyArray<string>; readonly title: string }> => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const direct: Array<string> = []
  const tabled: Array<string> = []
  // Tests whose title is no text of their own.
  const untitled: Array<ts.Node> = []
  const visit = (node: ts.Node): number => {
    let tests = 0
    let title: string | undefined
    const callee = calleeOf(node)
    if (callee !== undefined && ts.isCallExpression(node) && !isSkipped(node)) {
      const [first] = node.arguments
      title = first === undefined ? undefined : literal(first)
      if (!callee.startsWith("describe")) {
        tests = 1
        if (first !== undefined && title === undefined) untitled.push(first)
      }
    }
    const entry = isTitleOf(node) ? undefined : literal(node)
    if (entry !== undefined) tabled.push(entry)
    const at = direct.length
    ts.forEachChild(node, (child) => {
      tests += visit(child)
    })
    if (title !== undefined && tests > 0) direct.splice(at, 0, title)
    return tests
  }
  visit(source)
  return [...direct, ...(untitled.length > 0 ? tabled : [])].flatMap((title) => {
    const { ids, title: rest } = named.exec(title)?.groups ?? {}
    return ids === undefined || rest === undefined ? [] : [{ ids: ids.split(", "), title: rest.trim() }]
  })
}

const testFiles = (root: string): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(root, "packages"))
    .map((name) => path.join("packages", name, "test"))
    .filter((folder) => fs.existsSync(path.join(root, folder)))
    .flatMap((folder) =>
      fs
        .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => file.endsWith(".test.ts"))
        .map((file) => path.join(folder, file).replaceAll("\\", "/"))
    )
    .sort()

const cell = (text: string): string =>
  text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("*", "\\*").replaceAll("\n", " ")

const shownBy = ({ file, title }: Shown): string => {
  const [, name = "", rest = ""] = /^packages\/([^/]+)\/test\/(.*)$/.exec(file) ?? []
  return `[${name}/${rest.replace(/^rules\//, "").replace(/\.test\.ts$/, "")}](../../${file}): ${cell(title)}`
}

type Tests = ReadonlyMap<string, ReadonlyArray<Shown>>

const linesOf = ({ outside, sections }: Rules, tests: Tests): ReadonlyArray<string> => {
  const rules = sections.flatMap((section) => Object.keys(section.rules))
  const table = ({ rules, title }: Section): ReadonlyArray<string> => [
    `## ${title}`,
    "",
    "| Id | Rule | Shown by |",
    "| --- | --- | --- |",
    ...Object.entries(rules).map(([rule, text]) => {
      const reason = outside[rule]
      const by =
        reason === undefined
          ? (tests.get(rule) ?? []).map(shownBy).join("<br>")
          : `_outside this library:_ ${cell(reason)}`
      return `| \`${rule}\` | ${cell(text)} | ${by} |`
    }),
    ""
  ]
  const others = rules.filter((rule) => Object.hasOwn(outside, rule)).length
  return [
    "<!-- Generated by `pnpm codegen` from the list of rules and the titles of the tests: change those, not this. -->",
    "",
    "# The rules of the interface, and the tests that show them",
    "",
    `${rules.length} rules, ${others} of them outside this library. A test sends requests to the sandbox over the`,
    "wire, and checks the responses. Its title names the rules that it shows, and the checks fail for a rule that no test",
    "names. Code cites a rule by its id. Every sentence of the interface has its rules, or the reason why it states none:",
    "[sentences.json](../../packages/sandbox/test/rules/sentences.json) names them by section, place and digest.",
    "",
    ...sections.flatMap(table)
  ]
}

/** Brings the page up to date, or with `check` does not; returns what is wrong. */
export const run = async (
  root: string,
  check: boolean
): Promise<{ readonly wrong: ReadonlyArray<string>; readonly rules: number; readonly outside: number }> => {
  // The file is of this repository.
  const rules = JSON.parse(fs.readFileSync(path.join(root, list), "utf8")) as Rules
  const ids = rules.sections.flatMap((section) => Object.keys(section.rules))
  const wrong = ids.filter((rule, index) => ids.indexOf(rule) !== index).map((rule) => `${rule} is in the list twice`)
  const tests = new Map<string, Array<Shown>>(ids.map((rule) => [rule, []]))
  for (const file of testFiles(root)) {
    for (const { ids, title } of titlesOf(fs.readFileSync(path.join(root, file), "utf8"), file)) {
      for (const rule of ids) {
        const shown = tests.get(rule)
        if (shown === undefined) wrong.push(`${file}: there is no rule ${rule} ("${title}")`)
        else shown.push({ file, title })
      }
    }
  }
  for (const [rule, shown] of tests) {
    const isOutside = Object.hasOwn(rules.outside, rule)
    if (shown.length === 0 && !isOutside) wrong.push(`${rule} has no test`)
    if (shown.length > 0 && isOutside) wrong.push(`${rule} has a test and does not lie outside`)
  }
  for (const rule of Object.keys(rules.outside)) {
    if (!tests.has(rule)) wrong.push(`there is no rule ${rule} to lie outside`)
  }
  for (const rule of Object.keys(rules.pending ?? {})) wrong.push(`${rule} is pending: nothing may wait for its test`)
  wrong.push(...(await bring(root, page, linesOf(rules, tests), check)))
  return { wrong, rules: ids.length, outside: Object.keys(rules.outside).length }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { outside, rules, wrong } = await run(root, process.argv.includes("--check"))
  for (const problem of wrong) console.log(problem)
  console.log(`${rules} rules, ${rules - outside} shown by tests, ${outside} outside this library`)
  if (wrong.length > 0) process.exitCode = 1
}
