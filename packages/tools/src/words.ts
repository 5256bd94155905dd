/**
 * Refuses the phrases and identifiers of `vocabulary.ts`.
 *
 *     tsx packages/tools/src/words.ts                         fails if a term occurs
 *     tsx packages/tools/src/words.ts --list phrases [path]   prints each occurrence in a scope, of the files under a path
 */
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { committable, root } from "./repository.js"
import { names, phrases } from "./vocabulary.js"
import type { Term } from "./vocabulary.js"

/** A line in which a term stands. `line` is its number, from 1. */
interface Occurrence {
  readonly file: string
  readonly line: number
  readonly text: string
}

interface Scope {
  readonly terms: ReadonlyArray<Term>
  readonly includes: (file: string) => boolean
}

/** The list itself, and the tests that show what it refuses. */
const ownFiles = ["packages/tools/src/vocabulary.ts", "packages/tools/test/words.test.ts"]

const isText = (file: string): boolean =>
  /\.(?:md|ts|mjs|cjs|js|json|jsonc|vue|css)$/.test(file) &&
  /^(?:README\.md|docs\/|packages\/|\.github\/|\.ci\/|\.changeset\/README\.md)/.test(file) &&
  // Generated from the sources, which are looked through, or recorded byte for byte.
  !/^docs\/reference\/(?!signing|responses|contradictions|listed-operations)|^packages\/[^/]+\/api\/|\/test\/fixtures\/|(?:^|\/)CHANGELOG\.md$/.test(
    file
  ) &&
  !ownFiles.includes(file)

const isDecision = (file: string): boolean => file.startsWith("docs/decisions/")

/** Decisions are records: they keep names of the code that has been renamed since. */
const scopes = {
  phrases: { terms: phrases, includes: () => true },
  names: { terms: names, includes: (file: string) => !isDecision(file) }
} as const satisfies { readonly [scope: string]: Scope }

type ScopeName = keyof typeof scopes

const isScopeName = (name: string): name is ScopeName => Object.hasOwn(scopes, name)

/** Where a term stands in the text of a file. */
export const occurrences = (term: Term, file: string, text: string): ReadonlyArray<Occurrence> => {
  if (term.within !== undefined && !file.startsWith(term.within)) return []
  const all = text.split("\n")
  const name = path.basename(file).replace(/\..*$/, "")
  const named = name === term.fileName || name.replaceAll("-", " ").search(term.pattern) >= 0
  return [
    ...(named ? [{ file, line: 1, text: `the file's name is ${path.basename(file)}` }] : []),
    ...Array.from(text.matchAll(term.pattern), ({ index }) => {
      const line = text.slice(0, index).split("\n").length
      return { file, line, text: (all[line - 1] ?? "").trim() }
    })
  ]
}

type Terms = ReadonlyMap<Term, ReadonlyArray<Occurrence>>

type Found = { readonly [S in ScopeName]: Terms }

const find = (root: string): Found => {
  const texts = committable(root)
    .filter(isText)
    .map((file) => ({ file, text: fs.readFileSync(path.join(root, file), "utf8") }))
  const inScope = ({ includes, terms }: Scope): Terms => {
    const included = texts.filter(({ file }) => includes(file))
    return new Map(terms.map((term) => [term, included.flatMap(({ file, text }) => occurrences(term, file, text))]))
  }
  return { phrases: inScope(scopes.phrases), names: inScope(scopes.names) }
}

const shown = 20

/** A line and the places beneath it. */
const withPlaces = (problem: string, occurrences: ReadonlyArray<Occurrence>): string => {
  const places = occurrences.map(({ file, line, text }) => `    ${file}:${line}: ${text}`)
  const more = places.length > shown ? [`    and ${places.length - shown} more`] : []
  return [problem, ...places.slice(0, shown), ...more].join("\n")
}

/** Every term that occurs, where none may. */
const refused = (scope: ScopeName, terms: Terms): ReadonlyArray<string> =>
  Array.from(terms)
    .filter(([, now]) => now.length > 0)
    .map(([term, now]) => withPlaces(`${scope}: "${term.id}" is not used here. Write ${term.instead}.`, now))

/** The problems, and how often the terms occur, by scope. */
export const run = (
  root: string
): { readonly problems: ReadonlyArray<string>; readonly totals: { readonly [S in ScopeName]: number } } => {
  const found = find(root)
  const total = (terms: Terms): number =>
    Array.from(terms.values(), (all) => all.length).reduce((sum, one) => sum + one)
  return {
    problems: [...refused("phrases", found.phrases), ...refused("names", found.names)],
    totals: { phrases: total(found.phrases), names: total(found.names) }
  }
}

/** Each occurrence in a scope, of the files under `prefix`, in the order of the files. */
const list = (root: string, scope: ScopeName, prefix: string): ReadonlyArray<string> =>
  [...find(root)[scope]]
    .flatMap(([{ id }, all]) => all.map((occurrence) => ({ ...occurrence, id })))
    .filter(({ file }) => file.startsWith(prefix))
    .sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1))
    .map(({ file, id, line, text }) => `${file}:${line}: [${id}] ${text}`)

const main = (root: string): void => {
  const at = process.argv.indexOf("--list")
  if (at >= 0) {
    const scope = process.argv[at + 1] ?? "phrases"
    if (!isScopeName(scope)) throw new Error(`there is no scope ${scope}: ${Object.keys(scopes).join(", ")}`)
    for (const line of list(root, scope, process.argv[at + 2] ?? "")) console.log(line)
    return
  }
  const { problems, totals } = run(root)
  for (const problem of problems) console.log(problem)
  console.log(
    Object.entries(totals)
      .map(([scope, total]) => `${scope}: ${total}`)
      .join(", ")
  )
  process.exitCode = problems.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(root)
