/**
 * Looks at what people look at, in a real browser without a way out: the page of `venue report`, and the site of docs/ when it is built.
 * Pictures of both are left in packages/tools/build/pictures.
 *
 *     node --import tsx packages/tools/src/browser.ts [report] [site]
 */
import * as fs from "node:fs"
import { fileURLToPath } from "node:url"
import type { Browser } from "puppeteer-core"
import { launch } from "./browser/chromium.js"
import { pictures } from "./browser/open.js"
import { report } from "./browser/report.js"
import { site } from "./browser/site.js"

const checks: Readonly<Record<string, (browser: Browser) => Promise<void>>> = { report, site }

const main = async (names: ReadonlyArray<string>): Promise<void> => {
  const browser = await launch()
  if (browser === undefined) {
    console.log("skipped: there is no browser for this machine in the packages, and none on the PATH")
    return
  }
  try {
    fs.mkdirSync(pictures, { recursive: true })
    for (const name of names.length === 0 ? Object.keys(checks) : names) {
      const check = checks[name]
      if (check === undefined) throw new Error(`there is no page ${name}: ${Object.keys(checks).join(", ")}`)
      await check(browser)
    }
  } finally {
    await browser.close()
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2))
