/**
 * The examples of the documentation are code: every ```ts block of README.md, docs/ and the packages' own READMEs is
 * type-checked as a module of its own, and those marked `runnable` (```ts runnable) are run, each in an empty folder. A block marked with a file
 * (```ts source=packages/examples/src/x.ts) is that file, word for word, which is checked and run where it lies.
 *
 *     node packages/tools/docs.mjs [--types-only]
 */
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

const tools = path.resolve(fileURLToPath(import.meta.url), "..")
const root = path.resolve(tools, "../..")
const folder = path.join(tools, "build", "docs")

const secondsAllowed = 120

const sourceOf = (words) => {
  const named = words.find((word) => word.startsWith("source="))
  return named === undefined ? {} : { source: named.slice("source=".length) }
}

/** The ```ts blocks of a page, each with the number of its first line of code. */
export const blocksOf = (markdown) => {
  const blocks = []
  let open
  markdown.split(/\r?\n/).forEach((line, index) => {
    if (open === undefined) {
      const fence = /^(?<indent>[ \t>]*)(?<mark>`{3,}|~{3,})[ \t]*(?<info>[^`]*)$/.exec(line)
      if (fence !== null) open = { ...fence.groups, line: index + 2, code: [] }
      return
    }
    const trimmed = line.replace(/^[ \t>]*/, "")
    if (trimmed.startsWith(open.mark) && trimmed.replaceAll(open.mark[0], "").trim() === "") {
      const [language, ...words] = open.info.trim().split(/[\s,]+/)
      if (["ts", "typescript", "mts"].includes(language)) {
        blocks.push({
          line: open.line,
          code: open.code.join("\n"),
          runnable: words.includes("runnable"),
          ...sourceOf(words)
        })
      }
      open = undefined
      return
    }
    open.code.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : trimmed)
  })
  if (open !== undefined) throw new Error(`line ${open.line - 1}: the block is not closed`)
  return blocks
}

const pages = () => {
  const docs = path.join(root, "docs")
  const found = fs.existsSync(docs)
    ? fs.readdirSync(docs, { recursive: true }).map((file) => path.join("docs", file))
    : []
  const packages = fs.readdirSync(path.join(root, "packages")).map((name) => path.join("packages", name, "README.md"))
  return ["README.md", ...packages.sort(), ...found.sort()].filter(
    (file) => file.endsWith(".md") && fs.existsSync(path.join(root, file))
  )
}

const write = () => {
  fs.rmSync(folder, { recursive: true, force: true })
  fs.mkdirSync(folder, { recursive: true })
  const examples = pages().flatMap((page) =>
    blocksOf(fs.readFileSync(path.join(root, page), "utf8")).map(({ code, line, runnable, source }) => {
      const file = path.join(folder, `${page.replace(/\.md$/, "").replaceAll(/[^A-Za-z0-9]+/g, "-")}-${line}.ts`)
      // Lines keep the numbers that they have on the page, so that errors point there.
      fs.writeFileSync(file, `${"\n".repeat(line - 1)}${code}\n`)
      return { page: page.replaceAll("\\", "/"), line, file, runnable, code, source }
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
export const differing = (examples) =>
  examples.flatMap(({ code, line, page, source }) => {
    if (source === undefined) return []
    const file = path.join(root, source)
    if (!fs.existsSync(file)) return [`${page}:${line}: there is no ${source}`]
    return fs.readFileSync(file, "utf8").trim() === code.trim() ? [] : [`${page}:${line}: differs from ${source}`]
  })

/** Puts the page's name where the block's file stands in a message. */
const onThePage = (text, examples) =>
  examples.reduce((out, { file, page }) => {
    const relative = path.relative(root, file).replaceAll("\\", "/")
    return out.replaceAll(pathToFileURL(file).href, page).replaceAll(file, page).replaceAll(relative, page)
  }, text)

const typeCheck = (examples) => {
  const tsc = path.join(tools, "node_modules", "typescript", "bin", "tsc")
  const child = spawnSync(process.execPath, [tsc, "-p", folder, "--pretty", "false"], { cwd: root, encoding: "utf8" })
  return child.status === 0 ? [] : [onThePage(child.stdout + child.stderr, examples).trim()]
}

const runOne = ({ file }) =>
  new Promise((resolve) => {
    const cwd = fs.mkdtempSync(path.join(os.tmpdir(), "effect-venue-docs-"))
    const tsx = pathToFileURL(path.join(tools, "node_modules", "tsx", "dist", "loader.mjs")).href
    const detached = process.platform !== "win32"
    const child = spawn(process.execPath, ["--import", tsx, file], { cwd, detached, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    let late = false
    child.stdout.on("data", (chunk) => (output += chunk))
    child.stderr.on("data", (chunk) => (output += chunk))
    const timer = setTimeout(() => {
      late = true
      // With whatever it started.
      if (detached) process.kill(-child.pid, "SIGKILL")
      else child.kill("SIGKILL")
    }, secondsAllowed * 1000)
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      fs.rmSync(cwd, { recursive: true, force: true })
      const failure = late
        ? `still running after ${secondsAllowed} s`
        : code === 0
          ? undefined
          : (signal ?? `exit code ${code}`)
      resolve({ failure, output })
    })
  })

const main = async () => {
  const examples = write()
  const failures = differing(examples)
  if (examples.length > 0) failures.push(...typeCheck(examples))
  const runnable = process.argv.includes("--types-only") ? [] : examples.filter((example) => example.runnable)
  for (const example of runnable) {
    const { failure, output } = await runOne(example)
    if (failure !== undefined) {
      failures.push(`${example.page}:${example.line}: ${failure}\n${onThePage(output, examples).trim()}`)
    }
  }
  for (const failure of failures) console.log(failure)
  console.log(`${examples.length} examples type-checked, ${runnable.length} run`)
  process.exitCode = failures.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
