/** The search of the built site, with the index, the settings and the engine that the reader's browser loads. */
import * as fs from "node:fs"
import { createRequire } from "node:module"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { root } from "../repository/repository.js"
import { questions } from "./questions.js"

interface Engine {
  readonly loadJSON: (json: string, options: object) => { readonly search: (text: string) => ReadonlyArray<Found> }
}

interface Found {
  readonly id: string
}

/** The settings that VitePress gives its engine beside those of the site. */
const settings = { fields: ["title", "titles", "text"], storeFields: ["title", "titles"] }

const loadModule = async (file: string): Promise<{ readonly [name: string]: unknown }> =>
  // A module is a record of its exports.
  (await import(pathToFileURL(file).href)) as { readonly [name: string]: unknown }

/** Returns a function that searches the site, and returns the addresses of the results, best first. */
export const loadSearch = async (site: string): Promise<(text: string) => ReadonlyArray<string>> => {
  const ofVitePress = createRequire(createRequire(import.meta.url).resolve("vitepress/package.json"))
  // The engine of VitePress, whose tests would fail first.
  const engine = (await loadModule(ofVitePress.resolve("minisearch"))).default as Engine
  const chunks = path.join(site, "assets", "chunks")
  const [file = ""] = fs.readdirSync(chunks).filter((name) => name.startsWith("@localSearchIndexroot."))
  // The chunk exports the index as text.
  const index = (await loadModule(path.join(chunks, file))).default as string
  const { searchOptions } = await loadModule(path.join(root, "docs", ".vitepress", "search.mjs"))
  const loaded = engine.loadJSON(index, { ...settings, searchOptions })
  return (text) => loaded.search(text).map(({ id }) => id)
}

/** Returns the questions whose page is not among the first three results, each with these. */
export const unanswered = (search: (text: string) => ReadonlyArray<string>): ReadonlyArray<string> =>
  questions.flatMap(([question, ...pages]) => {
    const first = search(question).slice(0, 3)
    const addresses = new Set(pages.map((page) => `/${page}.html`))
    return first.some((id) => addresses.has(id.replace(/#.*/, "")))
      ? []
      : [`${question}: ${first.join(" ") || "nothing"}, not ${pages.join(" or ")}`]
  })
