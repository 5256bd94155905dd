/**
 * The tags of public docblocks. Every export of a published module says since which version it is there and which category it belongs to, and
 * every module since when. A category is one of the list below, so that the same things have the same name in every package.
 *
 *     node --import tsx packages/tools/src/docTags.ts
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"
import { folderOf, manifestOf, modulesOf, names } from "./published.js"
import { root } from "./repository.js"

/** What each category holds. Those of Effect's own packages come first. */
export const categories: Readonly<Record<string, string>> = {
  models: "types and interfaces",
  schemas: "schemas of records and requests",
  constructors: "functions that make a value of the module",
  layers: "layers of services",
  tags: "tags of services",
  references: "values with a default that a context can replace",
  conversions: "from one representation to another",
  getters: "parts of a value",
  accessors: "effects that read from a service",
  combinators: "from a value of the module to another of its kind",
  predicates: "questions with yes or no",
  constants: "fixed values",
  config: "what is read from the configuration",
  streams: "functions that return a stream",
  metrics: "metrics and the labels of them",
  annotations: "what a schema or a log carries along",
  symbols: "unique symbols",
  instances: "instances of a type class",
  comparisons: "orders and equivalences",
  "type-level": "types that are computed from others",
  running: "effects that run until their work is done",
  testing: "for the tests of applications",
  endpoints: "the operations of the service",
  enumerations: "the closed and open lists of values",
  failures: "the errors of an effect: Effect's packages call this category errors",
  fields: "fields that several schemas share",
  faults: "what the sandbox can be made to do wrong",
  datasets: "what can be exported",
  sinks: "where an export is written",
  findings: "what an examination finds"
}

type Tags = ReadonlyMap<string, string>

const versionPattern = /^\d+\.\d+\.\d+$/

const ordinal = (version: string): number =>
  version.split(".").reduce((sum, part) => sum * 1_000_000 + Number.parseInt(part, 10), 0)

const tagsIn = (docblock: string): Tags =>
  new Map(
    Array.from(
      docblock.matchAll(/^\s*(?:\/\*\*|\*)? *@(?<tag>since|category)\b[ \t]*(?<value>.*?)(?:\*\/)?[ \t]*$/gm),
      (found) => [found.groups?.tag ?? "", found.groups?.value?.trim() ?? ""]
    )
  )

/** The tags of the docblock that stands closest above a declaration. */
const tagsOf = (source: ts.SourceFile, node: ts.Node): Tags => {
  const comments = ts.getLeadingCommentRanges(source.text, node.getFullStart()) ?? []
  const docblocks = comments
    .map(({ end, pos }) => source.text.slice(pos, end))
    .filter((comment) => comment.startsWith("/**"))
  return tagsIn(docblocks.at(-1) ?? "")
}

const problemOfSince = (tags: Tags, version: string): ReadonlyArray<string> => {
  const since = tags.get("since")
  if (since === undefined) return ["has no @since"]
  if (!versionPattern.test(since)) return [`has @since ${since}, which is no version`]
  return ordinal(since) > ordinal(version) ? [`is there since ${since}, and the package has ${version}`] : []
}

const problemOfCategory = (tags: Tags): ReadonlyArray<string> => {
  const category = tags.get("category")
  if (category === undefined) return ["has no @category"]
  return Object.hasOwn(categories, category)
    ? []
    : [`has the category "${category}": they are ${Object.keys(categories).join(", ")}`]
}

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false)

/** The names that a statement declares, each with what its docblock stands above: of a list of exports every name has its own. */
const declared = (node: ts.Statement): ReadonlyArray<readonly [name: string, at: ts.Node]> => {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.map(({ name }) => [name.getText(), node] as const)
  }
  if (ts.isExportDeclaration(node)) {
    const { exportClause } = node
    return exportClause !== undefined && ts.isNamedExports(exportClause)
      ? exportClause.elements.map((element) => [element.name.text, element] as const)
      : [["*", node]]
  }
  const { name } = node as ts.DeclarationStatement // what else is exported declares a name
  return [[name?.text ?? "default", node]]
}

/** Exports inside of a namespace of types. */
const inside = (node: ts.Statement): ReadonlyArray<ts.Statement> =>
  ts.isModuleDeclaration(node) && node.body !== undefined && ts.isModuleBlock(node.body)
    ? node.body.statements.filter(isExported)
    : []

const problemsOfStatement = (
  source: ts.SourceFile,
  node: ts.Statement,
  version: string,
  around = ""
): ReadonlyArray<string> =>
  declared(node).flatMap(([name, at]) => {
    const tags = tagsOf(source, at)
    // A namespace of types belongs to the class or interface of its name.
    const categoryProblems = ts.isModuleDeclaration(node) ? [] : problemOfCategory(tags)
    return [
      ...[...problemOfSince(tags, version), ...categoryProblems].map((problem) => `${around}${name} ${problem}`),
      ...inside(node).flatMap((inner) => problemsOfStatement(source, inner, version, `${around}${name}.`))
    ]
  })

/** The further signatures of a function: the first has the docblock. */
const isFurther = (statements: ReadonlyArray<ts.Statement>, index: number): boolean => {
  const [before, node] = [statements[index - 1], statements[index]]
  return (
    node !== undefined &&
    before !== undefined &&
    ts.isFunctionDeclaration(node) &&
    ts.isFunctionDeclaration(before) &&
    node.name?.text === before.name?.text
  )
}

/** What the tags of a module lack. */
export const problemsOf = (file: string, text: string, version: string): ReadonlyArray<string> => {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const head = /^(?:#!.*\n|\s|\/\/.*\n)*(\/\*\*[\s\S]*?\*\/)/.exec(text)?.[1] ?? ""
  const { statements } = source
  return [
    ...problemOfSince(tagsIn(head), version).map((problem) => `the module ${problem}`),
    ...statements.flatMap((node, index) =>
      (isExported(node) || ts.isExportDeclaration(node)) && !isFurther(statements, index)
        ? problemsOfStatement(source, node, version)
        : []
    )
  ].map((problem) => `${file}: ${problem}`)
}

/** What is wrong in the published packages, how many modules were read, and their categories. */
export const run = (): {
  readonly problems: ReadonlyArray<string>
  readonly modules: number
  readonly used: ReadonlySet<string>
} => {
  const modules = names.flatMap((name) =>
    modulesOf(name)
      .filter((module) => module !== "index")
      .map((module) => ({ file: path.join(folderOf(name), "src", `${module}.ts`), version: manifestOf(name).version }))
  )
  const texts = modules.map(({ file, version }) => ({ file, version, text: fs.readFileSync(file, "utf8") }))
  return {
    problems: texts.flatMap(({ file, text, version }) => problemsOf(path.relative(root, file), text, version)),
    modules: modules.length,
    used: new Set(texts.flatMap(({ text }) => Array.from(text.matchAll(/@category (.+)/g), ([, name = ""]) => name)))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { modules, problems } = run()
  for (const problem of problems) console.log(problem)
  console.log(`${modules} modules, ${problems.length} problems of their tags`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
