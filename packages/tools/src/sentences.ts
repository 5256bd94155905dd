/**
 * Every sentence of the interface document that states a rule has an id in the list of rules. The document lies beside the repository and is
 * not a part of it: the inventory (packages/sandbox/test/rules/sentences.json) names all its sentences by section, place and digest, without
 * their words, each with its rules or with the reason why it states none.
 *
 *     node --import tsx packages/tools/src/sentences.ts            compares; without the document only the ids are checked
 *     node --import tsx packages/tools/src/sentences.ts --write    brings places and digests up to date, and keeps the ids
 *
 * Wrong is a sentence without an entry, an entry without a sentence, an entry that names no rule and no reason, and a rule that is not in
 * the list.
 */
import * as crypto from "node:crypto"
import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { root } from "./repository.js"

/** A sentence, list item or table row of the document. */
export interface Sentence {
  readonly section: string
  /** Counted from 1 among all sentences of the section. */
  readonly place: number
  readonly text: string
  readonly digest: string
}

/** What the inventory says of a sentence: the rules that it is, or why it is none. */
export interface Entry {
  readonly place: number
  readonly digest: string
  readonly rules?: ReadonlyArray<string>
  readonly none?: string
}

/** Entries by section, in the order of the document. */
export interface Inventory {
  readonly [section: string]: ReadonlyArray<Entry>
}

const digestOf = (text: string): string => crypto.createHash("sha256").update(text).digest("hex").slice(0, 12)

const isDivider = (line: string): boolean => /^\|[-|: ]+\|$/.test(line)

/** The sentences of a paragraph. */
const split = (text: string): ReadonlyArray<string> => text.split(/(?<=[.!?])\s+(?=[A-Z])/)

/** All sentences of a Markdown document, by their sections. The head of a table is none. */
export const sentencesOf = (markdown: string): ReadonlyArray<Sentence> => {
  const found: Array<Sentence> = []
  const counts = new Map<string, number>()
  const lines = markdown.split("\n")
  let [chapter, section] = ["", ""]
  let paragraph: Array<string> = []
  const add = (text: string) => {
    const name = section === "" ? chapter : `${chapter}, ${section}`
    const place = (counts.get(name) ?? 0) + 1
    counts.set(name, place)
    found.push({ section: name, place, text, digest: digestOf(text) })
  }
  const flush = () => {
    if (paragraph.length > 0) for (const text of split(paragraph.join(" "))) add(text)
    paragraph = []
  }
  for (const [index, line] of lines.entries()) {
    const heading = /^(#{1,3}) (.*)$/.exec(line)
    if (heading !== null || line.trim() === "" || line.startsWith("|") || /^(\d+\.|-) /.test(line)) flush()
    if (heading !== null) {
      const [, marks = "", title = ""] = heading
      if (marks.length === 3) section = title
      else [chapter, section] = [marks.length === 1 ? "" : title, ""]
    } else if (line.startsWith("|")) {
      if (!isDivider(line) && !isDivider(lines[index + 1] ?? "")) add(line.slice(1, -1).trim())
    } else if (line.trim() !== "") paragraph.push(line.replace(/^(\d+\.|-) /, "").trim())
  }
  flush()
  return found
}

const key = (section: string, digest: string): string => `${section} ${digest}`

/** What is wrong with the inventory, as far as it can be said without the document. */
export const checkIds = (inventory: Inventory, known: ReadonlySet<string>): ReadonlyArray<string> =>
  Object.entries(inventory).flatMap(([section, entries]) =>
    entries.flatMap(({ none, place, rules = [] }) => {
      const where = `${section}, ${place}`
      if (rules.length === 0 && (none === undefined || none === "")) return [`${where} has no rule`]
      if (rules.length > 0 && none !== undefined) return [`${where} has rules and is none`]
      return rules.filter((rule) => !known.has(rule)).map((rule) => `${where}: there is no rule ${rule}`)
    })
  )

/** What is wrong with the inventory of a document. */
export const checkDocument = (inventory: Inventory, document: ReadonlyArray<Sentence>): ReadonlyArray<string> => {
  const listed = new Set(
    Object.entries(inventory).flatMap(([section, entries]) => entries.map(({ digest }) => key(section, digest)))
  )
  const present = new Set(document.map(({ digest, section }) => key(section, digest)))
  return [
    ...document
      .filter(({ digest, section }) => !listed.has(key(section, digest)))
      .map(({ place, section }) => `${section}, ${place} is not in the inventory`),
    ...Object.entries(inventory).flatMap(([section, entries]) =>
      entries
        .filter(({ digest }) => !present.has(key(section, digest)))
        .map(({ place }) => `${section}, ${place} is not in the document`)
    )
  ]
}

/** The inventory of a document, with what a former one says of its sentences. */
export const updated = (inventory: Inventory, document: ReadonlyArray<Sentence>): Inventory => {
  const known = new Map(
    Object.entries(inventory).flatMap(([section, entries]) =>
      entries.map((entry) => [key(section, entry.digest), entry] as const)
    )
  )
  const next: { [section: string]: Array<Entry> } = {}
  for (const { digest, place, section } of document) {
    const { none, rules } = known.get(key(section, digest)) ?? {}
    const entries = (next[section] ??= [])
    entries.push({ place, digest, ...(rules === undefined ? {} : { rules }), ...(none === undefined ? {} : { none }) })
  }
  return next
}

const print = (inventory: Inventory): string => {
  const sections = Object.entries(inventory).map(([section, entries]) => {
    const lines = entries.map((entry) => `    ${JSON.stringify(entry)}`)
    return `  ${JSON.stringify(section)}: [\n${lines.join(",\n")}\n  ]`
  })
  return `{\n${sections.join(",\n")}\n}\n`
}

const file = path.join(root, "packages/sandbox/test/rules/sentences.json")
const documentFile = path.join(root, "..", "shared", "interface.md")

interface Rules {
  readonly sections: ReadonlyArray<{ readonly rules: { readonly [id: string]: string } }>
}

const main = (write: boolean): void => {
  // Both files are of this repository.
  const list = JSON.parse(fs.readFileSync(path.join(root, "packages/sandbox/test/rules/rules.json"), "utf8")) as Rules
  // As `print` writes it.
  const before = JSON.parse(fs.readFileSync(file, "utf8")) as Inventory
  const document = fs.existsSync(documentFile) ? sentencesOf(fs.readFileSync(documentFile, "utf8")) : undefined
  const inventory = write && document !== undefined ? updated(before, document) : before
  // What is the same stays as it is formatted.
  if (print(inventory) !== print(before)) fs.writeFileSync(file, print(inventory))
  const known = new Set(list.sections.flatMap(({ rules }) => Object.keys(rules)))
  const wrong = [...checkIds(inventory, known), ...(document === undefined ? [] : checkDocument(inventory, document))]
  for (const one of wrong) console.log(one)
  const count = Object.values(inventory).flat().length
  console.log(
    `${count} sentences, compared with ${document === undefined ? "the list of rules alone: the document is not here" : "the document"}`
  )
  if (wrong.length > 0) process.exitCode = 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.includes("--write"))
