/**
 * Refuses the phrases and identifiers of `vocabulary.ts`. The decisions are records and keep their words: there, no phrase may occur more
 * often than words.json allows.
 *
 *     tsx packages/tools/src/words.ts             fails if a term occurs, or in the decisions if its count differs from words.json
 *     tsx packages/tools/src/words.ts --write     lowers the counts of words.json; adds terms that it does not have
 *     tsx packages/tools/src/words.ts --list decisions [path]   prints each occurrence in a scope, of the files under a path
 *
 * A count is never raised: to count anew, delete its entry, or the file, and write it again.
 */
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "./repository.js"
import { names, phrases } from "./vocabulary.js"
import type { Term } from "./vocabulary.js"

/** The allowed counts: by scope, then by term. A term that no longer occurs stays, at 0. */
interface Allowed {
  readonly [scope: string]: { readonly [term: string]: number }
}

/** A line in which a term stands. `line` is its number, from 1. */
interface Occurrence {
  readonly file: string
  readonly line: number
  readonly text: string
}

interface Scope {
  readonly terms: ReadonlyArray<Term>
  readonly includes: (file: string) => boolean
  /** Whether words.json has a count for each term. Otherwise every occurrence is refused. */
  readonly isCounted: boolean
}

const countsFile = "packages/tools/words.json"

/** The list itself, and the tests that show what it refuses. */
const ownFiles = [countsFile, "packages/tools/src/vocabulary.ts", "packages/tools/test/words.test.ts"]

const isText = (file: string): boolean =>
  /\.(?:md|ts|mjs|cjs|js|json|jsonc|vue|css)$/.test(file) &&
  /^(?:README\.md|docs\/|packages\/|\.github\/|\.ci\/|\.changeset\/README\.md)/.test(file) &&
  // Generated from the sources, which are counted, or recorded byte for byte.
  !/^docs\/reference\/(?!signing|responses|contradictions|listed-operations)|^packages\/[^/]+\/api\/|\/test\/fixtures\/|(?:^|\/)CHANGELOG\.md$/.test(
    file
  ) &&
  !ownFiles.includes(file)

const isDecision = (file: string): boolean => file.startsWith("docs/decisions/")

/** Decisions are records: they keep their words, and new ones add none. */
const scopes = {
  phrases: { terms: phrases, includes: (file: string) => !isDecision(file), isCounted: false },
  decisions: { terms: phrases, includes: isDecision, isCounted: true },
  names: { terms: names, includes: (file: string) => !isDecision(file), isCounted: false }
} as const satisfies { readonly [scope: string]: Scope }

type ScopeName = keyof typeof scopes

const isScopeName = (name: string): name is ScopeName => Object.hasOwn(scopes, name)

const git = (root: string, ...args: ReadonlyArray<string>): string | undefined => {
  const child = spawnSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 256 * 1024 * 1024 })
  return child.status === 0 ? child.stdout : undefined
}

const lines = (text: string | undefined): ReadonlyArray<string> =>
  (text ?? "").split("\n").filter((line) => line !== "")

/** What is counted: files that are committed, and those that would be. */
const filesOf = (root: string): ReadonlyArray<string> =>
  [...new Set(lines(git(root, "ls-files", "--cached", "--others", "--exclude-standard")))]
    .filter((file) => isText(file) && fs.existsSync(path.join(root, file)))
    .sort()

/** Where a term stands in the text of a file. */
export const occurrences = (term: Term, file: string, text: string): ReadonlyArray<Occurrence> => {
  if (term.within !== undefined && !file.startsWith(term.within)) return []
  const all = text.split("\n")
  const named = path.basename(file).replace(/\..*$/, "") === term.fileName
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
  const texts = filesOf(root).map((file) => ({ file, text: fs.readFileSync(path.join(root, file), "utf8") }))
  const inScope = ({ includes, terms }: Scope): Terms => {
    const included = texts.filter(({ file }) => includes(file))
    return new Map(terms.map((term) => [term, included.flatMap(({ file, text }) => occurrences(term, file, text))]))
  }
  return { phrases: inScope(scopes.phrases), decisions: inScope(scopes.decisions), names: inScope(scopes.names) }
}

/** The occurrences that were not there when words.json was last changed; all of them if git does not know. */
const added = (root: string, term: Term, now: ReadonlyArray<Occurrence>): ReadonlyArray<Occurrence> => {
  const base = git(root, "log", "-1", "--format=%H", "--", countsFile)?.trim()
  if (base === undefined || base === "") return now
  return [...new Set(now.map(({ file }) => file))].flatMap((file) => {
    const before = occurrences(term, file, git(root, "show", `${base}:${file}`) ?? "").map(({ text }) => text)
    return now
      .filter((occurrence) => occurrence.file === file)
      .filter(({ text }) => {
        const known = before.indexOf(text)
        if (known >= 0) before.splice(known, 1)
        return known < 0
      })
  })
}

const shown = 20

/** A line and the places beneath it. */
const withPlaces = (problem: string, occurrences: ReadonlyArray<Occurrence>): string => {
  const places = occurrences.map(({ file, line, text }) => `    ${file}:${line}: ${text}`)
  const more = places.length > shown ? [`    and ${places.length - shown} more`] : []
  return [problem, ...places.slice(0, shown), ...more].join("\n")
}

const risen = (root: string, term: Term, allowed: number, now: ReadonlyArray<Occurrence>): string => {
  const fresh = added(root, term, now)
  const problem = `"${term.id}" occurs ${now.length} times, ${allowed} are allowed. Write ${term.instead}.`
  return withPlaces(problem, fresh.length === 0 ? now : fresh)
}

const readAllowed = (root: string): Allowed => {
  const file = path.join(root, countsFile)
  // The compiler cannot see what is in the file: this module alone writes it.
  return fs.existsSync(file) ? (JSON.parse(fs.readFileSync(file, "utf8")) as Allowed) : {}
}

const countedScopes = Object.entries(scopes).flatMap(([name, { isCounted }]) =>
  isCounted && isScopeName(name) ? [name] : []
)

/** The counts as they may be written: a risen one keeps what was allowed. */
const lowered = (found: Found, allowed: Allowed): Allowed =>
  Object.fromEntries(
    countedScopes.map((scope) => [
      scope,
      Object.fromEntries(
        Array.from(found[scope], ([{ id }, now]) => [id, Math.min(now.length, allowed[scope]?.[id] ?? now.length)])
      )
    ])
  )

/** Every term that occurs, where none may. */
const refused = (scope: ScopeName, terms: Terms): ReadonlyArray<string> =>
  Array.from(terms)
    .filter(([, now]) => now.length > 0)
    .map(([term, now]) => withPlaces(`${scope}: "${term.id}" is not used here. Write ${term.instead}.`, now))

/** Every count that differs from the allowed one. */
const miscounted = (root: string, scope: ScopeName, terms: Terms, counts: Allowed): ReadonlyArray<string> =>
  Array.from(terms).flatMap(([term, now]) => {
    const allowed = counts[scope]?.[term.id]
    if (allowed === undefined) return [`${countsFile} has no count of "${term.id}" in ${scope}: run with --write`]
    if (now.length > allowed) return [`${scope}: ${risen(root, term, allowed, now)}`]
    return now.length === allowed
      ? []
      : [`${scope}: "${term.id}" occurs ${now.length} times, ${allowed} are allowed: run with --write to lower it`]
  })

/** The problems, and how often the terms occur, by scope. With `write`, a count that has fallen is written instead of reported. */
export const run = (
  root: string,
  write: boolean
): { readonly problems: ReadonlyArray<string>; readonly totals: { readonly [scope: string]: number } } => {
  const found = find(root)
  const before = readAllowed(root)
  const after = write ? lowered(found, before) : before
  if (write) fs.writeFileSync(path.join(root, countsFile), `${JSON.stringify(after, null, 2)}\n`)
  const names = Object.keys(scopes).filter(isScopeName)
  const problems = names.flatMap((scope) =>
    scopes[scope].isCounted ? miscounted(root, scope, found[scope], after) : refused(scope, found[scope])
  )
  const totals = names.map((scope) => {
    const counts = Array.from(found[scope].values(), (all) => all.length)
    return [scope, counts.reduce((sum, count) => sum + count, 0)] as const
  })
  return { problems, totals: Object.fromEntries(totals) }
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
  const { problems, totals } = run(root, process.argv.includes("--write"))
  for (const problem of problems) console.log(problem)
  console.log(
    Object.entries(totals)
      .map(([scope, total]) => `${scope}: ${total}`)
      .join(", ")
  )
  process.exitCode = problems.length === 0 ? 0 : 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(root)
