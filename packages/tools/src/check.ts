/**
 * Checks everything besides the tests. A failure ends with the one command that repairs it.
 *
 *     npm run check                          all four groups
 *     npm run check -- docs                  a group: code, docs, api, release
 *     npm run check -- lint imports          single steps
 *     npm run check -- --list                the steps of each group
 *     npm run fix                            repairs what programs can repair in the files that changed
 *     npm run fix -- lint format             single steps, in all files
 */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { readArguments } from "../readArguments.mjs"
import { longestRun, root, tools, tsx } from "./repository/repository.js"

/** The arguments to run a program of a package in `node_modules`. */
const commandOf = (file: string, ...args: ReadonlyArray<string>): ReadonlyArray<string> => [
  path.join(tools, "node_modules", file),
  ...args
]

const program = (file: string): ReadonlyArray<string> => ["--import", tsx, path.join(root, "packages", file)]

const tests = (...names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...["--import", tsx, "--test", "--test-reporter", "spec"],
  ...names.map((name) => path.join(tools, "test", `${name}.test.ts`))
]

/** The arguments of Node for a step. */
interface Step {
  readonly run: ReadonlyArray<string>
  /** Additional arguments to report. */
  readonly report?: ReadonlyArray<string>
  /** Additional arguments to repair. A step without them must be repaired by hand. */
  readonly fix?: ReadonlyArray<string>
  /** The files that the repair depends on. */
  readonly reads?: RegExp
  /** The arguments of Node to repair only these files. Without it, the whole step runs if one of them changed. */
  readonly fixFiles?: (files: ReadonlyArray<string>) => ReadonlyArray<string>
}

const generator = (file: string, reads: RegExp): Step => ({ run: program(file), report: ["--check"], fix: [], reads })

// With types, linting needs more memory than the default of Node.
const eslint = [
  "--max-old-space-size=8192",
  ...commandOf("eslint/bin/eslint.js", "--max-warnings", "0", "--no-warn-ignored", "--config")
]
const prettier = commandOf(
  "prettier/bin/prettier.cjs",
  "--log-level",
  "warn",
  "--cache",
  "--cache-location",
  path.join(tools, "build", "prettier")
)
const remark = commandOf(
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
    types: { run: commandOf("typescript/bin/tsc", "-b", "packages/tsconfig.json") },
    lint: {
      run: [...eslint, "packages/tools/eslint.config.mjs", "."],
      fix: ["--fix"],
      reads: /\.(ts|[cm]js)$/,
      fixFiles: (files) => [...eslint, "packages/tools/eslint.fix.config.mjs", "--fix", ...files]
    },
    rules: { run: tests("eslint", "imports") },
    format: {
      run: [...prettier, "."],
      report: ["--check"],
      fix: ["--write"],
      reads: /./,
      fixFiles: (files) => [...prettier, "--write", "--ignore-unknown", ...files]
    },
    imports: { run: program("tools/src/checks/imports.ts") },
    mutants: { run: [path.join(tools, "mutation", "main.mjs"), "--located"] },
    unused: { run: commandOf("knip/bin/knip.js", "--config", "packages/tools/knip.jsonc") }
  },
  docs: {
    examples: {
      run: program("tools/src/checks/examples.ts"),
      fix: ["--write"],
      reads: /\.md$/,
      fixFiles: (files) => [...program("tools/src/checks/examples.ts"), "--write", ...files]
    },
    meanings: generator(
      "tools/src/generators/meanings.ts",
      /^packages\/(schemas\/src|sandbox\/src\/(control|faults))\//
    ),
    operations: generator(
      "tools/src/reference/operations.ts",
      /^packages\/(schemas|services|sandbox|testing)\/src\/|^docs\/reference\/|^README\.md$/
    ),
    options: generator(
      "tools/src/reference/options.ts",
      /^packages\/(signing|transport|services|history|books|fleet|sandbox)\/src\/|^docs\/[^/]+\.md$/
    ),
    reference: generator("tools/src/reference/rules.ts", /^packages\/[^/]+\/test\/|^docs\/reference\/rules\.md$/),
    results: generator("bench/src/results/draw.ts", /^packages\/bench\/|^docs\/performance\.md$/),
    clients: generator("clients/src/page.ts", /^packages\/clients\/|^docs\/reference\/clients\.md$/),
    paths: { run: program("tools/src/checks/paths.ts") },
    pictureRun: { run: program("tools/src/browser/pictureRun.ts") },
    links: { run: [...remark, "README.md", "docs", ".github", "packages/*/README.md"] }
  },
  api: {
    contributing: { run: tests("newOperation") },
    typetests: { run: commandOf("tstyche/build/bin.js", "--config", "packages/tools/tstyche.json") },
    codegen: generator(
      "tools/src/generators/generate.ts",
      /^packages\/[^/]+\/(src\/.+\.ts|package\.json|exports\.txt)$|^(package\.json|README\.md)$/
    ),
    sandboxScript: generator(
      "tools/src/generators/sandboxPage.ts",
      /^packages\/(sandbox\/(browser\/|src\/page\/script\.ts$)|schemas\/src\/rules\/Words\.ts$)/
    ),
    openapi: { run: program("tools/src/checks/openApiClients.ts") },
    sizes: { run: commandOf("size-limit/bin.js") }
  },
  release: { packages: { run: program("tools/src/checks/packages.ts") } }
}

/** Steps in a browser, which only run when they are named: `npm run accept` does. */
const inBrowser = {
  site: { run: program("tools/src/site/main.ts") },
  report: { run: program("tools/src/browser/report.ts") },
  sandboxPage: { run: program("tools/src/browser/sandbox.ts") },
  pictures: { run: program("tools/src/browser/pictures.ts"), report: ["--check"], fix: [] }
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
  { fix, report = [], run: args }: Pick<Step, "fix" | "report" | "run">,
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

/** A step that is to run. */
interface Task extends Pick<Step, "fix" | "report" | "run"> {
  readonly name: string
}

/** Runs the steps: first the compiler, because the others read its output, then one step per core at a time. */
const runAll = async (tasks: ReadonlyArray<Task>, options: Options): Promise<ReadonlyArray<boolean>> => {
  const results: Array<boolean> = []
  const waiting = [...tasks]
  const worker = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      results.push(await run(task.name, task, options))
    }
  }
  const [first, ...others] = waiting
  if (first?.name === "types") {
    waiting.splice(1)
    await worker()
    waiting.push(...others)
  }
  // Two repairs can write the same file.
  const workers = options.isFixing || options.isStreaming ? 1 : Math.max(2, os.availableParallelism())
  await Promise.all(Array.from({ length: workers }, worker))
  return results
}

const git = (...args: ReadonlyArray<string>): string =>
  spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 }).stdout

/** Lists the files that differ from the branch `main` of the origin, or of this repository, and those that are not committed. */
const listChanged = (): ReadonlyArray<string> => {
  const bases = ["origin/main", "main", "HEAD"].map((name) => git("merge-base", "HEAD", name).trim())
  const base = bases.find((commit) => commit !== "") ?? "HEAD"
  const names = git("diff", "--name-only", "-z", base) + git("ls-files", "--others", "--exclude-standard", "-z")
  return names.split("\0").filter((file) => file !== "" && fs.existsSync(path.join(root, file)))
}

/** Returns the repairs that depend on the files, limited to them if possible. */
const repairsOf = (files: ReadonlyArray<string>): ReadonlyArray<Task> =>
  Object.entries(steps).flatMap(([name, { fix, fixFiles, reads, run }]) => {
    const read = files.filter((file) => reads?.test(file) === true)
    if (fix === undefined || read.length === 0) return []
    return [fixFiles === undefined ? { name, run, fix } : { name, run: fixFiles(read), fix: [] }]
  })

/** Returns the arguments and the steps that they select. */
const requestOf = (args: ReadonlyArray<string>, isFixing: boolean) => {
  const offered = Object.entries({ ...groups, browser: inBrowser }).flatMap(([group, of]) => {
    const known = Object.keys(of).filter((name) => !isFixing || steps[name]?.fix !== undefined)
    return known.length === 0 ? [] : [{ group, known }]
  })
  const { names, values } = readArguments(args, {
    command: isFixing ? "npm run fix" : "npm run check",
    options: isFixing ? {} : { report: "FILE" },
    names: [
      ...offered.map(({ group, known }) => [group, known.join(" ")] as const),
      ...offered.flatMap(({ known }) => known.map((name) => [name] as const))
    ]
  })
  const named = names.flatMap((name) => offered.find(({ group }) => group === name)?.known ?? [name])
  if (named.length === 0 && isFixing) return { tasks: repairsOf(listChanged()), report: undefined }
  const all = named.length === 0 ? Object.values(groups).flatMap((group) => Object.keys(group)) : named
  const tasks = [...new Set(all)].flatMap((name) => (steps[name] === undefined ? [] : [{ name, ...steps[name] }]))
  return { tasks, report: values.report }
}

const main = async (args: ReadonlyArray<string>): Promise<number> => {
  const isFixing = args[0] === "--fix"
  const { report, tasks } = requestOf(isFixing ? args.slice(1) : args, isFixing)
  const results = await runAll(tasks, { isFixing, isStreaming: tasks.length === 1 })
  const passed = results.filter((ok) => ok).length
  console.log(`${isFixing ? "repairs" : "checks"}: ${passed} passed, ${results.length - passed} failed`)
  if (report !== undefined) fs.writeFileSync(report, JSON.stringify({ passed, failed: results.length - passed }))
  return passed === results.length ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
