/**
 * The site in a browser: its home, its drawings and its search, and every link followed to its page and heading. Nothing is loaded from
 * elsewhere. Pictures are left in packages/tools/build/pictures.
 */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import type { Browser, Page } from "puppeteer-core"
import { root, tools } from "../repository.js"
import { accessible } from "./accessible.js"
import { open, pictures } from "./open.js"
import type { Opened } from "./open.js"

const folder = path.join(tools, "build", "site")

const types: { readonly [extension: string]: string } = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".woff2": "font/woff2",
  ".png": "image/png",
  ".svg": "image/svg+xml"
}

/** Serves the built site on a free port. */
const serve = (): Promise<{ readonly origin: string; readonly close: () => void }> =>
  new Promise((resolve, reject) => {
    const server = http.createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://site")
      const file = path.join(folder, decodeURIComponent(pathname.endsWith("/") ? `${pathname}index.html` : pathname))
      const isThere = file.startsWith(folder + path.sep) && fs.existsSync(file) && fs.statSync(file).isFile()
      response.writeHead(isThere ? 200 : 404, { "content-type": types[path.extname(file)] ?? "text/plain" })
      response.end(isThere ? fs.readFileSync(file) : undefined)
    })
    server.on("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" ? (address?.port ?? 0) : 0
      resolve({ origin: `http://127.0.0.1:${port}`, close: () => server.close() })
    })
  })

/** An empty page that may ask for the site alone. */
const opened = (
  browser: Browser,
  origin: string,
  { dark = false, width = 1280 }: { readonly dark?: boolean; readonly width?: number } = {}
): Promise<Opened> =>
  open(browser, { dark, width, allowed: (url) => url.startsWith(`${origin}/`) || /^(data|blob):/.test(url) })

const drawingsIn = (source: string): number => source.split("```mermaid").length - 1

interface View {
  readonly name: string
  readonly url: string
  readonly source: string
  readonly title: RegExp
  readonly dark?: boolean
  readonly width?: number
}

const views: ReadonlyArray<View> = [
  { name: "home", url: "/", source: "home.md", title: /^effect-venue/ },
  { name: "home-dark", url: "/", source: "home.md", title: /^effect-venue/, dark: true },
  { name: "home-narrow", url: "/", source: "home.md", title: /^effect-venue/, width: 400 },
  { name: "overview", url: "/overview.html", source: "README.md", title: /^Documentation/ },
  { name: "composing", url: "/composing.html", source: "composing.md", title: /^Composing an application/ },
  { name: "composing-wide", url: "/composing.html", source: "composing.md", title: /^Composing/, width: 1440 },
  { name: "composing-widest", url: "/composing.html", source: "composing.md", title: /^Composing/, width: 1800 },
  { name: "composing-narrow", url: "/composing.html", source: "composing.md", title: /^Composing/, width: 400 },
  { name: "orders-dark", url: "/reference/orders.html", source: "reference/orders.md", title: /^Orders/, dark: true }
]

const look = async (browser: Browser, origin: string, view: View): Promise<void> => {
  const { page, wrong } = await opened(browser, origin, view)
  await page.goto(`${origin}${view.url}`, { waitUntil: "networkidle0" })
  assert.match(await page.$eval("h1", (heading) => heading.textContent), view.title)
  const drawings = drawingsIn(fs.readFileSync(path.join(root, "docs", view.source), "utf8"))
  await page.waitForFunction((count) => document.querySelectorAll("div.drawing svg").length === count, {}, drawings)
  const wide = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.ok(wide <= (view.width ?? 1280), `${view.name} is ${wide} wide`)
  const clipped = await page.$$eval(".VPSidebar .text", (all) =>
    all.filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth + 1).map((text) => text.textContent)
  )
  const covered = await page.evaluate(() => {
    const sidebar = document.querySelector(".VPSidebar")?.getBoundingClientRect()
    const text = document.querySelector(".VPDoc h1")?.getBoundingClientRect()
    const isBeside = sidebar !== undefined && text !== undefined && sidebar.right > 0 && innerWidth >= 960
    return isBeside && (sidebar.right > text.left || sidebar.width < 200)
  })
  assert.deepEqual(clipped, [], `${view.name}: the sidebar is clipped`)
  assert.ok(!covered, `${view.name}: the sidebar has no room`)
  await page.screenshot({ path: path.join(pictures, `site-${view.name}.png`) })
  await accessible(page, `site ${view.name}`)
  const drawing = await page.$("div.drawing")
  if (drawing !== null) await drawing.screenshot({ path: path.join(pictures, `site-${view.name}-drawing.png`) })
  assert.deepEqual(wrong, [], view.name)
  await page.close()
}

const search = async (browser: Browser, origin: string): Promise<void> => {
  const { page, wrong } = await opened(browser, origin)
  await page.goto(`${origin}/overview.html`, { waitUntil: "networkidle0" })
  await page.click(".VPNavBarSearch button")
  await page.waitForSelector(".VPLocalSearchBox input")
  await page.type(".VPLocalSearchBox input", "manifest")
  await page.waitForSelector(".VPLocalSearchBox .result")
  const found = await page.$$eval(".VPLocalSearchBox .result", (all) =>
    all.map((one) => one.getAttribute("href") ?? "")
  )
  assert.ok(
    found.some((href) => href.includes("history")),
    `a search for "manifest" finds ${found.join(", ")}`
  )
  await page.screenshot({ path: path.join(pictures, "site-search.png") })
  assert.deepEqual(wrong, [])
  await page.close()
}

/** The links that a page shows, and the ids that it has. */
const readPage = (page: Page) =>
  page.evaluate(() => ({
    ids: Array.from(document.querySelectorAll("[id]"), ({ id }) => id),
    links: Array.from(document.querySelectorAll<HTMLAnchorElement>("a[href]"), ({ href }) => href)
  }))

interface Crawled {
  readonly dead: ReadonlyArray<string>
  readonly links: number
  readonly pages: ReadonlySet<string>
}

/** Opens every page that a link leads to, beginning at the home, and looks for the heading that each link names. */
const crawl = async (browser: Browser, origin: string): Promise<Crawled> => {
  const { page, wrong } = await opened(browser, origin)
  const ids = new Map<string, ReadonlySet<string>>()
  const links: Array<{ readonly from: string; readonly to: URL }> = []
  const dead: Array<string> = []
  const waiting = ["/"]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    if (ids.has(next)) continue
    const response = await page.goto(`${origin}${next}`, { waitUntil: "load" })
    if (response?.status() !== 200) {
      dead.push(`${next}: HTTP ${response?.status() ?? "no response"}`)
      ids.set(next, new Set())
      continue
    }
    await page.waitForSelector("h1")
    const found = await readPage(page)
    ids.set(next, new Set(found.ids))
    for (const href of found.links) {
      const to = new URL(href)
      if (to.origin !== origin) continue
      links.push({ from: next, to })
      waiting.push(to.pathname)
    }
  }
  for (const { from, to } of links) {
    const id = decodeURIComponent(to.hash.slice(1))
    if (id !== "" && !ids.get(to.pathname)?.has(id)) dead.push(`${from}: ${to.pathname} has no #${id}`)
  }
  await page.close()
  return { dead: [...new Set([...dead, ...wrong])], links: links.length, pages: new Set(ids.keys()) }
}

/** The pages of the built site. */
const built = (): ReadonlyArray<string> =>
  fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".html") && file !== "404.html")
    .map((file) => `/${file.replaceAll("\\", "/").replace(/(^|\/)index\.html$/, "$1")}`)

/** The site, looked at. */
export const site = async (browser: Browser): Promise<void> => {
  assert.ok(fs.existsSync(path.join(folder, "index.html")), "the site is not built: pnpm check site")
  const { close, origin } = await serve()
  try {
    for (const view of views) await look(browser, origin, view)
    await search(browser, origin)
    const { dead, links, pages } = await crawl(browser, origin)
    assert.deepEqual(dead, [], "dead links")
    assert.deepEqual(
      built().filter((page) => !pages.has(page)),
      [],
      "pages that no link leads to"
    )
    console.log(`site: ${links} links on ${pages.size} pages followed; home, drawings and search looked at`)
  } finally {
    close()
  }
}
