/**
 * The examples of the documentation are code: every ```ts block of README.md, docs/ and the packages' own READMEs is
 * type-checked as a module of its own, and those marked `runnable` (```ts runnable) are run, each in an empty folder. What such a block
 * prints stands in a block behind it (```text output), and has to be what it prints. A block marked with a file
 * (```ts source=packages/examples/src/x.ts) is that file, word for word, which is checked and run where it lies.
 *
 *     node --import tsx packages/tools/src/docs.ts [--types-only] [--write] [page]
 *
 * `--write` brings the outputs up to date. In an output `…` stands for any text of a line, such as a time; a line `…` for any lines.
 *
 * The programs run under a clock that is eleven days ahead and runs twice as fast: an output that depends on the date, or on how busy the
 * machine is, differs from what the page has, and not only on another day. With `--write` they run under the machine's clock.
 */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { pages } from "./markdown.js"
import { longestRun, root, tools, tsx } from "./repository.js"

const folder = path.join(tools, "build", "docs")

const fastClock = `data:text/javascript,${encodeURIComponent(
  "const now = Date.now; const began = now(); Date.now = () => now() + 975_000_000 + now() - began"
)}`

/** A block of TypeScript on a page. */
export interface Example {
  /** The number of its first line of code, from 1. */
  readonly line: number
  readonly code: string
  readonly runnable: boolean
  readonly source?: string
  /** What it prints, and the number of the first line of that. */
  readonly output?: { readonly line: number; readonly text: string }
}

interface Block {
  readonly line: number
  readonly language: string
  readonly words: ReadonlyArray<string>
  readonly code: string
}

interface Open {
  readonly indent: string
  readonly mark: string
  readonly info: string
  readonly line: number
  readonly code: Array<string>
}

const fencesOf = (markdown: string): ReadonlyArray<Block> => {
  const blocks: Array<Block> = []
  let open: Open | undefined
  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    if (open === undefined) {
      const fence = /^(?<indent>[ \t>]*)(?<mark>`{3,}|~{3,})[ \t]*(?<info>[^`]*)$/.exec(line)?.groups
      if (fence === undefined) continue
      open = { indent: fence.indent ?? "", mark: fence.mark ?? "", info: fence.info ?? "", line: index + 2, code: [] }
      continue
    }
    const trimmed = line.replace(/^[ \t>]*/, "")
    if (trimmed.startsWith(open.mark) && trimmed.replaceAll(open.mark.charAt(0), "").trim() === "") {
      const [language = "", ...words] = open.info.trim().split(/[\s,]+/)
      blocks.push({ line: open.line, language, words, code: open.code.join("\n") })
      open = undefined
      continue
    }
    open.code.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : trimmed)
  }
  if (open !== undefined) throw new Error(`line ${open.line - 1}: the block is not closed`)
  return blocks
}

const sourceOf = (words: ReadonlyArray<string>): { readonly source?: string } => {
  const named = words.find((word) => word.startsWith("source="))
  return named === undefined ? {} : { source: named.slice("source=".length) }
}

/** The ```ts blocks of a page, each with the number of its first line of code. */
export const blocksOf = (markdown: string): ReadonlyArray<Example> => {
  const blocks = fencesOf(markdown)
  return blocks.flatMap(({ code, language, line, words }, index) => {
    if (!["ts", "typescript", "mts"].includes(language)) return []
    const next = blocks[index + 1]
    const runnable = words.includes("runnable")
    const output = runnable && next?.words.includes("output") ? { line: next.line, text: next.code } : undefined
    return [{ line, code, runnable, ...sourceOf(words), ...(output === undefined ? {} : { output }) }]
  })
}

interface OnPage extends Example {
  readonly page: string
  readonly file: string
}

const write = (only: ReadonlyArray<string>): ReadonlyArray<OnPage> => {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const examples = pages(root)
    .filter((page) => only.length === 0 || only.includes(page))
    .flatMap((page) =>
      blocksOf(fs.readFileSync(path.join(root, page), "utf8")).map((block) => {
        const name = `${page.replace(/\.md$/, "").replaceAll(/[^A-Za-z0-9]+/g, "-")}-${block.line}.ts`
        const file = path.join(folder, name)
        // Lines keep the numbers that they have on the page, so that errors point there.
        fs.writeFileSync(file, `${"\n".repeat(block.line - 1)}${block.code}\n`)
        return { ...block, page, file }
      })
    )
  fs.writeFileSync(
    path.join(folder, "tsconfig.json"),
    JSON.stringify({
      extends: "../../../../tsconfig.base.json",
      include: ["*.ts"],
      compilerOptions: {
        composite: false,
        incremental: false,
        declarationMap: false,
        noEmit: true,
        noUnusedLocals: false,
        noUnusedParameters: false,
        types: ["node"]
      }
    })
  )
  return examples
}

/** Blocks that are not what the file says whose name they bear. */
export const differing = (
  examples: ReadonlyArray<Pick<OnPage, "code" | "line" | "page" | "source">>
): ReadonlyArray<string> =>
  examples.flatMap(({ code, line, page, source }) => {
    if (source === undefined) return []
    const file = path.join(root, source)
    if (!fs.existsSync(file)) return [`${page}:${line}: there is no ${source}`]
    return fs.readFileSync(file, "utf8").trim() === code.trim() ? [] : [`${page}:${line}: differs from ${source}`]
  })

/** Puts the page's name where the block's file stands in a message. */
const onThePage = (text: string, examples: ReadonlyArray<OnPage>): string =>
  examples.reduce((out, { file, page }) => {
    const relative = path.relative(root, file).replaceAll("\\", "/")
    return out.replaceAll(pathToFileURL(file).href, page).replaceAll(file, page).replaceAll(relative, page)
  }, text)

const typeCheck = (examples: ReadonlyArray<OnPage>): ReadonlyArray<string> => {
  const tsc = path.join(tools, "node_modules", "typescript", "bin", "tsc")
  const child = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { cwd: root, encoding: "utf8" })
  return child.status === 0 ? [] : [onThePage(child.stdout + child.stderr, examples).trim()]
}

interface Run {
  readonly failure: string | undefined
  readonly output: string
}

const runOne = ({ file }: OnPage, isFast: boolean): Promise<Run> =>
  new Promise((resolve) => {
    const cwd = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-docs-"))
    const detached = process.platform !== "win32"
    const child = spawn(process.execPath, [...(isFast ? ["--import", fastClock] : []), "--import", tsx, file], {
      cwd,
      detached,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", TZ: "UTC" }
    })
    let output = ""
    let late = false
    child.stdout.on("data", (chunk) => (output += String(chunk)))
    child.stderr.on("data", (chunk) => (output += String(chunk)))
    const timer = setTimeout(() => {
      late = true
      // With whatever it started.
      if (detached && child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
      else child.kill("SIGKILL")
    }, longestRun)
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      fs.rmSync(cwd, { recursive: true, force: true })
      const ended = code === 0 ? undefined : (signal ?? `exit code ${code ?? "unknown"}`)
      resolve({ failure: late ? `still running after ${longestRun / 60_000} minutes` : ended, output })
    })
  })

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")

/** Whether a program printed what the page says. `…` stands for any text of a line, a line `…` for any lines. */
export const isPrinted = (stated: string, printed: string): boolean => {
  const lines = stated
    .trimEnd()
    .split("\n")
    .map((line) =>
      line.trim() === "…" ? "(?:.*\\n)*?" : `${escaped(line.trimEnd()).replaceAll("…", ".*?")}[ \\t]*\\n`
    )
  return new RegExp(`^${lines.join("")}\\s*$`).test(`${printed.trimEnd()}\n`)
}

const problemOf = (example: OnPage, { failure, output }: Run): string | undefined => {
  const at = `${example.page}:${example.line}`
  if (failure !== undefined) return `${at}: ${failure}\n${output.trim()}`
  if (example.output === undefined) {
    return output.trim() === ""
      ? undefined
      : `${at}: prints what the page does not say (\`--write\`):\n${output.trim()}`
  }
  return isPrinted(example.output.text, output)
    ? undefined
    : `${example.page}:${example.output.line}: the example prints something else:\n${output.trim()}`
}

/** The page with what its example prints. */
const withOutput = (text: string, example: Example, printed: string): string => {
  const lines = text.split("\n")
  const fence = ["```text output", ...printed.trim().split("\n"), "```"]
  if (example.output === undefined) {
    const end = example.line - 1 + example.code.split("\n").length
    lines.splice(end + 1, 0, "", ...fence)
  } else lines.splice(example.output.line - 2, example.output.text.split("\n").length + 2, ...fence)
  return lines.join("\n")
}

const runAll = async (examples: ReadonlyArray<OnPage>, isWriting: boolean): Promise<ReadonlyArray<string>> => {
  const failures: Array<string> = []
  // From the last on a page to the first, so that what is written moves no line that is still to be found.
  for (const example of examples.toReversed()) {
    const result = await runOne(example, !isWriting)
    const problem = problemOf(example, result)
    if (problem === undefined) continue
    if (isWriting && result.failure === undefined) {
      const file = path.join(root, example.page)
      fs.writeFileSync(file, withOutput(fs.readFileSync(file, "utf8"), example, result.output))
      console.log(`${example.page}:${example.line}: wrote what it prints`)
    } else failures.unshift(onThePage(problem, examples))
  }
  return failures
}

const main = async (): Promise<void> => {
  const options = process.argv.slice(2)
  const examples = write(options.filter((option) => !option.startsWith("--")))
  const failures = [...differing(examples), ...(examples.length > 0 ? typeCheck(examples) : [])]
  const runnable = options.includes("--types-only") ? [] : examples.filter((example) => example.runnable)
  failures.push(...(await runAll(runnable, options.includes("--write"))))
  for (const failure of failures) console.log(failure)
  console.log(`${examples.length} examples type-checked, ${runnable.length} run`)
  process.exitCode = failures.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
