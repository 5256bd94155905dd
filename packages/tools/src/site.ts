/**
 * Builds the site of docs/ into packages/tools/build/site; a dead link fails the build. Then looks at it in a browser: pages work without another
 * host, drawings are drawn, and the search finds a page.
 *
 *     npm run check -- site    builds and checks it
 *     npm run docs             builds it, and serves it on this machine until stopped
 */
import * as path from "node:path"
import type { Browser } from "puppeteer-core"
import { preview } from "vite"
import { build, serve } from "vitepress"
import { open, withBrowser } from "./browser/chromium.js"
import type { View } from "./browser/chromium.js"
import { root, tools } from "./repository.js"

const docs = path.join(root, "docs")

const views: ReadonlyArray<View & { readonly page: string }> = [
  { name: "site-home", page: "" },
  { name: "site-home-dark", page: "", dark: true },
  { name: "site-composing-narrow", page: "composing.html", width: 400 },
  { name: "site-orders-dark", page: "reference/orders.html", dark: true }
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
  } finally {
    await server.close()
  }
}

await build(docs)
if (process.argv[2] === "serve") await serve({ root: docs, port: 4173 })
else await withBrowser(look)
