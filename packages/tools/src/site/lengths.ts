/** The lengths of the pages of the site: a page is read in a few screens, apart from tables in which a reader looks something up. */
import type { Browser } from "puppeteer-core"

const screen = { width: 1280, height: 900 }
const mostScreens = 8

/** Pages that are tables, and pages that are generated from modules or list every change. */
const isTable = (page: string): boolean =>
  /^(modules|decisions)\/|^(changelog|404)\.html$|^reference\/(clients|contradictions|control|enumerations|limits|return-codes|rules)\.html$/.test(
    page
  )

/** Returns the pages that are too long, each with its length in screens. */
export const tooLong = async (
  browser: Browser,
  url: string,
  pages: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  const page = await browser.newPage()
  await page.setViewport(screen)
  const found: Array<string> = []
  for (const name of pages.filter((one) => !isTable(one))) {
    await page.goto(`${url}${name}`, { waitUntil: "load" })
    const height = await page.evaluate(() => document.querySelector(".vp-doc")?.scrollHeight ?? 0)
    const screens = height / screen.height
    if (screens > mostScreens) found.push(`${name}: ${screens.toFixed(1)} screens`)
  }
  await page.close()
  return found
}
