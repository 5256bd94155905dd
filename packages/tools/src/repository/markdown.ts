/** The Markdown pages of the repository, and their blocks of TypeScript. */
import * as fs from "node:fs"
import * as path from "node:path"
import { root } from "./repository.js"

/** Returns `README.md`, the READMEs of the packages and the pages of `docs/`, as paths from the root. */
export const pages = (): ReadonlyArray<string> => {
  const packages = fs.readdirSync(path.join(root, "packages")).map((name) => `packages/${name}/README.md`)
  const docs = fs
    .readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((file) => `docs/${file.replaceAll("\\", "/")}`)
  return ["README.md", ...packages.sort(), ...docs.sort()].filter(
    (file) => file.endsWith(".md") && fs.existsSync(path.join(root, file))
  )
}

/** A block of TypeScript. Line numbers start at 1. */
export interface CodeBlock {
  /** The line of the first line of code. */
  readonly line: number
  readonly code: string
  /** Whether it is marked `runnable`. */
  readonly runnable: boolean
  /** The file that the block must equal: `source=packages/examples/src/gateway.ts`. */
  readonly source: string | undefined
  /** The following `text output` block, and its first line. */
  readonly output: { readonly line: number; readonly text: string } | undefined
}

const fence = /^(?<indent>[ \t>]*)(?<mark>`{3,})[ \t]*(?<info>[^\n`]*)\n(?<code>[\s\S]*?)^[ \t>]*\k<mark>[ \t]*$/gm

/** Returns the blocks of TypeScript on a page. */
export const codeBlocks = (markdown: string): ReadonlyArray<CodeBlock> => {
  const blocks = Array.from(markdown.matchAll(fence), ({ groups = {}, index }) => ({
    line: markdown.slice(0, index).split("\n").length + 1,
    info: (groups.info ?? "").trim().split(/\s+/),
    code: (groups.code ?? "").replaceAll(new RegExp(`^${groups.indent ?? ""}`, "gm"), "")
  }))
  return blocks.flatMap(({ code, info: [language = "", ...words], line }, index) => {
    if (language !== "ts") return []
    const runnable = words.includes("runnable")
    const next = blocks[index + 1]
    const output = runnable && next?.info.includes("output") ? { line: next.line, text: next.code } : undefined
    const source = words.find((word) => word.startsWith("source="))?.slice("source=".length)
    return [{ line, code, runnable, source, output }]
  })
}
