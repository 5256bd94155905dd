/**
 * Citations that lead a reader somewhere. Code cites a page as `docs/reference/orders.md#amend`, and a rule by its id: `(rule limits/ip)`. Each
 * page, heading and rule has to exist. Papers that lie beside the repository are not cited: their reader has this repository alone.
 *
 *     node --import tsx packages/tools/src/citations.ts
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { blocks, headingIds } from "./markdown.js"
import { committable, root } from "./repository.js"

/** What citations may name. */
export interface Cited {
  /** The ids of the headings of each page, by the page's path; of a page that is no Markdown none. */
  readonly pages: ReadonlyMap<string, ReadonlySet<string>>
  readonly rules: ReadonlySet<string>
}

// Spelled so that this file does not cite them itself.
const papers = new RegExp(["interface\\" + ".md", "\\bfacts" + "/"].join("|"), "g")

const pagePattern = /(?<![\w/.-])docs\/[\w./-]+\.md(?:#[\w-]+)?/g

const rulePattern =
  /[(;] ?(?<first>rules? [A-Za-z][\w.-]*\/[\w./-]+(?:(?:, | and )[A-Za-z][\w.-]*\/[\w./-]+)*)(?=[);])/g

const linkPattern = /\]\((?<link>(?!\w+:|#)[^)\s#]+\.md)#(?<id>[^)\s]+)\)/g

/** Where a citation begins in a text, as a line number from 1. */
const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length

/** A citation that wraps to the next line of a comment is one. */
const unwrapped = (text: string): string => text.replaceAll(/\n[ \t]*(?:\*|\/\/) ?/g, (wrap) => " ".padEnd(wrap.length))

const missing = (reference: string, { pages }: Cited): string | undefined => {
  const [page = "", id] = reference.split("#")
  const ids = pages.get(page)
  if (ids === undefined) return `there is no ${page}`
  return id === undefined || ids.has(id) ? undefined : `${page} has no heading #${id}`
}

/** The problems of a source file: `file:line: reason` for each. */
export const problemsOfSource = (file: string, text: string, cited: Cited): ReadonlyArray<string> => {
  const at = (index: number, reason: string) => `${file}:${lineOf(text, index)}: ${reason}`
  const flat = unwrapped(text)
  return [
    ...problemsOfPapers(file, text),
    ...Array.from(flat.matchAll(pagePattern)).flatMap(({ 0: reference, index }) => {
      const reason = missing(reference, cited)
      return reason === undefined ? [] : [at(index, reason)]
    }),
    ...Array.from(flat.matchAll(rulePattern)).flatMap(({ groups, index }) =>
      (groups?.first ?? "")
        .replace(/^rules? /, "")
        .split(/, | and /)
        .filter((id) => !cited.rules.has(id))
        .map((id) => at(index, `there is no rule ${id}`))
    )
  ]
}

/** The problems of a Markdown page: papers beside the repository, and links to headings that do not exist. */
export const problemsOfPage = (file: string, text: string, cited: Cited): ReadonlyArray<string> => {
  const prose = blocks(text).reduce((rest, { code }) => rest.replace(code, code.replaceAll(/[^\n]/g, " ")), text)
  return [
    ...problemsOfPapers(file, text),
    ...Array.from(prose.matchAll(linkPattern)).flatMap(({ groups, index }) => {
      const page = path.posix.join(path.posix.dirname(file), groups?.link ?? "")
      const reason = missing(`${page}#${groups?.id ?? ""}`, cited)
      return reason === undefined ? [] : [`${file}:${lineOf(prose, index)}: ${reason}`]
    })
  ]
}

const problemsOfPapers = (file: string, text: string): ReadonlyArray<string> =>
  Array.from(
    text.matchAll(papers),
    ({ 0: paper, index }) =>
      `${file}:${lineOf(text, index)}: ${paper} is not in this repository: cite a page of docs/reference, or a rule by its id`
  )

/** The tool that compares the document with the rules names its file. */
const reader = "packages/tools/src/sentences.ts"

const isPage = (file: string): boolean => file.endsWith(".md")

const isSource = (file: string): boolean => /\.(?:ts|mts|mjs|cjs|js|json|jsonc|vue|css|yml|yaml)$/.test(file)

const isRead = (file: string): boolean =>
  (isPage(file) || isSource(file)) &&
  !/\/fixtures\/|^packages\/tools\/test\/|^pnpm-lock\.yaml$|\/build\/|\/dist\//.test(file) &&
  file !== reader

interface Rules {
  readonly sections: ReadonlyArray<{ readonly rules: { readonly [id: string]: string } }>
}

/** What is wrong, and how many files were read. */
export const run = (root: string): { readonly problems: ReadonlyArray<string>; readonly files: number } => {
  const files = committable(root).filter(isRead)
  const read = (file: string) => fs.readFileSync(path.join(root, file), "utf8")
  // The file is of this repository.
  const { sections } = JSON.parse(read("packages/sandbox/test/rules/rules.json")) as Rules
  const cited = {
    pages: new Map(files.filter(isPage).map((file) => [file, headingIds(read(file))])),
    rules: new Set(sections.flatMap(({ rules }) => Object.keys(rules)))
  }
  const problems = files.flatMap((file) =>
    isPage(file) ? problemsOfPage(file, read(file), cited) : problemsOfSource(file, read(file), cited)
  )
  return { problems, files: files.length }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { files, problems } = run(root)
  for (const problem of problems) console.log(problem)
  console.log(`${files} files, ${problems.length} citations that lead nowhere`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
