/** The links of the site that lead nowhere. VitePress finds pages that are missing, and no headings. */
import * as fs from "node:fs"
import * as path from "node:path"
import { filesOf } from "../repository/repository.js"

/** The file that a link on a page leads to. */
const targetOf = (page: string, link: string): string => {
  if (link === "") return page
  const file = link.startsWith("/") ? link.slice(1) : path.posix.join(path.posix.dirname(page), link)
  return file.replace(/(^|\/)$/, "$1index.html")
}

export const deadLinks = (site: string): ReadonlyArray<string> => {
  const files = new Set(filesOf(site))
  const pages = new Map(
    [...files]
      .filter((file) => file.endsWith(".html"))
      .map((file) => [file, fs.readFileSync(path.join(site, file), "utf8")])
  )
  const idsOf = (html = "") => new Set(Array.from(html.matchAll(/\sid="([^"]+)"/g), ([, id]) => id))
  const ids = new Map([...pages].map(([file, html]) => [file, idsOf(html)]))
  return [...pages].flatMap(([page, html]) =>
    [...html.matchAll(/\shref="([^":#]*)(?:#([^"]*))?"/g)]
      .filter(([, link = "", heading = ""]) => {
        const target = targetOf(page, link)
        return !files.has(target) || (heading !== "" && ids.get(target)?.has(decodeURIComponent(heading)) !== true)
      })
      .map(([href]) => `${page}:${href}`)
  )
}
