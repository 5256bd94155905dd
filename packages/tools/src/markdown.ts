/** The Markdown pages of the repository, and the fenced blocks in them. */
import * as fs from "node:fs"
import * as path from "node:path"

/** A fenced block. `line` is the number of its first line of code, from 1. */
export interface Block {
  readonly line: number
  readonly language: string
  readonly code: string
}

const pattern =
  /^(?<indent>[ \t>]*)(?<mark>`{3,}|~{3,})[ \t]*(?<language>[^\s`,]*)[^\n]*\n(?<code>[\s\S]*?)^[ \t>]*\k<mark>[ \t]*$/gm

/** The fenced blocks of a page, in order. */
export const blocks = (markdown: string): ReadonlyArray<Block> =>
  Array.from(markdown.matchAll(pattern), ({ groups, index }) => ({
    line: markdown.slice(0, index).split("\n").length + 1,
    language: groups?.language ?? "",
    code: groups?.code ?? ""
  }))

/** The specifiers that the TypeScript blocks of a page import, sorted, each once. */
export const imports = (markdown: string): ReadonlyArray<string> => {
  const found = blocks(markdown)
    .filter(({ language }) => language === "ts")
    .flatMap(({ code }) => Array.from(code.matchAll(/^\s*(?:import|export)\b[^"']*from "(?<from>[^"]+)"/gm)))
    .map(({ groups }) => groups?.from ?? "")
    .filter((specifier) => !/^(\.|node:|$)/.test(specifier))
  return [...new Set(found)].sort()
}

/** `README.md`, the README of every package and everything in `docs/`, as paths from `root` with slashes. */
export const pages = (root: string): ReadonlyArray<string> => {
  const packages = fs.readdirSync(path.join(root, "packages")).map((name) => `packages/${name}/README.md`)
  const docs = fs
    .readdirSync(path.join(root, "docs"), { recursive: true, encoding: "utf8" })
    .map((file) => `docs/${file.replaceAll("\\", "/")}`)
  return ["README.md", ...packages.sort(), ...docs.sort()].filter(
    (file) => file.endsWith(".md") && fs.existsSync(path.join(root, file))
  )
}

/** The id of a heading, on the site as in the repository's own pages. */
export const slugOf = (title: string): string =>
  title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-")

/** The ids of a page's headings. The second of two equal ones ends in `-1`. */
export const headingIds = (markdown: string): ReadonlySet<string> => {
  const counts = new Map<string, number>()
  const ids = new Set<string>()
  let fence: string | undefined
  for (const line of markdown.split(/\r?\n/)) {
    const mark = /^[ \t>]*(`{3,}|~{3,})/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === undefined ? mark : mark.startsWith(fence) ? undefined : fence
    const title = fence === undefined ? /^#{1,6} (.*)$/.exec(line)?.[1] : undefined
    if (title === undefined) continue
    const id = slugOf(title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"))
    const count = counts.get(id) ?? 0
    counts.set(id, count + 1)
    ids.add(count === 0 ? id : `${id}-${count}`)
  }
  return ids
}
