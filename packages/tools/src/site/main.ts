/**
 * Builds the site of docs/ into packages/tools/build/site, with a page for each public module, every page as Markdown beside it, and llms.txt; a
 * dead link fails the build. Then looks at it in a browser: pages work without another host, drawings are drawn, no page is too long, and the search
 * answers the questions of questions.ts.
 *
 *     npm run check -- site    builds and checks it
 *     npm run docs             builds it, and serves it on this machine until stopped
 */
import assert from "node:assert/strict"
import * as fs from "node:fs"
import * as path from "node:path"
import type { Browser } from "puppeteer-core"
import { preview } from "vite"
import { build, serve } from "vitepress"
import { readArguments } from "../../readArguments.mjs"
import { open, withBrowser } from "../browser/chromium.js"
import type { View } from "../browser/chromium.js"
import { filesOf, root, tools } from "../repository/repository.js"
import { tooLong } from "./lengths.js"
import { deadLinks } from "./links.js"
import { writeLlms } from "./llms.js"
import { writeModules } from "./modules.js"
import { loadSearch, unanswered } from "./search.js"

const docs = path.join(root, "docs")

/** The pages of the site: docs/, and the pages of the modules. */
const pages = path.join(tools, "build", "pages")

const site = path.join(tools, "build", "site")

const collect = async (): Promise<void> => {
  fs.rmSync(pages, { recursive: true, force: true })
  fs.cpSync(docs, pages, { recursive: true, filter: (file) => path.basename(file) !== ".vitepress" })
  const addresses = await writeModules(path.join(pages, "modules"))
  fs.writeFileSync(path.join(tools, "build", "addresses.json"), JSON.stringify(Object.fromEntries(addresses)))
}

const views: ReadonlyArray<View & { readonly page: string }> = [
  { name: "site-home", page: "" },
  { name: "site-home-dark", page: "", dark: true },
  { name: "site-export", page: "export-your-history.html" },
  { name: "site-bots-dark", page: "test-a-bot.html", dark: true },
  { name: "site-effect-narrow", page: "getting-started.html", width: 400 },
  { name: "site-composing-narrow", page: "composing.html", width: 400 },
  { name: "site-orders-dark", page: "reference/orders/create.html", dark: true },
  { name: "site-module", page: "modules/services/Orders.html" },
  { name: "site-module-narrow", page: "modules/transport/CallOptions.html", width: 400 }
]

const look = async (browser: Browser): Promise<void> => {
  const server = await preview({
    ...{ configFile: false, root: tools, logLevel: "silent" },
    ...{ build: { outDir: "build/site" }, preview: { port: 0, host: "127.0.0.1" } }
  })
  const url = server.resolvedUrls?.local[0] ?? ""
  try {
    for (const view of views) await (await open(browser, `${url}${view.page}`, url, view)).close()
    const page = await open(browser, `${url}composing.html`, url, { name: "site-composing" })
    await page.waitForSelector("div.drawing svg")
    await page.click(".VPNavBarSearch button")
    await page.waitForSelector(".VPLocalSearchBox input")
    await page.type(".VPLocalSearchBox input", "manifest")
    await page.waitForSelector('.VPLocalSearchBox .result[href*="history"]')
    const hrefs = await page.$$eval(".VPLocalSearchBox .result", (found) =>
      found.map((one) => one.getAttribute("href") ?? "")
    )
    const search = await loadSearch(site)
    // The questions are asked without the browser, which must find the same.
    assert.deepEqual(hrefs, search("manifest").slice(0, hrefs.length))
    assert.deepEqual(unanswered(search), [], "the search does not find")
    const htmls = filesOf(site).filter((file) => file.endsWith(".html"))
    assert.deepEqual(await tooLong(browser, url, htmls), [], "longer than 8 screens")
  } finally {
    await server.close()
  }
}

const isServing = process.argv[2] === "serve"
if (isServing) readArguments(process.argv.slice(3), { command: "npm run docs", options: {} })
await collect()
await build(docs)
writeLlms(pages, site)
const dead = deadLinks(site)
if (dead.length > 0) throw new Error(`links that lead nowhere:\n${dead.join("\n")}`)
if (isServing) await serve({ root: docs, port: 4173 })
else await withBrowser(look)
