/**
 * Type-checks every block ```ts of the documentation as a module, and runs those marked `runnable`. The output must equal the following block
 * ```text output; `…` matches any text in a line, and a line `…` any lines. A block marked `source=file` must equal that file. A page that says
 * what to install names every package that its blocks import.
 *
 *     node --import tsx packages/tools/src/checks/examples.ts                    checks everything
 *     node --import tsx packages/tools/src/checks/examples.ts --write [page ...] writes the outputs, on all pages or on these
 *
 * The programs run in sequence in one process, each in an empty folder. Their clock is eleven days ahead and twice as fast, so an output that
 * depends on the date or on the speed of the machine always differs from the page.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { codeBlocks, pages } from "../repository/markdown.js"
import type { CodeBlock } from "../repository/markdown.js"
import { longestRun, root, tools, tsx } from "../repository/repository.js"

const folder = path.join(tools, "build", "examples")
const results = path.join(folder, "results.json")
const compiler = path.join(tools, "node_modules", "typescript", "bin", "tsc")
const [firstArgument, ...names] = process.argv.slice(2)

const fastClock = `data:text/javascript,${encodeURIComponent(
  "const now = Date.now; const began = now(); Date.now = () => now() + 975_000_000 + now() - began"
)}`

interface Result {
  readonly failure?: string
  readonly output: string
}

/** Runs the programs in this process, and writes their output to a file. */
const runHere = async (files: ReadonlyArray<string>): Promise<void> => {
  const ended: Array<Result> = []
  for (const file of files) {
    let output = ""
    process.stdout.write = process.stderr.write = (chunk: string | Uint8Array) => {
      output += Buffer.from(chunk).toString()
      return true
    }
    const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-example-"))
    process.chdir(scratch)
    const failure = await import(pathToFileURL(file).href).then(
      () => undefined,
      (error: unknown) => String(error)
    )
    process.chdir(folder)
    fs.rmSync(scratch, { recursive: true, force: true })
    ended.push(failure === undefined ? { output } : { failure, output })
    fs.writeFileSync(results, JSON.stringify(ended))
  }
  process.exit(0)
}

interface Example extends CodeBlock {
  readonly page: string
  readonly file: string
}

/** Writes the blocks of pages as modules. Lines keep their numbers. */
const writeModules = (pages: ReadonlyArray<string>): ReadonlyArray<Example> => {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  fs.writeFileSync(
    path.join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: "../../../../tsconfig.base.json",
      include: ["*.ts"],
      compilerOptions: {
        ...{ composite: false, incremental: false, declarationMap: false, noEmit: true, types: ["node"] },
        ...{ noUnusedLocals: false, noUnusedParameters: false }
      }
    })
  )
  return pages.flatMap((page) =>
    codeBlocks(fs.readFileSync(path.join(root, page), "utf8")).map((block) => {
      const name = `${page.replace(/\.md$/, "").replaceAll(/\W+/g, "-")}-${block.line}.ts`
      const file = path.join(folder, name)
      fs.writeFileSync(file, `${"\n".repeat(block.line - 1)}${block.code}`)
      return { ...block, page, file }
    })
  )
}

const node = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, args, {
    cwd: root,
    encoding: "utf8",
    timeout: 2 * longestRun,
    env: { ...process.env, NO_COLOR: "1", TZ: "UTC" }
  })

const typeErrors = (examples: ReadonlyArray<Example>): ReadonlyArray<string> => {
  const { status, stdout } = node(compiler, "-p", folder, "--pretty", "false")
  if (status === 0) return []
  const onPages = examples.reduce((text, { file, page }) => text.replaceAll(path.relative(root, file), page), stdout)
  return onPages.trim().split("\n")
}

const differing = (examples: ReadonlyArray<Example>): ReadonlyArray<string> =>
  examples.flatMap(({ code, line, page, source }) =>
    source === undefined || fs.readFileSync(path.join(root, source), "utf8").trim() === code.trim()
      ? []
      : [`${page}:${line}: differs from ${source}`]
  )

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

const notInstalled = (examples: ReadonlyArray<Example>): ReadonlyArray<string> =>
  pages().flatMap((page) => {
    const commands = fs.readFileSync(path.join(root, page), "utf8").matchAll(/^npm install (?<names>[^#\n]*)/gm)
    const installed = Array.from(commands, ({ groups }) => groups?.names ?? "").flatMap((names) => names.split(/\s+/))
    // The tarballs of all published packages.
    if (installed.some((name) => name.endsWith("*.tgz"))) return []
    if (installed.length === 0) return []
    const named = new Set(installed.map((name) => name.replace(/(?!^)@.*$/, "")))
    const imported = examples
      .filter((example) => example.page === page)
      .flatMap(({ code }) =>
        Array.from(code.matchAll(/ from "(?!node:|\.)([^"]+)"/g), ([, from = ""]) => packageOf(from))
      )
    return [...new Set(imported)]
      .filter((name) => !named.has(name))
      .map((name) => `${page}: its blocks import ${name}, which no \`npm install\` of the page names`)
  })

const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")

const isPrinted = (stated: string, printed: string): boolean => {
  const lines = stated.trimEnd().split("\n")
  const pattern = lines.map((line) =>
    line.trim() === "…" ? "(?:.*\\n)*?" : `${escapeRegExp(line.trimEnd()).replaceAll("…", ".*?")}[ \\t]*\\n`
  )
  return new RegExp(`^${pattern.join("")}\\s*$`).test(`${printed.trimEnd()}\n`)
}

/** Replaces the output of an example on its page, or adds it. */
const writeOutput = ({ code, line, output, page }: Example, printed: string): void => {
  const file = path.join(root, page)
  const lines = fs.readFileSync(file, "utf8").split("\n")
  const block = ["```text output", ...printed.trim().split("\n"), "```"]
  if (output === undefined) lines.splice(line + code.split("\n").length - 1, 0, "", ...block)
  else lines.splice(output.line - 2, output.text.split("\n").length + 1, ...block)
  fs.writeFileSync(file, lines.join("\n"))
}

/** Runs the examples. Returns those that fail or whose output differs from the page. */
const run = (examples: ReadonlyArray<Example>, isWriting: boolean): ReadonlyArray<string> => {
  const clock = isWriting ? [] : ["--import", fastClock]
  const here = fileURLToPath(import.meta.url)
  const child = node(...clock, "--import", tsx, here, "--run", ...examples.map(({ file }) => file))
  // written by `runHere`
  const ended = fs.existsSync(results) ? (JSON.parse(fs.readFileSync(results, "utf8")) as ReadonlyArray<Result>) : []
  // Last example of a page first, because writing moves the lines after it.
  return examples.flatMap((_, at) => {
    const index = examples.length - 1 - at
    const [example, result] = [examples[index], ended[index]]
    if (example === undefined) return []
    const { line, output, page } = example
    if (result === undefined) return [`${page}:${line}: did not end: ${child.stderr}`]
    if (result.failure !== undefined) return [`${page}:${line}: ${result.failure}\n${result.output}`]
    if (isPrinted(output?.text ?? "", result.output)) return []
    if (!isWriting) return [`${page}:${line}: the output on the page differs from what it prints:\n${result.output}`]
    writeOutput(example, result.output)
    return []
  })
}

if (firstArgument === "--run") await runHere(names)
else {
  const isWriting = firstArgument === "--write"
  const examples = writeModules(names.length === 0 ? pages() : pages().filter((page) => names.includes(page)))
  const runnable = examples.filter((example) => example.runnable)
  const problems = [
    ...(isWriting ? [] : [...differing(examples), ...notInstalled(examples), ...typeErrors(examples)]),
    ...run(runnable, isWriting)
  ]
  for (const problem of problems) console.log(problem)
  console.log(`${examples.length} examples${isWriting ? "" : " type-checked"}, ${runnable.length} run`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
