/**
 * Checks everything besides the tests. A failure ends with the one command that repairs it.
 *
 *     npm run check                          all four groups
 *     npm run check -- docs                  a group: code, docs, api, release
 *     npm run check -- lint imports          single steps
 *     npm run fix                            repairs what programs can repair; `npm run fix -- format` only this
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { longestRun, root, tools, tsx } from "./repository.js"

/** The arguments to run a program of a package in `node_modules`. */
const installed = (file: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  path.join(tools, "node_modules", file),
  ...args
]

const program = (file: string): ReadonlyArray<string> => ["--import", tsx, path.join(root, "packages", file)]

const tests = (...names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...["--import", tsx, "--test", "--test-reporter", "spec"],
  ...names.map((name) => path.join(tools, "test", `${name}.test.ts`))
]

/** The folders with sources, because dependency-cruiser would search all of `node_modules` for a pattern. */
const sources = fs
  .readdirSync(path.join(root, "packages"))
  .flatMap((name) => [`packages/${name}/src`, `packages/${name}/test`])
  .filter((folder) => !folder.startsWith("packages/tools/") && fs.existsSync(path.join(root, folder)))

/** The arguments of Node for a step. */
interface Step {
  readonly run: ReadonlyArray<string>
  /** Additional arguments to report. */
  readonly report?: ReadonlyArray<string>
  /** Additional arguments to repair. A step without them must be repaired by hand. */
  readonly fix?: ReadonlyArray<string>
}

const generator = (file: string): Step => ({ run: program(file), report: ["--check"], fix: [] })

const eslint = installed("eslint/bin/eslint.js", "--config", "packages/tools/eslint.config.mjs", "--max-warnings", "0")
const cruise = installed("dependency-cruiser/bin/dependency-cruise.mjs", "--config", ".dependency-cruiser.cjs")
const prettier = installed("prettier/bin/prettier.cjs", "--log-level", "warn", "--cache", "--cache-location")
const remark = installed(
  "remark-cli/cli.js",
  "--quiet",
  "--frail",
  "--no-stdout",
  "--rc-path",
  "packages/tools/remark.json"
)

/** The steps of the groups, longest first. */
const groups: Readonly<Record<string, Readonly<Record<string, Step>>>> = {
  code: {
    types: { run: installed("typescript/bin/tsc", "-b", "packages/tsconfig.json") },
    lint: { run: [...eslint, "."], fix: ["--fix"] },
    rules: { run: tests("eslint", "imports") },
    format: {
      run: [...prettier, path.join(tools, "build", "prettier"), "."],
      report: ["--check"],
      fix: ["--write"]
    },
    imports: { run: [...cruise, ...sources] },
    mutants: { run: [path.join(tools, "mutation", "main.mjs"), "simulator", "--located"] },
    unused: { run: installed("knip/bin/knip.js", "--config", "packages/tools/knip.jsonc") }
  },
  docs: {
    examples: { run: program("tools/src/examples.ts"), fix: ["--write"] },
    operations: generator("tools/src/reference/operations.ts"),
    options: generator("tools/src/reference/options.ts"),
    reference: generator("tools/src/reference/rules.ts"),
    results: generator("bench/src/results/draw.ts"),
    clients: generator("clients/src/page.ts"),
    links: { run: [...remark, "README.md", "docs", ".github", "packages/*/README.md"] }
  },
  api: {
    contributing: { run: tests("newOperation") },
    typetests: { run: installed("tstyche/build/bin.js", "--config", "packages/tools/tstyche.json") },
    meanings: generator("tools/src/meanings.ts"),
    codegen: generator("tools/src/generate.ts"),
    sizes: { run: installed("size-limit/bin.js") }
  },
  release: { packages: { run: program("tools/src/packages.ts") } }
}

/** Steps in a browser, which only run when they are named: `npm run accept` does. */
const inBrowser = {
  site: { run: program("tools/src/site/main.ts") },
  report: { run: program("tools/src/browser/report.ts") },
  sandboxPage: { run: program("tools/src/browser/sandbox.ts") }
}

const steps: Readonly<Record<string, Step>> = Object.fromEntries(
  [...Object.values(groups), inBrowser].flatMap((group) => Object.entries(group))
)

interface Options {
  readonly isFixing: boolean
  /** Whether output is printed immediately. Otherwise it is printed if a step fails. */
  readonly isStreaming: boolean
}

/** Runs a step and prints its result. */
const run = (
  name: string,
  { fix, report = [], run: args }: Step,
  { isFixing, isStreaming }: Options
): Promise<boolean> =>
  new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(process.execPath, [...args, ...(isFixing ? (fix ?? []) : report)], {
      cwd: name === "sizes" ? tools : root,
      stdio: isStreaming ? ["ignore", "inherit", "inherit"] : ["ignore", "pipe", "pipe"],
      env: isStreaming ? process.env : { ...process.env, NO_COLOR: "1" },
      timeout: 4 * longestRun,
      killSignal: "SIGKILL"
    })
    let output = ""
    child.stdout?.on("data", (chunk) => (output += String(chunk)))
    child.stderr?.on("data", (chunk) => (output += String(chunk)))
    child.on("error", (error) => (output += error.message))
    child.on("close", (code, signal) => {
      const ok = code === 0
      const repair =
        fix === undefined || isFixing ? `correct it, then \`npm run check -- ${name}\`` : `\`npm run fix -- ${name}\``
      console.log(
        `${ok ? "ok    " : "FAILED"} ${name.padEnd(12)} ${((performance.now() - started) / 1000).toFixed(1)} s`
      )
      if (!ok && output !== "") console.log(output.trim().replaceAll(/^/gm, "    "))
      if (!ok) console.log(`    ${signal === null ? "" : `ended by ${signal}; `}repair: ${repair}`)
      resolve(ok)
    })
  })

/** Runs the steps: first the compiler, because the others read its output, then one step per core at a time. */
const runAll = async (names: ReadonlyArray<string>, options: Options): Promise<ReadonlyArray<boolean>> => {
  const results: Array<boolean> = []
  const waiting = [...names]
  const worker = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const step = steps[name]
      if (step !== undefined) results.push(await run(name, step, options))
    }
  }
  if (waiting[0] === "types") {
    const [types = "", ...others] = waiting.splice(0)
    waiting.push(types)
    await worker()
    waiting.push(...others)
  }
  const workers = options.isFixing || options.isStreaming ? 1 : Math.max(2, os.availableParallelism())
  await Promise.all(Array.from({ length: workers }, worker))
  return results
}

const main = async (args: ReadonlyArray<string>): Promise<number> => {
  const named = args.filter((arg) => !arg.startsWith("--"))
  const unknown = named.filter((name) => !Object.hasOwn(groups, name) && !Object.hasOwn(steps, name))
  if (unknown.length > 0) {
    const known = Object.entries(groups).map(([group, of]) => `${group} (${Object.keys(of).join(", ")})`)
    console.error(`There is no ${unknown.join(", ")}. The groups and their steps are: ${known.join(", ")}.`)
    return 2
  }
  const isFixing = args.includes("--fix")
  const all = named.length === 0 ? Object.keys(groups) : named
  const selected = all.flatMap((name) => Object.keys(groups[name] ?? { [name]: undefined }))
  const names = selected.filter((name) => named.length > 0 || !isFixing || steps[name]?.fix !== undefined)
  const results = await runAll(names, { isFixing, isStreaming: names.length === 1 })
  const passed = results.filter((ok) => ok).length
  console.log(`checks: ${passed} passed, ${results.length - passed} failed`)
  const report = args.find((arg) => arg.startsWith("--report="))?.slice("--report=".length)
  if (report !== undefined) fs.writeFileSync(report, JSON.stringify({ passed, failed: results.length - passed }))
  return passed === results.length ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
