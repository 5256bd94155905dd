/**
 * Checks the imports of src and test of every package against `.dependency-cruiser.cjs`, and that each of its rules matches a module: a rule that
 * matches nothing holds nothing.
 *
 *     node --import tsx packages/tools/src/checks/imports.ts
 */
import * as fs from "node:fs"
import * as path from "node:path"
import internalTests from "../../internalTests.cjs"
import { run } from "../repository/programs.js"
import { filesOf, root, tools } from "../repository/repository.js"

interface Condition {
  readonly path?: string | ReadonlyArray<string>
}

/** The parts of the report of dependency-cruiser that are read here. */
interface Report {
  readonly modules: ReadonlyArray<{
    readonly source: string
    readonly dependencies: ReadonlyArray<{ readonly resolved: string }>
  }>
  readonly summary: {
    readonly violations: ReadonlyArray<{
      readonly from: string
      readonly to: string
      readonly rule: { readonly name: string }
    }>
    readonly ruleSetUsed: {
      readonly forbidden: ReadonlyArray<{ readonly name: string; readonly from: Condition; readonly to: Condition }>
    }
  }
}

/** The folders with sources, because dependency-cruiser would search all of `node_modules` for a pattern. */
const folders = fs
  .readdirSync(path.join(root, "packages"))
  .flatMap((name) => [`packages/${name}/src`, `packages/${name}/test`])
  .filter((folder) => !folder.startsWith("packages/tools/") && fs.existsSync(path.join(root, folder)))

const cruiser = path.join(tools, "node_modules/dependency-cruiser/bin/dependency-cruise.mjs")
const { output } = run(process.execPath, [
  ...[cruiser, "--config", ".dependency-cruiser.cjs", "--output-type", "json"],
  ...folders
])
if (!output.startsWith("{")) throw new Error(output)
// As its reporter of that type writes it.
const report = JSON.parse(output) as Report

const built = ["sandbox", "tools"].flatMap((name) =>
  filesOf(path.join(root, "packages", name, "dist")).map((file) => `packages/${name}/dist/${file}`)
)
const imported = report.modules.flatMap(({ dependencies, source }) => [
  source,
  ...dependencies.map(({ resolved }) => resolved)
])
const files = [...new Set([...imported, ...built, "packages/tools/src/checks/imports.ts"])]

const matchesNothing = ({ path: patterns = [] }: Condition): boolean => {
  const all = [patterns].flat()
  return all.length > 0 && !all.some((pattern) => files.some((file) => new RegExp(pattern).test(file)))
}

/** Exceptions that are used no more. */
const unused = internalTests.filter((test) => {
  const { dependencies = [] } = report.modules.find(({ source }) => source === test) ?? {}
  return !dependencies.some(({ resolved }) => /^packages\/[^/]+\/src\/(.+\/)?[a-z][^/]*$/.test(resolved))
})

const problems = [
  ...report.summary.violations.map(({ from, rule, to }) => `${rule.name}: ${from} imports ${to}`),
  ...report.summary.ruleSetUsed.forbidden
    .filter(({ from, to }) => matchesNothing(from) || matchesNothing(to))
    .map(({ name }) => `${name}: no module matches this rule`),
  ...unused.map((test) => `${test} imports no internal module: delete its entry in packages/tools/internalTests.cjs`)
]
for (const problem of problems) console.log(problem)
console.log(`${report.modules.length} modules, ${problems.length} problems`)
if (problems.length > 0) process.exitCode = 1
