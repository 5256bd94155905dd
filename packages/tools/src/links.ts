/** Links that lead nowhere: in the built site, and in the Markdown pages of the repository. */
import * as fs from "node:fs"
import * as path from "node:path"
import { blocks } from "./markdown.js"

/** A page of the site: the ids in it, and where its links lead. */
interface Page {
  readonly ids: ReadonlySet<string>
  readonly links: ReadonlyArray<string>
}

const entities: { readonly [entity: string]: string } = { "&amp;": "&", "&quot;": '"', "&#39;": "'", "&lt;": "<" }

const attributes = (html: string, name: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(new RegExp(`<[a-z][^>]*?\\s${name}="([^"]*)"`, "g")), ([, value = ""]) =>
    value.replaceAll(/&(?:amp|quot|#39|lt);/g, (entity) => entities[entity] ?? entity)
  )

const pageOf = (html: string): Page => ({
  ids: new Set(attributes(html, "id")),
  links: [...new Set([...attributes(html, "href"), ...attributes(html, "src")])]
})

const filesOf = (folder: string): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort()

const isElsewhere = (link: string): boolean => /^([a-z][a-z0-9+.-]*:|\/\/)/i.test(link)

/** The dead links of a built site: `page: link (reason)` for each. Links to other sites are not followed. */
export const deadLinksOfSite = (folder: string): ReadonlyArray<string> => {
  const files = filesOf(folder)
  const pages = new Map(
    files
      .filter((file) => file.endsWith(".html"))
      .map((file) => [file, pageOf(fs.readFileSync(path.join(folder, file), "utf8"))] as const)
  )
  const exists = new Set(files)
  const reasonOf = (from: string, link: string): string | undefined => {
    const url = new URL(link, `http://site/${from}`)
    const target = decodeURIComponent(url.pathname)
      .slice(1)
      .replace(/(^|\/)$/, "$1index.html")
    const id = decodeURIComponent(url.hash.slice(1))
    if (!exists.has(target)) return `there is no ${target}`
    return id === "" || pages.get(target)?.ids.has(id) !== false ? undefined : `${target} has no #${id}`
  }
  return Array.from(pages).flatMap(([file, { links }]) =>
    links
      .filter((link) => !isElsewhere(link))
      .flatMap((link) => {
        const reason = reasonOf(file, link)
        return reason === undefined ? [] : [`${file}: ${link} (${reason})`]
      })
  )
}

const withoutCode = (markdown: string): string =>
  blocks(markdown)
    .reduce((text, { code }) => (code === "" ? text : text.replace(code, "")), markdown)
    .replaceAll(/`[^`\n]*`/g, "")

/** The links of Markdown pages to files that do not exist: `page: link` for each. */
export const deadLinksOfPages = (root: string, pages: ReadonlyArray<string>): ReadonlyArray<string> =>
  pages.flatMap((page) => {
    const text = withoutCode(fs.readFileSync(path.join(root, page), "utf8"))
    return Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = ""]) => link)
      .filter((link) => !isElsewhere(link) && !link.startsWith("#"))
      .filter(
        (link) => !fs.existsSync(path.join(root, path.dirname(page), decodeURIComponent(link.replace(/#.*/, ""))))
      )
      .map((link) => `${page}: ${link}`)
  })
